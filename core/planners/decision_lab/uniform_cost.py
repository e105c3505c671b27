"""Uniform-cost search over a graph whose edges are asked for. LLM-MCTS, section 4.1."""

from __future__ import annotations

import heapq
from collections.abc import Generator


def search(start: str, goal: str, most: int) -> Generator[str, tuple[str, ...], tuple[str, ...]]:
    """Searches a cheapest path; every edge costs 1.

    Yields a node to expand and is sent its neighbours. Paths of equal cost are expanded in the order in which they were found.

    Args:
        start: the first node.
        goal: the last node.
        most: the number of nodes that are expanded before the search gives up.

    Returns:
        The nodes of the path with both ends; empty if there is none, or if the search gave up.
    """
    found = 0
    frontier: list[tuple[int, int, tuple[str, ...]]] = [(0, found, (start,))]
    expanded: set[str] = set()
    while frontier:
        cost, _, path = heapq.heappop(frontier)
        if path[-1] == goal:
            return path
        if path[-1] in expanded:
            continue
        if len(expanded) == most:
            return ()
        expanded.add(path[-1])
        for neighbour in (yield path[-1]):
            if neighbour not in expanded:
                found += 1
                heapq.heappush(frontier, (cost + 1, found, (*path, neighbour)))
    return ()
