"""Which entities the tags of a goal stand for: "put it in a cabinet and close it" is about one cabinet, the one it lies in.

Two names with the same tag (`cabinet#1` in formal text) mean the same entity. Which one that is follows from what holds: the
cabinet in which the object lies, the plate that was washed or is in the hand. Until something shows it, any may become the one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

from core.goals.kinds import is_a
from core.goals.literals import Goal, Literal
from core.world.vocabulary import Entity, Observation

Satisfying = Callable[[Literal], Collection[str]]
"""Returns the ids of the subjects for which a literal holds."""
Choice = Mapping[str, tuple[str, ...]]
"""Tag -> ids of the entities that it stands for; a tag of which nothing shows that yet is missing."""


def tags_of(goal: Goal) -> tuple[str, ...]:
    """Returns the tags of a goal, each once."""
    return tuple(dict.fromkeys(tag for x in goal.literals for tag in (x.target_tag, x.tag) if tag))


def chosen(goal: Goal, world: Observation, satisfying: Satisfying, full: Collection[tuple[str, str]] = ()) -> Choice:
    """Returns what the tags of a goal stand for now: the entities for which most of its literals hold.

    Args:
        goal: the goal.
        world: the entities.
        satisfying: says for which subjects a literal holds.
        full: (object, holder) pairs that were refused: such a holder, or such an object with holder "", is not chosen.
    """
    found: dict[str, tuple[str, ...]] = {}
    for tag in tags_of(goal):
        about = [x for x in bound(goal, found).literals if tag in (x.tag, x.target_tag) and not x.never]
        number = max((x.count for x in about if x.tag == tag), default=1)
        ranks = {e.id: _rank(e, tag, about, world, satisfying, full) for e in world.entities if _fits(e, tag, about)}
        best = sorted(ranks, key=lambda i: ranks[i], reverse=True)[:number]
        placing = any(x.target_tag == tag for x in about)
        if best and any(ranks[best[0]][1:2 if placing else 4]) and not any(x.every and x.tag == tag for x in about):
            found[tag] = tuple(best)
    return found


def _fits(entity: Entity, tag: str, about: Collection[Literal]) -> bool:
    return all(is_a(entity, name or "") for x in about
               for name in ((x.subject,) if x.tag == tag else ()) + ((x.target,) if x.target_tag == tag else ()))


def _rank(entity: Entity, tag: str, about: Collection[Literal], world: Observation, satisfying: Satisfying,
          full: Collection[tuple[str, str]]) -> tuple[bool, int, int, bool, bool]:
    """Returns the sort key of an entity.

    Returns:
        Whether it was not refused; for how many literals it is the place; how many hold for it in all; whether it is in the
        hand; whether it is in the robot's room.
    """
    refused = any((holder == entity.id and any(x.target_tag == tag and _is_named(thing, x, world) for x in about))
                  or (thing, holder) == (entity.id, "") for thing, holder in full)
    places = sum(bool(satisfying(replace(x, target=entity.id))) for x in about if x.target_tag == tag)
    holding = sum(entity.id in satisfying(x) for x in about if x.tag == tag)
    return not refused, places, places + holding, entity.id in world.agent.holding, entity.room == world.agent.room


def _is_named(thing: str, literal: Literal, world: Observation) -> bool:
    return thing in world.by_id and is_a(world.by_id[thing], literal.subject)


def bound(goal: Goal, choice: Choice) -> Goal:
    """Returns the goal with the chosen ids in place of tagged names, as many literals in the same order."""
    return replace(goal, literals=tuple(_bound(x, choice) for x in goal.literals)) if choice else goal


def _bound(literal: Literal, choice: Choice) -> Literal:
    if literal.tag in choice:
        literal = replace(literal, subject="|".join(choice[literal.tag]), tag="")
    if literal.target_tag in choice:
        literal = replace(literal, target="|".join(choice[literal.target_tag]), target_tag="")
    return literal


def waits(literal: Literal, goal: Goal) -> bool:
    """Returns True if a literal is about the place of an object that is in no such place yet."""
    return bool(literal.tag) and any(x.target_tag == literal.tag for x in goal.literals)
