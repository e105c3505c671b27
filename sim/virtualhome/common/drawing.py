"""Pictures of an apartment: its layout, made once, in its present state, and where the robot stands to use objects.

The layout is made once, from the first graph. After that only moved objects are placed again, so nothing else jumps. The place
of a moved object follows from what it lies on, not from how it got there, so restored states look as they did.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from core.planning.facets import Frame, View
from core.simulator.orbit import Extent, Orbit
from core.world.vocabulary import Pose, Posture
from sim.geometry.grid import free_space
from sim.geometry.model import EYE_HEIGHT, House, Rect, Robot, Surface, Thing, Vector, heading
from sim.geometry.placing import surfaces_of
from sim.geometry.seats import seat_height, seat_pose
from sim.rendering.cameras import extent_of
from sim.rendering.graph.graph_reader import Graph
from sim.rendering.graph.layout import lay_out
from sim.rendering.service import Cameras
from sim.virtualhome.common.apartment_state import Home

COMFORT = 0.6
"""Distance from an object's side at which it is easy to use, metres."""
LOOK_DOWN, LOOK_UP = -1.0, 0.5
NO_TURN = 0.01
"""Distance below which the robot does not turn to an object, metres."""
SET_IN = 0.1
"""How far the rim of a sink may lie below its worktop, metres."""
ACROSS = (0.0, -0.5, 0.5, -0.25, 0.25, -0.75, 0.75, -0.95, 0.95)
DEEP = (0.3, 0.6, 0.0, 0.85, -0.3, -0.6, -0.85)
"""Places that are tried on a surface, as shares of the room to both sides of its middle: towards the front first."""


class Now(NamedTuple):
    """The state of one object at a moment: what it lies on or in, and whether it is open, on, hidden or held."""

    parent: str | None
    inside: bool = False
    open: bool = False
    on: bool = False
    hidden: bool = False
    held: bool = False


State = Mapping[str, Now]
"""Entity -> its state. What is left out stays as it was laid out."""


