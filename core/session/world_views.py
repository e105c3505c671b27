"""The world and the goal at one moment as views: what is known of rooms and things, and which of them satisfy the goal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from core.goals.literals import Goal, Literal, LiteralProgress
from core.planning.facets import GOAL_COLUMNS, GoalProgress, literal_item
from core.session.snapshot import Snapshot
from core.views.values import GOAL, NOTHING, About, Column, Item, Mark, Tree, tree_of
from core.views.wording import count
from core.world.vocabulary import Entity, Observation

ROBOT = Entity("robot", "robot", "robot", "object")
"""Stands in the scene for the robot, which holds things."""
SCENE_COLUMNS = (Column("states", "state", "what is known of its state"),)
UNSEEN, MISSING = Mark("not in sight", "muted"), Mark("not reached", "warn")


# --- the goal ----------------------------------------------------------------------
def goal_view(now: Snapshot) -> Tree:
    """Returns the literals of the goal, with the objects that satisfy each of them below it.

    A literal is about its target. A mark says where the planner counts otherwise than the world.
    """
    told = now.fresh(GoalProgress)  # progress from another turn or branch does not describe the present
    known = {p.literal: p for p in told.literals} if told is not None else {}
    real = {p.literal: p for p in now.progress}
    items, reached, differ = list[Item](), 0, False
    for literal in now.goal.literals if now.goal is not None else ():
        true, believed = real.get(literal, LiteralProgress(literal, 0, ())), known.get(literal)
        differs = believed is not None and believed.have != true.have
        reached, differ = reached + true.reached, differ or differs
        above, target = len(items), _target(literal, now.seen)
        items.append(literal_item(true, _marks(true, believed), About((target,)) if target else NOTHING))
        things = dict.fromkeys((*true.subjects, *(believed.subjects if believed is not None else ())))
        items += (Item(thing, thing, about=About((thing,)), parent=above) for thing in things)
    warning = " · the planner believes otherwise" if differ else ""
    headline = f"{reached} of {sum(item.parent < 0 for item in items)} reached{warning}"
    return Tree(tuple(items), GOAL_COLUMNS, headline=headline if items else "")


def _marks(true: LiteralProgress, believed: LiteralProgress | None) -> tuple[Mark, ...]:
    """Returns the marks of a literal that is not reached, and of one that the planner counts otherwise."""
    missing = () if true.reached else (MISSING,)
    if believed is None or believed.have == true.have:
        return missing
    return *missing, Mark(f"planner {'knows of' if believed.have < true.have else 'believes'} {believed.have}", "warn")


def _target(literal: Literal, seen: Observation | None) -> str:
    """Returns the id of the first known entity that a literal calls its target; empty if there is none."""
    if literal.target is None or seen is None:
        return ""
    return next((e.id for e in (*seen.entities, *seen.landmarks) if literal.target in (e.id, e.cls)), "")


# --- the scene ---------------------------------------------------------------------
def scene_view(seen: Observation, goal: Goal | None = None) -> Tree:
    """Returns the robot with what it holds, each room with the things in it, then the things of no known room.

    Args:
        seen: what is known.
        goal: the things that it names are marked.
    """
    entities = {e.id: e for e in (*seen.landmarks, *seen.entities)}
    places, below = _places(seen, entities), dict[str, list[Entity]]()
    for entity in sorted(entities.values(), key=_order):
        below.setdefault(places[entity.id].holder, []).append(entity)
    rooms = [e for e in entities.values() if e.category == "room"]
    rest = [e for e in below.get("", ()) if e.category != "room"]
    wanted = {word for literal in goal.literals for word in (literal.subject, literal.target)} if goal is not None else set()
    controls: dict[str, list[str]] = {}
    for kind, subject, target in seen.relations:
        if kind == "controls":
            controls.setdefault(subject, []).append(target)

    def item(entity: Entity) -> Item:
        if entity is ROBOT:
            return Item(ROBOT.id, ROBOT.name, place=f"in {seen.agent.room}" if seen.agent.room is not None else "")
        in_sight = entity.id in seen.by_id
        marks = (*((GOAL,) if entity.id in wanted or entity.cls in wanted else ()),
                 *(() if in_sight or entity.category == "room" else (UNSEEN,)))
        note = f"controls {', '.join(controls[entity.id])}" if entity.id in controls else ""
        return Item(entity.id, entity.id, (entity.states or None,), marks, About((entity.id,)), note=note,
                    place=places[entity.id].words)

    tree = tree_of((ROBOT, *rooms, *rest), lambda entity: below.get(entity.id, ()), item, SCENE_COLUMNS)
    things = sum(1 for e in seen.entities if e.category == "object")
    return replace(tree, moves=True, headline=f"{count(things, 'object')} in sight · "
                                              f"{count(len(seen.landmarks), 'landmark')} from the map")


class Place(NamedTuple):
    """Where a thing is.

    Attributes:
        holder: id of what it is in, on or held by; of a thing without a holder, its room; empty if that is not known.
        relation: in, on or held; empty of a room.
    """

    holder: str
    relation: str = ""

    @property
    def words(self) -> str:
        """The place in words, with the id of the holder: `in fridge_1`. Empty for what is just in its room."""
        return self.relation if self.relation in ("", "held") else f"{self.relation} {self.holder}"


def _places(seen: Observation, entities: Mapping[str, Entity]) -> dict[str, Place]:
    """Returns where each entity is. If things hold each other in a circle, one of them is just in its room."""
    holders = {relation.subject: Place(relation.object, "in" if relation.kind == "inside" else relation.kind)
               for relation in reversed(seen.relations) if relation.kind != "controls" and relation.object in entities}
    holders |= {thing: Place(ROBOT.id, "held") for thing in seen.agent.holding}
    own = {e.id: Place(e.room if e.room is not None and e.room in entities and e.category != "room" else "")
           for e in entities.values()}
    found = {e.id: own[e.id] if e.category == "room" else holders.get(e.id, own[e.id]) for e in entities.values()}
    reached = {"", ROBOT.id}
    for start in entities:
        path, at = list[str](), start
        while at not in reached and at not in path:
            path.append(at)
            at = found[at].holder
        if at in path:
            found[at] = own[at]
        reached.update(path)
    return found


def _order(entity: Entity) -> tuple[bool, str, int]:
    """Furniture comes before objects, then by name and number."""
    number = entity.id.rpartition("_")[2]
    return entity.category == "object", entity.name, int(number) if number.isdecimal() else 0
