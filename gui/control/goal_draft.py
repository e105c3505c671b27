"""A goal while the operator edits it: its literals, the sentence they were read from, and the form that edits one literal."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from typing import Self

from core.common.errors import GoalError
from core.goals.formal_text import EVERY, MOST_COUNT, STATES, TAKES_TARGET, formal
from core.goals.kinds import FLOOR, KINDS, LIGHT, THING
from core.goals.literals import ABOUT_ROBOT, ROBOT, Goal, Literal, Predicate
from core.goals.reading import GoalReading, Guess, Reader
from core.world.vocabulary import ACTS, Entity, spaced, verb_words

RELATIONS: dict[str, tuple[Predicate, str]] = {
    "inside": ("inside", ""), "on": ("on", ""), "away from": ("away", ""), "in the hand": ("holds", ""), "is": ("is", ""),
    **{verb_words(act): ("done", act) for act in ACTS},
    "robot in": ("robot_in", ""), "robot at": ("robot_near", ""), "robot facing": ("robot_facing", ""),
    "robot sitting on": ("sitting", ""), "robot lying on": ("lying", ""), "robot standing": ("standing", ""),
}
"""The relation of a literal in words -> its predicate and act."""


# --- the goal ----------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class GoalDraft:
    """A goal that is shown for editing. Each edit returns another draft.

    Attributes:
        sentence: the words it was read from.
        literals: the goal's literals, in the order of their stages.
        reader: who read the sentence.
        guesses: words of the sentence that may mean something else; their indices are those of `literals`.
        read: the literals that the sentence is read as; empty if that is not known.
        says: whether the sentence still says what the literals say.
        meant: for each guess, the goal's literals with the meaning that it has now and all else as it was read; empty: `read`.
    """

    sentence: str
    literals: tuple[Literal, ...]
    reader: Reader = "rules"
    guesses: tuple[Guess, ...] = ()
    read: tuple[Literal, ...] = ()
    says: bool = True
    meant: tuple[tuple[Literal, ...], ...] = ()

    @classmethod
    def of(cls, sentence: str, reading: GoalReading) -> Self | None:
        """Returns the draft of a reading; None if it has no goal."""
        if reading.goal is None:
            return None
        return cls(sentence, reading.goal.literals, reading.by, reading.guesses, reading.goal.literals)

    @property
    def by(self) -> Reader:
        """Whose goal it is: that of who read the sentence, or the operator's once it was edited."""
        return self.reader if not self.read or self.literals == self.read else "operator"

    @property
    def text(self) -> str:
        """The goal in words: the sentence if it still says the same, otherwise its literals."""
        return self.sentence if self.says else words_of(self.literals)

    @property
    def goal(self) -> Goal:
        """The goal, with its text."""
        return Goal(self.literals, self.text)

    @property
    def formal(self) -> str:
        """The goal as formal text; empty if the rules read just this goal from the sentence."""
        return "" if self.by == "rules" and self.literals == self.read else formal(self.goal)

    def guess_at(self, index: int) -> Guess | None:
        """Returns the guess that a literal rests on, or None."""
        return next((guess for guess in self.guesses if index in guess.literals or not guess.literals), None)

    # --- edits -----------------------------------------------------------------
    def without(self, index: int) -> GoalDraft:
        """Returns the goal without a literal.

        Raises:
            GoalError: it is the only one.
        """
        if len(self.literals) == 1:
            raise GoalError("a goal needs at least one part: change this one, or add another first")
        return self._with((*self.literals[:index], *self.literals[index + 1:]))

    def negated(self, index: int) -> GoalDraft:
        """Returns the goal with a literal that must never become true, or must after all."""
        return self.put(index, replace(self.literals[index], never=not self.literals[index].never))

    def put(self, index: int, literal: Literal) -> GoalDraft:
        """Returns the goal with another literal at an index; at the end it is added."""
        return self._with((*self.literals[:index], literal, *self.literals[index + 1:]))

    def guessed(self, guess: Guess, other: int) -> GoalDraft:
        """Returns the goal with another meaning of a guessed word. The meaning it had is offered in its place.

        What other guesses say about the same literals stays as it is.
        """
        at, (words, goal) = self.guesses.index(guess), guess.others[other]
        meant = list(self.meant or (self.read or self.literals,) * len(self.guesses))
        before, after = meant[at], goal.literals
        turned = replace(guess, taken=words, others=(*guess.others[:other], *guess.others[other + 1:],
                                                     (guess.taken, Goal(before, self.sentence))))
        if not len(before) == len(after) == len(self.literals):
            return replace(self, literals=after, guesses=(turned,), meant=(after,))
        meant[at] = after
        literals = tuple(map(_turned, self.literals, before, after))
        return replace(self, literals=literals, meant=tuple(meant),
                       guesses=(*self.guesses[:at], turned, *self.guesses[at + 1:]))

    def _with(self, literals: tuple[Literal, ...]) -> GoalDraft:
        """Returns the goal with other literals, without double ones, in the order of their stages, numbered without gaps."""
        stages = {stage: k for k, stage in enumerate(sorted({literal.stage for literal in literals}))}
        numbered = dict.fromkeys(replace(literal, stage=stages[literal.stage]) for literal in literals)
        ordered = tuple(sorted(numbered, key=lambda literal: literal.stage))
        if ordered == self.literals:
            return self
        return replace(self, literals=ordered, says=bool(self.read) and ordered == self.read, guesses=(),
                       meant=())


