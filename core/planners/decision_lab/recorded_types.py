"""The types of the decision lab that a recording holds: the facts of its prompts. They contain only what the prompts say."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProductFacts:
    """Request: what is the product of two decimal numbers? LLM-MCTS, section 1."""

    first: str
    second: str


@dataclass(frozen=True, slots=True)
class PathFacts:
    """Request: which cities does one fly through? LLM-MCTS, section 4.1, the language model as policy.

    Attributes:
        start: the city of departure.
        goal: the destination.
        timetable: all direct flights, one line for each city: `Arden: Belmor, Cavel`. Empty: real flights, from memory.
    """

    start: str
    goal: str
    timetable: str


@dataclass(frozen=True, slots=True)
class FlightsFacts:
    """Request: which cities have a direct flight from this one? LLM-MCTS, section 4.1, the language model as world model.

    Attributes:
        city: the city of departure.
        timetable: as in `PathFacts`.
    """

    city: str
    timetable: str
