"""Pairs the labels of two annotators: the pairs that overlap most in all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from core.session.annotation import Annotation

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Tolerance:
    """When two labels count as the same.

    Attributes:
        overlap: least intersection over union of two intervals, 0 to 1.
        turns: largest distance of two points of one branch, in turns.
    """

    overlap: float = 0.5
    turns: int = 0


def intersection_over_union(one: Annotation, other: Annotation, end: float) -> float:
    """Returns the common time of two intervals over the time that either covers, 0 to 1; open intervals reach to `end`."""
    stops = [a.until if a.until is not None else max(a.at, end) for a in (one, other)]
    union = max(stops) - min(one.at, other.at)
    common = min(stops) - max(one.at, other.at)
    return max(0.0, common / union) if union > 0 else 1.0


def nearness(one: Annotation, other: Annotation, tolerance: Tolerance) -> float:
    """Returns how near two points are, 1 in the same turn; 0 if they are too far apart or on different branches."""
    distance = abs(one.turn - other.turn)
    return 1 / (1 + distance) if one.branch == other.branch and distance <= tolerance.turns else 0.0


def matched(first: Sequence[T], second: Sequence[T], score: Callable[[T, T], float]) -> list[tuple[T, T]]:
    """Returns the pairs with the greatest sum of scores. Each item is in at most one pair; pairs with score 0 are left out.

    The assignment is exact: a matching of greatest weight in the bipartite graph, computed by NetworkX for each connected part.
    """
    edges = [(k, -1 - m, weight) for k, one in enumerate(first) for m, other in enumerate(second)
             if (weight := score(one, other)) > 0]
    if not edges:
        return []
    import networkx as nx  # imported when first needed: most recordings have one annotator

    graph = nx.Graph()
    graph.add_weighted_edges_from(edges)
    pairs = (pair for part in nx.connected_components(graph)
             for pair in nx.max_weight_matching(graph.subgraph(sorted(part))))
    return [(first[k], second[-1 - m]) for m, k in sorted((min(pair), max(pair)) for pair in pairs)]