def _turned(literal: Literal, before: Literal, after: Literal) -> Literal:
    """Returns a literal with the fields in which two meanings of a word differ set to the second one."""
    changes = {name: value for name, value in asdict(after).items() if value != asdict(before)[name]}
    return replace(literal, **changes)


def words_of(literals: Iterable[Literal]) -> str:
    """Returns literals in words: `2 mugs on the desk, the fridge is closed; then the robot sitting on the sofa`."""
    stages: dict[int, list[str]] = {}
    for literal in literals:
        stages.setdefault(literal.stage, []).append(str(literal))
    return "; then ".join(", ".join(stages[stage]) for stage in sorted(stages))


# --- names -------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class SceneNames:
    """The names that goals of a scene may use, in words, for completion while typing.

    Attributes:
        things: objects and furniture: kinds, then classes, then ids of classes with several entities.
        places: furniture that holds things, and rooms.
        rooms: rooms.
    """

    things: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    rooms: tuple[str, ...] = ()

    @classmethod
    def of(cls, entities: Iterable[Entity]) -> Self:
        """Returns the names of a scene's entities."""
        known = tuple(entities)
        things = [e for e in known if e.category != "room"]
        here = {e.cls for e in things}
        kinds = sorted(kind for kind, classes in KINDS.items() if classes & here)
        furniture = [e for e in known if e.category == "furniture"]
        rooms = _names(e for e in known if e.category == "room")
        return cls((THING, LIGHT, *map(spaced, kinds), *_names(things)), (*_names(furniture), FLOOR, *rooms), rooms)


def _names(entities: Iterable[Entity]) -> tuple[str, ...]:
    by_class: dict[str, list[str]] = {}
    for entity in entities:
        by_class.setdefault(entity.cls, []).append(entity.id)
    ids = [one for several in by_class.values() if len(several) > 1 for one in several]
    return tuple(dict.fromkeys(map(spaced, (*sorted(by_class), *sorted(ids)))))


def completed(text: str, names: Iterable[str]) -> str:
    """Returns the name that a text begins, if it is the only one besides its numbered ids; otherwise the text."""
    typed = " ".join(text.lower().replace("_", " ").split())
    known = tuple(names)
    found = sorted((name for name in known if name.startswith(typed)), key=len) if typed and typed not in known else []
    return found[0] if found and all(name.rstrip("0123456789").rstrip() == found[0] for name in found[1:]) else typed


