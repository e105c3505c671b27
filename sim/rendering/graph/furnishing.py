"""Furnishes a house whose graph has no boxes: along walls, in the open, on walls and ceilings, on and in other furniture."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from sim.geometry.model import Rect, Surface, Thing, Vector
from sim.geometry.placing import surfaces_of
from sim.rendering.graph.site import (
    INSET,
    Rows,
    Site,
    along_walls,
    before_windows,
    clear_of,
    footprints,
    in_the_middle,
    no_rows,
    row_of,
    within,
)

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


ATTEMPTS: Final = ((1, 0.55, True), (1, 0.3, True), (1, 0, True), (0.8, 0, True), (0.8, 0, False))
"""Ever less strict rules for a place at a wall: the scale of the piece's width and depth, the free floor in front of it in
metres, and whether zones in front of other pieces must stay free.
"""


def order(site: Site) -> list[int]:
    """Returns the nodes to place: large pieces first, those that follow a partner last."""
    relations = site.relations
    standing = [i for i in relations.placed("wall", "tall") if i not in site.things and not relations.on_furniture(i)]
    return sorted(standing, key=lambda i: relations.name(i) in PARTNERS)


def place_at_wall(site: Site, node: int) -> None:
    """Places a node at the best free place along the walls of its room, by less strict rules if necessary."""
    entry, k = site.relations.entries[node], site.relations.room_of[node]
    inner = site.inner(k)
    for scale, front, zones in ATTEMPTS:
        w, d, h = entry.size[0] * scale, entry.size[1] * scale, entry.size[2]
        poses = along_walls(inner, w, d)
        body, reach = footprints(poses, w, d), footprints(poses, w, d, front)
        free = clear_of(body, site.doors[k]) & clear_of(body, site.taken[k], 0.005) & clear_of(reach, site.taken[k])
        free &= within(reach, inner, 0.01)
        if zones:
            free &= clear_of(body, site.clear[k])
        if entry.place == "tall":
            free &= ~before_windows(body, site.walls, k)
        if free.any():
            scores = _scores(site, node, poses, body)
            best = int(np.flatnonzero(free)[np.argmax(scores[free])])
            site.settle(node, row_of(poses, best), (w, d, h), front)
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
        ux, uy = wall.direction
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
    for node in sorted(waiting, key=lambda i: (len(relations.chain(i)), -math.prod(relations.entries[i].size), i)):
        parent = relations.parent[node]
        if parent and parent[0] in site.things and _lay(site, node, parent[0], parent[1]):
            continue
        if site.tries < MOST_TRIES and any(_lay(site, node, j, False) for j in _surfaces_near(site, node)):
            continue
        if not _on_floor(site, node):
            site.dropped.append(node)


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
