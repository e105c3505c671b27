"""What lies over the pictures (captions, marked objects, paths), computed from a snapshot and the selection. No painting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from core.planning.belief_facets import Belief
from core.planning.facets import Frame, Plan, View
from core.planning.search_facets import Ranking
from core.session.snapshot import Snapshot
from core.session.turns import first_from
from core.world.vocabulary import Action, AgentState, Entity, FloorPoint
from gui.control.snapshot_texts import branch_name
from gui.widgets import Names
from gui.widgets.numbers import probability

Point = tuple[float, float]
ON_THE_FLOOR = 0.05
"""Height above the floor, in metres, at which a path is drawn, so that it lies on top of rugs."""
MOST_TURNS, LAST_TURNS = 300, 8
"""The most turns a drawn path covers, and those it covers unless the operator wants all: a longer one is a knot. More than the
most show nothing more, and each picture would cost more than the last."""
STILL = 0.02
"""Distance in metres below which the robot counts as standing still."""


def projected(frame: Frame, points: Sequence[tuple[float, float, float]]) -> tuple[Point, ...]:
    """Returns points of the world (x, y, z in metres) as pixels of the frame.

    Points behind the camera are left out. The result is empty if the frame has no matrix.
    """
    if len(frame.matrix) != 16 or not points:
        return ()
    height, width = frame.pixels.shape[:2]
    clip = np.c_[np.asarray(points, float), np.ones(len(points))] @ np.asarray(frame.matrix).reshape(4, 4).T
    before = clip[:, 3] > 1e-6
    on_screen = clip[before, :2] / clip[before, 3:]
    x, y = (on_screen[:, 0] + 1) / 2 * width, (1 - on_screen[:, 1]) / 2 * height
    return tuple(zip(x.tolist(), y.tolist(), strict=True))


def walked(snapshot: Snapshot, shown: Frame | None = None, turns: int = MOST_TURNS) -> tuple[tuple[float, float, float], ...]:
    """Returns the positions of the robot (x, y, z in metres) in the last turns of the current branch, oldest first.

    Consecutive positions closer than `STILL` are merged.

    Args:
        snapshot: the moment to show.
        shown: the picture that the path is drawn over. The path ends where the robot stands in this picture.
        turns: the number of turns.
    """
    spots: list[FloorPoint] = []
    last = None if shown is None or shown.phase == "about" else shown.turn + (shown.phase == "after")
    line = snapshot.line
    end = len(line) if last is None else min(len(line), first_from(line, last) + 1)
    for turn in line[max(0, end - turns):end]:
        spots += _spot(turn.agent)
        if turn.number == last:
            break
        if turn.outcome is not None:
            spots += turn.outcome.way
    else:
        if snapshot.seen is not None:
            spots += _spot(snapshot.seen.agent)
    found: list[tuple[float, float, float]] = []
    for x, y in spots:
        if not found or abs(found[-1][0] - x) + abs(found[-1][1] - y) >= STILL:
            found.append((x, y, ON_THE_FLOOR))
    return tuple(found)


def _spot(agent: AgentState) -> tuple[FloorPoint, ...]:
    return (agent.pose[:2],) if agent.pose is not None else ()


LEAST_GLOW, LEAST_BOX = 0.01, 0.05
MOST_BOXES, MOST_FOUND = 12, 24


@dataclass(frozen=True, slots=True)
class OverlayData:
    """The layers over both pictures.

    Attributes:
        names: the display names.
        rooms: the ids of the furniture of each room. They locate a room in a picture that has no box for it.
        goal: the ids of the objects and furniture that the goal names.
        thing: the name of the object that the glow is about.
        glow: (location, probability that the object is there), most likely first.
        found: the goal objects that were found: id, their location, and whether they are where the goal wants them.
        selected: the id of the selected object; `selected_says` is its belief as text.
        path: the positions of the robot, in metres.
        planned: the id of its next target.
        way: the corners of its way there, in metres. Empty if it is unknown or the target is in reach.
        room: the id of the robot's room, or empty.
        fixed: the ids of furniture, which nobody can move.
    """

    names: Names = field(default_factory=Names)
    rooms: dict[str, tuple[str, ...]] = field(default_factory=dict)
    goal: frozenset[str] = frozenset()
    thing: str = ""
    glow: tuple[tuple[str, float], ...] = ()
    found: tuple[tuple[str, str, bool], ...] = ()
    selected: str = ""
    selected_says: str = ""
    path: tuple[tuple[float, float, float], ...] = ()
    planned: str = ""
    way: tuple[tuple[float, float, float], ...] = ()
    room: str = ""
    fixed: frozenset[str] = frozenset()


    @property
    def glows_for(self) -> str:
        """What the glow is about, with its article: the apple, or another apple."""
        return self.thing if self.thing.startswith("another ") else f"the {self.thing}"


def overlay_data(snapshot: Snapshot, names: Names, selected: str, pointed: str = "",
                 dollhouse: Frame | None = None, path_turns: int = MOST_TURNS) -> OverlayData:
    """Returns all layers for a snapshot and its pictures.

    Args:
        snapshot: the moment to show.
        names: the display names.
        selected: the id of the selected object.
        pointed: an object whose belief is previewed while the pointer rests on it.
        dollhouse: the dollhouse picture; None: the snapshot's own.
        path_turns: the number of turns that the path covers.
    """
    if snapshot.seen is None:
        return OverlayData()
    belief = snapshot.facet(Belief)
    row = row_about(belief, (pointed, selected)) if belief is not None else -1
    glow = _glow(belief, row) if belief is not None and row >= 0 else ()
    says = next((probability(p) for place, p in glow if place == selected), "")
    thing = belief.called(row) if belief is not None and row >= 0 else ""
    shown = dollhouse or snapshot.frames.get("dollhouse")
    planned, way = planned_way(snapshot, shown)
    return OverlayData(names, _by_room(snapshot), _goal_ids(snapshot), thing, glow, _found(snapshot), selected,
                       f"{thing} {says}" if says else "", walked(snapshot, shown, path_turns), planned, way,
                       snapshot.seen.agent.room or "", frozenset(e.id for e in _known(snapshot) if e.category != "object"))


def row_about(belief: Belief, things: tuple[str, ...]) -> int:
    """Returns the row of the first of these objects that has one, otherwise that of a wanted object not found yet, or -1."""
    for thing in filter(None, things):
        for row, located in enumerate(belief.located):
            if thing in (located, belief.objects[row], belief.classes[row]):
                return row if located is None else -1
    open_rows = (row for row, wanted in enumerate(belief.wanted) if wanted and belief.located[row] is None)
    return next(open_rows, -1)


def _glow(belief: Belief, row: int) -> tuple[tuple[str, float], ...]:
    by_place: dict[str, float] = {}
    for column in np.flatnonzero(belief.probability[row] >= LEAST_GLOW).tolist():
        place = belief.places[column]
        by_place[place] = by_place.get(place, 0.0) + float(belief.probability[row, column])
    return tuple(sorted(by_place.items(), key=lambda item: -item[1]))


def _known(snapshot: Snapshot) -> tuple[Entity, ...]:
    return (*snapshot.seen.entities, *snapshot.seen.landmarks) if snapshot.seen is not None else ()


def _by_room(snapshot: Snapshot) -> dict[str, tuple[str, ...]]:
    rooms: dict[str, list[str]] = {}
    for entity in _known(snapshot):
        if entity.room is not None and entity.category == "furniture":
            rooms.setdefault(entity.room, []).append(entity.id)
    return {room: tuple(ids) for room, ids in rooms.items()}


def _goal_ids(snapshot: Snapshot) -> frozenset[str]:
    if snapshot.goal is None:
        return frozenset()
    words = {word for literal in snapshot.goal.literals for word in (literal.subject, literal.target) if word}
    return frozenset(e.id for e in _known(snapshot) if e.cls in words or e.id in words)


def _found(snapshot: Snapshot) -> tuple[tuple[str, str, bool], ...]:
    """Returns the subjects of the goal that are in sight, and those that the belief has located."""
    if snapshot.goal is None or snapshot.seen is None:
        return ()
    done = {subject for p in snapshot.progress if p.reached for subject in p.subjects}
    subjects = {literal.subject for literal in snapshot.goal.literals}
    things = (e.id for e in snapshot.seen.entities if e.category == "object" and (e.cls in subjects or e.id in subjects))
    found = {thing: _place_of(snapshot, thing) for thing in islice(things, MOST_FOUND)}
    belief = snapshot.facet(Belief)
    for row, located in enumerate(belief.located if belief is not None else ()):
        if belief is not None and located is not None and belief.wanted[row] and located not in found:
            at = belief.probability[row]
            found[located] = belief.places[int(at.argmax())] if at.any() else ""
    return tuple((thing, place, thing in done) for thing, place in found.items())[:MOST_FOUND]


def _place_of(snapshot: Snapshot, thing: str) -> str:
    return next((r.object for r in snapshot.seen.holders(thing)), "") if snapshot.seen is not None else ""


def planned_way(snapshot: Snapshot, shown: Frame | None) -> tuple[str, tuple[tuple[float, float, float], ...]]:
    """Returns the id of the target of the next action, and the corners of the robot's way there.

    The target is "" if there is none, or if it is in another room and the way there is unknown: a straight line would lead
    through walls. The way leads to the furniture that the target lies on or in.
    """
    action = next_action(snapshot)
    if action is None or not action.args or snapshot.seen is None:
        return "", ()
    target = place = action.args[-1]
    ways = dict(shown.ways) if shown is not None else {}
    while place and place not in ways:
        place = _place_of(snapshot, place)
    if place:
        return target, tuple((x, y, ON_THE_FLOOR) for x, y in ways[place])
    here, there = snapshot.seen.agent.room, next((e.room or e.id for e in _known(snapshot) if e.id == target), None)
    return (target if here is None or there in (None, here) else ""), ()


def next_action(snapshot: Snapshot) -> Action | None:
    """Returns the decided action, otherwise the one ranked first, otherwise the first of the plan, or None."""
    if snapshot.current is not None and snapshot.current.action is not None:
        return snapshot.current.action
    ranking, plan = snapshot.fresh(Ranking), snapshot.fresh(Plan)
    if ranking is not None and ranking.actions and ranking.actions[0].visits:
        return ranking.actions[0].steps[0]
    return plan.actions[0] if plan is not None and plan.actions else None


PHASES = {"before": "turn {}", "after": "after turn {}", "about": "about turn {}"}
NAMES: dict[View, str] = {"first person": "First person", "dollhouse": "Dollhouse"}


def is_own(frame: Frame, snapshot: Snapshot) -> bool:
    """Returns True if the picture shows the snapshot's turn in the snapshot's branch."""
    return frame.branch == snapshot.branch and frame.turn == max(1, snapshot.turn)


def moment_words(frame: Frame, snapshot: Snapshot) -> str:
    """Returns the moment of a picture, such as `turn 4`, `after turn 14` or `about turn 3`.

    The branch is named if it is not the branch of the snapshot.
    """
    words = PHASES[frame.phase].format(frame.turn)
    return words if frame.branch == snapshot.branch else f"{words}, {branch_name(frame.branch)}"


def title_of(frame: Frame | None, view: View) -> str:
    """Returns the title of a picture: the frame's own, or that of its view."""
    return frame.title if frame is not None and frame.title else NAMES[view]


def room_of(frame: Frame, snapshot: Snapshot) -> str:
    """Returns the id of the room that the robot was in when the picture was taken, or "" if it is not known."""
    if frame.phase == "about":
        return ""
    number = frame.turn + (frame.phase == "after")
    line = snapshot.line
    place = first_from(line, number)
    if place < len(line) and (line[place].number, line[place].branch) == (number, frame.branch):
        return line[place].agent.room or ""
    acted = bool(len(line)) and line[-1].number == snapshot.turn
    if snapshot.seen is None or not is_own(frame, snapshot) or (frame.phase == "after") != acted:
        return ""
    return snapshot.seen.agent.room or ""
