"""The data of the layers over the pictures, computed from a snapshot and the selection. No Qt."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from core.planning.facets import Belief, Plan, Ranking
from core.session.snapshot import Snapshot
from core.world.vocabulary import Action, Entity
from gui.panels.frames.projection import walked
from gui.widgets import Names
from gui.widgets.numbers import probability

LEAST_GLOW, LEAST_BOX = 0.01, 0.05
MOST_BOXES, MOST_FOUND = 12, 24


@dataclass(frozen=True, slots=True)
class Scenery:
    """The layers over both pictures.

    Attributes:
        names: the display names.
        rooms: the ids of the furniture of each room. They locate a room in a picture that has no box for it.
        goal: the ids of the objects and furniture that the goal names.
        thing: the name of the object that the glow is about.
        glow: (location, probability that the object is there), most likely first.
        found: the goal objects that were found: id, their location, and whether they are where the goal wants them.
        selected: the id of the selected object; `selected_says` is its belief as text.
        path: the positions of the robot, in metres; `planned` is the id of its next target.
        room: the id of the robot's room, or empty.
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
    room: str = ""


def scenery(snapshot: Snapshot, names: Names, selected: str, pointed: str = "") -> Scenery:
    """Returns all layers for a snapshot and its pictures.

    `pointed` is an object whose belief is previewed while the pointer rests on it.
    """
    if snapshot.seen is None:
        return Scenery()
    belief = snapshot.facet(Belief)
    row = row_about(belief, (pointed, selected)) if belief is not None else -1
    glow = _glow(belief, row) if belief is not None and row >= 0 else ()
    says = next((probability(p) for place, p in glow if place == selected), "")
    thing = belief.objects[row] if belief is not None and row >= 0 else ""
    path = walked(snapshot, snapshot.frames.get("dollhouse"))
    return Scenery(names, _by_room(snapshot), _goal_ids(snapshot), thing, glow, _found(snapshot), selected,
                   f"{thing} {says}" if says else "", path, _planned(snapshot), snapshot.seen.agent.room or "")


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
            found[located] = belief.places[int(belief.probability[row].argmax())]
    return tuple((thing, place, thing in done) for thing, place in found.items())[:MOST_FOUND]


def _place_of(snapshot: Snapshot, thing: str) -> str:
    return next((r.object for r in snapshot.seen.holders(thing)), "") if snapshot.seen is not None else ""


def _planned(snapshot: Snapshot) -> str:
    """Returns the id of the target of the next action, or ""."""
    action = next_action(snapshot)
    return action.args[-1] if action is not None and action.args else ""


def next_action(snapshot: Snapshot) -> Action | None:
    """Returns the decided action, otherwise the one ranked first, otherwise the first of the plan, or None."""
    if snapshot.current is not None and snapshot.current.action is not None:
        return snapshot.current.action
    ranking, plan = snapshot.fresh(Ranking), snapshot.fresh(Plan)
    if ranking is not None and ranking.actions and ranking.actions[0].visits:
        return ranking.actions[0].steps[0]
    return plan.actions[0] if plan is not None and plan.actions else None
