"""Cancellation: an event with callbacks. A callback ends a wait for something else, so that waits need no polling."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator


class Cancellation(threading.Event):
    """Set when a result is no longer wanted. Thread-safe.

    Whoever waits for something else meanwhile (a response, a slot) registers a callback that ends the wait.
    """

    def __init__(self) -> None:
        super().__init__()
        self._guard = threading.Lock()
        self._callbacks: dict[object, Callable[[], None]] = {}

    def set(self) -> None:
        """Sets the event and calls the callbacks, in the thread that cancels."""
        super().set()
        with self._guard:
            callbacks, self._callbacks = self._callbacks, {}
        for callback in callbacks.values():
            callback()

    @contextlib.contextmanager
    def calling(self, callback: Callable[[], None]) -> Iterator[None]:
        """Context in which `callback` is called as soon as the event is set; at once if it is set already.

        Args:
            callback: ends a wait. It is called at most once, must not block, and may still run when the context ends.
        """
        key = object()
        with self._guard:
            is_late = self.is_set()
            if not is_late:
                self._callbacks[key] = callback
        try:
            if is_late:
                callback()
            yield
        finally:
            with self._guard:
                self._callbacks.pop(key, None)

    def wait_with(self, condition: threading.Condition, ready: Callable[[], bool], timeout: float | None = None) -> bool:
        """Waits until `ready()` is True or the event is set. Returns the last value of `ready()`.

        Args:
            condition: guards what `ready` reads. The caller holds its lock; who changes something notifies it.
            ready: whether the wait is over.
            timeout: the maximum seconds to wait; None: no limit.
        """
        def wake() -> None:
            with condition:
                condition.notify_all()

        with self.calling(wake):
            condition.wait_for(lambda: ready() or self.is_set(), timeout)
        return ready()


@contextlib.contextmanager
def any_of(*causes: Cancellation) -> Iterator[Cancellation]:
    """Context with a cancellation that is set once one of `causes` is."""
    together = Cancellation()
    with contextlib.ExitStack() as stack:
        for cause in causes:
            stack.enter_context(cause.calling(together.set))
        yield together
