"""The work of the window for one more turn, from the hand-over until all panels are painted, beside a fixed QPainter scene.

`pytest tests/benchmarks/test_painting_speed.py --benchmark-enable -s` prints it. `tests/gui/test_work_counts.py` counts
the same work.
"""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.benchmarks.reference import QPAINTER, Alternation, note
from tests.gui.handed import Handed, recorded

TURNS, FIRST = 24, 4
"""Turns of the run; panels are made and arranged in those before `FIRST`."""


@pytest.mark.parametrize("planner", ["llm-mcts", "bcr"])
def test_a_turn_is_shown(benchmark: Any, qtbot: QtBot, qapp: QApplication, tmp_path: Path, planner: str) -> None:
    settings = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    window, beside = Handed(qtbot, qapp, settings, planner), Alternation(QPAINTER, time.thread_time)
    groups = recorded(planner, TURNS if benchmark.enabled else FIRST)
    window.play(groups[:FIRST - 1])

    def play() -> None:
        for group in groups[FIRST - 1:]:
            beside.unit()
            beside.round(partial(window.play, (group,)))
        beside.unit()

    benchmark.pedantic(play, rounds=1)
    window.close()
    if benchmark.enabled:
        note(benchmark, beside.figure(f"a turn of {planner} shown and painted"))
    assert len(window.handed) == len(groups)
