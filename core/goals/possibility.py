"""Why a goal cannot hold in an episode: too few objects, none that supports the action, or none that fits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal as Choice

from core.goals.kinds import FLOOR, LIGHT, THING
from core.goals.literals import Goal, Literal
from core.goals.vocabulary import plural_of
from core.world.vocabulary import ActionSchema, spaced, verb_words

Cause = Choice["", "too few", "not made for it", "no room", "out of reach", "not a task here", "contradictory"]
BY_STATE = {"open": "opened", "closed": "closed", "on": "switched on", "off": "switched off", "clean": "washed"}
"""State -> the participle of the action that causes it; other states are their own participle."""
BY_VERB = {"sitting": "sat on", "lying": "lain on", "drink": "drunk", "eat": "eaten", "watch": "watched", "type": "typed on",
           "wash_hands": "used to wash the hands", "touch": "touched", "look_at": "looked at"}
"""Posture or act -> its participle; other acts are their own participle."""
KIND_NAMES = {THING: "things that can be carried", LIGHT: "lights"}


@dataclass(frozen=True, slots=True)
class Possibility:
    """Whether a goal can hold. Its truth value is True if it can.

    Attributes:
        cause: the kind of obstacle; empty if the goal is possible.
        reason: one sentence for users; empty if the goal is possible.
        literal: the literal that cannot hold, or the first of those that contradict each other.
        between: the two literals that contradict each other.
    """

    cause: Cause = ""
    reason: str = ""
    literal: Literal | None = None
    between: tuple[Literal, Literal] | None = None

    def __bool__(self) -> bool:
        return not self.cause


POSSIBLE = Possibility()
SEATED = {"sitting", "lying"}


def unsupported(goal: Goal, schemas: Iterable[ActionSchema]) -> Possibility:
    """Returns the obstacle that a world has no verb for a posture or an act of the goal."""
    for verb in sorted(goal.verbs - {schema.verb for schema in schemas}):
        return Possibility("not a task here", f"the robot cannot {verb_words(verb)} in this world")
    return POSSIBLE


def cannot_be_used(literal: Literal) -> Possibility:
    """Returns the obstacle that a posture or act is not possible with the subjects."""
    verb = literal.act or literal.predicate
    return Possibility("not made for it", f"{_a(literal.subject)} cannot be {BY_VERB.get(verb, verb)}", literal)


def too_few(literal: Literal, have: int, wanted: int) -> Possibility:
    """Returns the obstacle that fewer subjects exist than the literal requires."""
    where, was = _where(literal), "".join(f"{state} " for state in sorted(literal.was))
    if have:
        here = f"there {'is only one' if have == 1 else f'are only {have}'} {was}{_name(literal.subject, have)}{where}"
        return Possibility("too few", f"{here}, and {wanted} are wanted", literal)
    return Possibility("too few", f"there {_is_no(literal.subject, was)}{where}", literal)


def cannot_be_carried(literal: Literal) -> Possibility:
    """Returns the obstacle that the subjects are furniture."""
    return Possibility("not made for it", f"{_a(literal.subject)} cannot be carried", literal)


def cannot_become(literal: Literal, able: int, wanted: int, *, tools: bool = True) -> Possibility:
    """Returns the obstacle that too few subjects can get the states of the literal.

    Args:
        literal: with states.
        able: the number of subjects that can get all of them.
        wanted: the number required.
        tools: False if no appliance or tool for it exists here.
    """
    done = " and ".join(BY_STATE.get(state, state) for state in sorted(literal.states))
    if literal.by is not None:
        reason = f"{_a(literal.subject)} cannot be {done} by the {spaced(literal.by)}"
    elif not tools:
        reason = f"nothing here can be used to get {_a(literal.subject)} {done}"
    elif able:
        number = f"only {able} of the {_name(literal.subject, 2)}" if able > 1 else f"only one {_name(literal.subject, 1)}"
        reason = f"{number} can be {done}, and {'all' if literal.every else wanted} must be"
    else:
        reason = f"{_a(literal.subject)} cannot be {done}"
    return Possibility("not made for it", reason, literal)


def fits_no_appliance(literal: Literal, appliances: Sequence[str]) -> Possibility:
    """Returns the obstacle that the subjects are too large for all appliances (classes) that give the states."""
    done = " and ".join(BY_STATE.get(state, state) for state in sorted(literal.states))
    where = " or the ".join(map(spaced, appliances))
    return Possibility("no room", f"{_a(literal.subject)} cannot be {done}: it does not fit in the {where}", literal)


def no_target(literal: Literal, *, there: bool) -> Possibility:
    """Returns the obstacle that the target does not exist, or that objects cannot be put there in this way."""
    target = _name(literal.target or "", 1)
    if not there:
        return Possibility("too few", f"there is no {target} here that the robot can reach", literal)
    return Possibility("not made for it", f"nothing can be put {literal.predicate} the {target}", literal)


def no_room(literal: Literal, fitting: int, wanted: int) -> Possibility:
    """Returns the obstacle that too few subjects fit on or in the target."""
    if literal.predicate in SEATED:
        return Possibility("no room", f"there is no free place on any {_name(literal.subject, 1)}", literal)
    name, where = _name(literal.subject, 1), f"{literal.predicate} the {spaced(literal.target or '')}"
    if not fitting:
        return Possibility("no room", f"no {name} fits {where}", literal)
    many = "all" if literal.every else str(wanted)
    number = f"{fitting} {_name(literal.subject, fitting)} fit{'s' if fitting == 1 else ''}"
    return Possibility("no room", f"only {number} {where}, and {many} must", literal)


def out_of_reach(literal: Literal) -> Possibility:
    """Returns the obstacle that the robot cannot get close enough to the subjects."""
    return Possibility("out of reach", f"the robot cannot reach any {_name(literal.subject, 1)}{_where(literal)}", literal)


def slips(literal: Literal) -> Possibility:
    """Returns the obstacle that the robot cannot grip the subjects."""
    return Possibility("not made for it", f"the robot cannot hold {_a(literal.subject)}: it slips from the hand", literal)


def one_hand(literal: Literal) -> Possibility:
    """Returns the obstacle that the robot has one hand and must hold several objects."""
    return Possibility("not made for it", f"the robot has one hand and cannot hold {literal.count} things", literal)


def _name(subject: str, count: int) -> str:
    kind = KIND_NAMES.get(subject)
    if kind is not None:
        return kind if count != 1 else kind.replace("things", "thing").removesuffix("s")
    names = map(spaced, subject.split("|"))
    return " or ".join(name if count == 1 or name[-1:].isdigit() else plural_of(name) for name in names)


def _a(subject: str) -> str:
    return " or ".join(map(_a_single, subject.split("|")))


def _a_single(subject: str) -> str:
    if subject in KIND_NAMES:
        return KIND_NAMES[subject]
    name = spaced(subject)
    if name[-1:].isdigit():
        return name
    if plural_of(name) == name:
        return name
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def _is_no(subject: str, was: str) -> str:
    if subject in KIND_NAMES:
        return f"are no {was}{KIND_NAMES[subject]}"
    name = _name(subject, 1)
    return f"are no {was}{name}" if plural_of(name) == name else f"is no {was}{name}"


def _where(literal: Literal) -> str:
    room = f" in the {spaced(literal.room)}" if literal.room else ""
    names = spaced(literal.source or "").replace("|", " or the ")
    source = f" {'on' if literal.source == FLOOR else 'on or in'} the {names}" if literal.source else ""
    return (room + source) or " here"
