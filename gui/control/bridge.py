"""Carries snapshots from the session's thread to the GUI thread, at most 30 a second. All run state crosses here."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from types import MappingProxyType

from PySide6.QtCore import QElapsedTimer, QObject, Qt, QTimer, Signal

from core.planning.facets import Frame, Moment, View
from core.planning.planner import Answer
from core.session import events as e
from core.session.event_bus import Follower
from core.session.events import Event
from core.session.history import MOST_TURNS
from core.session.snapshot import Snapshot, pictured

PATIENCE = 0.03
"""Longest time that the session waits at one event, in seconds."""


class GuiActivity:
    """Knows whether the GUI thread is busy, and makes the session's thread wait while the window draws.

    The search does not hold the interpreter lock, but the rest of a turn does: pictures, recording, acting. Each painter call
    releases the lock, so a picture of two hundred strokes may wait two hundred times. Therefore the session's thread waits at
    its next event while the GUI thread is busy. It does not wait while an operator's command is on its way.
    """

    def __init__(self) -> None:
        self._idle = threading.Event()
        self._lock = threading.Lock()
        self._depth = 0
        self._over = False
        self.has_commands: Callable[[], bool] = lambda: False
        """Returns whether commands wait for the session that is shown."""

    def wait_until_idle(self) -> None:
        """Waits until the GUI thread is idle, at most `PATIENCE` seconds; called on the session's thread."""
        with self._lock:
            if not self._depth or self._over or self.has_commands():
                return
            self._idle.clear()
        self._idle.wait(PATIENCE)

    def hurry(self) -> None:
        """Lets the session go on at once; called when a command was posted."""
        with self._lock:
            self._idle.set()

    def stop(self) -> None:
        """Lets all later waits return at once: from now on the window waits for the session to end."""
        with self._lock:
            self._over = True
            self._idle.set()

    @contextmanager
    def work(self) -> Iterator[None]:
        """Marks the GUI thread as busy within the block. Blocks may be nested."""
        with self._lock:
            self._depth += 1
        try:
            yield
        finally:
            with self._lock:
                self._depth -= 1
                if self._depth == 0:
                    self._idle.set()


INTERVAL = 33
"""Shortest time between two snapshots, in milliseconds."""
TURNS_WITH_FRAMES = 60
"""Number of turns kept with pictures. Older turns are kept without, so that a run of hours does not fill the memory."""
BYTES_OF_FRAMES = 200_000_000
"""Limit on the bytes of all kept pictures: one of 960 by 720 pixels with its ids takes 3.5 MB."""
_NO_FRAMES: Mapping[View, Frame] = MappingProxyType({})


class TurnHistory:
    """The last snapshot of each turn, of as many turns as a session can go back.

    A recording contains all turns. Snapshots share what did not change, so a turn costs little memory apart from its pictures.
    """

    def __init__(self) -> None:
        self._turns: OrderedDict[Moment, Snapshot] = OrderedDict()
        self._pictured: OrderedDict[Moment, None] = OrderedDict()

    def keep(self, snapshot: Snapshot) -> None:
        """Stores a snapshot as the newest of its turn."""
        if snapshot.turn < 1:
            return
        moment = snapshot.moment
        self._turns[moment] = snapshot
        if moment not in self._pictured:
            self._pictured[moment] = None
            if len(self._pictured) > TURNS_WITH_FRAMES:
                self._drop_pictures()
            if len(self._turns) > MOST_TURNS:
                self._turns.popitem(last=False)

    def picture(self, frame: Frame) -> None:
        """Adds a picture that has just arrived to the turn it shows, if that turn is still kept with pictures."""
        kept = self._turns.get(frame.moment)
        if kept is not None and frame.moment in self._pictured:
            self._turns[frame.moment] = pictured(kept, frame)
            while len(self._pictured) > 1 and self._bytes() > BYTES_OF_FRAMES:
                self._drop_pictures()

    def _drop_pictures(self) -> None:
        old, _ = self._pictured.popitem(last=False)
        self._turns[old] = replace(self._turns[old], frames=_NO_FRAMES)

    def _bytes(self) -> int:
        """Bytes of all pictures of past turns. Turns without a picture of their own share those of earlier turns."""
        frames = {id(f): f for moment in self._pictured for f in self._turns[moment].frames.values()}
        return sum(f.pixels.nbytes + (0 if f.ids is None else f.ids.nbytes) for f in frames.values())

    def at(self, moment: Moment) -> Snapshot | None:
        """The last snapshot of a turn."""
        return self._turns.get(moment)

    def all(self) -> tuple[tuple[Moment, Snapshot], ...]:
        """The last snapshots of all turns kept, in the order played."""
        return tuple(self._turns.items())


