"""Steps towards the goal that a run knew and did not take: by the observations and the progress alone, whatever the planner.

A step is *possible* if one action would reach a part of the goal now: its preconditions hold in the observation, and no such
action was refused before. Otherwise it is only *known*: an object of the goal is in the hand and a place for it was seen, or an
object was seen and not taken. A step stays open until it is taken, its part of the goal is reached, or its object is lost.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal as Choice

from core.goals.kinds import is_a
from core.goals.literals import Goal, Literal, LiteralProgress
from core.goals.prohibitions import forbidden, leading_to
from core.recording.failures.run import RecordedRun, RecordedTurn
from core.world.affordances import affordances
from core.world.known_world import KnownWorld
from core.world.vocabulary import GRABBABLE, Action, ActionSchema, Entity, Observation, in_words

Kind = Choice["possible", "put", "take"]
PRIORITY: tuple[Kind, ...] = ("possible", "put", "take")
"""Kinds of steps, the shortest way to the goal first."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step towards the goal that was open for a while.

    Attributes:
        kind: `possible`: `action` would have reached a part of the goal at once. `put`: an object was in the hand, and a place
            for it was known. `take`: an object was known.
        action: the next action on the way, such as walking to the place.
        objects: ids of what it is about: the object, and the place for it if there is one.
        literal: the part of the goal.
        since: the number of the turn at whose beginning it was first open.
        turns: the numbers of the turns in which it was open and not taken, ascending.
        possible: those of them in which `action` was possible; for the other kinds, in which the robot was in the room where it
            leads.
        taken: whether it was taken in the end.
    """

    kind: Kind
    action: Action
    objects: tuple[str, ...]
    literal: Literal
    since: int
    turns: tuple[int, ...] = ()
    possible: tuple[int, ...] = ()
    taken: bool = False

    @property
    def text(self) -> str:
        """What was possible or known, as the beginning of a sentence, with ids."""
        since = f"known since turn {self.since}"
        if self.kind == "possible":
            many = len(self.possible) > 1
            within = f"in {len(self.possible)} turns from turn {self.since} on" if many else f"in turn {self.since}"
            return f"“{in_words(self.action)}” was possible {within} and would have reached “{self.literal}”"
        if self.kind == "put":
            thing, place = self.objects
            return f"the {thing} was in the hand, and the {place}, where the goal wants it, was {since}"
        until = "taken only later" if self.taken else "never taken"
        return f"the {self.objects[0]}, which the goal names, was {since} and {until}"


def missed_steps(run: RecordedRun) -> tuple[Step, ...]:
    """Returns the steps that were open in turns that did not take them, in the order in which they became open."""
    walker = _Walker(run.goal)
    for turn in run.turns:
        walker.walk(turn)
    return tuple(step for step in walker.steps() if step.turns)


def step_of(steps: Sequence[Step], number: int) -> Step | None:
    """Returns the step that a turn missed: of several the one that was nearest to the goal; None if none was open."""
    fits = [step for step in steps if number in step.turns]
    return min(fits, key=lambda step: (PRIORITY.index(step.kind), number not in step.possible, step.since), default=None)


@dataclass(slots=True)
class _Open:
    """A step that is open now, under its key: its kind, its literal and its objects."""

    action: Action
    since: int
    turns: list[int]
    possible: list[int]


_Key = tuple[Kind, Literal, tuple[str, ...]]


class _Walker:
    """Follows the observations and keeps the steps that are open."""

    def __init__(self, goal: Goal):
        self._goal, self._world = goal, KnownWorld()
        self._refused: set[Action] = set()
        self._open: dict[_Key, _Open] = {}
        self._closed: list[Step] = []
        self._fits: dict[tuple[str, str], bool] = {}

    def steps(self) -> list[Step]:
        """Returns all steps so far, in the order in which they became open."""
        ended = [_step(key, one, taken=False) for key, one in self._open.items()]
        return sorted((*self._closed, *ended), key=lambda step: step.since)

    def walk(self, turn: RecordedTurn) -> None:
        """Takes the next turn into account."""
        assert turn.outcome is not None, "completed turns have an outcome"
        self._world.see(turn.seen)
        done = turn.outcome.action
        now = self._steps_now(turn)
        for key in [key for key in self._open if not self._stays(key, turn, now)]:
            self._closed.append(_step(key, self._open.pop(key), taken=False))
        for key, action in now.items():
            self._open.setdefault(key, _Open(action, turn.number, [], []))
        for key, one in list(self._open.items()):
            if _takes(key, one.action, done):  # a refused one is not possible, and not missed
                self._closed.append(_step(key, self._open.pop(key), taken=turn.outcome.ok))
            elif not turn.by_operator:
                one.turns.append(turn.number)
                one.possible += [turn.number] if key in now and self._is_here(key, turn) else []
        if not turn.outcome.ok:
            self._refused.add(done)

    def _steps_now(self, turn: RecordedTurn) -> dict[_Key, Action]:
        """Returns the steps that are open at the beginning of a turn."""
        found: dict[_Key, Action] = {}
        held = frozenset(turn.seen.agent.holding)
        barred = self._refused | forbidden(self._goal, turn.seen)
        for p in _unreached(turn.progress):
            literal = p.literal
            leading = [a for a in leading_to(literal, turn.seen) if a not in barred and self._suits(literal, a, turn.seen, p)]
            possible = set(affordances(turn.seen, tuple(ActionSchema(v, (), "") for v in {a.verb for a in leading})))
            found |= {("possible", literal, a.args): a for a in leading if a in possible}
            if literal.predicate not in ("inside", "on", "holds"):
                continue
            mine = [e for e in self._subjects(literal) if e.id not in p.subjects]
            in_hand = [e for e in mine if e.id in held]
            if in_hand and literal.predicate != "holds":
                found |= {("put", literal, (in_hand[0].id, place)): Action("walk", (place,))
                          for place in self._places(literal, in_hand[0])}
            elif not in_hand:
                found |= {("take", literal, (e.id,)): Action("grab" if e.id in turn.seen.agent.near else "walk", (e.id,))
                          for e in mine if e.category == "object" and GRABBABLE in e.properties}
        return found

    def _is_here(self, key: _Key, turn: RecordedTurn) -> bool:
        """Returns True if a step can be taken in the room of the robot."""
        kind, _, args = key
        entity = self._world.entities.get(args[-1]) if args else None
        return kind == "possible" or (entity is not None and entity.room == turn.seen.agent.room)

    def _suits(self, literal: Literal, action: Action, seen: Observation, p: LiteralProgress) -> bool:
        """Returns True if the subject of an action has the states that the literal demands of it and does not count yet."""
        if literal.is_about_robot or literal.predicate == "is":
            return True
        thing = seen.by_id.get(action.args[0]) if action.args else None
        return thing is not None and literal.states <= thing.states and thing.id not in p.subjects

    def _subjects(self, literal: Literal) -> Iterator[Entity]:
        for entity in self._world.entities.values():
            if self._is_a(entity, literal.subject) and literal.states <= entity.states:
                yield entity

    def _places(self, literal: Literal, thing: Entity) -> Iterator[str]:
        """Yields the known places where the literal wants an object. A place that refused it before is left out."""
        full = {action.args[-1] for action in self._refused if len(action.args) > 1 and action.args[0] == thing.id}
        for entity in self._world.entities.values():
            if literal.target and entity.id not in full and entity.category != "room" and self._is_a(entity, literal.target):
                yield entity.id

    def _is_a(self, entity: Entity, name: str) -> bool:
        key = (entity.id, name)
        if key not in self._fits:
            self._fits[key] = is_a(entity, name)
        return self._fits[key]

    def _stays(self, key: _Key, turn: RecordedTurn, now: dict[_Key, Action]) -> bool:
        """Returns True if an open step is open still, though its action may not be possible in this turn."""
        kind, literal, args = key
        if key in now or kind != "possible":
            return key in now
        left = any(p.literal == literal for p in _unreached(turn.progress))
        return left and (len(args) < 2 or args[0] in turn.seen.agent.holding)


def _unreached(progress: Sequence[LiteralProgress]) -> Iterator[LiteralProgress]:
    """Yields the parts of the goal that can be reached now and about whose subjects only classes, ids and states matter."""
    stage = min((p.literal.stage for p in progress if not p.reached), default=0)
    for p in progress:
        x = p.literal
        if not (p.reached or x.never or x.every or x.room or x.source or x.was or x.by or x.holding) and x.stage == stage:
            yield p


def _takes(key: _Key, action: Action, done: Action) -> bool:
    """Returns True if an executed action takes a step."""
    kind, _, args = key
    if kind == "possible":
        return done == action
    return done.args == args and done.verb.startswith("put") if kind == "put" else done == Action("grab", args)


def _step(key: _Key, one: _Open, *, taken: bool) -> Step:
    return Step(key[0], one.action, key[2], key[1], one.since, tuple(one.turns), tuple(one.possible), taken)