# --- one literal as a form -----------------------------------------------------------
@dataclass(frozen=True, slots=True)
class LiteralForm:
    """A literal as the fields of a form, all in words.

    Attributes:
        relation: one of `RELATIONS`.
        subject: names with “or” between.
        place: the holder; only of inside, on and away from.
        count: a number, or every.
        room: only subjects in this room.
        states: with commas between.
        step: the number of its stage, from 1.
        never: whether it must never become true.
    """

    relation: str = "inside"
    subject: str = ""
    place: str = ""
    count: str = "1"
    room: str = ""
    states: str = ""
    step: str = "1"
    never: bool = False


def form_of(literal: Literal) -> LiteralForm:
    """Returns the form of a literal."""
    relation = next(words for words, kind in RELATIONS.items() if kind == (literal.predicate, literal.act))
    subject = "" if literal.predicate == "standing" else _or(literal.subject)
    return LiteralForm(relation, subject, _or(literal.target or ""), EVERY if literal.every else str(literal.count),
                       _or(literal.room or ""), ", ".join(sorted(literal.states)), str(literal.stage + 1), literal.never)


def literal_of(form: LiteralForm, former: Literal | None, names: SceneNames) -> Literal:
    """Returns the literal of a form. What the form does not show is kept from the former literal.

    Raises:
        GoalError: a field is missing, or its value is not possible; the message names it.
    """
    relation = completed(form.relation, RELATIONS)
    if relation not in RELATIONS:
        raise GoalError(f"“{form.relation}” is no relation: there are {', '.join(RELATIONS)}", form.relation)
    predicate, act = RELATIONS[relation]
    if predicate != "standing" and not form.subject.strip():
        raise GoalError("name an object" if predicate not in ABOUT_ROBOT else "name a room" if predicate == "robot_in"
                        else "name a thing")
    place, states = _code(form.place, names.places), _states(form.states)
    if predicate in TAKES_TARGET and not place:
        raise GoalError("name a place")
    if predicate == "is" and not states:
        raise GoalError(f"name a state: {', '.join(sorted(STATES))}")
    about_robot = predicate in ABOUT_ROBOT
    every, count, stage = _numbers(form)
    literal = Literal(predicate, ROBOT) if former is None or about_robot else replace(former, predicate=predicate)
    moved = former is not None and former.predicate == "away"
    source = place if predicate == "away" else None if moved else literal.source
    return replace(
        literal, subject=ROBOT if predicate == "standing" else _code(
            form.subject, names.rooms if predicate == "robot_in" else names.things),
        target=place if predicate in TAKES_TARGET else None, count=1 if every or about_robot else count,
        states=frozenset() if about_robot else states, every=every and not about_robot,
        room=None if predicate in ("standing", "robot_in") else _code(form.room, names.rooms) or None, source=source, act=act,
        stage=stage, never=form.never)


def _numbers(form: LiteralForm) -> tuple[bool, int, int]:
    """Returns whether every subject is meant, the count, and the stage."""
    every = form.count.strip().lower() in (EVERY, "all")
    for words, most in ((form.step, 9), ("1" if every else form.count, MOST_COUNT)):
        if not words.strip().isdecimal() or not 1 <= int(words.strip()[:4]) <= most:
            raise GoalError(f"“{words.strip()}”: write a number from 1 to {most}" + (", or every" if most > 9 else ""), words)
    return every, 1 if every else int(form.count), int(form.step) - 1


def _states(text: str) -> frozenset[str]:
    states = frozenset(completed(part, STATES) for part in re.split(r",|\band\b", text.lower()) if part.strip())
    for state in sorted(states - STATES):
        raise GoalError(f"“{state}” is no state: there are {', '.join(sorted(STATES))}", state)
    return states


def _code(text: str, names: Iterable[str]) -> str:
    """Returns names as goals write them: `apple|kitchen_table_2` for “apple or kitchen table 2”."""
    known = tuple(names)
    parts = (completed(part, known) for part in re.split(r"\bor\b|\|", text.lower()) if part.strip())
    return "|".join(dict.fromkeys("_".join(part.split()) for part in parts))


def _or(name: str) -> str:
    return " or ".join(spaced(part) for part in name.split("|") if part)


Edit = Callable[[GoalDraft], GoalDraft]
"""Returns a draft with one change. Raises GoalError if it is not possible."""
