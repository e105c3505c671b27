"""Ten thousand turns in the window: what memory, threads and files they leave behind.

`pytest tests/benchmarks/test_soak.py --benchmark-enable -s` prints figures every thousand turns; a plain test run plays 200.
"""

from __future__ import annotations

import gc
import os
import sys
import threading
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.goals import Goal, Literal
from core.request import Request
from core.session import Setup
from gui.app import App, gentle_interpreter
from gui.theme import Theme
from tests.gui.parts import make_setup, parts

NEVER = Goal((Literal("is", "walker", None, 1, frozenset({"at -1"})),), "Walk to where nobody can")
LONG, SHORT = 10_000, 200


def resident_mb() -> float:
    """Memory of this process in MB (Linux)."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def setup_of(request: Request) -> Setup:
    """The toy, which never reaches its goal."""
    made = make_setup(request)
    return replace(made, goal=NEVER, most_steps=request.max_steps or LONG)


def test_a_long_run_in_the_window(qtbot: QtBot, qapp: QApplication, tmp_path: Path, benchmark: Any, capsys: Any) -> None:
    turns = LONG if benchmark.enabled else SHORT
    theme, settings = Theme("dark"), QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    theme.apply(qapp)
    given = parts()
    given = replace(given, make_setup=setup_of, request=replace(given.request, max_steps=turns))
    with gentle_interpreter():
        app = App(given, theme, settings)
        app.window.resize(1440, 900)
        app.open(ask=False)
        qtbot.waitUntil(lambda: app.bridge.snapshot.turn > 0, timeout=60_000)
        figures = benchmark.pedantic(lambda: soaked(qtbot, app, turns), rounds=1)
        app.window.close()
        app.window.deleteLater()
    benchmark.extra_info.update(figures=figures)
    if benchmark.enabled:
        with capsys.disabled():
            print(f"\n(turn, resident MB, allocated blocks, threads): {figures}")  # noqa: T201 - the figures are what this is for
    assert len(app.bridge.snapshot.line) == turns


def walked(app: App, turns: int) -> bool:
    """Whether so many turns are done."""
    return len(app.bridge.snapshot.line) >= turns


def soaked(qtbot: QtBot, app: App, turns: int) -> list[tuple[int, int, int, int]]:
    """Play, with figures ten times on the way.

    Blocks, not `gc.get_objects()`: that shows other threads' half-made tuples and breaks them (SystemError in tupleobject.c).
    """
    figures = []
    app.console.run()
    for stop in range(turns // 10, turns + 1, turns // 10):
        qtbot.waitUntil(partial(walked, app, stop), timeout=250_000)
        gc.collect()
        figures.append((stop, round(resident_mb()), sys.getallocatedblocks(), threading.active_count()))
    return figures
