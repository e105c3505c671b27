"""The values of all views as one table: what each panel held at the end of each turn, one value a row.

It is in UTF-8 with a byte order mark by which spreadsheets recognise it. A node of a tree is named by the nodes that lead to
it; the marks of an item are its value without a name.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from core.planning.facets import Frame, Moment, title_of, view_of
from core.recording.exports.decisions import safe_cell
from core.recording.reader import Recording
from core.session.snapshot import Snapshot
from core.views.entries import entries_of
from core.views.values import Cell

HEAD = ("branch", "turn", "shown", "item", "place", "name", "value")


def write(recording: Recording, out: Path) -> Path:
    """Writes a row for each value that was shown in a turn. A turn that was played again has its last values."""
    with out.open("w", encoding="utf-8-sig", errors="replace", newline="") as file:
        table = csv.writer(file)
        table.writerow(HEAD)
        last = {Moment(turn.branch, turn.number): turn for turn in recording.turns()}
        for moment, turn in last.items():
            for row in rows(recording.end_of(turn), moment):
                table.writerow((moment.branch, moment.turn, *map(safe_cell, row)))
    return out


def rows(now: Snapshot, moment: Moment) -> Iterator[tuple[Cell, ...]]:
    """Yields a row for each value that was shown in a turn: what was shown, the item, its place, the name, the value."""
    for kind, (facet, shown) in now.facets.items():
        if shown != moment or kind is Frame:
            continue
        for entry in entries_of(view_of(facet), {}):
            for name, value in entry.values:
                if value is not None and value != frozenset():
                    written = "; ".join(sorted(value)) if isinstance(value, frozenset) else value
                    yield title_of(kind), entry.name, entry.place, name, written
