"""Generated cities and flights. None of them exists: a language model knows nothing about them but what the prompt says.

Cities are points in a square. A minimum spanning tree connects them. Further flights are added, the shortest first and half as
many as cities, so that the number of flights grows proportionally to the number of cities (LLM-MCTS, section 4.1).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from types import MappingProxyType

import networkx as nx
import numpy as np

from core.common.errors import UsageError

FEWEST, MOST = 5, 100
"""The numbers of cities a map may have."""
ONSETS = ("B", "D", "F", "G", "K", "L", "M", "N", "P", "R", "S", "T", "V", "Br", "Dr", "Gl", "Kl", "Pl", "Tr")
VOWELS = ("a", "e", "i", "o", "u")
MIDDLES = ("l", "m", "n", "r", "s", "v", "nd", "rk", "lm", "st")
ENDINGS = ("ab", "ek", "im", "on", "ur", "ath", "ell", "ing", "ost", "une")
TRIES = 50
"""Number of maps drawn before a distance is given up."""


@dataclass(frozen=True, slots=True)
class FlightMap:
    """Cities, flights, and a journey.

    Attributes:
        places: (x, y) of each city, 0..1.
        flights: city -> cities with a direct flight, in alphabetical order. Flights go both ways.
        start: the city of departure.
        goal: the destination.
    """

    places: Mapping[str, tuple[float, float]]
    flights: Mapping[str, tuple[str, ...]]
    start: str
    goal: str


def number_of_flights(cities: int) -> int:
    """Returns the number of flights on a map, each counted once for both ways."""
    return cities - 1 + cities // 2


def drawn(seed: int, cities: int, edges: int) -> FlightMap:
    """Returns a map with a journey whose shortest path has `edges` flights. Equal arguments give equal maps.

    Raises:
        UsageError: no map of this size has such a journey.
    """
    for attempt in range(TRIES):
        rng = np.random.default_rng((seed, cities, edges, attempt, 41))
        names = _names(rng, cities)
        places = {name: (float(x), float(y)) for name, (x, y) in zip(names, rng.random((cities, 2)), strict=True)}
        graph = _graph(places)
        far = dict(nx.all_pairs_shortest_path_length(graph, cutoff=edges))
        pairs = [(a, b) for a in names for b in names if far[a].get(b) == edges]
        if pairs:
            start, goal = pairs[int(rng.integers(len(pairs)))]
            flights = {name: tuple(sorted(graph[name])) for name in sorted(names)}
            return FlightMap(MappingProxyType(places), MappingProxyType(flights), start, goal)
    raise UsageError(f"no map of {cities} cities has a shortest path of {edges} flights: give more cities")


def _graph(places: Mapping[str, tuple[float, float]]) -> nx.Graph:
    pairs = sorted(combinations(sorted(places), 2), key=lambda pair: _distance(places, *pair))
    full = nx.Graph()
    full.add_weighted_edges_from((a, b, _distance(places, a, b)) for a, b in pairs)
    graph = nx.minimum_spanning_tree(full)
    extra = [pair for pair in pairs if not graph.has_edge(*pair)]
    graph.add_edges_from(extra[:number_of_flights(len(places)) - graph.number_of_edges()])
    return graph


def _distance(places: Mapping[str, tuple[float, float]], a: str, b: str) -> float:
    (ax, ay), (bx, by) = places[a], places[b]
    return float(np.hypot(ax - bx, ay - by))


def _names(rng: np.random.Generator, count: int) -> list[str]:
    """Returns different invented names of one word."""
    def part(options: tuple[str, ...]) -> str:
        return options[int(rng.integers(len(options)))]

    names: dict[str, None] = {}
    while len(names) < count:
        names[part(ONSETS) + part(VOWELS) + part(MIDDLES) + part(ENDINGS)] = None
    return list(names)
