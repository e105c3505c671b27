"""A session waits while the window works, but never for long."""

from __future__ import annotations

import threading

import pytest

from gui.control import giving_way
from gui.control.giving_way import GivingWay


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes waiting last until the window is idle."""
    monkeypatch.setattr(giving_way, "PATIENCE", 30.0)


def standing(way: GivingWay) -> tuple[threading.Thread, threading.Event]:
    gone_on = threading.Event()

    def stand() -> None:
        way.stand_still()
        gone_on.set()

    thread = threading.Thread(target=stand)
    thread.start()
    return thread, gone_on


@pytest.mark.usefixtures("patient")
def test_it_stands_still_until_the_outermost_piece_is_done() -> None:
    way = GivingWay()
    way.stand_still()
    with way.work():
        with way.work():
            pass
        thread, gone_on = standing(way)
        assert not gone_on.wait(0.05)
    thread.join(10)
    assert gone_on.is_set()


@pytest.mark.usefixtures("patient")
def test_nobody_stands_still_for_a_window_that_closes() -> None:
    way = GivingWay()
    with way.work():
        thread, gone_on = standing(way)
        way.stop()
        thread.join(10)
        assert gone_on.is_set()
        with way.work():
            way.stand_still()


def test_work_that_never_ends_holds_nobody_up() -> None:
    way = GivingWay()
    with way.work():
        way.stand_still()
