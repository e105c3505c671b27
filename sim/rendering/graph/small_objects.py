"""Places small objects on and in their parents: parents before children, large before small."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from sim.geometry.model import Rect, Surface, Vector
from sim.geometry.placing import surfaces_of
from sim.rendering.graph.site import Site, clear_of

PREFERRED: Final = (
    "desk", "table", "kitchen_counter", "tvstand", "nightstand",
    "coffee_table", "bookshelf", "bathroom_counter", "couch", "bed",
)  # fmt: skip
"""Classes on which objects without a parent are placed, the usual first."""
SCALES: Final = (1.0, 0.8, 0.6, 0.45)
"""Scales of what does not fit, tried in this order."""
TRIES: Final = 24
MOST_TRIES: Final = 10_000
"""Surfaces searched for all small objects together. The rest goes on the floor, because searching a full house takes long."""
TURNS: Final = (0.0, math.pi / 2, -0.25, 0.25, 0.1)


def place_small_things(site: Site) -> None:
    """Places everything that has no place yet."""
    relations = site.relations
    waiting = [i for i in relations.entries if i not in site.things and i not in site.dropped]
    for node in sorted(waiting, key=lambda i: (_depth(site, i), -math.prod(relations.entries[i].size), i)):
        parent = relations.parent[node]
        if parent and parent[0] in site.things and _lay(site, node, parent[0], parent[1]):
            continue
        if site.tries < MOST_TRIES and any(_lay(site, node, j, False) for j in _surfaces_near(site, node)):
            continue
        if not _on_floor(site, node):
            site.dropped.append(node)


def _depth(site: Site, node: int) -> int:
    depth, seen = 0, {node}
    while (parent := site.relations.parent.get(node)) and parent[0] not in seen:
        node = parent[0]
        seen.add(node)
        depth += 1
    return depth


def _surfaces_near(site: Site, node: int) -> list[int]:
    """Returns the furniture of the room to try: CLOSE pieces first, then by how usual they are."""
    close = set(site.relations.edges["CLOSE"][node])
    options = [(j, t) for j, t in site.things_in(site.relations.room_of[node], *PREFERRED) if not t.hidden]
    return [j for j, _ in sorted(options, key=lambda item: (item[0] not in close, PREFERRED.index(item[1].kind), item[0]))]


def _lay(site: Site, node: int, holder: int, inside: bool) -> bool:
    """Places an object on a surface of its holder without overlap, made smaller if necessary. Returns False without room."""
    host, (w, d, h) = site.things[holder], site.relations.entries[node].size
    numbered = list(enumerate(surfaces_of(host.kind, host.size, host.open)))
    surfaces = [(n, s) for n, s in numbered if s.inside == inside] or numbered
    for scale in SCALES:
        order = site.rng.permutation(len(surfaces)) if len(surfaces) > 2 else range(len(surfaces))
        for n in order:
            number, surface = surfaces[int(n)]
            if h * scale > surface.clearance + 0.02:
                continue
            spot = _spot(site, (holder, number), surface, w * scale, d * scale)
            if spot:
                x, y, turn = spot
                base, size = host.to_world((x, y, surface.centre[2])), (w * scale, d * scale, h * scale)
                site.put(node, base, size, host.yaw + turn, holder, surface.inside or inside)
                return True
    return inside and _stack(site, node, holder, [s for _, s in surfaces])


def _stack(site: Site, node: int, holder: int, surfaces: list[Surface]) -> bool:
    """Places an object anywhere inside a holder that is full."""
    if not surfaces:
        return False
    host, (w, d, h) = site.things[holder], site.relations.entries[node].size
    surface = surfaces[int(site.rng.integers(len(surfaces)))]
    small: Vector = (w * SCALES[-1], d * SCALES[-1], h * SCALES[-1])
    site.put(node, host.to_world(surface.centre), small, host.yaw, holder, inside=True)
    return True


def _spot(site: Site, key: tuple[int, int], s: Surface, w: float, d: float) -> tuple[float, float, float] | None:
    """Returns a random free place on a surface, in the holder's frame: x, y, turn; None if there is none."""
    site.tries += 1
    turns = site.rng.choice([0.0] if max(w, d) > 0.3 else TURNS, TRIES)
    c, sn = np.abs(np.cos(turns)), np.abs(np.sin(turns))
    hx, hy = w / 2 * c + d / 2 * sn, w / 2 * sn + d / 2 * c
    room_x, room_y = s.half[0] - hx, s.half[1] - hy
    u, v = site.rng.uniform(-1, 1, (2, TRIES))
    x, y = s.centre[0] + u * np.maximum(room_x, 0), s.centre[1] + v * np.maximum(room_y, 0)
    rows = np.column_stack([x - hx, y - hy, x + hx, y + hy])
    free = np.flatnonzero((room_x > -0.015) & (room_y > -0.015) & clear_of(rows, site.used[key], 0.006))
    if not len(free):
        return None
    best = int(free[0])
    a, b, e, f = rows[best].tolist()
    site.used[key].append((a, b, e, f))
    return float(x[best]), float(y[best]), float(turns[best])


def _on_floor(site: Site, node: int) -> bool:
    """Places an object on the floor, turned at random. Returns False without room."""
    k, size = site.relations.room_of[node], site.relations.entries[node].size
    x0, y0, x1, y1 = site.inner(k)
    dx, dy = min(0.2, (x1 - x0) / 2), min(0.2, (y1 - y0) / 2)
    x, y = site.rng.uniform(x0 + dx, x1 - dx, 80), site.rng.uniform(y0 + dy, y1 - dy, 80)
    yaws, reach = site.rng.uniform(-3, 3, 80), math.hypot(size[0], size[1]) / 2
    rows = np.column_stack([x - reach, y - reach, x + reach, y + reach])
    free = np.flatnonzero(clear_of(rows, site.taken[k], 0.02) & clear_of(rows, site.doors[k]))
    if not len(free):
        return False
    best = int(free[0])
    site.add(node, (float(x[best]), float(y[best]), 0.0), size, float(yaws[best]))
    zone: Rect = (float(rows[best, 0]), float(rows[best, 1]), float(rows[best, 2]), float(rows[best, 3]))
    site.taken[k].append(zone)
    return True
