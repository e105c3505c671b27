"""Goals: a joint conjunction of literals, each with a count of its own.

"Put two apples in the fridge and one plate in the dishwasher" is reached when *both* literals hold at the same time; two apples
on a table count for neither (the released LLM-MCTS code pooled the counts over all literals, facts/planners.md).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal as Choice

from core.world import Entity, Observation, spaced

Predicate = Choice["inside", "on", "holds", "is"]


@dataclass(frozen=True, slots=True)
class Literal:
    """`count` different subjects must satisfy the predicate.

    Attributes:
        predicate: inside and on take a target; holds (in the robot's hand) and is (only `states`) take none.
        subject: a class (`apple`: any apple) or an id (`apple_2`: that one).
        target: class or id of the holder.
        states: states every counted subject must have as well: sliced, cooked, clean, open, closed, on, off, filled.
    """

    predicate: Predicate
    subject: str
    target: str | None = None
    count: int = 1
    states: frozenset[str] = frozenset()

    def __str__(self) -> str:
        subject = " ".join((*sorted(self.states), spaced(self.subject)))
        number = f"{self.count} " if self.count > 1 else ""
        if self.predicate in ("inside", "on"):
            return f"{self.predicate} · {number}{subject} · {spaced(self.target or '')}"
        return f"{self.predicate} · {number}{subject}"


@dataclass(frozen=True, slots=True)
class LiteralProgress:
    """How many subjects satisfy a literal now, never more than it asks for, and which."""

    literal: Literal
    have: int
    subjects: tuple[str, ...]

    @property
    def reached(self) -> bool:
        """Whether the literal holds."""
        return self.have >= self.literal.count


@dataclass(frozen=True, slots=True)
class Goal:
    """All literals at once, and the words they came from."""

    literals: tuple[Literal, ...]
    text: str = ""

    @property
    def size(self) -> int:
        """The sum of all counts."""
        return sum(literal.count for literal in self.literals)


def progress(goal: Goal, world: Observation) -> tuple[LiteralProgress, ...]:
    """How far each literal is reached in `world` (what is not in `world` does not count)."""
    return tuple(_progress(literal, world) for literal in goal.literals)


def reached(goal: Goal, world: Observation) -> bool:
    """Whether every literal holds at the same time."""
    return all(_progress(literal, world).reached for literal in goal.literals)


def is_a(entity: Entity, cls_or_id: str) -> bool:
    """Whether an entity is the one meant, or one of the class meant."""
    return cls_or_id in (entity.cls, entity.id)


def satisfying(literal: Literal, world: Observation) -> Iterator[str]:
    """Ids of the subjects for which the literal holds."""
    for entity in world.entities:
        if is_a(entity, literal.subject) and literal.states <= entity.states and _placed(literal, entity.id, world):
            yield entity.id


def _progress(literal: Literal, world: Observation) -> LiteralProgress:
    subjects = tuple(satisfying(literal, world))
    return LiteralProgress(literal, min(len(subjects), literal.count), subjects)


def _placed(literal: Literal, entity_id: str, world: Observation) -> bool:
    if literal.predicate == "is":
        return True
    if literal.predicate == "holds":
        return entity_id in world.agent.holding
    return lies(world, entity_id, literal.predicate, literal.target or "")


def lies(world: Observation, entity_id: str, relation: str, target: str) -> bool:
    """Whether a thing is in or on a target, directly or through movable things that carry it.

    An apple on a plate inside the fridge is inside the fridge; an egg in a bowl on the table is on the table; but what is
    inside a microwave that stands on a counter is not on the counter.
    """
    for link in world.holders(entity_id):
        holder = world.by_id.get(link.object)
        if holder is None:
            return False
        if is_a(holder, target):
            return link.kind == relation
        if holder.category != "object":
            return False
    return False
