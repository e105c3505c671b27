"""The problems of the decision lab: a multiplication, or a journey by direct flights. LLM-MCTS, sections 1 and 4.1.

A problem is a frozen value. Its text is what the world says; `problem_in` reads it back.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from types import MappingProxyType

from core.world.vocabulary import Value

_PRODUCT = re.compile(r"What is ([0-9]{1,30}) times ([0-9]{1,30})\?")
_JOURNEY = re.compile(r"Fly from (.+?) to (.+?) by direct flights\.")
_TIMETABLE, _FROM_MEMORY = "Direct flights:", "Flights of real airlines, between the cities:"


@dataclass(frozen=True, slots=True)
class Answer(Value):
    """One answer of a language model, as a method read it.

    Attributes:
        about: what was asked: both factors, both ends of a journey, or one city.
        said: the product, the cities of the path with both ends, or the cities with a direct flight; empty if unusable.
    """

    about: tuple[str, ...]
    said: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Multiplication(Value):
    """Two factors as decimal digits, without leading zeros."""

    first: str
    second: str

    @property
    def text(self) -> str:
        """The problem as the world states it."""
        return f"What is {self.first} times {self.second}? Write the product digit by digit, then hand it in."

    @property
    def ends(self) -> tuple[str, str]:
        """What the whole answer is about."""
        return self.first, self.second

    def is_right(self, answer: Answer) -> bool:
        """Returns True if an answer about any two factors is their product."""
        first, second = answer.about
        return answer.said == (str(int(first) * int(second)),)


@dataclass(frozen=True, slots=True)
class Journey(Value):
    """A start, a destination, and the direct flights.

    Attributes:
        flights: city -> cities with a direct flight from there. Flights go both ways.
        told: False if the world keeps the flights to itself, so that they are asked from memory; the flights of all cities
            are then empty where a planner reads the problem.
    """

    start: str
    goal: str
    flights: Mapping[str, tuple[str, ...]] = field(hash=False)
    told: bool = True

    @property
    def text(self) -> str:
        """The problem with the timetable."""
        head = _TIMETABLE if self.told else _FROM_MEMORY
        return f"Fly from {self.start} to {self.goal} by direct flights.\n{head}\n{timetable(self.flights)}"

    @property
    def kept_back(self) -> Journey:
        """The same journey without the flights: the cities alone."""
        return Journey(self.start, self.goal, MappingProxyType(dict.fromkeys(self.flights, ())), False)

    @property
    def ends(self) -> tuple[str, str]:
        """What the whole answer is about."""
        return self.start, self.goal

    def is_right(self, answer: Answer) -> bool:
        """Returns True if a path uses existing flights only, or if exactly the direct flights of a city were named."""
        if len(answer.about) == 1:
            return set(answer.said) == set(self.flights[answer.about[0]])
        path = answer.said
        return (bool(path) and (path[0], path[-1]) == answer.about
                and all(there in self.flights[here] for here, there in pairwise(path)))


Problem = Multiplication | Journey


def timetable(flights: Mapping[str, Sequence[str]]) -> str:
    """Returns one line for each city: `Arden: Belmor, Cavel`."""
    return "\n".join(f"{city}: {', '.join(there)}".rstrip() for city, there in flights.items())


def problem_in(text: str) -> Problem | None:
    """Returns the problem that a text states; None if it states none."""
    if found := _PRODUCT.match(text):
        return Multiplication(found[1], found[2])
    found, lines = _JOURNEY.match(text), text.splitlines()
    if found is None or len(lines) < 2 or lines[1] not in (_TIMETABLE, _FROM_MEMORY):
        return None
    flights = {city: tuple(there.strip().split(", ")) if there.strip() else ()
               for city, _, there in (line.partition(":") for line in lines[2:])}
    if found[1] not in flights or found[2] not in flights:
        return None
    return Journey(found[1], found[2], MappingProxyType(flights), lines[1] == _TIMETABLE)
