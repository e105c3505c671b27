"""A table of the labels alone, one row a label: when, in which turns they count, whose they are, and what they say.

`at` and `until` are seconds since the session began. `turns` are the turns in which the label counts, as BRANCH:TURN; `turn`
and `branch` are those it was made for, and `turn_state` says if its action was not executed. All roles are listed.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from core.recording.exports.decisions import safe_cell
from core.recording.exports.episodes import Source
from core.recording.label_turns import TurnLabels
from core.recording.reader import Recording

HEAD = ("id", "label", "kind", "at", "until", "turn", "branch", "annotator", "rating", "better", "note", "role", "turns",
        "turn_state", "proposed", "settles", "recording", "notice")


def write(recording: Recording, out: Path) -> Path:
    """Writes one row per label of a recording."""
    return _table(_rows(recording), out)


def write_together(sources: Sequence[Source], out: Path) -> list[str]:
    """Writes one table of many recordings. Returns what is missing there: nothing."""
    def rows() -> Iterator[tuple[object, ...]]:
        for source in sources:
            with source() as recording:
                yield from _rows(recording)

    _table(rows(), out)
    return []


def _rows(recording: Recording) -> Iterator[tuple[object, ...]]:
    labels = TurnLabels.of(recording)
    for a in labels.given:
        row = labels.row(a) | {"recording": recording.path.name, "notice": recording.notice, "settles": "; ".join(a.settles)}
        row["turns"] = "; ".join(f"{branch}:{turn}" for branch, turn in row["turns"])
        yield tuple("" if row[name] is None else row[name] for name in HEAD)


def _table(rows: Iterable[tuple[object, ...]], out: Path) -> Path:
    with out.open("w", encoding="utf-8-sig", errors="replace", newline="") as file:
        table = csv.writer(file)
        table.writerow(HEAD)
        table.writerows(map(safe_cell, row) for row in rows)
    return out
