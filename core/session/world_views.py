"""The world and the goal at one moment as views: what is known of rooms and things, and which of them satisfy the goal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from core.goals.literals import Goal, Literal, LiteralProgress
from core.planning.facets import GOAL_COLUMNS, GoalProgress, literal_item
from core.session.snapshot import Snapshot
from core.views.values import GOAL, NOTHING, About, Column, Item, Mark, Tree
from core.views.wording import count
from core.world.vocabulary import Entity, Observation, Value

ROBOT = Entity("robot", "robot", "robot", "object")
"""Stands in the scene for the robot, which holds things."""
SCENE_COLUMNS = (Column("states", "state", "what is known of its state"),)
UNSEEN, MISSING = Mark("not in sight", "muted"), Mark("not reached", "warn")
MARKS: Mapping[tuple[bool, bool], tuple[Mark, ...]] = MappingProxyType({
    (True, True): (GOAL,), (True, False): (GOAL, UNSEEN), (False, True): (), (False, False): (UNSEEN,)})
"""The marks of a thing: whether the goal names it, and whether it is in sight."""


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
    return Tree(tuple(items), GOAL_COLUMNS, texts=Column("part of the goal"), headline=headline if items else "")


def _marks(true: LiteralProgress, believed: LiteralProgress | None) -> tuple[Mark, ...]:
    """Returns the marks of a literal that is not reached, and of one that the planner counts otherwise."""
    missing = () if true.reached else (MISSING,)
    if believed is None or believed.have == true.have:
        return missing
    verb = "knows of" if believed.have < true.have else "believes"
    return *missing, Mark(f"planner {verb} {believed.have}", "warn")


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
    items, in_sight = list[Item](), seen.by_id
    left = [(entity, -1) for entity in reversed((ROBOT, *rooms, *rest))]
    while left:
        entity, parent = left.pop()
        left += [(child, len(items)) for child in reversed(below.get(entity.id, ()))]
        if entity is ROBOT:
            items.append(Item(ROBOT.id, ROBOT.name, place=f"in {seen.agent.room}" if seen.agent.room is not None else ""))
            continue
        is_wanted = entity.id in wanted or entity.cls in wanted
        marks = MARKS[is_wanted, entity.id in in_sight or entity.category == "room"]
        note = f"controls {', '.join(controls[entity.id])}" if entity.id in controls else ""
        items.append(Item(entity.id, entity.id, (entity.states or None,), marks, About((entity.id,)), (), note,
                          places[entity.id].words, parent))
    things = sum(1 for e in seen.entities if e.category == "object")
    headline = f"{count(things, 'object')} in sight · {count(len(seen.landmarks), 'landmark')} from the map"
    return Tree(tuple(items), SCENE_COLUMNS, texts=Column("thing"), moves=True, headline=headline)


@dataclass(frozen=True, slots=True)
class Place(Value):
    """Where a thing is.

    Attributes:
        holder: id of what it is in, on or held by; of a thing without a holder, its room; empty if that is not known.
        words: the place in words, with the id of the holder: `in fridge_1`. Empty for what is just in its room.
    """

    holder: str
    words: str = ""


def _places(seen: Observation, entities: Mapping[str, Entity]) -> dict[str, Place]:
    """Returns where each entity is. If things hold each other in a circle, one of them is just in its room."""
    kept: dict[tuple[str, str], Place] = {}  # most things share their place with others

    def place(holder: str, relation: str = "") -> Place:
        found = kept.get((holder, relation))
        if found is None:
            found = kept[holder, relation] = Place(holder, f"{relation} {holder}" if relation else "")
        return found

    def room(entity: Entity) -> Place:
        return place(entity.room if entity.room is not None and entity.room in entities and entity.category != "room" else "")

    holders = {subject: place(target, "in" if kind == "inside" else kind) for kind, subject, target in reversed(seen.relations)
               if kind != "controls" and target in entities}
    holders |= {thing: Place(ROBOT.id, "held") for thing in seen.agent.holding}
    found = {e.id: holders[e.id] if e.id in holders and e.category != "room" else room(e) for e in entities.values()}
    reached = {"", ROBOT.id}
    for start in entities:
        path, at = list[str](), start
        while at not in reached and at not in path:
            path.append(at)
            at = found[at].holder
        if at in path:
            found[at] = room(entities[at])
        reached.update(path)
    return found


def _order(entity: Entity) -> tuple[bool, str, int]:
    """Furniture comes before objects, then by name and number."""
    number = entity.id.rpartition("_")[2]
    return entity.category == "object", entity.name, int(number) if number.isdecimal() else 0
