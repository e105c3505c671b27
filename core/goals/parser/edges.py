"""A part of a task that a rule found: what it asks for, forbids or only tells, and what it costs to read it so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal as Choice

from core.goals.parser import word_classes as words
from core.goals.parser.phrases import Phrase
from core.goals.parser.tokens import Tokens

Kind = Choice["command", "request", "wish", "brief", "elliptic", "never", "early", "late", "exception", "contrast", "remark",
              "topic", "filler", "joint", "unknown"]
"""What a part of a task does: elliptic goes on with the command before it, early and late are said with after and before, an
exception limits the command before it, a contrast only where that is about all of something."""

ASKS: frozenset[Kind] = frozenset({"elliptic", "command", "request", "wish", "brief", "never", "early", "late"})
"""What asks for something or forbids it."""
ASKERS = words.word_set("you somebody someone anybody anyone robot")
"""Who is asked to do something: could somebody close the fridge."""
AGENTS = words.word_set("you robot agent bot machine assistant")
"""Words for the robot itself."""
MOST_ASKING = 12
"""The most words of asking before a command."""
AFTER_CLAUSE = words.word_set("and but then so because for without while before after once until if")
"""Words before which a clause may end."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A part of a task.

    Attributes:
        start: index of its first token.
        end: index after its last token.
        kind: what it does.
        cost: how unlikely it is.
        clauses: the plain clauses of what it asks for or forbids.
        skipped: (start, end) of tokens in it that say nothing about the task.
        topics: the phrases that it names, which a pronoun after it may mean.
        bare: True for an imperative without subject.
        shape: its last clause with "{}" for the object, which a phrase alone may fill: and the pear.
        guess: words that are taken as a command, such as a wish to do something.
        meaning: what they are taken for.
        object: the words of the object of its last clause, or of its place.
    """

    start: int
    end: int
    kind: Kind
    cost: float
    clauses: tuple[str, ...] = ()
    skipped: tuple[tuple[int, int], ...] = ()
    topics: tuple[Phrase, ...] = ()
    bare: bool = False
    shape: str = ""
    object: str = ""
    guess: str = ""
    meaning: str = ""


def soft(t: Tokens, k: int) -> int:
    """Returns the index after words that change nothing."""
    while t.at(k) in words.SOFT or t.at(k) in words.GREETINGS or t.at(k) in words.FIRST:
        k += 1
    return k


def ends_clause(t: Tokens, k: int) -> bool:
    """Returns True if a clause may end before a token."""
    return k >= len(t) or t.is_stop(k) or t.at(k) in AFTER_CLAUSE or t.at(k) in words.EXCEPTIONS
