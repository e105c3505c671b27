"""How much work the window does for a turn, counted: it does not depend on the machine, so a doubled part fails on each.

A recorded run is handed over turn by turn: the number of snapshots is given, no thread and no clock takes part. The budgets are
10 % above what was counted (see `tests/own_calls.py`).
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QSettings, QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.app.launch import build
from core.app.run_request import Request
from core.session import events as e
from core.session.session import Session
from core.session.snapshot import Snapshot, fold
from gui.app import App
from gui.theme import Theme
from gui.window.docks import Card
from sim.registry import simulator_class
from tests.gui.painted import Painted
from tests.gui.panels import worlds
from tests.gui.parts import parts
from tests.own_calls import OwnCalls, check

TASK = "Put one apple on the kitchen table and one toothbrush inside the bathroom cabinet"
TURNS, FIRST = 7, 4
"""Number of turns; those before `FIRST` do not count, because panels are made and arranged in them."""
PATIENCE_MS = 240_000
"""Longest wait for a state that must come, however busy the machine is."""
SOON, LATER = 50, 1000
"""Milliseconds: what is put off by `SOON` is waited for, and what by `LATER` is done at once. Both belong to a turn."""


Groups = tuple[tuple[e.Event, ...], ...]
PANELS_FOLDER = Path(__file__).parents[2] / "gui" / "panels"
SERVED: dict[str, tuple[str, ...]] = {
    "bcr": ("blocking", "blocking_table", "calls", "candidates", "frames", "goal", "log", "parameters", "runs", "scene", "why"),
    "llm-mcts": ("belief", "calls", "frames", "goal", "log", "parameters", "ranking", "runs", "scatter", "scene", "simulations",
                 "tree", "why"),
}
"""The panels with a place in the window, in view or behind a tab."""
BUDGETS: dict[str, dict[str, dict[str, float]]] = {
    "bcr": {
        "passes": {"OperatorBar": 1, "Timeline": 1, "blocking": 1, "calls": 0.75, "candidates": 1},
        "pixels": {"OperatorBar": 80_000, "Timeline": 365_000, "blocking": 4_050_000, "calls": 745_000, "candidates": 700_000,
                   "frames": 1_200_000},
        "rows": {"blocking": 2.5, "calls": 1.1, "candidates": 3.1},
        "calls": {"core/common": 540, "core/recording": 75, "core/session": 235, "gui/control": 420, "gui/panels": 1_650,
                  "gui/theme": 865, "gui/timeline": 275, "gui/widgets": 2_450, "gui/window": 1_300}},
    "llm-mcts": {
        "passes": {"OperatorBar": 1, "Timeline": 1, "belief": 1, "calls": 0.75, "ranking": 0.75, "scatter": 0.75, "tree": 1},
        "pixels": {"OperatorBar": 80_000, "Timeline": 365_000, "belief": 1_200_000, "calls": 705_000, "frames": 1_050_000,
                   "ranking": 555_000, "scatter": 385_000, "tree": 1_850_000},
        "rows": {"calls": 7.2, "ranking": 6.9},
        "calls": {"core/common": 2_650, "core/recording": 230, "core/session": 340, "core/world": 275, "gui/control": 540,
                  "gui/panels": 4_000, "gui/theme": 2_600, "gui/timeline": 275, "gui/widgets": 4_400, "gui/window": 1_400}},
}
"""For each planner, for a hand-over of one turn: how often a part is painted, its pixels with those of all widgets within it,
the rows that lists paint, and the calls in each package."""


@cache
def recorded(planner: str) -> Groups:
    """Returns the events of a run, with pictures, in one group for each hand-over: up to the decision of each turn."""
    parameters = {"simulations": 200} if planner == "llm-mcts" else {}
    run = Session(build(Request(planner=planner, scene="four-rooms-1", seed=3, task=TASK, max_steps=TURNS,
                                parameters=parameters, cache=False), simulator_class))
    events, groups = list[e.Event](), list[tuple[e.Event, ...]]()
    run.subscribe(events.append)
    run.run()
    told = 0
    for event in events:
        group = [event]
        if isinstance(event.what, e.TurnBegan):
            group += [replace(event, what=e.Shown(worlds.frame(view, 640, 480, event.turn)))
                      for view in ("first person", "dollhouse")]
        groups.append((*(groups.pop() if groups and not _ends(groups[-1]) else ()),
                       *(replace(one, number=told + k) for k, one in enumerate(group))))
        told += len(group)
    return tuple(group for group in groups if _ends(group))


def _ends(group: tuple[e.Event, ...]) -> bool:
    return isinstance(group[-1].what, e.Decided)


class Handed:
    """The window, to which a recorded run is handed over by hand.

    Attributes:
        handed: the snapshots that the bridge handed over.
        shown: those that the console passed on to the panels.
        served: how often each card was given a snapshot.
        painted: what was painted.
        calls: the Python functions called.
    """

    def __init__(self, qtbot: QtBot, qt: QApplication, settings: QSettings, planner: str):
        theme = Theme("dark")
        theme.motion = False
        theme.apply(qt)
        self._qtbot, self._qt, self.served = qtbot, qt, Counter[str]()
        self.handed, self.shown = list[Snapshot](), list[Snapshot]()
        self.painted, self.calls = Painted(), OwnCalls()
        self._app = app = App(parts(planner, TASK), theme, settings)
        app.window.resize(1920, 1080)
        app.console.begun = True
        app.window.show()
        app.window.settle()
        app.bridge.changed.connect(self.handed.append)
        app.console.shown_changed.connect(self.shown.append)
        self._hear, self._counts = app.bridge.listener(), False

    def note_services(self, patch: pytest.MonkeyPatch) -> None:
        """Counts from now on what each card is given."""
        show = Card.show_snapshot

        def counted(card: Card, snapshot: Snapshot) -> None:
            self.served[card.name] += 1
            show(card, snapshot)

        patch.setattr(Card, "show_snapshot", counted)

    def close(self) -> None:
        """Closes the window."""
        self._app.window.close()
        self._app.window.deleteLater()

    def play(self, groups: Groups) -> None:
        """Hands over one group after the other, and waits until each is on the panels and painted."""
        for group in groups:
            for event in group:
                self._hear(event)
            self._app.bridge.catch_up()
            self.settle()

    def settle(self) -> None:
        """Waits until everything is shown and painted that the last hand-over leads to, also what parts put off."""
        self._finish_jobs()
        for timer in self._put_off():
            timer.stop()
            timer.timeout.emit()
        self._finish_jobs()

    def _finish_jobs(self) -> None:
        done: list[object] = []
        self._app.context.jobs.do(lambda: None, done.append, done.append)
        self._qtbot.waitUntil(partial(bool, done), timeout=PATIENCE_MS)
        self._qtbot.waitUntil(self._is_shown, timeout=PATIENCE_MS)

    def _is_shown(self) -> bool:
        with self.calls.paused() if self._counts else nullcontext():
            return self._app.window.has_shown(self._app.bridge.snapshot) and not any(
                timer.interval() <= SOON for timer in self._put_off())

    def _put_off(self) -> list[QTimer]:
        """The timers of the window that go off once, within `LATER`."""
        return [timer for timer in self._app.window.findChildren(QTimer)
                if timer.isActive() and timer.isSingleShot() and timer.interval() <= LATER]

    def count(self, groups: Groups) -> None:
        """Hands over groups, and counts the work."""
        self.handed.clear()
        self.shown.clear()
        self.served.clear()
        self._qt.installEventFilter(self.painted)
        self._counts = True
        with self.calls:
            self.play(groups)
        self._counts = False
        self._qt.removeEventFilter(self.painted)


class Work:
    """The work that a window did for some hand-overs."""

    def __init__(self, window: Handed, groups: Groups):
        self._number = len(groups)
        self.events = sum(map(len, groups))
        self.handed, self.shown, self.served = window.handed, window.shown, window.served
        self.painted, self.calls = window.painted, window.calls

    def each(self, counts: Mapping[str, float]) -> dict[str, float]:
        """Returns counts for one hand-over."""
        return {name: number / self._number for name, number in counts.items()}

    def rows(self) -> Counter[str]:
        """Returns the number of rows that the lists of each panel painted."""
        found: Counter[str] = Counter()
        for code, number in self.calls.codes.items():
            if code.co_name == "paint_row":
                found[Path(code.co_filename).relative_to(PANELS_FOLDER).with_suffix("").parts[0]] += number
        return found


@pytest.fixture(scope="module", params=sorted(BUDGETS))
def work(request: pytest.FixtureRequest, qapp: QApplication, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Work]:
    planner, groups = request.param, recorded(request.param)
    settings = QSettings(str(tmp_path_factory.mktemp("work") / "settings.ini"), QSettings.Format.IniFormat)
    window = Handed(QtBot(request), qapp, settings, planner)
    with pytest.MonkeyPatch.context() as patch:
        window.note_services(patch)
        window.play(groups[:FIRST - 1])
        window.count(groups[FIRST - 1:])
    window.close()
    return planner, Work(window, groups[FIRST - 1:])


def test_a_hand_over_reaches_each_panel_once(work: tuple[str, Work]) -> None:
    planner, done = work
    number = TURNS - FIRST + 1
    assert len(done.handed) == len(done.shown) == number
    assert done.served == dict.fromkeys(SERVED[planner], number)


def test_each_event_is_folded_once(work: tuple[str, Work]) -> None:
    _, done = work
    assert done.calls.of(fold) == done.events


def test_a_part_is_painted_no_more_often_than_its_budget(work: tuple[str, Work]) -> None:
    planner, done = work
    passes = Counter(done.painted.passes)
    del passes["frames"]  # a pane may be painted with the other one or after it; their pixels are the same
    check(done.each(passes), BUDGETS[planner]["passes"], few=0)


def test_a_part_paints_no_more_pixels_than_its_budget(work: tuple[str, Work]) -> None:
    planner, done = work
    check(done.each(done.painted.pixels), BUDGETS[planner]["pixels"], few=0)


def test_lists_paint_no_more_rows_than_their_budget(work: tuple[str, Work]) -> None:
    planner, done = work
    check(done.each(done.rows()), BUDGETS[planner]["rows"], few=0)


def test_a_turn_takes_no_more_calls_than_its_budget(work: tuple[str, Work]) -> None:
    planner, done = work
    check(done.each(done.calls.by_package()), BUDGETS[planner]["calls"])
