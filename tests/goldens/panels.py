"""What panels show of kept recordings: `python -m tests.goldens.panels` compares, with `--write` it writes it anew.

Of each panel at one size in one theme it keeps the words that a screen reader is given, and a fingerprint of its picture: mean
colours of coarse cells, which another rasteriser of fonts does not change. After a wanted change, look at the pictures that
`--draw FOLDER` makes.
"""

from __future__ import annotations

import base64
import difflib
import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

if __name__ == "__main__":
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtGui import QImage
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QWidget,
)

from core.planning.facets import Facet, Moment
from core.recording.codec import Codec
from core.recording.reader import Recording, open_recording
from core.session import commands as c
from core.session.breakpoints import Breakpoint
from core.session.event_lines import UNLABELLED
from core.session.snapshot import Snapshot
from gui.control.background import BackgroundJobs
from gui.control.context import Context, RunRow
from gui.panels.base import Panel
from gui.panels.registry import make_panel
from gui.theme import theme_named
from tests.goldens.files import FOLDER
from tests.gui.panels import graphs, searches
from tests.gui.settling import settle

FILE = FOLDER / "panels.json"
SIZE = (480, 360)
CELL = 20
"""Pixels of a cell's side. Letters move by less in another rasteriser."""
LEVELS = 10
"""A cell differs if the mean of a colour in it does by more than this, of 255."""
MOST_CELLS = 3
"""So many cells may differ, of 432."""

MCTS, BCR, LLM_STATE, PROGRAM, OLD = ("format-3-search", "format-3-bcr", "format-3-llm-state", "format-3-progprompt",
                                     "format-2-bcr")
SHOWN = {
    "ranking": MCTS, "belief": MCTS, "tree": MCTS, "simulations": MCTS, "scatter": MCTS, "why": MCTS, "scene": MCTS,
    "parameters": MCTS, "blocking": BCR, "blocking_table": BCR, "candidates": BCR, "calls": BCR, "compare": BCR, "log": BCR,
    "breakpoints": BCR, "runs": BCR, "dictionary": LLM_STATE, "plan": LLM_STATE, "goal": LLM_STATE, "program": PROGRAM,
    "frames": OLD, "companion_decision": BCR,
}
"""The recording that each panel shows: its last decision."""
MADE: dict[str, Callable[[], Facet]] = {"state_graph": graphs.usual, "learnings": graphs.learnings, "score": graphs.scores}
"""NeoPlanner's panels, with facets made by hand: its own world needs a package of somebody else's."""
PANELS = (*SHOWN, *MADE)


@dataclass(frozen=True, slots=True)
class Look:
    """What a panel shows.

    Attributes:
        words: what a screen reader is given, line by line.
        cells: (rows, columns, 3) uint8, mean colours.
    """

    words: tuple[str, ...]
    cells: npt.NDArray[np.uint8]

    def to_json(self) -> dict[str, object]:
        """Returns it as plain data."""
        return {"words": self.words, "cells": base64.b64encode(self.cells.tobytes()).decode()}


