"""The names that read the view of any facet, ours or another package's: rows, cells, marks, and how many rows there are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Protocol

from core.common.readings import Kind, Read, Unknown, Value, begins, plain
from core.planning.facets import Facet, title_of, view_of
from core.planning.measures import FacetIndex
from core.session.snapshot import Snapshot
from core.views.rows import PlainRows, Row, Rows, identifier
from core.views.values import Cell
from core.views.wording import cell_text

FEW = 4
"""Names that a reason lists of those that there are."""


class State(Protocol):
    """What the names are read from."""

    @property
    def now(self) -> Snapshot:
        """The snapshot."""

    @property
    def index(self) -> FacetIndex:
        """What was computed from the newest facets."""


def rows_of(facet: Facet) -> Rows:
    """Returns the rows of a facet's view; those of its fields if it has none that can be shown."""
    return Rows(view_of(facet))


def viewed(now: Snapshot, index: FacetIndex, *, fresh: bool = True) -> Iterator[tuple[Facet, Rows]]:
    """Yields the facets of the present turn with their rows, in the order in which the run first showed their kinds.

    Facets without a view of their own, whose rows are their fields, come last.

    Args:
        now: the snapshot.
        index: keeps the rows of each facet.
        fresh: False: also the facets of earlier turns, but only those with a view of their own.
    """
    shown = [facet for facet, moment in now.facets.values() if not fresh or now.is_present(moment)]
    of_fields = [facet for facet in shown if type(facet).view is Facet.view]
    for facet in (*(facet for facet in shown if type(facet).view is not Facet.view), *(of_fields if fresh else ())):
        yield facet, index.of(facet, rows_of)


def row_value(kind: Kind, words: str, column: str) -> Read[State]:
    """Returns what reads the value of a row in a column, which is written as an identifier."""
    name = identifier(column)
    return lambda state: _cell(
        state, kind, words, column, lambda part: part.names.index(name) if name in part.names else None)


def cell_value(kind: Kind, words: str, column: str) -> Read[State]:
    """Returns what reads the value of a row in a column, which is called by its first words."""
    return lambda state: _cell(state, kind, words, column, lambda part: part.column(column))


def _cell(state: State, kind: Kind, words: str, column: str, place: Callable[[PlainRows], int | None]) -> Value:
    for _, rows in viewed(state.now, state.index):
        found = rows.find(words, lambda part: place(part) is not None)
        if found is not None:
            part, row = found
            index = place(part)
            assert index is not None
            return _typed(row.cells[index], kind, part.columns[index].title, row.item.text)
    part_row = next(_found(state, words), None)
    if part_row is None:
        return _no_row(state, words)
    part, row = part_row
    return Unknown(f"“{row.item.text}” has no column “{column}”: there is {_few(iter(part.names)) or 'none'}")


def _found(state: State, words: str) -> Iterator[tuple[PlainRows, Row]]:
    """Yields the row of each facet that is called so."""
    for _, rows in viewed(state.now, state.index):
        found = rows.find(words)
        if found is not None:
            yield found


def _no_row(state: State, words: str) -> Unknown:
    """Returns why there is no row of these words."""
    texts = (text for _, rows in viewed(state.now, state.index) for text in rows.texts())
    return Unknown(f"no row of this turn begins with “{words}”: there is {_few(texts) or 'none'}")


def _few(names: Iterator[str]) -> str:
    first = [" ".join(name.split())[:40] for name in islice(names, FEW + 1)]
    return ", ".join(first[:FEW]) + (", …" if len(first) > FEW else "")


def _typed(cell: Cell, kind: Kind, column: str, row: str) -> Value:
    """Returns the value of a cell as the kind that its expression asks for, or what it is instead."""
    if cell is None:
        return Unknown(f"“{column}” of “{row}” is not known")
    if kind == "text":
        return cell_text(cell)
    of_kind = "truth" if isinstance(cell, bool) else "number" if isinstance(cell, int | float) else "text"
    if of_kind == kind and not isinstance(cell, frozenset):
        return cell
    return Unknown(f"“{column}” of “{row}” is a {of_kind}, not a {kind}: it is {cell_text(cell)}")


def is_marked(words: str, mark: str) -> Read[State]:
    """Returns what tells whether a row has a mark, in any facet of the turn."""
    wanted = plain(mark)

    def read(state: State) -> Value:
        found = list(_found(state, words))
        if not found:
            return _no_row(state, words)
        return any(plain(known.word) == wanted for _, row in found for known in row.marks)
    return read


def row_count(title: str) -> Read[State]:
    """Returns what counts the rows of a facet, or of a section of one, by its title."""
    def read(state: State) -> Value:
        known = []
        for facet, rows in viewed(state.now, state.index):
            called = title_of(type(facet))
            if begins(called, title) or plain(title) == type(facet).__name__.casefold():
                return len(rows)
            titled = zip(rows.titles, rows.parts, strict=True)
            if (section := next((part for name, part in titled if name and begins(name, title)), None)) is not None:
                return len(section.items)
            known.append(called)
        return Unknown(f"no data of this turn is called “{title}”: there is {_few(iter(known)) or 'none'}")
    return read
