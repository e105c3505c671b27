"""A goal read from a sentence: what was understood, what had to be guessed, and which words were not understood."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal as Choice

from core.common.errors import GoalError
from core.goals.literals import Goal
from core.world.vocabulary import Value

Reader = Choice["rules", "model", "formal", "operator"]
"""Who read it: the rules, the language model, nobody (it was given as formal text), or the operator edited it."""


@dataclass(frozen=True, slots=True)
class Guess(Value):
    """A word with more than one meaning here, and the meaning that was taken.

    Attributes:
        words: the words of the sentence: glasses.
        taken: the meaning taken, in words: spectacles.
        others: for each other meaning, its words and the whole goal with it: (("drinking glasses", Goal(...)),).
        literals: indices of the goal's literals that the guess is about.
    """

    words: str
    taken: str
    others: tuple[tuple[str, Goal], ...]
    literals: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Question(Value):
    """A question about where something is.

    Attributes:
        text: as typed.
        about: class, id or kind of what it asks for, or several of them.
        noun: the words for it: the teddy bear.
    """

    text: str
    about: str
    noun: str


@dataclass(frozen=True, slots=True)
class GoalReading(Value):
    """The result of reading a sentence.

    Attributes:
        goal: the goal; None if the sentence was not understood, or if nothing here can be meant.
        by: who read it.
        guesses: words that may mean something else.
        refusal: why there is no goal; None if there is one.
        unknown: (start, end) of the words in the sentence that were not understood.
        question: what the sentence asks, if it is a question in place of a task; the refusal then begins with the answer.
    """

    goal: Goal | None
    by: Reader = "rules"
    guesses: tuple[Guess, ...] = ()
    refusal: GoalError | None = None
    unknown: tuple[tuple[int, int], ...] = ()
    question: Question | None = None
