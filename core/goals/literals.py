"""Goals: a joint conjunction of literals, each with its own count.

"Put two apples in the fridge and one plate in the dishwasher" is reached when *both* literals hold at the same time; two apples
on a table count for neither. (The released LLM-MCTS code pools the counts over all literals.)

Literals are about objects (where they are, their states), about the robot (its room, what it sits on) or about acts (drink the
milk). They may refer to the past: where objects were when the goal was given, which appliance gave them their states, what was
reached in an earlier stage, and what was forbidden and done nevertheless. That is in a `GoalRecord`.
`core.goals.progress` says what holds, `core.goals.formal_text` writes and reads goals as formal text.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal as Choice

from core.common.recorded import ADDED
from core.goals.kinds import THING, is_several, name_in_words
from core.goals.vocabulary import plural_of
from core.world.vocabulary import Entity, Value, definite, verb_words

Predicate = Choice["inside", "on", "holds", "is", "away", "done",
                   "robot_in", "robot_near", "robot_facing", "sitting", "lying", "standing"]
ABOUT_ROBOT = frozenset({"robot_in", "robot_near", "robot_facing", "sitting", "lying", "standing"})
"""Predicates about the robot itself. Their subject is the room or entity; of `standing` it is `ROBOT`."""
NOT_LASTING = ABOUT_ROBOT | {"done", "holds"}
"""Predicates that need not hold any more once a later stage of the goal has begun: about the robot, its acts, its hand."""
ROBOT = "robot"
_VERBS = {"robot_facing": "turn_to", "sitting": "sit", "lying": "lie", "standing": "stand_up"}


@dataclass(frozen=True, slots=True)
class Literal:
    """A predicate that `count` different subjects must satisfy.

    Attributes:
        predicate: inside, on and away (is elsewhere, and not in the hand) take a target; holds (in the robot's hand), is (only
            `states`), done (an act) and those of `ABOUT_ROBOT` take none.
        subject: a class (`apple`: any apple), an id (`apple_2`: that one), a kind (`fruit`), or several of them: `apple|pear`.
        target: class, id or kind of the holder, or several; of `inside` also a room: anywhere in it, but not in the hand.
        count: the number of subjects.
        states: states that every counted subject must have: sliced, cooked, clean, open, closed, on, off, filled.
        every: True if all existing subjects must satisfy it instead of `count`. There must be at least one, unless `source` is
            set.
        room: only subjects in this room (class or id).
        source: only subjects that were in or on this class or id when the goal was given; `floor`: on and in nothing.
        by: the class or id of the appliance that must have caused their states.
        was: only subjects that had all these states when the goal was given.
        holding: only subjects with something of this class or id in or on them now: the cabinet with the bottle in it.
        act: the verb of `done`: drink, eat, read, watch, type, touch, look_at or wash_hands. It holds for a subject once the
            robot has done this to it in the episode.
        stage: literals of stage 1 count only once all of stage 0 were reached, and so on. Those of `NOT_LASTING` need not
            hold any more once a later stage is open.
        never: it must never become true. Such a literal counts as reached until it is broken.
    """

    predicate: Predicate
    subject: str
    target: str | None = None
    count: int = 1
    states: frozenset[str] = frozenset()
    every: bool = field(default=False, metadata=ADDED)
    room: str | None = field(default=None, metadata=ADDED)
    source: str | None = field(default=None, metadata=ADDED)
    by: str | None = field(default=None, metadata=ADDED)
    was: frozenset[str] = field(default=frozenset(), metadata=ADDED)
    act: str = field(default="", metadata=ADDED)
    stage: int = field(default=0, metadata=ADDED)
    never: bool = field(default=False, metadata=ADDED)
    holding: str | None = field(default=None, metadata=ADDED)

    def __str__(self) -> str:
        """Returns the literal in words: `2 mugs on the kitchen table`, `never: the robot in the bedroom`."""
        return f"never: {self._words()}" if self.never else self._words()

    def _words(self) -> str:
        if self.predicate in ROBOT_WORDS:
            place = "" if self.predicate == "standing" else f" {_some(self.subject)}{self._where}"
            return f"the robot {ROBOT_WORDS[self.predicate]}{place}"
        if self.predicate == "done":
            return f"{verb_words(self.act)} {self._counted(self._adjectives)}"
        if self.predicate == "is":
            verb = "is" if self.every or self.count == 1 else "are"
            return f"{self._counted(' '.join(sorted(self.was)))} {verb} {' and '.join(sorted(self.states))}{self._by}"
        subject = self._counted(self._adjectives)
        if self.predicate == "holds":
            return f"{subject}{self._by} in the robot's hand"
        relation = "away from" if self.predicate == "away" else self.predicate
        return f"{subject}{self._by} {relation} {_some(self.target or '')}"

    @property
    def is_plain(self) -> bool:
        """Whether it is about a class or id here and now: a number of such objects, their states, and where they are."""
        return not (self.every or self.room or self.source or self.was or self.holding or self.never or self.stage
                    or self.predicate == "away" or self.is_about_robot or is_several(self.subject)
                    or is_several(self.target or ""))

    @property
    def is_about_robot(self) -> bool:
        """Whether it is about the robot itself or an act of it, and not about where objects are or their states."""
        return self.predicate == "done" or self.predicate in ABOUT_ROBOT

    @property
    def subject_words(self) -> str:
        """The subjects with number and states: `2 sliced apples`."""
        return self._counted(self._adjectives)

    @property
    def _adjectives(self) -> str:
        return " ".join((*sorted(self.was), *sorted(self.states)))

    def _counted(self, adjectives: str) -> str:
        names = [name_in_words(name) for name in self.subject.split("|")]
        noun = " or ".join(names if self.count == 1 or self.every else map(plural_of, names))
        number = "every " if self.every else f"{self.count} " if self.count > 1 else ""
        words = f"{number}{adjectives} {noun}".replace("  ", " ").strip()
        words = "everything" if words == f"every {THING}" else words
        held = f" with {_some(self.holding)} in or on it" if self.holding else ""
        return words + held + self._where + (f" from {_some(self.source)}" if self.source and self.predicate != "away" else "")

    @property
    def _where(self) -> str:
        return f" in {_some(self.room)}" if self.room else ""

    @property
    def _by(self) -> str:
        return f" with {_some(self.by)}" if self.by else ""


ROBOT_WORDS = {"robot_in": "in", "robot_near": "at", "robot_facing": "facing", "sitting": "sitting on", "lying": "lying on",
               "standing": "standing"}


def _some(name: str) -> str:
    """Returns `the kitchen table`, `kitchen table 2`, or `the sofa or the bed`."""
    return " or ".join(definite(name_in_words(one)) for one in name.split("|"))


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
    def in_words(self) -> str:
        """The text, or the literals in words if there is none."""
        return self.text or "; ".join(map(str, self.literals))

    @property
    def last_stage(self) -> int:
        """The number of the last stage."""
        return max((literal.stage for literal in self.literals), default=0)

    @property
    def verbs(self) -> frozenset[str]:
        """The verbs of postures and acts that it names."""
        return frozenset(x.act if x.predicate == "done" else _VERBS[x.predicate] for x in self.literals
                         if not x.never and (x.predicate == "done" or x.predicate in _VERBS))

    @property
    def size(self) -> int:
        """The sum of all counts, without what must never be."""
        return sum(literal.count for literal in self.literals if not literal.never)


@dataclass(frozen=True, slots=True)
class GoalRecord(Value):
    """The history of an episode, as far as goals refer to it.

    Attributes:
        known: True if the episode was observed; otherwise nothing is known about the past.
        sources: (object, id of a holder it was in or on when first seen).
        treated: (object, state, class or id of the appliance it was in when it got the state).
        began: (entity, state) of every state that an entity had when its states were first seen; kept only for goals with
            `Literal.was`.
        begun: ids of the entities in `began`, also of those without any state.
        passed: indices of the goal's literals that were reached while their stage was open.
        broken: indices of the goal's literals with `never` that became true.
    """

    known: bool = False
    sources: frozenset[tuple[str, str]] = frozenset()
    treated: frozenset[tuple[str, str, str]] = frozenset()
    began: frozenset[tuple[str, str]] = frozenset()
    begun: frozenset[str] = frozenset()
    passed: frozenset[int] = frozenset()
    broken: frozenset[int] = frozenset()

    def sources_of(self, thing: str) -> tuple[str, ...]:
        """Returns the ids of the holders an object was first in or on."""
        return tuple(holder for one, holder in self.sources if one == thing)

    def given_by(self, thing: str, state: str, appliance: str) -> bool:
        """Returns True if an object got a state in an appliance (class or id)."""
        return (thing, state, appliance) in self.treated

    def first_states(self, entity: Entity) -> frozenset[str]:
        """Returns the states an entity had at first; those it has now if nothing is known about the past."""
        return frozenset(state for one, state in self.began if one == entity.id) if self.known else entity.states

    def stage(self, goal: Goal) -> int:
        """Returns the stage of a goal that is open: the first one of which a literal was not reached yet."""
        return min((x.stage for k, x in enumerate(goal.literals) if not x.never and k not in self.passed),
                   default=goal.last_stage)


UNKNOWN = GoalRecord()
