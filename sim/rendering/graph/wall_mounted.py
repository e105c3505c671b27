"""Places what hangs on walls and ceilings, and what is set into worktops."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from sim.geometry.model import Thing, Vector
from sim.rendering.graph.site import INSET, Site, along_walls, before_windows, clear_of, footprints, row_of

ABOVE: Final = {"bathroom_cabinet": "bathroom_counter", "cupboard": "kitchen_counter", "stovefan": "oven"}
"""Class -> the class it hangs above."""
OFF_WALL: Final = 0.07
COUNTERS: Final = ("kitchen_counter", "bathroom_counter")
SINK_AT: Final = {"kitchen_counter": 0.22, "bathroom_counter": 0.0}
"""Position of a sink along its counter, as a share of the counter's width."""


def hang(site: Site, node: int) -> None:
    """Hangs a node on a wall, above its partner if it has one, clear of openings and of what hangs or stands there."""
    entry, k, name = site.relations.entries[node], site.relations.room_of[node], site.relations.name(node)
    if name == "curtain" and _hang_curtain(site, node):
        return
    (w, d, h), z = entry.size, entry.z
    poses = along_walls(site.inner(k), w, d, 0.15)
    body = footprints(poses, w, d)
    level = [t.footprint() for _, t in site.things_in(k) if t.base[2] < z + h and t.base[2] + t.size[2] > z]
    free = clear_of(body, level, 0.03) & clear_of(body, site.doors[k])
    if z + h > 0.9:
        free &= ~before_windows(body, site.walls, k)
    if not free.any():
        site.dropped.append(node)
        return
    score = site.rng.uniform(0, 1, len(poses))
    partner = next((t for _, t in site.things_in(k, ABOVE.get(name, "-"))), None)
    if partner is not None:
        score -= 3 * np.hypot(poses[:, 0] - partner.base[0], poses[:, 1] - partner.base[1])
    x, y, yaw = row_of(poses, int(np.flatnonzero(free)[np.argmax(score[free])]))
    site.add(node, (x, y, z), entry.size, yaw)


def _hang_curtain(site: Site, node: int) -> bool:
    """Hangs a curtain at a side of a window, or gathered at a shower or a bathtub. Returns False if all places are taken."""
    k, size = site.relations.room_of[node], site.relations.entries[node].size
    hung = [t.base for t in site.things.values() if t.kind == "curtain"]
    for x, y, yaw in _window_sides(site, k, size):
        if all(math.dist(b[:2], (x, y)) >= 0.1 for b in hung):
            site.add(node, (x, y, 0.15), size, yaw)
            return True
    for _, tub in list(site.things_in(k, "shower", "bathtub")):
        spot = tub.to_world((0, tub.size[1] / 2 + 0.04, 0.1))
        if all(math.dist(b[:2], spot[:2]) >= 0.1 for b in hung):
            gathered = site.add(node, spot, (tub.size[0], 0.06, 1.9), tub.yaw)
            site.things[node] = replace(gathered, open=True)
            return True
    return False


def _window_sides(site: Site, room: int, size: Vector) -> Iterator[tuple[float, float, float]]:
    for wall in (w for w in site.walls if room in (w.left, w.right)):
        ux, uy = (wall.end[0] - wall.start[0]) / wall.length, (wall.end[1] - wall.start[1]) / wall.length
        inward = 1 if wall.left == room else -1
        off = inward * (INSET + OFF_WALL)
        yaw = math.atan2(uy, ux) + (0.0 if inward > 0 else math.pi)
        for o in (o for o in wall.openings if o.kind == "window"):
            for at in (o.begin - size[0] / 2 + 0.05, o.end + size[0] / 2 - 0.05):
                yield wall.start[0] + ux * at - uy * off, wall.start[1] + uy * at + ux * off, yaw


def hang_from_ceiling(site: Site, node: int, height: float) -> None:
    """Hangs a node in the middle of the room; several of a class side by side."""
    k, size = site.relations.room_of[node], site.relations.entries[node].size
    same = sum(1 for _ in site.things_in(k, site.relations.name(node)))
    x, y = site.rooms[k].centre
    site.add(node, (x + 0.9 * same, y, height - size[2]), size, 0.0)


def set_into_counter(site: Site, node: int) -> None:
    """Sets sinks into a counter of the room, and taps behind a sink."""
    k, name, size = site.relations.room_of[node], site.relations.name(node), site.relations.entries[node].size
    found = sorted(site.things_in(k, *COUNTERS), key=lambda item: COUNTERS.index(item[1].kind))
    if not found:
        site.dropped.append(node)
        return
    number, counter = found[0]
    local, size = _inset(counter, name, size, any(site.things_in(k, "sink")))
    site.add(node, counter.to_world(local), size, counter.yaw)
    x, y, _ = local
    site.used[number, 0].append((x - size[0] / 2, y - size[1] / 2, x + size[0] / 2, y + size[1] / 2))


def _inset(counter: Thing, name: str, size: Vector, has_sink: bool) -> tuple[Vector, Vector]:
    """Returns the place in the counter's frame, and the size. Metres."""
    w, d, h = counter.size
    at = w * SINK_AT[counter.kind]
    if name == "sink":
        return (at, 0.02, h - size[2] + 0.012), (min(size[0], w * 0.6), min(size[1], d * 0.75), size[2])
    return (at if has_sink else 0.0, -d / 2 + 0.09, h), size
