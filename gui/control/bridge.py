"""The only thread crossing: events come on the session's thread, snapshots leave on the GUI thread, at most 30 a second."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

from PySide6.QtCore import QElapsedTimer, QObject, Qt, QTimer, Signal

from core.planning.facets import Frame, View
from core.planning.moment import Moment
from core.planning.what_if import Answer
from core.session import events as e
from core.session.events import Event
from core.session.snapshot import Snapshot, fold, pictured
from gui.control.giving_way import GivingWay

INTERVAL = 33
"""Least milliseconds between two snapshots."""
TURNS_WITH_FRAMES = 60
"""Older turns are kept without their pictures, so that a run of hours does not fill the memory."""
BYTES_OF_FRAMES = 200_000_000
"""The same for large pictures: one of 960 by 720 pixels with its ids takes 3.5 MB."""
MOST_TURNS = 500
"""Older turns are not kept to be looked at: as many as a session can go back. A recording holds them all."""
_NO_FRAMES: Mapping[View, Frame] = MappingProxyType({})


class Past:
    """The last snapshot of every turn. Snapshots share what did not change, so a turn costs little but its pictures."""

    def __init__(self) -> None:
        self._turns: OrderedDict[Moment, Snapshot] = OrderedDict()
        self._pictured: OrderedDict[Moment, None] = OrderedDict()

    def keep(self, snapshot: Snapshot) -> None:
        """The newest moment of its turn."""
        if snapshot.turn < 1:
            return
        moment = snapshot.moment
        self._turns[moment] = snapshot
        if moment not in self._pictured:
            self._pictured[moment] = None
            if len(self._pictured) > TURNS_WITH_FRAMES:
                self._let_go()
            if len(self._turns) > MOST_TURNS:
                self._turns.popitem(last=False)

    def picture(self, frame: Frame) -> None:
        """A picture arrived: it also belongs to the turn it shows, if that is kept with pictures."""
        kept = self._turns.get(frame.moment)
        if kept is not None and frame.moment in self._pictured:
            self._turns[frame.moment] = pictured(kept, frame)
            while len(self._pictured) > 1 and self._bytes() > BYTES_OF_FRAMES:
                self._let_go()

    def _let_go(self) -> None:
        """Keep the oldest turn that has pictures without them."""
        old, _ = self._pictured.popitem(last=False)
        self._turns[old] = replace(self._turns[old], frames=_NO_FRAMES)

    def _bytes(self) -> int:
        """Of all pictures of past turns; turns without one of their own share those of earlier ones."""
        frames = {id(f): f for moment in self._pictured for f in self._turns[moment].frames.values()}
        return sum(f.pixels.nbytes + (0 if f.ids is None else f.ids.nbytes) for f in frames.values())

    def at(self, moment: Moment) -> Snapshot | None:
        """How a turn ended."""
        return self._turns.get(moment)

    def all(self) -> tuple[tuple[Moment, Snapshot], ...]:
        """Every turn that is kept, in the order played."""
        return tuple(self._turns.items())


class Bridge(QObject):
    """Folds events into snapshots and hands the newest over; what came between is folded in, never queued up."""

    changed = Signal(object)
    """The newest Snapshot, on the GUI thread."""
    heard = Signal(bool, object)
    """Whether another run speaks from now on, or a recording; and what was told since, in order, but for what panels show at
    every moment. On the GUI thread, before `changed`."""
    refused = Signal(str)
    """Why a command was not obeyed, on the GUI thread."""
    answered = Signal(object)
    """The newest Answer to a what-if question, on the GUI thread; those that came before it meanwhile are left out."""
    _woken = Signal()
    _answer_came = Signal()

    def __init__(self, begin: Callable[[], Snapshot] = Snapshot) -> None:
        """`begin` makes the snapshot of a session before its first event, on its thread."""
        super().__init__()
        self._begin = begin
        self._lock = threading.Lock()
        self._snapshot, self._past, self._run = Snapshot(), Past(), 0
        self._refusals: list[str] = []
        self._events: list[Event] = []
        self._anew = False
        self._told = False
        self._answer: Answer | None = None
        self.way = GivingWay()
        self._since = QElapsedTimer()
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.timeout.connect(self._hand_over)
        self._woken.connect(self._wake, Qt.ConnectionType.QueuedConnection)
        self._answer_came.connect(self._hand_answer, Qt.ConnectionType.QueuedConnection)

    def listener(self) -> Callable[[Event], None]:
        """Begin anew: a listener for one session. What an older one still says is not heard any more."""
        with self._lock:
            self._run += 1
            self._snapshot, self._past, run = Snapshot(), Past(), self._run
            self._events, self._anew = [], True
        self._wake_once()
        begun = False

        def hear(event: Event) -> None:
            nonlocal begun
            with self._lock:
                snapshot = self._snapshot if run == self._run else None
            if snapshot is None:
                return
            if not begun:
                begun, snapshot = True, self._begin()
            if self._take(run, event, fold(snapshot, event)):
                self._wake_once()
                self.way.stand_still()

        return hear

    def show(self, snapshot: Snapshot) -> None:
        """A recording speaks instead of a session: this is its end. What a session still says is not heard any more."""
        with self._lock:
            self._run += 1
            self._snapshot, self._past = snapshot, Past()
            self._events, self._anew = [], True
        self._wake_once()

    def hear_answer(self, answer: Answer) -> None:
        """A session answers a what-if question, on its thread. It is in no snapshot."""
        if answer.facets or answer.trouble:
            with self._lock:
                waiting, self._answer = self._answer is not None, answer
            if not waiting:
                self._answer_came.emit()
        self.way.stand_still()

    def _take(self, run: int, event: Event, snapshot: Snapshot) -> bool:
        """What an event makes of the newest, unless another run has begun: the lock is not held while it is worked out."""
        with self._lock:
            if run != self._run:
                return False
            if isinstance(event.what, e.CommandTaken) and not event.what.ok:
                self._refusals.append(event.what.reason)
            if not isinstance(event.what, e.Shown) or (isinstance(event.what.facet, Frame) and event.what.facet.notice):
                self._events.append(event)
            self._snapshot = snapshot
            self._past.keep(snapshot)
            if isinstance(event.what, e.Shown) and isinstance(event.what.facet, Frame):
                self._past.picture(event.what.facet.dated(event.turn, event.branch))
            return True

    @property
    def snapshot(self) -> Snapshot:
        """The newest state; from any thread."""
        with self._lock:
            return self._snapshot

    def at(self, moment: Moment) -> Snapshot | None:
        """How a turn ended, if it is still kept; from any thread."""
        with self._lock:
            return self._past.at(moment)

    def past(self) -> tuple[tuple[Moment, Snapshot], ...]:
        """Every turn that is kept; from any thread."""
        with self._lock:
            return self._past.all()

    # --- handing over ------------------------------------------------------
    def _wake_once(self) -> None:
        with self._lock:
            if self._told:
                return
            self._told = True
        self._woken.emit()

    def _wake(self) -> None:
        if self._later.isActive():
            return
        gone = self._since.elapsed() if self._since.isValid() else INTERVAL
        self._later.start(max(0, INTERVAL - gone))

    def _hand_answer(self) -> None:
        with self._lock:
            answer, self._answer = self._answer, None
        if answer is not None:
            with self.way.work():
                self.answered.emit(answer)

    def _hand_over(self) -> None:
        with self._lock:
            self._told = False
            snapshot, refusals = self._snapshot, self._refusals
            anew, events = self._anew, self._events
            self._refusals, self._events, self._anew = [], [], False
        self._since.restart()
        with self.way.work():
            for reason in refusals:
                self.refused.emit(reason)
            if anew or events:
                self.heard.emit(anew, events)
            self.changed.emit(snapshot)
