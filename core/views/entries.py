"""A view as a plain list of named values, the same for all kinds: for comparisons of two views and for tables of many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from core.views.values import Cell, Chart, Column, Graph, Mark, Matrix, Picture, Sections, Table, Text, Tree, View, numbered

STEP = " › "
"""Stands between the texts of the nodes that lead to a node of a tree."""
Ways = dict[tuple[Hashable, ...], int]
"""Numbers of the nodes of two trees, by the number of the parent (-1 above the roots) and the node's key.

Nodes of both trees to which the same keys lead have the same number. A parent has a smaller number than its children.
"""


@dataclass(frozen=True, slots=True)
class Entry:
    """An item of a view, a cell of a matrix, a link of a graph, or a text.

    Attributes:
        key: identifies it in its view.
        name: what it is called.
        place: where it is, as text; two entries of one name and other places are one that moved.
        values: its values by name; its marks as a set of words without a name.
    """

    key: Hashable
    name: str
    place: str = ""
    values: tuple[tuple[str, Cell], ...] = ()


def entries_of(view: View, ways: Ways) -> Iterator[Entry]:
    """Yields the entries of a view. Numbers the nodes of a tree; see `Ways`."""
    match view:
        case Sections(parts):
            for part in (part for part in parts if not part.repeats):
                own = part.title if isinstance(part, Text | Picture) else ""  # these have no items with names
                yield from (Entry((part.title, entry.key), own or entry.name, entry.place, entry.values)
                            for entry in entries_of(part, ways))
        case Table():
            yield from _of_table(view)
        case Tree():
            yield from _of_tree(view, ways)
        case Matrix():
            yield from _of_matrix(view)
        case Graph():
            yield from _of_graph(view)
        case _:
            yield from _of_whole(view)


def _of_whole(view: View) -> Iterator[Entry]:
    """Yields a text or a picture as one entry, a chart as one for each series."""
    match view:
        case Text(text):
            yield Entry("text", "text", "", (("", text),))
        case Chart(series):
            for line in series:
                last = line.points[-1][1] if line.points else None
                yield Entry(line.name, line.name, "", (("points", len(line.points)), ("last", last)))
        case Picture(pixels):
            brightness = float(pixels.mean()) if pixels.size else None
            size = " × ".join(map(str, pixels.shape[1::-1]))
            yield Entry("picture", "picture", "", (("size", size), ("brightness", brightness)))


def _values(columns: Sequence[Column], values: Sequence[Cell], marks: Sequence[Mark]) -> tuple[tuple[str, Cell], ...]:
    """Returns the values of an item by the titles of their columns, and the words of its lasting marks."""
    titled = tuple((column.title, value) for column, value in zip(columns, values, strict=False))
    return (*titled, ("", frozenset(mark.word for mark in marks if not mark.is_passing)))


def _of_table(table: Table) -> Iterator[Entry]:
    for rank, (item, key) in enumerate(zip(table.items, numbered(item.key for item in table.items), strict=True), 1):
        place = f"{table.order} {rank}" if table.order else item.place
        yield Entry(key, item.text, place, _values(table.columns, item.values, item.marks))


def _of_tree(tree: Tree, ways: Ways) -> Iterator[Entry]:
    """Yields the nodes. One that can move is called what it is, any other one by the way that leads to it."""
    keys, names, seen = list[int](), list[str](), Counter[tuple[int, str]]()
    roots = sum(item.parent < 0 for item in tree.items)
    for item in tree.items:
        parent = keys[item.parent] if item.parent >= 0 else -1
        seen[parent, item.key] += 1
        keys.append(ways.setdefault((parent, item.key, seen[parent, item.key]), len(ways)))
        before = names[item.parent] if item.parent >= 0 else ""
        names.append("" if roots == 1 and item.parent < 0 else f"{before}{STEP}{item.text}" if before else item.text)
        values = _values(tree.columns, item.values, item.marks)
        if tree.moves:
            above = f"below: {tree.items[item.parent].text}" if item.parent >= 0 else "at the top"
            yield Entry(keys[-1], item.key, above, values)
        else:
            yield Entry(keys[-1], names[-1] or item.text, item.place, values)


def _of_matrix(matrix: Matrix) -> Iterator[Entry]:
    """Yields the rows, and the cells that are not 0."""
    columns = list(zip(matrix.columns, numbered(item.key for item in matrix.columns), strict=True))
    marks: dict[tuple[int, int], list[Mark]] = {}
    for mark in matrix.marks:
        marks.setdefault((mark.row, mark.column), []).append(mark.mark)
    name = "p" if matrix.kind == "probability" else ""
    for k, (item, key) in enumerate(zip(matrix.rows, numbered(item.key for item in matrix.rows), strict=True)):
        yield Entry(key, item.text, item.place, _values((), (), item.marks))
        for at in map(int, np.flatnonzero(matrix.numbers[k])):
            column, number = columns[at][0], float(matrix.numbers[k, at])
            words = _values((Column(name),), (number,), marks.get((k, at), ()))
            yield Entry((key, columns[at][1]), f"{item.text} · {column.text}", "", words)


def _of_graph(graph: Graph) -> Iterator[Entry]:
    for item, key in zip(graph.nodes, numbered(item.key for item in graph.nodes), strict=True):
        yield Entry(key, item.text, item.place, _values(graph.columns, item.values, item.marks))
    for link in graph.links:
        name = f"{graph.nodes[link.source].text} → {graph.nodes[link.target].text}"
        for text in link.texts or ("",):
            words = _values(graph.link_columns, link.values, link.marks)
            yield Entry((name, text), f"{name}: {text}" if text else name, "", words)
