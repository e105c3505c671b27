"""Waits of the tests that drive the window: for a state, or until nothing is under way any more. Never for a duration.

`settle` is a barrier through all threads: it returns when everything that was queued anywhere has been handled. What must not
happen is asserted after it. Delays that the window makes while the operator types or drags run out at once in it, as if the
operator had rested. `run_out` does the same with one longer delay, such as the time for which a message stays.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, get_args

from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, QObject, QTimer, QTimerEvent
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot
from pytestqt.wait_signal import SignalBlocker
from shiboken6 import isValid

from gui.app import App
from gui.control.background import BackgroundJobs, ChartImport
from gui.control.bridge import Bridge
from gui.control.free_view import FreeView
from gui.control.goal_reader import GoalReader
from gui.control.margins import MarginFinder
from gui.control.runner import Runner
from gui.window.distributor import Distributor
from gui.window.main_window import MainWindow
from tests import waiting

PATIENCE = round(waiting.PATIENCE * 1000)
"""Milliseconds after which a state that must come counts as never coming, also on a loaded machine."""
REST_MS = 450
"""Single-shot timers of at most so many milliseconds are delays that an operator who rests does not notice; longer ones mean a
time: how long a message stays, when content counts as late."""
POLL_MS = 5
PASSES = 3
"""Passes of the event loop in which nothing may be under way: one lays out, the next two paint."""
DEPTH = 4
"""How many attributes deep the parts of an object are looked for: App, its pages, their shelf, its jobs."""
Idle = Runner | Bridge | MainWindow | BackgroundJobs | GoalReader | FreeView | Distributor
IDLE = get_args(Idle)
"""The classes that can be asked whether they are idle."""


class Kinds(dict[type, bool]):
    """Whether classes are of some kinds, found out once for each class: Qt answers slowly, and `settle` asks of many objects.

    After it `isinstance` tells the type checker the same.
    """

    def __init__(self, *kinds: type):
        super().__init__()
        self._kinds = kinds

    def __missing__(self, cls: type) -> bool:
        self[cls] = found = issubclass(cls, self._kinds)
        return found


IS_OBJECT, IS_WIDGET, IS_TIMER, IS_IDLE = Kinds(QObject), Kinds(QWidget), Kinds(QTimer), Kinds(*IDLE)


class PatientBot(QtBot):
    """Waits for states only, each with the same long patience."""

    def waitUntil(self, callback: Callable[[], bool | None], *, timeout: int = PATIENCE) -> None:  # noqa: N802 - Qt's name
        """Waits until `callback` returns True, or no longer fails an assertion."""
        until, failed = time.monotonic() + timeout / 1000, None
        while True:
            try:
                if callback() in (None, True):
                    return
                failed = None
            except AssertionError as error:
                failed = error
            if time.monotonic() > until:
                raise self.TimeoutError(f"the state did not come in {timeout} ms") from failed
            turn_loop(POLL_MS)

    def waitSignal(self, signal: Any, *, timeout: int = PATIENCE, raising: bool | None = None,  # noqa: N802 - Qt's name
                   check_params_cb: Callable[..., bool] | None = None) -> SignalBlocker:
        """Returns a context in which a signal must be emitted."""
        return super().waitSignal(signal, timeout=timeout, raising=raising, check_params_cb=check_params_cb)

    def wait(self, ms: int) -> None:
        """Refuses to wait for a time.

        Raises:
            AssertionError: always.
        """
        raise AssertionError(f"{ms} ms are no state: settle the window, or wait until something is true")


def turn_loop(ms: int) -> None:
    """Lets the event loop run for some milliseconds, so that other threads get their turn."""
    loop = QEventLoop()
    QTimer.singleShot(ms, loop.quit)
    loop.exec()


def settle(*roots: QObject, awaits_model: bool = False, margins: bool = False) -> None:
    """Returns when nothing is under way in these parts of a window, in a whole console if one of them is the App.

    The run waits for a command: it is paused, has ended, or was never started. Its replies, answers and pictures have arrived
    and are shown; background jobs are done and their results delivered; everything is laid out and painted.

    Args:
        roots: the App, or panels, dialogs and other objects of a window.
        awaits_model: whether the run may also wait for a model whose reply the test holds back.
        margins: whether the operator rests so long that the margins of the decision are asked for: they take the planner most
            of the time of a test. If not, those that are being found already are waited for all the same.

    Raises:
        AssertionError: something goes on for longer than `PATIENCE`, or a panel in view does not show what it should.
    """
    until, passes, made = time.monotonic() + PATIENCE / 1000, 0, list[QObject]()
    while passes < PASSES:
        if not made or passes == PASSES - 1:  # what was made meanwhile is a part, too
            made = [part for root in roots for part in parts_of(root)]
            parts, timers = [part for part in made if IS_IDLE[type(part)] and isinstance(part, IDLE)], timers_of(made)
        hurry(active(timers), parts, margins=margins)
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        QCoreApplication.processEvents()
        busy = [*unfinished(active(timers), parts, awaits_model=awaits_model)]
        passes = 0 if busy else passes + 1
        if busy and time.monotonic() > until:
            raise AssertionError(f"not settled after {PATIENCE // 1000} s: {', '.join(busy)}")
        if busy:
            turn_loop(POLL_MS)
    for root in roots:
        if isinstance(root, App) and root.window.isVisible() and (stale := root.window.stale_panels()):
            raise AssertionError(f"nothing is under way, and yet these panels do not show the present: {', '.join(stale)}")


def hurry(timers: list[QTimer], parts: list[Idle], *, margins: bool) -> None:
    """Ends short delays now. While the run goes on, panels are still drawn no more often than they state."""
    rests = all(part.is_idle for part in parts if isinstance(part, Runner))
    for part in parts:
        if isinstance(part, Distributor) and rests:
            part._since.clear()  # as if no panel had been drawn just now
    for timer in timers:
        if isinstance(timer.parent(), MarginFinder) and not margins:
            timer.start()
        elif is_short(timer) and (rests or not isinstance(timer.parent(), Distributor)):
            run_out(timer)


def is_short(timer: QTimer) -> bool:
    """Returns whether it is a delay of which an operator who rests notices nothing."""
    return timer.isSingleShot() and 0 < timer.interval() <= REST_MS


def run_out(timer: QTimer) -> None:
    """Ends the time of an active timer now. One that is not active does nothing."""
    if timer.isActive():
        QCoreApplication.sendEvent(timer, QTimerEvent(timer.timerId()))


def unfinished(timers: list[QTimer], parts: list[Idle], *, awaits_model: bool) -> Iterator[str]:
    """Yields what is under way, in words."""
    for part in parts:
        if not (isinstance(part, MainWindow) and not part.isVisible()) and not part.is_idle:
            yield f"{type(part).__name__}{f' {part.name}' if isinstance(part, BackgroundJobs) else ''}"
        if isinstance(part, Runner) and part.awaits_model and not awaits_model:
            yield "a model's reply"
    for timer in timers:
        delays = is_short(timer) and not isinstance(timer.parent(), MarginFinder)
        if timer.interval() == 0 or delays or isinstance(timer.parent(), ChartImport):
            yield f"a timer of {type(timer.parent()).__name__}"


def timers_of(parts: list[QObject]) -> list[QTimer]:
    """Returns the timers among these objects and in all windows among them, each once."""
    found = [part for part in parts if IS_TIMER[type(part)] and isinstance(part, QTimer)]
    for widget in (part for part in parts if IS_WIDGET[type(part)] and isinstance(part, QWidget)
                   and isValid(part) and part.isWindow()):
        found += widget.findChildren(QTimer)
    return [*{id(timer): timer for timer in found}.values()]


def active(timers: list[QTimer]) -> list[QTimer]:
    """Returns those that run."""
    return [timer for timer in timers if isValid(timer) and timer.isActive()]


def parts_of(root: QObject) -> list[QObject]:
    """Returns an object and the objects of Qt that its attributes hold, a few attributes deep, each once."""
    found: dict[int, QObject] = {id(root): root}
    last = [root]
    for _ in range(DEPTH):
        held = [value for one in last if type(one).__module__.startswith("gui.") for value in vars(one).values()
                if IS_OBJECT[type(value)] and id(value) not in found]
        last = [*{id(value): value for value in held}.values()]
        found |= {id(value): value for value in last}
    return [*found.values()]


class LateClock:
    """Stands in place of the module `time` for the clock of sessions; a test sets it forward.

    Attributes:
        late: seconds by which it is ahead.
    """

    def __init__(self) -> None:
        self.late = 0.0

    def monotonic(self) -> float:
        """Returns the time in seconds."""
        return time.monotonic() + self.late


def let_run(app: App, events: int) -> None:
    """Lets the run go on until it has emitted so many more events, or waits for a command, or another one is shown."""
    before, until = app.bridge.snapshot, time.monotonic() + PATIENCE / 1000
    while not app.runner.is_idle and time.monotonic() < until:
        now = app.bridge.snapshot
        if now.began is not before.began or now.event >= before.event + events:
            return
        turn_loop(POLL_MS)


def lay_out(window: MainWindow) -> None:
    """Returns when the docks of a window are arranged and laid out, whether or not its run goes on."""
    passes, timers = 0, window._arrangement.findChildren(QTimer)
    while passes < PASSES:
        for timer in timers:
            run_out(timer)
        QCoreApplication.processEvents()
        passes = 0 if any(timer.isActive() for timer in timers) else passes + 1