class GraphPicture:
    """The house of a graph.

    Args:
        graph: the first graph of an episode. It has passed `check_graph`.
        names: ids of its nodes as text -> ids of the entities.
        start: the state of the objects in that graph.
    """

    def __init__(self, graph: Graph, names: Mapping[str, str], start: State):
        laid = lay_out(graph).house
        things = tuple(replace(t, id=names.get(t.id, ""), parent=names.get(t.parent or "")) for t in laid.things)
        self.base = replace(laid, things=things)
        self._first = {t.id: t for t in reversed(things) if t.id}
        self._start = start
        grid = free_space(self.base)
        cells = grid.centres(grid.reachable)
        self._cells = cells if len(cells) else np.array([r.centre for r in laid.rooms], np.float64)

    # --- the house in a state -------------------------------------------------
    def house(self, now: State) -> House:
        """Returns the house in a state, without what is held."""
        placed = self._placed(now)
        things = [self._thing(part, now, placed) for part in self.base.things
                  if part.id not in now or not self._carried(part.id, now)]
        return replace(self.base, things=tuple(things))

    def robot(self, pose: Pose, now: State, posture: Posture = "standing", seat: str = "") -> Robot:
        """Returns the robot with what it holds, each object in the frame of the hand."""
        held = (replace(self._first[i], base=(0.0, 0.0, 0.0), yaw=0.0, hidden=False) for i, n in now.items()
                if n.held and i in self._first)
        if posture == "standing" or seat not in self._first:
            return Robot(pose.x, pose.y, pose.yaw, pose.pitch, tuple(held))
        return Robot(pose.x, pose.y, pose.yaw, pose.pitch, tuple(held), posture, seat_height(self._first[seat]))

    def _thing(self, part: Thing, now: State, placed: Mapping[str, Thing]) -> Thing:
        if part.id not in now:
            return part
        state = now[part.id]
        where = placed.get(part.id, part)
        return replace(part, base=where.base, yaw=where.yaw, size=where.size, room=where.room, open=state.open, on=state.on,
                       hidden=state.hidden, parent=state.parent, inside=state.inside)

    def _carried(self, thing: str, now: State) -> bool:
        """Returns True if an object is in a hand, or on or in something that is."""
        seen: set[str] = set()
        while thing in now and thing not in seen:
            if now[thing].held:
                return True
            seen.add(thing)
            thing = now[thing].parent or ""
        return False

    def _moved(self, thing: str, now: State) -> bool:
        start = self._start.get(thing)
        return start is not None and (now[thing].parent, now[thing].inside) != (start.parent, start.inside)

    def _placed(self, now: State) -> dict[str, Thing]:
        """Returns the moved objects, and what lies on and in them, in their new places."""
        placed: dict[str, Thing] = {}
        for thing in sorted(now):
            if thing in self._first and self._moved(thing, now) and not self._carried(thing, now):
                self._place(thing, now, placed)
        for thing in sorted(now):
            if thing in self._first and thing not in placed and not self._carried(thing, now):
                self._follow(thing, now, placed)
        return placed

    def _place(self, thing: str, now: State, placed: dict[str, Thing]) -> None:
        parent = now[thing].parent
        if thing in placed or parent not in self._first or parent is None:
            return
        if parent in now and self._moved(parent, now) and thing != parent:
            self._place(parent, now, placed)
        host = replace(placed.get(parent, self._first[parent]), open=parent in now and now[parent].open)
        others = (i for i in now if i != thing and i in self._first and (i in placed or not self._moved(i, now)))
        taken = [_local(host, placed.get(i, self._first[i])) for i in others
                 if parent in (now[i].parent, self._first[i].parent)]     # a sink takes up space on a worktop, too
        placed[thing] = _laid(self._first[thing], host, taken, inside=now[thing].inside)

    def _follow(self, thing: str, now: State, placed: dict[str, Thing]) -> None:
        """Moves what lies on a moved object (a plate) along with it."""
        parent, own = now[thing].parent, self._first[thing]
        if parent not in placed or parent is None:
            return
        was, host = self._first[parent], placed[parent]
        base = host.to_world(was.to_local(own.base))
        placed[thing] = replace(own, base=base, yaw=own.yaw + host.yaw - was.yaw, room=host.room)

    # --- where to stand -----------------------------------------------------------
    def pose(self, room: int, thing: str | None, now: State) -> Pose:
        """Returns a pose in front of an object, facing it; without one, in the middle of a room, overlooking it."""
        target = self._placed(now).get(thing or "", self._first.get(thing or ""))
        if target is None:
            return self._overlooking(room)
        x, y, z = target.to_world((0.0, 0.0, target.size[2] / 2))
        root = self._root(thing or "", now)
        cells = self._in_room(target.room)
        away = np.hypot(cells[:, 0] - x, cells[:, 1] - y)
        u, v = cells[:, 0] - root.base[0], cells[:, 1] - root.base[1]
        across, along = (math.cos(root.yaw) * u + math.sin(root.yaw) * v, -math.sin(root.yaw) * u + math.cos(root.yaw) * v)
        side = np.hypot(np.maximum(np.abs(across) - root.size[0] / 2, 0), np.maximum(np.abs(along) - root.size[1] / 2, 0))
        behind = np.where(along > 0, 0.0, 0.6) if root.size[2] > COMFORT else 0.0
        best = cells[int(np.argmin(away + np.abs(side - COMFORT) + behind))]
        tilt = math.atan2(z - EYE_HEIGHT, max(math.hypot(x - best[0], y - best[1]), 0.05))
        return Pose(float(best[0]), float(best[1]), heading(x - best[0], y - best[1]), min(max(tilt, LOOK_DOWN), LOOK_UP))

    def on_seat(self, seat: str, posture: Posture, pose: Pose) -> Pose:
        """Returns the pose on a seat, given the one in front of it."""
        return seat_pose(self._first[seat], seat.rsplit("_", 1)[0], posture, pose) if seat in self._first else pose

    def turned(self, thing: str, pose: Pose, now: State) -> Pose:
        """Returns the pose turned to an object."""
        target = self._placed(now).get(thing, self._first.get(thing))
        if target is None or math.hypot(target.base[0] - pose.x, target.base[1] - pose.y) < NO_TURN:
            return pose
        return pose._replace(yaw=heading(target.base[0] - pose.x, target.base[1] - pose.y))

    def _root(self, thing: str, now: State) -> Thing:
        seen: set[str] = set()
        while thing not in seen and (parent := now[thing].parent if thing in now else None) in self._first and parent:
            seen.add(thing)
            thing = parent
        return self._first[thing]

    def _overlooking(self, room: int) -> Pose:
        cells, centre = self._in_room(room), self.base.rooms[room].centre
        x, y = cells[int(np.argmin(np.hypot(cells[:, 0] - centre[0], cells[:, 1] - centre[1])))]
        bases = [t.base for t in self.base.things if t.room == room and t.size[2] > COMFORT] or [(x, y + 1.0, 0.0)]
        middle = np.mean(np.array(bases), axis=0)
        return Pose(float(x), float(y), heading(middle[0] - x, middle[1] - y), -0.25)

    def _in_room(self, room: int) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
        mine = [c for c in self._cells if self.base.rooms[room].contains(c[0], c[1])] if room >= 0 else []
        return np.array(mine or self._cells)