def recorded() -> dict[str, Look]:
    """Returns the looks as they were written, by the name of the panel."""
    shape = (SIZE[1] // CELL, SIZE[0] // CELL, 3)
    return {name: Look(tuple(look["words"]), np.frombuffer(base64.b64decode(look["cells"]), np.uint8).reshape(shape))
            for name, look in json.loads(FILE.read_text("utf-8")).items()}


def difference(before: Look, now: Look) -> str:
    """Returns in what two looks differ, in one line for each difference; empty if they are equal."""
    told = [line for line in difflib.ndiff(before.words, now.words) if line[0] in "+-"]
    differ = (np.abs(before.cells.astype(int) - now.cells) > LEVELS).any(axis=2)
    if differ.sum() > MOST_CELLS:
        rows, columns = np.nonzero(differ)
        told.append(f"the picture differs in {differ.sum()} of {differ.size} cells, from pixel {columns.min() * CELL}, "
                    f"{rows.min() * CELL} to {(columns.max() + 1) * CELL}, {(rows.max() + 1) * CELL}")
    return "\n".join(told)


def drawn(name: str, app: QApplication, folder: Path | None = None) -> Look:
    """Returns what a panel shows.

    Args:
        name: the panel's name in the registry.
        app: is given the theme.
        folder: where its picture is put, if anywhere.
    """
    theme = theme_named("dark")
    theme.apply(app)
    context = Context(theme, lambda command: None)
    if name in MADE:
        return _look(make_panel(name, context), searches.snapshot(MADE[name]()), folder)
    with open_recording(FOLDER / f"{SHOWN[name]}.mcap", Codec()) as recording:
        context.read_turn = lambda moment, then: then(_end_of(recording, moment))
        context.runs.show((RunRow(1, "BCR", "four-rooms-1", 3, "Slice one pie", "kept", "stopped", False, 4, 2.5, branches=2),
                           RunRow(2, "LLM-MCTS", "four-rooms-2", 3, "Slice one pie", "now", "thinking", False, 2, 1.5)))
        for text in ("turn > 3", "refused"):
            context.breakpoints.follow(c.SetBreakpoint(Breakpoint(text)))
        panel = make_panel(name, context)
        context.event_log.offer(recording.of_kind(*UNLABELLED, pictured=False), context.jobs, lambda: True)
        return _look(panel, recording.snapshot_at(recording.before_action(recording.turns()[-1])), folder, context.jobs)


def _end_of(recording: Recording, moment: Moment) -> Snapshot | None:
    turns = [turn for turn in recording.turns() if Moment(turn.branch, turn.number) == moment]
    return recording.end_of(turns[-1]) if turns else None


def _look(panel: Panel, snapshot: Snapshot, folder: Path | None, *jobs: BackgroundJobs) -> Look:
    panel.resize(*SIZE)
    panel.show()
    panel.receive(snapshot)
    settle(panel, *jobs)
    for one in jobs:
        one.close()
    picture = panel.grab().toImage()
    if folder is not None:
        picture.save(str(folder / f"{panel.name}.png"))
    look = Look(tuple(words_of(panel)), cells_of(picture))
    panel.close()
    panel.deleteLater()
    return look


def words_of(panel: QWidget) -> Iterator[str]:
    """Yields the words that are shown in a panel and its parts in view, or that a screen reader is given of them."""
    for part in (panel, *panel.findChildren(QWidget)):
        content = part.viewport() if isinstance(part, QAbstractScrollArea) else part  # it may cover all of the area
        if not part.isVisible() or content.visibleRegion().isEmpty():
            continue
        text = part.text() if isinstance(part, QLabel | QAbstractButton | QLineEdit) else ""
        text = part.currentText() if isinstance(part, QComboBox) else text
        said = dict.fromkeys(filter(None, (text, part.accessibleName(), part.accessibleDescription())))
        yield from (line for line in (" · ".join(said),) if line)
        if isinstance(part, QAbstractItemView) and (model := part.model()) is not None:
            yield from (str(model.index(row, 0).data()) for row in range(model.rowCount()))


def cells_of(picture: QImage) -> npt.NDArray[np.uint8]:
    """Returns the mean colours of the cells of a picture: (rows, columns, 3)."""
    image = picture.convertToFormat(QImage.Format.Format_RGB888)
    high, wide = image.height() // CELL, image.width() // CELL
    pixels = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    cut = pixels[: high * CELL, : wide * CELL * 3].reshape(high, CELL, wide, CELL, 3)
    means: npt.NDArray[np.uint8] = cut.mean(axis=(1, 3)).round().astype(np.uint8)
    return means


def main() -> int:
    """Compares what all panels show with what was written, or writes it."""
    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    folder = Path(sys.argv[sys.argv.index("--draw") + 1]) if "--draw" in sys.argv else None
    found = {name: drawn(name, app, folder) for name in PANELS}
    if "--write" in sys.argv:
        plain = {name: look.to_json() for name, look in found.items()}
        FILE.write_text(json.dumps(plain, indent=0, ensure_ascii=False) + "\n", "utf-8")
    before = recorded()
    differing = {name: told for name, look in found.items() if (told := difference(before[name], look))}
    for name, told in differing.items():
        print(f"{name}:", *told.splitlines(), sep="\n  ")
    print(f"{len(found)} panels, {len(differing)} differ")
    return int(bool(differing))


if __name__ == "__main__":
    sys.exit(main())
