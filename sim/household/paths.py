"""Paths of the robot: along free cells, around furniture and through doors."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property
from itertools import pairwise

import networkx as nx
import numpy as np
import numpy.typing as npt

from core.world.vocabulary import FloorPoint, Pose
from sim.geometry.grid import Grid

Cell = tuple[int, int]
SIDE, CORNER = 1.0, math.sqrt(2)
"""Cost of a step to a neighbouring cell, straight and diagonal, in cells."""
SAMPLES_A_CELL = 4
"""Points checked along a straight line, for each cell of its length."""


class Ways:
    """Shortest paths over the free cells of one floor. The graph is made with the first path."""

    def __init__(self, grid: Grid):
        self._grid = grid

    def prepare(self) -> None:
        """Makes the graph, so that the first path does not have to wait for it."""
        _ = self._graph

    @cached_property
    def _graph(self) -> nx.Graph[Cell]:
        free = self._grid.reachable
        cells = [(int(i), int(j)) for i, j in np.argwhere(free)]
        graph: nx.Graph[Cell] = nx.Graph()
        graph.add_nodes_from(cells)
        for i, j in cells:
            for di, dj, length in ((1, 0, SIDE), (0, 1, SIDE), (1, 1, CORNER), (1, -1, CORNER)):
                other = (i + di, j + dj)
                if other in graph and (i + di, j) in graph and (i, j + dj) in graph:  # do not cut corners
                    graph.add_edge((i, j), other, weight=length)
        return graph

    def way(self, start: Pose, end: Pose) -> tuple[FloorPoint, ...]:
        """Returns the corners of the path including both ends, metres; a straight line if no path is known."""
        ends = (start.x, start.y), (end.x, end.y)
        if not self._grid.reachable.any() or ends[0] == ends[1]:
            return ends
        cells = [self._nearest(*spot) for spot in ends]
        try:
            return self._between(*ends, nx.astar_path(self._graph, *cells, heuristic=_apart))
        except nx.NetworkXNoPath:
            return ends

    def ways(self, start: Pose, ends: Mapping[str, Pose]) -> tuple[tuple[str, tuple[FloorPoint, ...]], ...]:
        """Returns the path to each of these poses, by their names; those without a path are left out. Centimetres are kept."""
        if not self._grid.reachable.any():
            return ()
        paths = nx.single_source_dijkstra_path(self._graph, self._nearest(start.x, start.y))
        found = {name: paths.get(self._nearest(end.x, end.y), ()) for name, end in ends.items()}
        corners = {name: self._between((start.x, start.y), ends[name][:2], path) for name, path in found.items() if path}
        return tuple((name, tuple((round(x, 2), round(y, 2)) for x, y in points)) for name, points in corners.items())

    def _between(self, start: FloorPoint, end: FloorPoint, cells: list[Cell]) -> tuple[FloorPoint, ...]:
        """Returns the corners of a path along cells, with both ends in the place of the first and the last cell."""
        return (start, *[self._middle(cell) for cell in self._pulled(cells)][1:-1], end)

    def _nearest(self, x: float, y: float) -> Cell:
        """Returns the reachable cell nearest to a point."""
        cells = np.argwhere(self._grid.reachable)
        at = ((x - self._grid.x0) / self._grid.step, (y - self._grid.y0) / self._grid.step)
        i, j = cells[int(np.argmin(np.hypot(cells[:, 0] - at[0], cells[:, 1] - at[1])))]
        return int(i), int(j)

    def _middle(self, cell: Cell) -> FloorPoint:
        """Returns the centre of a cell, metres."""
        grid = self._grid
        return grid.x0 + cell[0] * grid.step, grid.y0 + cell[1] * grid.step

    def _pulled(self, cells: list[Cell]) -> list[Cell]:
        """Returns only the cells where the path must turn. Cells in a straight free line are left out."""
        kept, last = [cells[0]], cells[0]
        for before, cell in pairwise(cells):
            if not self._straight(last, cell):
                kept.append(before)
                last = before
        return [*kept, cells[-1]]

    def _straight(self, a: Cell, b: Cell) -> bool:
        """Returns True if all cells on the line between two cells are reachable."""
        count = max(2, math.ceil(_apart(a, b) * SAMPLES_A_CELL))
        line: npt.NDArray[np.int64] = np.rint(np.linspace(a, b, count)).astype(np.int64)
        return bool(self._grid.reachable[line[:, 0], line[:, 1]].all())


def _apart(a: Cell, b: Cell) -> float:
    """Returns the distance between two cells, in cells."""
    return math.hypot(a[0] - b[0], a[1] - b[1])
