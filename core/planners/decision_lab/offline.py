"""The offline answers of the decision lab: a calculator and a timetable. They are no language model.

They answer every question right that states what is needed, so both methods succeed with them. Their rows check the apparatus
and say nothing about language models. They know no real flights.
"""

from __future__ import annotations

from collections import deque

from core.common.errors import ModelError
from core.planners.decision_lab.recorded_types import FlightsFacts, PathFacts, ProductFacts
from core.planning.model_requests import ModelRequest
from core.planning.offline_answers import Prior, register

ARROW = " -> "


def rows_of(timetable: str) -> dict[str, list[str]]:
    """Returns the direct flights of each city in a timetable."""
    lines = (line.partition(": ") for line in timetable.splitlines())
    return {city: there.split(", ") if there else [] for city, _, there in lines}


def shortest(timetable: str, start: str, goal: str) -> list[str]:
    """Returns a path with the fewest flights, by breadth-first search; empty if there is none."""
    flights, before = rows_of(timetable), {start: ""}
    queue = deque([start])
    while queue and goal not in before:
        city = queue.popleft()
        for there in flights.get(city, ()):
            if there not in before:
                before[there] = city
                queue.append(there)
    path, city = [], goal if goal in before else ""
    while city:
        path.append(city)
        city = before[city]
    return path[::-1]


def _product(facts: ProductFacts, ask: ModelRequest, prior: Prior) -> str:
    del ask, prior
    return str(int(facts.first) * int(facts.second))


def _refuse_memory(ask: ModelRequest, timetable: str) -> None:
    """Raises ModelError if the request states no timetable."""
    if not timetable:
        raise ModelError(f"commonsense cannot answer “{ask.purpose}” from memory: choose a language model", "refused",
                         retry=False)


def _path(facts: PathFacts, ask: ModelRequest, prior: Prior) -> str:
    del prior
    _refuse_memory(ask, facts.timetable)
    return ARROW.join(shortest(facts.timetable, facts.start, facts.goal))


def _flights(facts: FlightsFacts, ask: ModelRequest, prior: Prior) -> str:
    del prior
    _refuse_memory(ask, facts.timetable)
    return ", ".join(rows_of(facts.timetable).get(facts.city, ()))


register(ProductFacts, _product)
register(PathFacts, _path)
register(FlightsFacts, _flights)