class Bridge(QObject):
    """Emits the newest snapshot. Intermediate snapshots are skipped, never queued."""

    changed = Signal(object)
    """The newest Snapshot, on the GUI thread."""
    events_arrived = Signal(bool, object)
    """(new_run, events), emitted on the GUI thread before `changed`. `new_run` is True if another run or a recording is shown
    from now on. `events` are the events since the last emission, in order, without the facets that panels read from the
    snapshot."""
    refused = Signal(str)
    """Why a command was refused; emitted on the GUI thread."""
    answered = Signal(object)
    """The newest Answer to a what-if question, emitted on the GUI thread. Older answers are skipped."""
    _woken = Signal()
    _answer_came = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()
        self._snapshot, self._past, self._run = Snapshot(), TurnHistory(), 0
        self._refusals: list[str] = []
        self._events: list[Event] = []
        self._is_new_run = False
        self._wake_pending = False
        self._answer: Answer | None = None
        self.activity = GuiActivity()
        self.prepare_frame: Callable[[Frame], None] = lambda frame: None
        """Called with each frame on the thread that delivers it, before the GUI thread hears of it."""
        self._since = QElapsedTimer()
        self._later = QTimer(self, singleShot=True)
        self._later.timeout.connect(self._hand_over)
        self._woken.connect(self._wake, Qt.ConnectionType.QueuedConnection)
        self._answer_came.connect(self._hand_answer, Qt.ConnectionType.QueuedConnection)

    def follower(self) -> Follower:
        """Returns a follower for a new session: it receives each event and the snapshot after it.

        What reaches the follower of an earlier session is ignored from now on.
        """
        with self._lock:
            self._run += 1
            self._snapshot, self._past, run = Snapshot(), TurnHistory(), self._run
            self._events, self._is_new_run = [], True
        self._wake_once()
        held = list[Event]()

        def receive(event: Event, now: Snapshot) -> None:
            nonlocal held
            with self._lock:
                if run != self._run:
                    return
            if isinstance(event.what, e.Rewound | e.Switched):
                # The `Standing` that follows belongs to it: until then goal, bans and objects are those of the old branch.
                held.append(event)
                return
            if isinstance(event.what, e.Shown) and isinstance(event.what.facet, Frame):
                self.prepare_frame(event.what.facet)
            events, held = (*held, event), []
            if self._take(run, events, now):
                self._wake_once()
                if not isinstance(event.what, e.CommandTaken):  # what the command does follows it
                    self.activity.wait_until_idle()

        return receive

    def show(self, snapshot: Snapshot) -> None:
        """Shows the last snapshot of a recording instead of a session. Events of an earlier session are ignored from now on."""
        with self._lock:
            self._run += 1
            self._snapshot, self._past = snapshot, TurnHistory()
            self._events, self._is_new_run = [], True
        self._wake_once()

    def take_answer(self, answer: Answer) -> None:
        """Takes a session's answer to a what-if question; called on the session's thread. Answers are part of no snapshot."""
        if answer.facets or answer.trouble:
            with self._lock:
                waiting, self._answer = self._answer is not None, answer
            if not waiting:
                self._answer_came.emit()
        self.activity.wait_until_idle()

    def _take(self, run: int, events: tuple[Event, ...], snapshot: Snapshot) -> bool:
        """Stores the snapshot that these events lead to, unless another run has begun.

        Returns:
            False if another run has begun.
        """
        with self._lock:
            if run != self._run:
                return False
            self._snapshot = snapshot
            self._past.keep(snapshot)
            for event in events:
                frame = event.what.facet if isinstance(event.what, e.Shown) and isinstance(event.what.facet, Frame) else None
                if isinstance(event.what, e.CommandTaken) and not event.what.ok:
                    self._refusals.append(event.what.reason)
                if not isinstance(event.what, e.Shown) or (frame is not None and frame.notice):
                    self._events.append(event)
                if frame is not None:
                    self._past.picture(frame.dated(event.turn, event.branch))
            return True

    @property
    def snapshot(self) -> Snapshot:
        """The newest snapshot. Safe to call from any thread."""
        with self._lock:
            return self._snapshot

    def at(self, moment: Moment) -> Snapshot | None:
        """The last snapshot of a turn, or None if it is no longer kept. Safe to call from any thread."""
        with self._lock:
            return self._past.at(moment)

    def past(self) -> tuple[tuple[Moment, Snapshot], ...]:
        """The last snapshots of all turns kept. Safe to call from any thread."""
        with self._lock:
            return self._past.all()

    # --- handing over ------------------------------------------------------
    def _wake_once(self) -> None:
        with self._lock:
            if self._wake_pending:
                return
            self._wake_pending = True
        self._woken.emit()

    def _wake(self) -> None:
        with self._lock:
            is_pending = self._wake_pending
        if self._later.isActive() or not is_pending:  # `catch_up` has handed it over meanwhile
            return
        gone = self._since.elapsed() if self._since.isValid() else INTERVAL
        self._later.start(max(0, INTERVAL - gone))

    @property
    def is_idle(self) -> bool:
        """True if everything that has arrived was handed over."""
        with self._lock:
            return not self._wake_pending and self._answer is None

    def catch_up(self) -> None:
        """Hands over what has arrived now, if anything has, instead of at the next time."""
        with self._lock:
            is_pending = self._wake_pending
        if is_pending:
            self._later.stop()
            self._hand_over()

    def _hand_answer(self) -> None:
        with self._lock:
            answer, self._answer = self._answer, None
        if answer is not None:
            with self.activity.work():
                self.answered.emit(answer)

    def _hand_over(self) -> None:
        with self._lock:
            self._wake_pending = False
            snapshot, refusals = self._snapshot, self._refusals
            new_run, events = self._is_new_run, self._events
            self._refusals, self._events, self._is_new_run = [], [], False
        self._since.restart()
        with self.activity.work():
            for reason in refusals:
                self.refused.emit(reason)
            if new_run or events:
                self.events_arrived.emit(new_run, events)
            self.changed.emit(snapshot)
