"""Owns the session's thread: starts it, posts commands to it, ends it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, Protocol

from PySide6.QtCore import QObject, Qt, Signal

from core.app.run_request import Request
from core.common.errors import BelvedereError
from core.common.priority import lower_priority
from core.session.commands import Command, Look, Stop
from core.session.events import Event
from core.session.snapshot import Snapshot
from gui.control.background import PATIENCE
from gui.control.bridge import Bridge
from gui.control.context import OperatorBreakpoints
from gui.control.goal_reader import Calls

if TYPE_CHECKING:
    from core.llm.budget import Price
    from core.llm.model import Partial
    from core.planning.planner import WhatIf
    from core.session.event_bus import Writing
    from core.session.session import Session
    from core.session.setup import Setup


class SessionListener(Protocol):
    """A listener that receives a session's events before the window does. Both methods are called on the session's thread."""

    def on_event(self, event: Event, now: Snapshot) -> Writing | None:
        """Takes one event and the snapshot after it. Later listeners receive it when the returned work is done."""

    def on_end(self) -> None:
        """Called when the session is over and no more events follow."""


PICTURES_SHARE = 0.7
"""Share of the time given to a run to end that it may spend on drawing pictures."""
Phase = Literal["idle", "preparing", "live", "stopping"]
MakeListener = Callable[["Session", Request], SessionListener]
log = logging.getLogger(__name__)


class _Run:
    """One session on one thread. Commands posted before the session exists are kept for it."""

    def __init__(self, number: int, request: Request):
        self.number, self.request = number, request
        self.session: Session | None = None
        self.stopped = False
        self._early: list[Command] = []
        self._lock = threading.Lock()

    def post(self, command: Command) -> None:
        with self._lock:
            self.stopped = self.stopped or isinstance(command, Stop)
            if self.session is None:
                self._early.append(command)
            else:
                self.session.post(command)

    def attach(self, session: Session) -> bool:
        """Hands over the session and the commands kept for it. Returns False if the run was stopped meanwhile."""
        with self._lock:
            self.session = session
            for command in self._early:
                session.post(command)
            return not self.stopped


class Runner(QObject):
    """Starts and ends sessions, one at a time. All signals are emitted on the GUI thread.

    A start while another run is alive stops that run first and begins when it has ended. A session begins with the operator's
    breakpoints.

    Args:
        bridge: receives the events and snapshots of the sessions.
        make_listener: returns the listener of a new session and its request; called on the session's thread.
        breakpoints: those of the operator.
        begin: makes the snapshot of a session before its first event; called on the session's thread.
    """

    phase_changed = Signal(str)
    failed = Signal(object)
    """The exception that kept a run from starting, or ended it."""
    _ended = Signal(int, object)
    _opened = Signal(int)
    _over = Signal(int)

    def __init__(self, bridge: Bridge, make_listener: MakeListener, breakpoints: OperatorBreakpoints,
                 begin: Callable[[], Snapshot]):
        super().__init__()
        self._bridge, self._make_listener, self._breakpoints, self._begin = bridge, make_listener, breakpoints, begin
        bridge.events_arrived.connect(lambda _, events: breakpoints.take_events(events))
        self._run: _Run | None = None
        self._thread: threading.Thread | None = None
        self._next: tuple[Request, Callable[[], Setup], tuple[Command, ...]] | None = None
        self.request: Request | None = None
        """The request of the run that was started last; None before the first."""
        self._finishing: list[tuple[Session, threading.Thread]] = []
        """Sessions that are over, with their threads, which still draw pictures for their recordings."""
        self._look: Look | None = None
        self._count = 0
        self.phase: Phase = "idle"
        self._ended.connect(self._on_ended, Qt.ConnectionType.QueuedConnection)
        self._opened.connect(self._on_opened, Qt.ConnectionType.QueuedConnection)
        self._over.connect(self._on_over, Qt.ConnectionType.QueuedConnection)

    def start(self, request: Request, make: Callable[[], Setup], *first: Command) -> None:
        """Makes the setup of a request off the GUI thread and plays it. `first` are posted before its first turn."""
        self.request = request
        if self._run is not None:
            self._next = (request, make, first)
            self.stop()
            return
        self._count += 1
        run = _Run(self._count, request)
        self._run = run
        for command in (*first, *((self._look,) if self._look is not None else ()), *self._breakpoints.commands()):
            run.post(command)
        to_window = self._bridge.follower()
        self._set("preparing")

        def play() -> None:
            lower_priority()
            trouble: Exception | None = None
            listener: SessionListener | None = None
            try:
                from core.session.session import Session  # imported on this thread, so that the window does not wait for it

                session = Session(make(), self._begin)
                self._bridge.activity.has_commands = lambda: session.has_commands
                listener = self._make_listener(session, request)
                session.follow(listener.on_event)
                session.follow(to_window)
                session.subscribe_answers(self._bridge.take_answer)
                wanted = run.attach(session)
                self._opened.emit(run.number)
                if wanted:
                    session.run(linger=True, over=lambda: self._over.emit(run.number))
                else:
                    session.close()
            except Exception as error:
                if not isinstance(error, BelvedereError):
                    log.exception("the session broke")
                trouble = error
            finally:
                if listener is not None:
                    listener.on_end()
            self._ended.emit(run.number, trouble)

        self._thread = threading.Thread(target=play, name=f"session {run.number}", daemon=True)
        self._thread.start()

    def post(self, command: Command) -> None:
        """Posts a command to the run; without a run it is dropped.

        What the window wants drawn (`Look`) is kept for the next run.
        """
        self._breakpoints.follow(command)
        if isinstance(command, Look):
            self._look = command
        if self._next is not None and command.outlives_run:
            return  # the next run begins with the breakpoints and the pace that are set then
        if self._next is not None:  # the present run is stopping: the command is meant for the next one
            request, make, first = self._next
            self._next = (request, make, (*first, command))
        elif self._run is not None:
            self._run.post(command)
            self._bridge.activity.hurry()

    @property
    def _session(self) -> Session | None:
        return None if self._run is None else self._run.session

    def partial(self, call: int) -> Partial | None:
        """The part of the reply to a waiting model call that has arrived so far."""
        return None if self._session is None else self._session.partials.of(call)

    def ask_what_if(self, question: WhatIf | None) -> None:
        """Posts a what-if question to the run; None withdraws it."""
        if self._session is not None:
            self._session.ask_what_if(question)

    def price(self, source: str) -> Price | None:
        """The price of a million tokens of an answerer, or None if it is not known."""
        return None if self._session is None else self._session.setup.price(source)

    def note_calls(self, calls: Calls) -> None:
        """Records model requests that were made outside the run, with their replies."""
        if self._session is not None and calls:
            self._session.note_calls(calls)

    def preparing(self) -> str:
        """What the run's first search waits for, as text; empty if nothing."""
        return "" if self._session is None else self._session.preparing

    def stop(self) -> None:
        """Ends the run; returns at once."""
        if self._run is not None:
            self._set("stopping")
            self._run.post(Stop())

    def shutdown(self, patience: float = PATIENCE) -> bool:
        """Ends everything and waits for it, at most `patience` seconds. Returns True if it ended in time."""
        until = time.monotonic() + patience
        self._next = None
        if self._session is not None:
            self._session.limit_pictures(patience * PICTURES_SHARE)
        self.stop()
        thread, self._thread = self._thread, None
        for session, _ in self._finishing:
            session.limit_pictures(patience * PICTURES_SHARE)
        threads = [thread for _, thread in self._finishing] + ([] if thread is None else [thread])
        for one in threads:
            one.join(max(0.0, until - time.monotonic()))
        in_time = not any(one.is_alive() for one in threads)
        if not in_time:
            log.warning("the session did not end within %.1f s; it ends with the program", patience)
        return in_time

    @property
    def is_idle(self) -> bool:
        """True if there is no run, or it waits for a command or a reply and has emitted everything."""
        if self.phase == "live" and self._session is not None:
            return self._session.is_waiting
        return self.phase == "idle" and not self.pictures_left

    @property
    def awaits_model(self) -> bool:
        """Whether a model, not a person, must still answer a request of the run."""
        return self._session is not None and self._session.awaits_model

    @property
    def pictures_left(self) -> int:
        """Number of pictures that the recordings of earlier runs still lack."""
        self._finishing = [(session, thread) for session, thread in self._finishing if thread.is_alive()]
        return sum(session.pictures_left for session, _ in self._finishing)

    # --- from the session's thread, queued ---------------------------------
    def _on_over(self, number: int) -> None:
        """Lets another run begin while the thread of the ended one draws the pictures that its recording lacks."""
        run, thread = self._run, self._thread
        if run is not None and run.number == number and run.session is not None and thread is not None:
            self._finishing.append((run.session, thread))
            self._on_ended(number, None)

    def _on_opened(self, number: int) -> None:
        if self._run is not None and self._run.number == number and self.phase == "preparing":
            self._set("live")

    def _on_ended(self, number: int, trouble: Exception | None) -> None:
        if self._run is None or self._run.number != number:
            return
        self._run = None
        following, self._next = self._next, None
        if following is not None:
            self.start(following[0], following[1], *following[2])
            return
        self._set("idle")
        if trouble is not None:
            self.failed.emit(trouble)

    def _set(self, phase: Phase) -> None:
        if phase != self.phase:
            self.phase = phase
            self.phase_changed.emit(phase)
