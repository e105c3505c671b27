"""What stands around the panels hears of steps at once, and of thinking ten times a second."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from core.events import Ended
from core.snapshot import Mark, Snapshot
from gui.giving_way import GivingWay
from gui.pacing import Paced, stepped


def test_thinking_is_told_now_and_then_and_the_newest_always(qtbot: QtBot) -> None:
    owner = QObject()
    paced = Paced(owner, GivingWay())
    told: list[Snapshot] = []
    paced.told.connect(told.append)
    start = Snapshot(status="thinking")
    paced.offer(start)
    assert told == [start]
    thinking = [replace(start, event=k, at=k / 100, model_calls=k) for k in range(1, 6)]
    for snapshot in thinking:
        paced.offer(snapshot)
    assert told == [start]
    qtbot.waitUntil(lambda: told[-1] is thinking[-1], timeout=2000)
    assert len(told) == 2


def test_steps_and_the_same_again_are_told_at_once() -> None:
    owner = QObject()
    paced = Paced(owner, GivingWay())
    told: list[Snapshot] = []
    paced.told.connect(told.append)
    start = Snapshot(status="thinking")
    marked = replace(start, marks=start.marks.plus(Mark(0.0, 1, "fault", "x")))
    over = replace(marked, ended=Ended(True, "goal reached", ()))
    for snapshot in (start, marked, over, over):
        paced.offer(snapshot)
    assert told == [start, marked, over, over]


def test_what_only_adds_up_is_no_step() -> None:
    start = Snapshot(status="thinking")
    assert not stepped(start, replace(start, event=7, at=1.0, tokens_in=5, model_calls=1))
    assert stepped(start, replace(start, status="paused"))
