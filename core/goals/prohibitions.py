"""The actions that make a literal true at once, and thus those that a goal forbids: for literals that must never be true."""

from __future__ import annotations

from collections.abc import Iterator

from core.goals.kinds import is_a
from core.goals.literals import ROBOT, Goal, Literal
from core.world.vocabulary import Action, Entity, Observation

VERBS = {"open": ("open",), "closed": ("close",), "on": ("switch_on",), "off": ("switch_off",), "sliced": ("slice",),
         "clean": ("wash",), "plugged in": ("plug_in",)}
"""State -> the verbs that cause it at once. Appliances cook and fill, so no single action is forbidden for these."""
BY_PREDICATE = {"holds": ("grab",), "robot_near": ("walk",), "robot_facing": ("turn_to",), "sitting": ("sit",),
                "lying": ("lie",)}


def forbidden(goal: Goal, known: Observation) -> frozenset[Action]:
    """Returns the actions that must not be done now.

    Args:
        goal: the goal.
        known: what the robot knows: entities and landmarks.
    """
    return frozenset(action for literal in goal.literals if literal.never for action in leading_to(literal, known))


def leading_to(literal: Literal, known: Observation) -> Iterator[Action]:
    """Yields the actions that could make a literal true at once, whether or not they are possible now.

    Rooms, sources and states that the literal demands of its subjects are not checked.

    Args:
        literal: the literal; whether it must be reached or must never be true makes no difference.
        known: what the robot knows: entities and landmarks.
    """
    entities = (*known.entities, *known.landmarks)
    if literal.predicate == "standing":
        yield Action("stand_up")
    meant = [e for e in entities if is_a(e, literal.subject) and literal.subject != ROBOT]
    if literal.predicate == "robot_in":
        rooms = {e.id for e in meant}
        inside = known.agent.room in rooms
        yield from (Action("walk", (e.id,)) for e in entities if e.id in rooms or (e.room in rooms and not inside))
    elif literal.predicate in ("inside", "on"):
        verb = "put_in" if literal.predicate == "inside" else "put_on"
        yield from (Action(verb, (thing.id, place.id)) for thing in meant for place in entities
                    if thing.id in known.agent.holding and is_a(place, literal.target or ""))
    else:
        for verb in (literal.act,) if literal.predicate == "done" else BY_PREDICATE.get(literal.predicate, ()):
            yield from (Action(verb, (e.id,)) for e in meant)
        yield from _turning(literal, meant, known)


def _turning(literal: Literal, meant: list[Entity], known: Observation) -> Iterator[Action]:
    """Yields the actions that give one of the entities a forbidden state, also by what controls it (a tap its sink)."""
    controls = {r.object: r.subject for r in known.relations if r.kind == "controls"}
    for state in literal.states if literal.predicate == "is" else ():
        for verb in VERBS.get(state, ()):
            yield from (Action(verb, (name,)) for e in meant for name in {e.id, controls.get(e.id, e.id)})
