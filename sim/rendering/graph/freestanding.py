"""Places chairs, benches, coffee tables, other tables in the widest space, and rugs."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from sim.geometry.model import Thing
from sim.rendering.graph.site import Rows, Site, along_walls, clear_of, footprints, in_the_middle, no_rows, row_of, within

HOSTS: Final = {"bench": ("table",), "chair": ("desk", "table"), "coffee_table": ("couch",), "table": ("couch",)}
"""Class -> the classes it stands next to, the better first."""
BEFORE_COUCH: Final = 0.45
AT_TABLE: Final = 0.03
UNDER: Final = ("bed", "couch", "table")
"""Classes that rugs lie under or in front of."""
TOP_OF_COFFEE_TABLE: Final = 0.6


def place_in_the_open(site: Site, node: int) -> None:
    """Places a node next to the furniture it belongs to, otherwise where the middle of the room is free."""
    relations = site.relations
    size, k = relations.entries[node].size, relations.room_of[node]
    w, d, _ = size
    inner = site.inner(k)
    beside, grid = _beside(site, node), in_the_middle(inner)
    if relations.name(node) == "chair":
        beside = np.vstack([beside, along_walls(inner, w, d, 0.25)])
    for poses, gap, central in ((beside, 0.02, False), (grid, 0.45, True), (grid, 0.2, True), (grid, 0.02, True)):
        body = footprints(poses, w, d)
        free = clear_of(body, site.taken[k], gap) & clear_of(body, site.doors[k]) & within(body, inner)
        if central and gap > 0.1:
            free &= clear_of(body, site.clear[k])
        if free.any():
            cx, cy = (inner[0] + inner[2]) / 2, (inner[1] + inner[3]) / 2
            cost = np.hypot(poses[:, 0] - cx, poses[:, 1] - cy) if central else np.arange(len(poses)) * 0.01
            best = int(np.flatnonzero(free)[np.argmin(cost[free])])
            site.settle(node, row_of(poses, best), size)
            return
    site.dropped.append(node)


def _beside(site: Site, node: int) -> Rows:
    """Returns poses next to the furniture this piece belongs to, in order of preference: what the graph says it faces first."""
    name, k, (_, d, h) = site.relations.name(node), site.relations.room_of[node], site.relations.entries[node].size
    if name == "table" and h > TOP_OF_COFFEE_TABLE:
        return no_rows()
    faced, classes = site.relations.faced_by(node), HOSTS.get(name, ())
    hosts = sorted(
        site.things_in(k, *(classes or ("-",))), key=lambda item: (item[0] not in faced, classes.index(item[1].kind), item[0])
    )
    rows = [pose for _, host in hosts for pose in _around(host, d)]
    return np.array(rows) if rows else no_rows()


def _around(host: Thing, depth: float) -> list[tuple[float, float, float]]:
    """Returns poses (x, y, yaw) around a piece: in front of a couch or desk, on all four sides of a table, long ones first."""
    across, along = host.size[0] / 2, host.size[1] / 2
    reach = depth / 2 + (BEFORE_COUCH if host.kind == "couch" else AT_TABLE)
    spots = [(0.0, along + reach, math.pi)]
    if host.kind == "table":
        spots += [(0.0, -along - reach, 0.0), (across + reach, 0.0, math.pi / 2), (-across - reach, 0.0, -math.pi / 2)]
    placed = [(host.to_world((dx, dy, 0)), host.yaw + turn) for dx, dy, turn in spots]
    return [(x, y, yaw) for (x, y, _), yaw in placed]


def place_rug(site: Site, node: int) -> None:
    """Places a rug under or in front of a bed, couch or table without one, otherwise in the middle.

    Rugs may lie under anything.
    """
    k, (w, d, h) = site.relations.room_of[node], site.relations.entries[node].size
    x0, y0, x1, y1 = site.inner(k)
    w, d = min(w, (x1 - x0) * 0.6), min(d, (y1 - y0) * 0.5)
    rugs = [t for t in site.things.values() if t.kind == "mat"]
    anchors = [t for _, t in site.things_in(k, *UNDER) if all(math.dist(u.base[:2], t.base[:2]) >= 1.2 for u in rugs)]
    x, y, yaw = (x0 + x1) / 2, (y0 + y1) / 2, 0.0
    if anchors:
        host = anchors[0]
        x, y, _ = host.to_world((0, 0 if host.kind == "table" else host.size[1] / 2 + 0.2, 0))
        yaw = host.yaw
    hx, hy = (w / 2, d / 2) if abs(math.cos(yaw)) > 0.5 else (d / 2, w / 2)
    x, y = min(max(x, x0 + hx), x1 - hx), min(max(y, y0 + hy), y1 - hy)
    site.add(node, (x, y, 0.001 * len(rugs)), (w, d, h), yaw)
