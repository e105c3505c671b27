"""The words the cloned policy reads: clauses of the goal, the past actions, the observation, and the possible actions.

A clause is a short phrase in lower case: `put 1 apple inside the fridge`, `the apple 2 is on the desk`, `walk to the kitchen`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from core.goals.literals import Literal
from core.planning.observation_text import SEPARATOR
from core.world.vocabulary import Value, spaced

LONGEST = 24
"""The maximum number of words of a clause; the rest is cut."""
MOST_PAST = 40
"""The maximum number of past actions read."""
WALK = "walk to the "
_CLAUSE = re.compile(
    r"the (?P<name>.+?) is (?:in your hand|(?:inside|on) the (?P<holder>.+?))(?: and is (?P<state>open|closed))?")


@dataclass(frozen=True, slots=True)
class Scene(Value):
    """What the policy reads before a decision. It contains no more than the texts the robot has.

    Attributes:
        goal: one clause per literal.
        past: the phrases of the executed actions, the last one last.
        seen: the clauses of the observation.
        choices: the phrases of the actions to choose from.
    """

    goal: tuple[str, ...]
    past: tuple[str, ...]
    seen: tuple[str, ...]
    choices: tuple[str, ...]


def goal_clauses(goal: Iterable[Literal]) -> tuple[str, ...]:
    """Returns each literal (inside or on) as a clause."""
    return tuple(f"put {x.count} {spaced(x.subject)} {x.predicate} the {spaced(x.target or '')}" for x in goal)


def seen_clauses(observation: str) -> tuple[str, ...]:
    """Returns the clauses of an observation text (`core.planning.observation_text`)."""
    return tuple(filter(None, observation.removesuffix(".").split(SEPARATOR)))


@dataclass(frozen=True)
class Vocabulary(Value):
    """The words and characters with an embedding of their own.

    Attributes:
        words: the known words. Other words are represented by their characters.
        characters: the known characters. Others are left out.
    """

    words: tuple[str, ...]
    characters: str

    @classmethod
    def of(cls, clauses: Iterable[str]) -> Vocabulary:
        """Returns the vocabulary of some clauses."""
        words = tuple(sorted(set(chain.from_iterable(map(str.split, clauses)))))
        return cls(words, "".join(sorted(set("".join(words)) | set("abcdefghijklmnopqrstuvwxyz0123456789"))))

    @cached_property
    def _index(self) -> dict[str, int]:
        return {word: k for k, word in enumerate(self.words)}

    @cached_property
    def _places(self) -> dict[str, int]:
        return {character: k for k, character in enumerate(self.characters)}

    def index(self, word: str) -> int:
        """Returns the index of a word; -1 if it is unknown."""
        return self._index.get(word, -1)

    def spelled(self, word: str) -> list[int]:
        """Returns the indices of a word's known characters."""
        return [self._places[c] for c in word if c in self._places]


def words_of(clause: str) -> list[str]:
    """Returns the words of a clause that are read."""
    return clause.lower().split()[:LONGEST]


# --- the choices of a recorded step -------------------------------------------------
class Clause(NamedTuple):
    """A clause of an observation: the name of a thing, its holder (empty: the hand), and "open", "closed" or nothing."""

    name: str
    holder: str
    state: str


def parsed_clauses(clauses: Iterable[str]) -> Iterator[Clause]:
    """Yields the parts of each clause; empty parts for other text."""
    for clause in clauses:
        found = _CLAUSE.fullmatch(clause)
        yield Clause(found["name"], found["holder"] or "", found["state"] or "") if found else Clause("", "", "")


def choices_of(seen: Sequence[str], past: Sequence[str], rooms: Sequence[str]) -> tuple[str, ...]:
    """Returns the phrases of the actions that seem possible according to the texts.

    A trajectory does not record the choices of its steps. Every room and everything in sight can be walked to. What the robot
    walked to last, and what is on or in it, can be grabbed, opened, closed, and used to put something down.

    Args:
        seen: the clauses of the observation.
        past: the phrases of the executed actions.
        rooms: the names of the rooms.
    """
    clauses = [c for c in parsed_clauses(seen) if c.name]
    held = [c.name for c in clauses if not c.holder]
    walked = next((phrase.removeprefix(WALK) for phrase in reversed(past) if phrase.startswith(WALK)), "")
    walks = (f"{WALK}{name}" for name in (*rooms, *(c.name for c in clauses if c.holder)))
    near = chain.from_iterable(_uses(c, held) for c in clauses if walked in (c.name, c.holder))
    return tuple(dict.fromkeys(chain(walks, near)))


def _uses(clause: Clause, held: Sequence[str]) -> Iterator[str]:
    if not held:
        yield f"grab the {clause.name}"
    if clause.state:
        yield f"{'close' if clause.state == 'open' else 'open'} the {clause.name}"
    if clause.state != "closed":
        yield from (f"put the {thing} {kind} the {clause.name}" for thing in held for kind in ("inside", "on"))
