"""How the robot gets from one place to another: along free cells, around furniture and through doors."""

from __future__ import annotations

import math
from functools import cached_property
from itertools import pairwise

import networkx as nx
import numpy as np
import numpy.typing as npt

from core.world.vocabulary import Pose, Spot
from sim.geometry.grid import Grid

Cell = tuple[int, int]
SIDE, CORNER = 1.0, math.sqrt(2)
SAMPLES_A_CELL = 4
"""Points looked at along a straight line, for each cell of its length."""


class Ways:
    """Shortest ways over the free cells of one floor. The graph is made when the first way is asked for."""

    def __init__(self, grid: Grid):
        self._grid = grid

    @cached_property
    def _graph(self) -> nx.Graph[Cell]:
        free = self._grid.reachable
        cells = [(int(i), int(j)) for i, j in np.argwhere(free)]
        graph: nx.Graph[Cell] = nx.Graph()
        graph.add_nodes_from(cells)
        for i, j in cells:
            for di, dj, length in ((1, 0, SIDE), (0, 1, SIDE), (1, 1, CORNER), (1, -1, CORNER)):
                other = (i + di, j + dj)
                if other in graph and (i + di, j) in graph and (i, j + dj) in graph:  # no corner is cut
                    graph.add_edge((i, j), other, weight=length)
        return graph

    def way(self, start: Pose, end: Pose) -> tuple[Spot, ...]:
        """The corners of the way, both ends included; a straight line where none is known."""
        ends = (start.x, start.y), (end.x, end.y)
        if not self._grid.reachable.any() or ends[0] == ends[1]:
            return ends
        cells = [self._nearest(*spot) for spot in ends]
        try:
            found = nx.astar_path(self._graph, *cells, heuristic=_apart)
        except nx.NetworkXNoPath:
            return ends
        corners = [self._middle(cell) for cell in self._pulled(found)]
        return (ends[0], *corners[1:-1], ends[1])

    def _nearest(self, x: float, y: float) -> Cell:
        cells = np.argwhere(self._grid.reachable)
        at = ((x - self._grid.x0) / self._grid.step, (y - self._grid.y0) / self._grid.step)
        i, j = cells[int(np.argmin(np.hypot(cells[:, 0] - at[0], cells[:, 1] - at[1])))]
        return int(i), int(j)

    def _middle(self, cell: Cell) -> Spot:
        grid = self._grid
        return grid.x0 + cell[0] * grid.step, grid.y0 + cell[1] * grid.step

    def _pulled(self, cells: list[Cell]) -> list[Cell]:
        """Only the cells at which it must turn: what can be reached in a straight line is left out."""
        kept, last = [cells[0]], cells[0]
        for before, cell in pairwise(cells):
            if not self._straight(last, cell):
                kept.append(before)
                last = before
        return [*kept, cells[-1]]

    def _straight(self, a: Cell, b: Cell) -> bool:
        count = max(2, math.ceil(_apart(a, b) * SAMPLES_A_CELL))
        line: npt.NDArray[np.int64] = np.rint(np.linspace(a, b, count)).astype(np.int64)
        return bool(self._grid.reachable[line[:, 0], line[:, 1]].all())


def _apart(a: Cell, b: Cell) -> float:
    return math.hypot(a[0] - b[0], a[1] - b[1])
