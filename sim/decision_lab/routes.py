"""Real flight routes from a file of the operator: none come with Belvedere. LLM-MCTS, section 4.1.

A file of routes is CSV with the columns `from`, `to`, and optionally `from_population` and `to_population`, one line for each
route, cities by name. Routes count in both directions. Populations sort cities into the paper's two groups.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

import networkx as nx
import numpy as np

from core.common.errors import DataError, UsageError
from core.common.json_fields import MOST_TEXT
from core.common.user_texts import Table, decoded
from sim.decision_lab.maps import FlightMap

MOST_BYTES: Final = 32 * 2**20
MOST_CITIES: Final = 5_000
GROUPS: Mapping[str, tuple[float, float]] = MappingProxyType({
    "all": (0.0, math.inf), "large": (5_000_000.0, math.inf), "middle": (500_000.0, 2_000_000.0)})
"""Group -> least and largest population of its cities (the paper's)."""
_SEPARATORS = (",", ";", ":", "\n", "->", "→", " to ")


@dataclass(frozen=True, slots=True)
class Routes:
    """The routes of a file.

    Attributes:
        flights: city -> cities with a direct flight, in alphabetical order.
        populations: city -> its population; 0 if the file does not say.
    """

    flights: Mapping[str, tuple[str, ...]]
    populations: Mapping[str, float]

    def drawn(self, seed: int, edges: int, group: str) -> FlightMap:
        """Returns a journey between two cities of a group whose shortest path has `edges` flights, through any cities.

        Raises:
            UsageError: there is no such journey.
        """
        low, high = GROUPS[group]
        cities = [city for city in self.flights if low <= self.populations[city] <= high]
        rng = np.random.default_rng((seed, edges, 47))
        graph = nx.Graph((a, b) for a, there in self.flights.items() for b in there)
        for k in rng.permutation(len(cities)):
            far = nx.single_source_shortest_path_length(graph, cities[k], cutoff=edges)
            goals = [city for city in cities if far.get(city) == edges]
            if goals:
                return FlightMap(_circle(tuple(self.flights)), self.flights, cities[k], goals[int(rng.integers(len(goals)))])
        raise UsageError(f"the routes have no two cities of the group '{group}' with {edges} flights between them: give "
                         "another file, or other populations")


def read_routes(path: Path) -> Routes:
    """Reads a file of routes.

    Raises:
        DataError: it cannot be read, or is no such file; the message names the line.
    """
    try:
        if path.stat().st_size > MOST_BYTES:
            raise DataError(f"{path} has more than {MOST_BYTES // 2**20} MB: give a smaller file of routes")
        return _read(path, Table(decoded(path.read_bytes(), path)))
    except (OSError, csv.Error) as error:
        raise DataError(f"{path} cannot be read as CSV: {error}") from error


def _read(path: Path, rows: Table) -> Routes:
    if not {"from", "to"} <= set(rows.names):
        raise DataError(f"{path} lacks the columns 'from' and 'to': name them in its first line")
    flights: dict[str, set[str]] = {}
    populations: dict[str, float] = {}
    for row in rows:
        ends = [_city(path, rows.line_num, row[column]) for column in ("from", "to")]
        for city, other, column in ((*ends, "from_population"), (*reversed(ends), "to_population")):
            populations[city] = max(populations.get(city, 0.0), _population(path, rows, row.get(column)))
            flights.setdefault(city, set()).update({other} - {city})
        if len(flights) > MOST_CITIES:
            raise DataError(f"{path} has more than {MOST_CITIES:,} cities: give a smaller file of routes")
    if len({city.casefold() for city in flights}) < len(flights):
        raise DataError(f"{path} writes one city in two ways, in capitals and small letters: write each in one way")
    ordered = {city: tuple(sorted(flights[city])) for city in sorted(flights)}
    return Routes(MappingProxyType(ordered), MappingProxyType(populations))


def _city(path: Path, line: int, text: str | None) -> str:
    name = " ".join((text or "").split())
    if not name or len(name) > MOST_TEXT or any(mark in name for mark in _SEPARATORS):
        raise DataError(f"{path}, line {line}: a city's name must be 1 to {MOST_TEXT} characters without , ; : arrows and “to”")
    return name.replace("_", " ")


def _population(path: Path, rows: Table, text: str | None) -> float:
    try:
        number = rows.number(text or "0")
    except ValueError:
        number = math.nan
    if not 0 <= number < math.inf:
        raise DataError(f"{path}, line {rows.line_num}: '{text}' is no population: write a number from 0 on")
    return number


def _circle(names: tuple[str, ...]) -> Mapping[str, tuple[float, float]]:
    """Returns a place on a circle for each city: the file does not say where they are."""
    turns = [2 * math.pi * k / max(1, len(names)) for k in range(len(names))]
    return MappingProxyType({name: (0.5 + 0.5 * math.sin(t), 0.5 + 0.5 * math.cos(t))
                             for name, t in zip(names, turns, strict=True)})