def _laid(thing: Thing, host: Thing, taken: list[Thing], *, inside: bool) -> Thing:
    """Returns an object at the place on or in its holder where other objects overlap it least."""
    surfaces = surfaces_of(host.kind, host.size, host.open)
    fitting = [s for s in surfaces if s.inside == inside] or list(surfaces) or [_top(host)]
    options = [_spot(thing, surface, u, v) for surface in fitting for v in DEEP for u in ACROSS]
    best = min(options, key=lambda spot: sum(_overlap(spot, other) for other in taken))
    return replace(best, base=host.to_world(best.base), yaw=host.yaw, room=host.room)


def _spot(thing: Thing, surface: Surface, u: float, v: float) -> Thing:
    """Returns an object on a surface, in the holder's frame. What is too large for the surface is drawn smaller."""
    limits = (2 * surface.half[0] / thing.size[0], 2 * surface.half[1] / thing.size[1], surface.clearance / thing.size[2])
    scale = max(0.3, min(1.0, *limits))
    size: Vector = (thing.size[0] * scale, thing.size[1] * scale, thing.size[2] * scale)
    x = surface.centre[0] + u * max(surface.half[0] - size[0] / 2, 0.0)
    y = surface.centre[1] + v * max(surface.half[1] - size[1] / 2, 0.0)
    return replace(thing, base=(x, y, surface.centre[2]), size=size, yaw=0.0)


def _top(host: Thing) -> Surface:
    """Returns the surface of a class without one: the top of its box."""
    return Surface((0.0, 0.0, host.size[2]), (host.size[0] / 2, host.size[1] / 2), 1.0, inside=False)


def _local(host: Thing, other: Thing) -> Thing:
    """Returns another object in the holder's frame."""
    return replace(other, base=host.to_local(other.base), yaw=other.yaw - host.yaw)


def _overlap(one: Thing, other: Thing) -> float:
    """Returns the area two objects share, square metres; 0 if one lies above the other."""
    if one.base[2] > other.base[2] + other.size[2] + SET_IN or other.base[2] > one.base[2] + one.size[2]:
        return 0.0
    a: Rect = one.footprint()
    b: Rect = other.footprint()
    return max(0.0, min(a[2], b[2]) - max(a[0], b[0])) * max(0.0, min(a[3], b[3]) - max(a[1], b[1]))


class Drawing:
    """Lays a graph out and draws it.

    Args:
        raw: the first graph, as VirtualHome writes it.
        home: the same graph, indexed.
    """

    def __init__(self, raw: dict[str, Any], home: Home):
        names = {str(i): kind.id for i, kind in home.catalogue.items()}
        self._rooms = {n["id"]: k for k, n in enumerate(n for n in raw["nodes"] if n["category"] == "Rooms")}
        self._picture = GraphPicture(raw, names, now_of(home))
        self._cameras = Cameras()

    def pose(self, home: Home) -> Pose:
        """Returns where the robot stands."""
        focus, now, body = None if home.focus is None else home.catalogue[home.focus].id, now_of(home), home.body
        if home.posture == "standing":
            pose = self._picture.pose(self._rooms[home.room], focus, now)
        else:
            pose = self._picture.on_seat(body.seat, home.posture, self._picture.pose(self._rooms[home.room], body.seat, now))
        return self._picture.turned(body.facing, pose, now) if body.facing and home.posture != "lying" else pose

    def shot(self, home: Home, pose: Pose, view: View, size: tuple[int, int], *, still: bool) -> Callable[[], Frame]:
        """Captures this moment. The returned function draws the picture."""
        return self._cameras.shot(*self._geometry(home, pose), view, size, still=still)

    @property
    def extent(self) -> Extent:
        """The box around the rooms."""
        return extent_of(self._picture.base)

    def view_from(self, orbit: Orbit, home: Home, pose: Pose, size: tuple[int, int], *, still: bool) -> Frame:
        """Returns a picture of this moment without the roof, from a free viewpoint."""
        return self._cameras.draw_from(orbit, *self._geometry(home, pose), size, still=still)

    def _geometry(self, home: Home, pose: Pose) -> tuple[House, Robot | None]:
        now = now_of(home)
        return self._picture.house(now), self._picture.robot(pose, now, home.posture, home.body.seat)

    def close(self) -> None:
        """Ends the cameras."""
        self._cameras.close()


def now_of(home: Home) -> dict[str, Now]:
    """Returns the state of each entity."""
    found = {}
    for node, kind in home.catalogue.items():
        if kind.category != "room":
            link = home.parent(node)
            parent, inside = (None, False) if link is None else (home.catalogue[link[1]].id, link[0] == "inside")
            found[kind.id] = Now(parent, inside, home.has_state(node, "OPEN"), home.has_state(node, "ON"), home.is_hidden(node),
                                 node in home.graph.held)
    return found
