"""A session waits while the window works, but never for long."""

from __future__ import annotations

import threading

import pytest
from PySide6.QtWidgets import QApplication

from core.session.commands import Pause
from core.session.events import CommandTaken, Event, Resumed
from gui.control import bridge
from gui.control.bridge import GuiActivity


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes waiting last until the window is idle."""
    monkeypatch.setattr(bridge, "PATIENCE", 30.0)


def standing(activity: GuiActivity) -> tuple[threading.Thread, threading.Event]:
    gone_on = threading.Event()

    def stand() -> None:
        activity.wait_until_idle()
        gone_on.set()

    thread = threading.Thread(target=stand)
    thread.start()
    return thread, gone_on


@pytest.mark.usefixtures("patient")
def test_it_stands_still_until_the_outermost_piece_is_done() -> None:
    activity = GuiActivity()
    activity.wait_until_idle()
    with activity.work():
        with activity.work():
            pass
        thread, gone_on = standing(activity)
        assert not gone_on.wait(0.05)
    thread.join(10)
    assert gone_on.is_set()


@pytest.mark.usefixtures("patient")
def test_nobody_stands_still_for_a_window_that_closes() -> None:
    activity = GuiActivity()
    with activity.work():
        thread, gone_on = standing(activity)
        activity.stop()
        thread.join(10)
        assert gone_on.is_set()
        with activity.work():
            activity.wait_until_idle()


def test_work_that_never_ends_holds_nobody_up() -> None:
    activity = GuiActivity()
    with activity.work():
        activity.wait_until_idle()


@pytest.mark.usefixtures("patient")
def test_nobody_stands_still_while_a_command_is_on_its_way() -> None:
    activity = GuiActivity()
    with activity.work():
        thread, gone_on = standing(activity)
        activity.hurry()
        thread.join(10)
        assert gone_on.is_set()
        with activity.work():
            activity.wait_until_idle()
        activity.slow_down()
        thread, gone_on = standing(activity)
    thread.join(10)
    assert gone_on.is_set()


@pytest.mark.usefixtures("patient")
def test_a_session_waits_again_once_it_has_taken_the_command(qapp: QApplication) -> None:
    """The listener hears of the command on the session's thread; the window works all the time."""
    made = bridge.Bridge()
    hear = made.listener()
    with made.activity.work():
        made.activity.hurry()
        hear(Event(0, 0.0, 1, 0, Resumed()))
        assert made.activity.is_hurried
        taken = threading.Thread(target=hear, args=(Event(1, 0.0, 1, 0, CommandTaken(Pause(), True, "")),))
        taken.start()
    taken.join(10)
    assert not taken.is_alive()
    assert not made.activity.is_hurried
