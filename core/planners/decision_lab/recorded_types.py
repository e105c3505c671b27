"""The types of the decision lab that a recording holds: the facts of its prompts. They contain only what the prompts say."""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.planning.prompt_facts import AskedFact

_NUMBER = re.compile(r"[0-9]+(?:[,_ ][0-9]{3})*")


@dataclass(frozen=True, slots=True)
class ProductFacts(AskedFact):
    """Request: what is the product of two decimal numbers? LLM-MCTS, section 1."""

    first: str
    second: str

    @property
    def is_checked(self) -> bool:
        """True: both numbers are known."""
        return True

    def wrong(self, said: str) -> str:
        """Returns what the last number of a reply is instead of the product; empty if it is the product."""
        numbers, right = _NUMBER.findall(said), str(int(self.first) * int(self.second))
        product = re.sub("[^0-9]", "", numbers[-1]).lstrip("0") or "0" if numbers else ""
        if product == right:
            return ""
        return f"the reply about {self.first} × {self.second} was {product or 'no number'}, but it is {right}"


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
class FlightsFacts(AskedFact):
    """Request: which cities have a direct flight from this one? LLM-MCTS, section 4.1, the language model as world model.

    Attributes:
        city: the city of departure.
        timetable: as in `PathFacts`.
    """

    city: str
    timetable: str

    @property
    def is_checked(self) -> bool:
        """Whether the request has a timetable."""
        return bool(self.timetable)

    def wrong(self, said: str) -> str:
        """Returns which flight of the timetable a reply leaves out or adds; empty if none, or without a timetable."""
        rows = dict(line.split(": ", 1) for line in self.timetable.splitlines() if ": " in line)
        right, text = set(rows.get(self.city, "").split(", ")) - {""}, said.casefold()
        named = {other for other in rows if re.search(rf"\b{re.escape(other.casefold())}\b", text)} - {self.city}
        if missing := sorted(right - named):
            return f"the reply about the flights from {self.city} leaves out {missing[0]}"
        if not named - right:
            return ""
        return f"the reply about the flights from {self.city} names {min(named - right)}, where none goes"
