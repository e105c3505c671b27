"""Places furniture with its back to a wall."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from sim.geometry.model import Thing
from sim.rendering.graph.site import Rows, Site, along_walls, before_windows, clear_of, footprints, row_of, within

PARTNERS: Final = {
    "coffee_table": "couch",
    "dishwasher": "kitchen_counter",
    "filing_cabinet": "desk",
    "freezer": "kitchen_counter",
    "fridge": "kitchen_counter",
    "nightstand": "bed",
    "oven": "kitchen_counter",
    "trashcan": "desk",
    "washing_machine": "bathroom_counter",
}
"""Class -> the class it prefers to stand next to."""
OPPOSITE: Final = {"couch": ("tvstand",), "tvstand": ("couch",)}
"""Classes that face each other, whether or not the graph says so."""


class Attempt(NamedTuple):
    """How strict the rules are in one attempt.

    Attributes:
        shrink: scale of the piece's width and depth.
        front: free floor in front of it, metres.
        zones: whether zones in front of other pieces must stay free.
    """

    shrink: float
    front: float
    zones: bool


ATTEMPTS: Final = (
    Attempt(1, 0.55, True),
    Attempt(1, 0.3, True),
    Attempt(1, 0, True),
    Attempt(0.8, 0, True),
    Attempt(0.8, 0, False),
)


def order(site: Site) -> list[int]:
    """Returns the nodes to place: large pieces first, those that follow a partner last."""
    relations = site.relations
    standing = [i for i in relations.placed("wall", "tall") if i not in site.things and not relations.on_furniture(i)]
    return sorted(standing, key=lambda i: relations.name(i) in PARTNERS)


def place_at_wall(site: Site, node: int) -> None:
    """Places a node at the best free place along the walls of its room, by less strict rules if necessary."""
    entry, k = site.relations.entries[node], site.relations.room_of[node]
    inner = site.inner(k)
    for attempt in ATTEMPTS:
        w, d, h = entry.size[0] * attempt.shrink, entry.size[1] * attempt.shrink, entry.size[2]
        poses = along_walls(inner, w, d)
        body, reach = footprints(poses, w, d), footprints(poses, w, d, attempt.front)
        free = clear_of(body, site.doors[k]) & clear_of(body, site.taken[k], 0.005) & clear_of(reach, site.taken[k])
        free &= within(reach, inner, 0.01)
        if attempt.zones:
            free &= clear_of(body, site.clear[k])
        if entry.place == "tall":
            free &= ~before_windows(body, site.walls, k)
        if free.any():
            scores = _scores(site, node, poses, body)
            best = int(np.flatnonzero(free)[np.argmax(scores[free])])
            site.settle(node, row_of(poses, best), (w, d, h), attempt.front)
            return
    site.dropped.append(node)


def _scores(site: Site, node: int, poses: Rows, body: Rows) -> Rows:
    """Returns the scores of poses.

    Corners, touching neighbours, near partners and facing what should be faced count, plus a little chance.
    """
    k, name = site.relations.room_of[node], site.relations.name(node)
    x0, y0, x1, y1 = site.inner(k)
    score = site.rng.uniform(0, 0.25, len(poses))
    gaps = np.stack([body[:, 0] - x0, body[:, 1] - y0, x1 - body[:, 2], y1 - body[:, 3]])
    score += 0.6 * (np.sort(gaps, 0)[1] < 0.06)
    for other in site.taken[k]:
        beside = np.maximum(body[:, 0] - other[2], other[0] - body[:, 2])
        touch = np.maximum(beside, np.maximum(body[:, 1] - other[3], other[1] - body[:, 3]))
        score += 0.3 * ((touch >= -0.01) & (touch < 0.12))
    partners = [t for _, t in site.things_in(k, PARTNERS.get(name, "-"))]
    if partners:
        score -= 1.2 * np.min([np.hypot(poses[:, 0] - t.base[0], poses[:, 1] - t.base[1]) for t in partners], 0)
    opposite = {j for j, _ in site.things_in(k, *OPPOSITE.get(name, ("-",)))}
    faced = {j for j in site.relations.faced_by(node) if j in site.things} - opposite
    for j in sorted(opposite):
        score += _looks_at(poses, site.things[j], 2.0, 1.0)
    for j in sorted(faced):
        score += _looks_at(poses, site.things[j], 0.8, 0.3)
    return score


def _looks_at(poses: Rows, target: Thing, reward: float, drift: float) -> Rows:
    """Returns `reward` for facing an object more than a metre ahead, minus `drift` for each metre it is off to a side."""
    dx, dy = target.base[0] - poses[:, 0], target.base[1] - poses[:, 1]
    c, s = np.cos(poses[:, 2]), np.sin(poses[:, 2])
    ahead, aside = c * dy - s * dx, np.abs(c * dx + s * dy)
    value: Rows = np.where(ahead > 1.0, reward - drift * aside, -0.75 * reward)
    return value
