"""The requests of the decision lab, and how their replies are read."""

from __future__ import annotations

import re
from collections.abc import Collection

from core.planners.decision_lab.problem import Answer, Journey, Multiplication, Problem, timetable
from core.planners.decision_lab.recorded_types import FlightsFacts, PathFacts, ProductFacts
from core.planning.model_requests import Expects, ModelReply, ModelRequest, prompt

LONGEST = 2_000
"""The number of characters of a reply that are read: its end."""
_NUMBER = re.compile(r"[0-9]+(?:[,_ ][0-9]{3})*")
_BETWEEN_CITIES = re.compile(r"\s*(?:->|→|–>|-->|,|;|\n)\s*")
_FOLDER = "decision_lab"
NEXT_QUESTION = "\nWhich cities"
"""Where a reply of one line ends."""


def product_request(first: str, second: str, temperature: float, purpose: str = "product") -> ModelRequest:
    """Returns the request for one product: one entry of the table of digits, or the whole answer (`whole product`)."""
    digits = len(first) + len(second)
    return ModelRequest(purpose, prompt(_FOLDER, "product", first=first, second=second), f"{first} × {second}",
                        ProductFacts(first, second), Expects(pattern=f"[0-9]{{1,{digits}}}"), temperature=temperature,
                        max_tokens=8 + 2 * digits)


def path_request(journey: Journey, temperature: float) -> ModelRequest:
    """Returns the request for a whole path."""
    table, name = _told(journey, "path")
    messages = prompt(_FOLDER, name, timetable=table, start=journey.start, goal=journey.goal)
    return ModelRequest("flight path", messages, f"{journey.start} to {journey.goal}",
                        PathFacts(journey.start, journey.goal, table), temperature=temperature, max_tokens=200,
                        ends=(NEXT_QUESTION, "\nRoute from"))


def flights_request(city: str, journey: Journey, temperature: float) -> ModelRequest:
    """Returns the request for the direct flights of one city: an expansion of a node by the world model."""
    table, name = _told(journey, "flights")
    return ModelRequest("direct flights", prompt(_FOLDER, name, timetable=table, city=city), city,
                        FlightsFacts(city, table), temperature=temperature, max_tokens=200,
                        ends=(NEXT_QUESTION, "\nDirect flights from"))


def _told(journey: Journey, name: str) -> tuple[str, str]:
    """Returns the timetable that a prompt holds, empty if the flights are asked from memory, and the prompt's name."""
    return (timetable(journey.flights), name) if journey.told else ("", f"{name}_from_memory")


def whole_request(problem: Problem, temperature: float) -> ModelRequest:
    """Returns the request for the whole answer of a problem."""
    if isinstance(problem, Multiplication):
        return product_request(problem.first, problem.second, temperature, "whole product")
    return path_request(problem, temperature)


def whole_answer(problem: Problem, reply: ModelReply) -> Answer:
    """Returns the whole answer in a reply."""
    text = _text(reply)
    return Answer(problem.ends, number_in(text) if isinstance(problem, Multiplication) else path_in(text, problem))


def number_in(text: str) -> tuple[str, ...]:
    """Returns the last number of a text without separators and leading zeros, as one item; empty if there is none."""
    found = _NUMBER.findall(text[-LONGEST:])
    return (re.sub("[^0-9]", "", found[-1]).lstrip("0") or "0",) if found else ()


def product_answer(first: str, second: str, reply: ModelReply) -> Answer:
    """Returns the product in a reply."""
    return Answer((first, second), number_in(_text(reply)))


def path_in(text: str, journey: Journey) -> tuple[str, ...]:
    """Returns the cities of a path, with both ends; empty if a name is no city.

    The last line with an arrow is read, else the last line. The city of departure may be left out.
    """
    lines = [line for line in text[-LONGEST:].splitlines() if line.strip()]
    arrows = [line for line in lines if "->" in line or "→" in line]
    if not lines:
        return ()
    known = {_plain(city): city for city in journey.flights}
    names = [_plain(name) for name in _BETWEEN_CITIES.split((arrows or lines)[-1])]
    if not all(name in known for name in names):
        return ()
    path = [known[name] for name in names]
    return tuple(path if path[0] == journey.start else [journey.start, *path])


def flights_answer(city: str, journey: Journey, reply: ModelReply) -> Answer:
    """Returns the cities with a direct flight that a reply names. Names that are no city are left out."""
    return Answer((city,), cities_in(_text(reply), city, journey.flights))


def cities_in(text: str, city: str, cities: Collection[str]) -> tuple[str, ...]:
    """Returns the cities other than `city` that a list names, each once, in the order of the text."""
    known = {_plain(name): name for name in cities}
    listed = text[-LONGEST:].replace(":", ",")
    if not any(" and " in name for name in known):
        listed = re.sub(r"(?i)\band\b", ",", listed)
    names = (known.get(_plain(name)) for name in _BETWEEN_CITIES.split(listed))
    return tuple(dict.fromkeys(name for name in names if name is not None and name != city))


def _plain(name: str) -> str:
    return name.strip(" \t.*\"'`-0123456789()").casefold()


def _text(reply: ModelReply) -> str:
    return "".join(reply.texts[:1])
