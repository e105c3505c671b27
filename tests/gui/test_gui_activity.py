"""A session waits while the window works, but never for long."""

from __future__ import annotations

import threading

import pytest
from pytestqt.qtbot import QtBot

from core.session.commands import Pause, Resume
from gui.control import bridge
from gui.control.bridge import GuiActivity
from tests.gui.conftest import MakeApp
from tests.gui.settling import PATIENCE
from tests.gui.test_runs import toys


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes waiting last until the window is idle."""
    monkeypatch.setattr(bridge, "PATIENCE", 30.0)


class Entered(threading.Event):
    """An event that tells when another thread begins to wait for it."""

    def __init__(self) -> None:
        super().__init__()
        self.by_another = threading.Event()

    def wait(self, timeout: float | None = None) -> bool:
        """Waits as usual."""
        self.by_another.set()
        return super().wait(timeout)


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
        entered = Entered()
        activity._idle = entered
        thread, gone_on = standing(activity)
        assert entered.by_another.wait(PATIENCE / 1000)
        assert not gone_on.is_set()
    thread.join(PATIENCE / 1000)
    assert gone_on.is_set()


@pytest.mark.usefixtures("patient")
def test_nobody_stands_still_for_a_window_that_closes() -> None:
    activity = GuiActivity()
    with activity.work():
        thread, gone_on = standing(activity)
        activity.stop()
        thread.join(PATIENCE / 1000)
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
    commands: list[int] = []
    activity.has_commands = lambda: bool(commands)
    with activity.work():
        thread, gone_on = standing(activity)
        commands.append(1)
        activity.hurry()
        thread.join(PATIENCE / 1000)
        assert gone_on.is_set()
        activity.wait_until_idle()
        commands.clear()
        thread, gone_on = standing(activity)
    thread.join(PATIENCE / 1000)
    assert gone_on.is_set()


def test_a_pause_is_obeyed_while_the_window_paints_all_the_time(qtbot: QtBot, make_app: MakeApp,
                                                                monkeypatch: pytest.MonkeyPatch) -> None:
    app = make_app(toys())
    qtbot.waitUntil(lambda: app.bridge.snapshot.status == "paused")
    monkeypatch.setattr(bridge, "PATIENCE", 600.0)
    with app.bridge.activity.work():
        app.context.post(Resume())
        qtbot.waitUntil(lambda: app.bridge.snapshot.status == "thinking")
        app.context.post(Pause())
        qtbot.waitUntil(lambda: app.bridge.snapshot.status == "paused")
    assert app.bridge.snapshot.ended is None
