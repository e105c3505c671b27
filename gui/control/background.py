"""Work off the GUI thread: a job queue with a thread of its own, listing all parts, and importing pyqtgraph."""

from __future__ import annotations

import importlib
import logging
import queue
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from types import ModuleType
from typing import TYPE_CHECKING, TypeVar

from PySide6 import QtCore, QtGui, QtWidgets
from PySide6.QtCore import QObject, Qt, QTimer, Signal
from shiboken6 import isValid

from core.common.errors import BelvedereError
from core.session.snapshot import Snapshot

if TYPE_CHECKING:
    from gui.control.choices import ListChoices

T = TypeVar("T")
U = TypeVar("U")
log = logging.getLogger(__name__)


PATIENCE = 1.5
"""Seconds that all jobs together may take to end when the window closes."""


class Deadline:
    """A point in time shared by several waits, so that together they take no longer than one of them."""

    def __init__(self, seconds: float):
        self._until = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds until the deadline, at least 0."""
        return max(0.0, self._until - time.monotonic())


class BackgroundJobs(QObject):
    """A queue of jobs and the thread that runs them in order. The thread starts with the first job."""

    _done = Signal(object)

    def __init__(self, name: str):
        super().__init__()
        self.name = name
        self._queue: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._undelivered = 0
        self._done.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    @property
    def is_idle(self) -> bool:
        """True if no job waits, is done, or has a result that was not delivered. To be asked on the GUI thread."""
        return self._thread is None or not self._undelivered

    def do(self, work: Callable[[], T], then: Callable[[T], object], failed: Callable[[Exception], object],
           owner: QObject | None = None) -> None:
        """Appends a job to the queue. `then` or `failed` is called on the GUI thread.

        Args:
            work: runs on the queue's thread, after all earlier jobs.
            then: receives what `work` returned.
            failed: receives the exception that `work` raised.
            owner: needs the result. Once it is deleted, neither is called; the job is done all the same.
        """
        def carry_out() -> None:
            try:
                value = work()
            except Exception as error:
                if not isinstance(error, BelvedereError):
                    log.exception("%s broke", self.name)
                self._done.emit(lambda error=error: tell(failed, error))
            else:
                self._done.emit(lambda: tell(then, value))

        def tell(listener: Callable[[U], object], what: U) -> None:
            if owner is None or isValid(owner):
                listener(what)

        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name=self.name, daemon=True)
            self._thread.start()
        self._undelivered += 1
        self._queue.put(carry_out)

    def close(self, patience: float = PATIENCE) -> None:
        """Runs the jobs that are left, then ends the thread. Waits at most `patience` seconds.

        No more results are delivered, not even those of jobs that are done. What owns a file must not depend on delivery.
        """
        self.blockSignals(True)
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join(patience)
            self._thread = None

    def _deliver(self, tell: Callable[[], object]) -> None:
        try:
            if not self.signalsBlocked():
                tell()
        finally:
            self._undelivered -= 1

    def _run(self) -> None:
        while (work := self._queue.get()) is not None:
            work()


class NewestJob:
    """Does one job at a time. Of those that are asked for meanwhile, only the newest is done afterwards.

    Args:
        jobs: the queue.
        owner: receives the results. Once it is deleted, they are dropped and no job begins.
    """

    def __init__(self, jobs: BackgroundJobs, owner: QObject):
        self._jobs, self._owner, self._is_busy = jobs, owner, False
        self._next: Callable[[], None] | None = None

    def do(self, work: Callable[[], T], then: Callable[[T], object], failed: Callable[[Exception], object]) -> None:
        """Asks for a job. See `BackgroundJobs.do`."""
        self._next = lambda: self._jobs.do(work, partial(self._end, then), partial(self._end, failed), self._owner)
        self._begin()

    def _begin(self) -> None:
        begin = self._next
        if begin is not None and not self._is_busy:
            self._next, self._is_busy = None, True
            begin()

    def _end(self, tell: Callable[[T], object], found: T) -> None:
        self._is_busy = False
        self._begin()
        tell(found)


LATER = 1000
"""Milliseconds from the first turn to the listing of all parts, so that the first pictures are drawn before it."""


class CatalogueLoader(QObject):
    """Lists all parts the operator can choose from, once: soon after the first turn begins, or when the operator opens a list.

    This loads every planner and simulator, so it waits until the first run is ready.
    """

    listed = Signal(object)
    """The Choices."""
    failed = Signal(str, str)
    """Why the parts cannot be listed, and the tone of that message. Listing is tried again at the next `begin`."""

    def __init__(self, list_choices: ListChoices, *, complete: bool):
        """`complete` is True if the parts known at the start are all there are."""
        super().__init__()
        self._list, self._begun = list_choices, complete
        self._jobs = BackgroundJobs("choices")
        self._later = QTimer(self, singleShot=True, interval=LATER)
        self._later.timeout.connect(self.begin)

    def begin(self) -> None:
        """Starts listing, unless it is done or under way."""
        if not self._begun:
            self._begun = True
            self._jobs.do(self._list, self.listed.emit, self._failed)

    def take_snapshot(self, snapshot: Snapshot) -> None:
        """Starts listing some time after the first turn began."""
        if snapshot.turn > 0 and not (self._begun or self._later.isActive()):
            self._later.start()

    def take_trouble(self, trouble: Exception | None) -> None:
        """Starts listing if a run cannot start: the operator needs other parts."""
        if trouble is not None:
            self.begin()

    def close(self, patience: float) -> None:
        """Stops the timer and ends the thread; the window calls this when it closes."""
        self._later.stop()
        self._jobs.close(patience)

    def _failed(self, error: Exception) -> None:
        self._begun = False
        self.failed.emit(f"The other choices cannot be listed: {' '.join(str(error).split())}", "bad")


CHECK_EVERY = 30
"""Milliseconds between two checks whether pyqtgraph is imported."""


TYPES_AT_ONCE = 10
"""Qt classes created before the event loop goes on: 1 to 2 ms of work."""


class ChartImport(QObject):
    """Imports pyqtgraph, which takes about 0.4 s, on a thread of its own. It begins with the first call of `start`.

    PySide creates each class of Qt when it is first named, and pyqtgraph names all of them. Two threads that create classes at
    the same time can crash the interpreter, so that all are created on the GUI thread first, a few at a time.
    """

    ready = Signal()
    """pyqtgraph is imported. Emitted once."""

    def __init__(self, parent: QObject):
        super().__init__(parent)
        self.is_ready = False
        self._import: threading.Thread | None = None
        self._types: Iterator[tuple[ModuleType, str]] | None = None
        self._creation = QTimer(self, interval=0)
        self._creation.timeout.connect(self._create_types)
        self._checks = QTimer(self, interval=CHECK_EVERY)
        self._checks.timeout.connect(self._check)

    def start(self) -> None:
        """Starts the import, unless it was started."""
        if self._types is None:
            self._types = ((module, name) for module in (QtCore, QtGui, QtWidgets) for name in dir(module))
            self._creation.start()

    def _create_types(self) -> None:
        """Creates the next classes of Qt; after the last one begins the import."""
        assert self._types is not None, "made by `start`"
        names = list(islice(self._types, TYPES_AT_ONCE))
        for module, name in names:
            getattr(module, name)
        if not names:
            self._creation.stop()
            self._import = threading.Thread(target=importlib.import_module, args=("pyqtgraph",), name="charts", daemon=True)
            self._import.start()
            self._checks.start()

    def _check(self) -> None:
        if self._import is not None and not self._import.is_alive():
            self._checks.stop()
            self.is_ready = True
            self.ready.emit()
