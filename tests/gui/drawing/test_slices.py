from __future__ import annotations

import time
from collections.abc import Generator

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from gui.drawing.slices import SLICE, Slices
from gui.giving_way import GivingWay


class Work:
    """Counts to what is wanted, a third of a slice at a time."""

    def __init__(self, wanted: int) -> None:
        self.wanted, self.begun, self.closed = wanted, 0, 0
        self.done: list[int] = []

    def begin(self) -> Generator[None, None, int]:
        self.begun += 1
        number = self.begun
        try:
            for _ in range(self.wanted):
                time.sleep(SLICE / 3)
                yield
        except GeneratorExit:
            self.closed += 1
            raise
        return number


@pytest.fixture
def parent(qapp: object) -> QObject:
    return QObject()


def test_short_work_is_done_at_once(parent: QObject) -> None:
    work = Work(0)  # a nap of a loaded machine may take longer than a slice
    Slices(parent, GivingWay(), work.begin, work.done.append).run()
    assert work.done == [1]


def test_long_work_is_done_between_other_things(parent: QObject, qtbot: QtBot) -> None:
    work = Work(12)
    slices = Slices(parent, GivingWay(), work.begin, work.done.append)
    slices.run()
    assert not work.done
    assert slices.busy
    qtbot.waitUntil(lambda: work.done == [1])
    assert not slices.busy


def test_what_is_asked_for_meanwhile_is_begun_after_it_and_once(parent: QObject, qtbot: QtBot) -> None:
    work = Work(12)
    slices = Slices(parent, GivingWay(), work.begin, work.done.append)
    for _ in range(3):
        slices.run()
    qtbot.waitUntil(lambda: work.done == [1, 2])
    qtbot.wait(20)
    assert work.begun == 2


def test_started_work_begins_later(parent: QObject, qtbot: QtBot) -> None:
    work = Work(0)
    slices = Slices(parent, GivingWay(), work.begin, work.done.append)
    slices.start()
    slices.start()
    assert work.begun == 0
    assert slices.busy
    qtbot.waitUntil(lambda: work.done == [1])
    qtbot.wait(20)
    assert work.begun == 1


def test_stopped_work_is_closed_and_hands_nothing_on(parent: QObject, qtbot: QtBot) -> None:
    work = Work(12)
    slices = Slices(parent, GivingWay(), work.begin, work.done.append)
    slices.run()
    slices.run()
    slices.stop()
    assert work.closed == 1
    assert not slices.busy
    qtbot.wait(50)
    assert not work.done
    assert work.begun == 1
    slices.run()
    qtbot.waitUntil(lambda: work.done == [2])


def test_a_search_gives_way_until_the_work_is_done(parent: QObject, qtbot: QtBot) -> None:
    way, work = GivingWay(), Work(12)
    slices = Slices(parent, way, work.begin, work.done.append)
    slices.run()
    assert not way._idle.is_set()
    qtbot.waitUntil(lambda: work.done == [1])
    assert way._idle.is_set()
    slices.run()
    slices.stop()
    assert way._idle.is_set()
