"""What one more snapshot costs the window's thread after few turns and after many, part by part.

`pytest tests/benchmarks/test_long_runs.py --benchmark-enable -s` prints the work; a plain test run counts instead how many
items of the snapshot's logs each part looks at, which must not grow with the run.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QSettings, QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.session.snapshot import Snapshot
from gui.app import App
from gui.panels.base import Panel
from gui.panels.registry import PANELS, make_panel
from gui.theme import Theme
from gui.window.worst_decisions import WorstDialog
from tests.benchmarks.reference import PYTHON, Alternation, Figure, note
from tests.gui.long_runs import counted, following
from tests.gui.parts import parts

LENGTHS = (200, 10_000)
SHORT_LENGTHS = (400, 1_200)
"""Longer than all that parts look back."""
MORE = 5
LATER = 1000
"""Milliseconds within which parts do what they put off."""
Show = Callable[[Snapshot], object]


@pytest.fixture
def app(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[App]:
    """The whole window, with nothing run in it."""
    theme, settings = Theme("dark"), QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    theme.apply(qapp)
    app = App(parts(), theme, settings)
    app.window.resize(1440, 900)
    app.console.begun = True
    app.window.show()
    app.window._distributor.stop()
    app.actions.show_worst()
    yield app
    app.window.close()
    app.window.deleteLater()


def shows(app: App, qtbot: QtBot) -> dict[str, Show]:
    """Every panel in a window of its own, and what stands around the panels."""
    found: dict[str, Show] = {}
    for name in PANELS:
        panel = make_panel(name, app.context)
        qtbot.addWidget(panel)
        panel.resize(460, 420)
        panel.show()
        found[name] = showing(panel)
    window = app.window
    found |= {"[timeline]": window.timeline.show_snapshot, "[bar]": window.bar.show_snapshot,
              "[status]": window.status.show_snapshot, "[state]": window._on_live, "[labels]": app.labelling._on_live,
              "[worst]": window.findChildren(WorstDialog)[0]._show, "[step back]": lambda _: app.console.story,
              "[palette]": lambda _: app.actions.entries()}
    return found


def showing(panel: Panel) -> Show:
    """What a card does with its panel."""
    def show(snapshot: Snapshot) -> None:
        panel.show_snapshot(snapshot)
        panel.headline()
    return show


def shown(app: App, show: Show, snapshot: Snapshot) -> None:
    """Returns when the window has taken a snapshot and painted it."""
    app.bridge._snapshot = snapshot
    show(snapshot)
    QApplication.processEvents()


def settled(show: Show, snapshot: Snapshot) -> None:
    """Let it come to its end: what takes a long run piece by piece, and what others meant to do later."""
    show(snapshot)
    while any(not timer.isSingleShot() and timer.interval() == 0 for timer in ticking()):
        QApplication.processEvents()
    for timer in ticking():
        if timer.isSingleShot() and timer.interval() <= LATER:
            timer.stop()
            timer.timeout.emit()
    QApplication.processEvents()


def ticking() -> list[QTimer]:
    """All timers that will go off."""
    timers = (timer for widget in QApplication.topLevelWidgets() for timer in widget.findChildren(QTimer))
    return [timer for timer in timers if timer.isActive()]


def measured(app: App, qtbot: QtBot, turns: int) -> dict[str, Figure]:
    """Returns for each part the work of the GUI thread for one more snapshot after so many turns."""
    snapshots, found = following(turns, MORE), {}
    for name, show in shows(app, qtbot).items():
        beside = Alternation(PYTHON, time.thread_time)
        show_next = partial(shown, app, show)
        show_next(snapshots[0])
        settled(show, snapshots[0])
        for snapshot in snapshots[1:]:
            beside.unit()
            beside.round(partial(show_next, snapshot))
        beside.unit()
        found[name] = beside.figure(f"{name}: one more turn after {turns:,}")
    return found


def looked(app: App, qtbot: QtBot, turns: int) -> dict[str, int]:
    """How many items of the logs each part looks at for the last of some snapshots."""
    (snapshots, counts), found = counted(following(turns, MORE)), {}
    for name, show in shows(app, qtbot).items():
        for snapshot in snapshots[:-1]:
            shown(app, show, snapshot)
        settled(show, snapshots[-2])
        before = sum(count.looks for count in counts)
        app.bridge._snapshot = snapshots[-1]
        settled(show, snapshots[-1])  # a part that was shown something just now shows the rest a moment later
        found[name] = sum(count.looks for count in counts) - before
    return found


def test_one_more_turn_costs_the_same_after_many(app: App, qtbot: QtBot, benchmark: Any) -> None:
    if not benchmark.enabled:
        few, many = (benchmark.pedantic(looked, (app, qtbot, turns), rounds=1) if turns == SHORT_LENGTHS[0]
                     else looked(app, qtbot, turns) for turns in SHORT_LENGTHS)
        grown = {name: (few[name], many[name]) for name in few if many[name] > few[name] + 50}
        assert not grown, f"looked at after {SHORT_LENGTHS} turns"
        return
    tables = benchmark.pedantic(lambda: [measured(app, qtbot, turns) for turns in LENGTHS], rounds=1)
    for turns, parts_of in zip(LENGTHS, tables, strict=True):
        one = next(iter(parts_of.values()))
        note(benchmark, replace(one, name=f"one more turn after {turns:,}, each panel once",
                                value=sum(figure.value for figure in parts_of.values())))
    for name, few in tables[0].items():
        sys.stdout.write(f"{name:14} {few.value:8.3f} {tables[1][name].value:8.3f} × Python loop after {LENGTHS} turns\n")
