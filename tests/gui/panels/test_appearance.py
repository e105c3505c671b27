"""Each panel's painter draws what it drew: pictures of characteristic states are compared with stored ones.

`BELVEDERE_DRAW_PICTURES=1 pytest tests/gui/panels/test_appearance.py` stores new pictures after a wanted change: look at them
before committing. Pictures are compared in blocks of 4 by 4 pixels: another version of a font rasteriser does not matter.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.planning.facets import LineState, Program, ProgramLine
from core.session.snapshot import Snapshot
from gui.control.context import Context
from gui.panels.registry import make_panel
from gui.theme import theme_named
from tests.gui.panels import blockings, branches, graphs, searches, worlds
from tests.gui.settling import settle

PICTURES = Path(__file__).with_name("pictures")
SIZE = (480, 360)
BLOCK = 4
"""Pixels of a block's side."""
LEVELS = 14
"""A block differs if its mean does by more than this, of 255."""
SHARE = 0.01
"""Share of blocks that may differ."""


def program() -> Snapshot:
    states: tuple[LineState, ...] = ("done", "waiting", "waiting")
    lines = tuple(ProgramLine(text, state=state) for text, state in zip(
        ("find('apple')", "grab('apple')", "putin('apple', 'fridge')"), states, strict=True))
    return searches.snapshot(Program(lines, 1))


STATES: dict[str, Callable[[], Snapshot]] = {
    "ranking": lambda: searches.snapshot(searches.ranking(6), searches.tree()),
    "tree": lambda: searches.snapshot(searches.ranking(), searches.tree()),
    "scatter": lambda: searches.snapshot(searches.ranking(6)),
    "belief": worlds.usual,
    "frames": worlds.usual,
    "scene": worlds.usual,
    "blocking": lambda: searches.snapshot(blockings.tree()),
    "candidates": lambda: searches.snapshot(blockings.tree()),
    "state_graph": lambda: searches.snapshot(graphs.usual()),
    "learnings": lambda: searches.snapshot(graphs.learnings()),
    "score": lambda: searches.snapshot(graphs.scores()),
    "program": program,
    "compare": lambda: branches.usual().snapshot,
}


@pytest.mark.parametrize("name", STATES)
def test_a_panel_looks_as_it_did(name: str, qtbot: QtBot, qapp: QApplication) -> None:
    theme = theme_named("dark")
    theme.apply(qapp)
    panel = make_panel(name, Context(theme, lambda command: None))
    qtbot.addWidget(panel)
    panel.resize(*SIZE)
    panel.show()
    panel.show_snapshot(STATES[name]())
    settle(panel)  # also until the plotting package is imported beside the window
    image = panel.grab().toImage().convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    now = blocks(rows[:, : image.width() * 3].reshape(image.height(), image.width(), 3))
    path = PICTURES / f"{name}.png"
    if os.environ.get("BELVEDERE_DRAW_PICTURES"):
        PICTURES.mkdir(exist_ok=True)
        Image.fromarray(now.round().astype(np.uint8)).save(path, optimize=True)
    with Image.open(path) as stored:
        then = np.asarray(stored.convert("RGB"), float)
    assert now.shape == then.shape
    differ = np.abs(now - then).max(axis=2) > LEVELS
    assert differ.mean() <= SHARE, f"{differ.mean():.1%} of the picture differs"
    assert now.std() > 3, "an empty picture"


def blocks(pixels: npt.NDArray[np.uint8]) -> npt.NDArray[np.float64]:
    """(h, w, 3) uint8 -> (h / BLOCK, w / BLOCK, 3) means."""
    high, wide = pixels.shape[0] // BLOCK, pixels.shape[1] // BLOCK
    cut = pixels[: high * BLOCK, : wide * BLOCK].astype(float)
    means: npt.NDArray[np.float64] = cut.reshape(high, BLOCK, wide, BLOCK, 3).mean(axis=(1, 3))
    return means
