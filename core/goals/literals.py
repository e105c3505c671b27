"""Goals: a joint conjunction of literals, each with its own count.

"Put two apples in the fridge and one plate in the dishwasher" is reached when *both* literals hold at the same time; two apples
on a table count for neither. (The released LLM-MCTS code pools the counts over all literals.)

Literals may refer to the past: where objects were when the goal was given, and which appliance gave them their states. That is
in a `GoalRecord`. Goals are also written as formal text, as in LLM-MCTS, Listing 3: `(INSIDE, apple, fridge, 1)`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal as Choice

from core.common.errors import UsageError
from core.goals.vocabulary import plural_of
from core.world.vocabulary import GRABBABLE, SWITCHABLE, TREATED_BY, Entity, Observation, Value, spaced

Predicate = Choice["inside", "on", "holds", "is", "away"]
THING, LIGHT = "thing", "light"
"""Subjects that are no class: any object that can be carried, and anything that gives light and has a switch."""
GIVES_LIGHT = ("lamp", "light", "lightswitch")
"""The endings of class names that give light."""


@dataclass(frozen=True, slots=True)
class Literal:
    """A predicate that `count` different subjects must satisfy.

    Attributes:
        predicate: inside, on and away (is elsewhere, and not in the hand) take a target; holds (in the robot's hand) and is
            (only `states`) take none.
        subject: a class (`apple`: any apple) or an id (`apple_2`: that one).
        target: class or id of the holder.
        count: the number of subjects.
        states: states that every counted subject must have: sliced, cooked, clean, open, closed, on, off, filled.
        every: True if all existing subjects must satisfy it instead of `count`. There must be at least one, unless `source` is
            set.
        room: only subjects in this room (class or id).
        source: only subjects that were in or on this class or id when the goal was given.
        by: the class or id of the appliance that must have caused their states.
    """

    predicate: Predicate
    subject: str
    target: str | None = None
    count: int = 1
    states: frozenset[str] = frozenset()
    every: bool = False
    room: str | None = None
    source: str | None = None
    by: str | None = None

    def __str__(self) -> str:
        """Returns the literal in words: `2 mugs on the kitchen table`, `every light in the bedroom is off`."""
        if self.predicate == "is":
            verb = "is" if self.every or self.count == 1 else "are"
            return f"{self._counted('')} {verb} {' and '.join(sorted(self.states))}{self._by}"
        subject = self._counted(" ".join(sorted(self.states)))
        if self.predicate == "holds":
            return f"{subject}{self._by} in the robot's hand"
        relation = "away from" if self.predicate == "away" else self.predicate
        return f"{subject}{self._by} {relation} {_the(self.target or '')}"

    @property
    def is_plain(self) -> bool:
        """Whether it is a count of objects here and now, without `every`, `room`, `source` and `away`."""
        return not (self.every or self.room or self.source or self.predicate == "away")

    @property
    def subject_words(self) -> str:
        """The subjects with number and states: `2 sliced apples`."""
        return self._counted(" ".join(sorted(self.states)))

    def _counted(self, adjectives: str) -> str:
        noun = spaced(self.subject) if self.count == 1 or self.every else plural_of(spaced(self.subject))
        number = "every " if self.every else f"{self.count} " if self.count > 1 else ""
        words = f"{number}{adjectives} {noun}".replace("  ", " ").strip()
        words = "everything" if words == f"every {THING}" else words
        words += f" in {_the(self.room)}" if self.room else ""
        return words + (f" from {_the(self.source)}" if self.source and self.predicate != "away" else "")

    @property
    def _by(self) -> str:
        return f" with {_the(self.by)}" if self.by else ""


def _the(name: str) -> str:
    """Returns `the kitchen table`, or `kitchen table 2`."""
    return spaced(name) if name[-1:].isdigit() else f"the {spaced(name)}"


@dataclass(frozen=True, slots=True)
class GoalRecord(Value):
    """The history of an episode, as far as goals refer to it.

    Attributes:
        known: True if the episode was observed; otherwise nothing is known about the past.
        sources: (object, id of a holder it was in or on when first seen).
        treated: (object, state, class or id of the appliance it was in when it got the state).
    """

    known: bool = False
    sources: frozenset[tuple[str, str]] = frozenset()
    treated: frozenset[tuple[str, str, str]] = frozenset()

    def sources_of(self, thing: str) -> tuple[str, ...]:
        """Returns the ids of the holders an object was first in or on."""
        return tuple(holder for one, holder in self.sources if one == thing)

    def given_by(self, thing: str, state: str, appliance: str) -> bool:
        """Returns True if an object got a state in an appliance (class or id)."""
        return (thing, state, appliance) in self.treated

    def after(self, before: Observation, now: Observation) -> GoalRecord:
        """Returns the record extended by one observation: objects seen for the first time, and new states."""
        seen = {thing for thing, _ in self.sources}
        fresh = [e.id for e in now.entities if e.category == "object" and e.id not in seen and e.id not in now.agent.holding]
        sources = self.sources.union((t, holder) for t in fresh for holder in lies_at(t, now))
        treated = self.treated.union(
            (e.id, state, name) for e in now.entities if e.category == "object"
            for state in e.states & TREATED_BY.keys() if e.id in before.by_id and state not in before.by_id[e.id].states
            for link in now.holders(e.id) if link.object in now.by_id
            for name in (link.object, now.by_id[link.object].cls))
        if self.known and (len(sources), len(treated)) == (len(self.sources), len(self.treated)):
            return self  # most turns add nothing: they share one record
        return GoalRecord(True, sources, treated)


UNKNOWN = GoalRecord()


def lies_at(thing: str, world: Observation) -> list[str]:
    """Returns the ids of the holders of an object, up to the furniture, but not what the furniture stands on."""
    found: list[str] = []
    for link in world.holders(thing):
        found.append(link.object)
        holder = world.by_id.get(link.object)
        if holder is None or holder.category != "object":
            break
    return found


class GoalWatch:
    """Updates the record with each observation."""

    def __init__(self, record: GoalRecord = UNKNOWN):
        self.record = record
        self._before: Observation | None = None

    def see(self, world: Observation) -> GoalRecord:
        """Adds an observation and returns the record."""
        self.record, self._before = self.record.after(self._before or world, world), world
        return self.record


@dataclass(frozen=True, slots=True)
class LiteralProgress:
    """The progress of a literal.

    Attributes:
        literal: the literal.
        have: the number of subjects that satisfy it, at most its count; for `every`, 1 if all do, else 0.
        subjects: ids of the subjects that satisfy it.
    """

    literal: Literal
    have: int
    subjects: tuple[str, ...]

    @property
    def reached(self) -> bool:
        """Whether the literal holds."""
        return self.have >= self.literal.count


@dataclass(frozen=True, slots=True)
class Goal:
    """A conjunction of literals, and the text it was parsed from."""

    literals: tuple[Literal, ...]
    text: str = ""

    @property
    def size(self) -> int:
        """The sum of all counts."""
        return sum(literal.count for literal in self.literals)


def progress(goal: Goal, world: Observation, record: GoalRecord = UNKNOWN) -> tuple[LiteralProgress, ...]:
    """Returns the progress of each literal.

    Args:
        goal: the goal.
        world: the objects to count; objects not in it do not count.
        record: what happened since the goal was given. Without one, literals about the past are lenient: an object in the
            source now counts as having been there, and any appliance counts.
    """
    return tuple(_progress(literal, world, record) for literal in goal.literals)


def reached(goal: Goal, world: Observation, record: GoalRecord = UNKNOWN) -> bool:
    """Returns True if all literals hold at the same time."""
    return all(_progress(literal, world, record).reached for literal in goal.literals)


def is_a(entity: Entity, cls_or_id: str) -> bool:
    """Returns True if an entity has this id, class or kind."""
    if cls_or_id in (entity.cls, entity.id):
        return True
    if cls_or_id == THING:
        return entity.category == "object" and GRABBABLE in entity.properties
    return cls_or_id == LIGHT and SWITCHABLE in entity.properties and entity.cls.endswith(GIVES_LIGHT)


def meant(literal: Literal, world: Observation, record: GoalRecord = UNKNOWN) -> Iterator[Entity]:
    """Yields the entities a literal refers to, whether or not they satisfy it."""
    room = next((e.id for e in world.entities if e.category == "room" and literal.room and is_a(e, literal.room)), literal.room)
    for entity in world.entities:
        if is_a(entity, literal.subject) and (literal.room is None or entity.room == room) \
                and (literal.source is None or _came_from(literal, entity, world, record)):
            yield entity


def satisfying(literal: Literal, world: Observation, record: GoalRecord = UNKNOWN) -> Iterator[str]:
    """Yields the ids of the subjects for which the literal holds."""
    for entity in meant(literal, world, record):
        if literal.states <= entity.states and _placed(literal, entity.id, world) and _treated(literal, entity, record):
            yield entity.id


def _came_from(literal: Literal, entity: Entity, world: Observation, record: GoalRecord) -> bool:
    source = literal.source or ""
    if not record.known:
        return lies(world, entity.id, "on", source) or lies(world, entity.id, "inside", source)
    return any(source == holder or (holder in world.by_id and is_a(world.by_id[holder], source))
               for holder in record.sources_of(entity.id))


def _treated(literal: Literal, entity: Entity, record: GoalRecord) -> bool:
    """Returns True if all states of the literal came from the required appliance."""
    if literal.by is None or not record.known:
        return True
    return all(record.given_by(entity.id, state, literal.by) for state in literal.states)


def _progress(literal: Literal, world: Observation, record: GoalRecord) -> LiteralProgress:
    subjects = tuple(satisfying(literal, world, record))
    if literal.every:
        wanted = {e.id for e in meant(literal, world, record)}
        return LiteralProgress(literal, int(wanted <= set(subjects) and bool(wanted or literal.source)), subjects)
    return LiteralProgress(literal, min(len(subjects), literal.count), subjects)


def _placed(literal: Literal, entity_id: str, world: Observation) -> bool:
    if literal.predicate == "is":
        return True
    held = entity_id in world.agent.holding
    if literal.predicate == "holds":
        return held
    target = literal.target or ""
    if literal.predicate == "away":
        return not held and not lies(world, entity_id, "on", target) and not lies(world, entity_id, "inside", target)
    return lies(world, entity_id, literal.predicate, target)


def lies(world: Observation, entity_id: str, relation: str, target: str) -> bool:
    """Returns True if an object is in or on a target, directly or through objects that carry it.

    An apple on a plate inside the fridge is inside the fridge; an egg in a bowl on the table is on the table. But an object
    inside a microwave on a counter is not on the counter.
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


def formal(goal: Goal) -> str:
    """Returns a goal as formal text.

    States and holding use the same form: `(CLOSED, fridge, , 1)`, `(HOLDS, apple, , 1)`.

    Raises:
        UsageError: a literal refers to all objects, to rooms or to the past, for which there is no form.
    """
    return "-".join(part for literal in goal.literals for part in _formal(literal))


def _formal(literal: Literal) -> list[str]:
    if literal.by or not literal.is_plain:
        raise UsageError(f"formal text cannot say “{literal}”: it speaks of numbers of things and of where they are in the end")
    states = [f"({state.upper()}, {spaced(literal.subject)}, , {literal.count})" for state in sorted(literal.states)]
    if literal.predicate == "is":
        return states
    target = spaced(literal.target) if literal.target else ""
    return [*states, f"({literal.predicate.upper()}, {spaced(literal.subject)}, {target}, {literal.count})"]
