"""A window to which a recorded run is handed over turn by turn: no session, no thread of one and no clock takes part."""

from __future__ import annotations

import os
from collections import Counter
from contextlib import nullcontext
from dataclasses import replace
from functools import cache, partial

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QSettings, QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.app.launch import build
from core.app.run_request import Request
from core.session import events as e
from core.session.session import Session
from core.session.snapshot import Snapshot
from gui.app import App
from gui.control.background import ChartImport
from gui.theme import Theme
from gui.window.docks import Card
from sim.registry import simulator_class
from tests.core.session.toys import Folded
from tests.gui.painted import Painted
from tests.gui.panels import worlds
from tests.gui.parts import parts
from tests.own_calls import OwnCalls

TASK = "Put one apple on the kitchen table and one toothbrush inside the bathroom cabinet"
PATIENCE_MS = 240_000
"""Longest wait for a state that must come, however busy the machine is."""
SOON, LATER = 50, 1000
"""Milliseconds: what is put off by `SOON` is waited for, and what by `LATER` is done at once. Both belong to a turn."""
Groups = tuple[tuple[e.Event, ...], ...]


@cache
def recorded(planner: str, turns: int) -> Groups:
    """Returns the events of a run, with pictures, in one group for each hand-over: up to the decision of each turn."""
    parameters = {"simulations": 200} if planner == "llm-mcts" else {}
    run = Session(build(Request(planner=planner, scene="four-rooms-1", seed=3, task=TASK, max_steps=turns,
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
        given = parts(planner, TASK)
        self._app = app = App(given, theme, settings)
        app.window.resize(1920, 1080)
        app.console.begun = True
        app.window.show()
        app.window.settle()
        app.bridge.changed.connect(self.handed.append)
        app.console.shown_changed.connect(self.shown.append)
        self._hear, self._counts = Folded(app.bridge.follower(), given.files.first_snapshot()), False

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
            window = self._app.window
            return window.has_shown(self._app.bridge.snapshot) and not any(
                timer.interval() <= SOON for timer in self._put_off()) and not any(
                timer.isActive() for chart in window.findChildren(ChartImport) for timer in chart.findChildren(QTimer))

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
