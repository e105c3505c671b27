"""Gets machine code for a program that searches, once for each process. Meanwhile the search runs interpreted."""

from __future__ import annotations

import atexit
import functools
import importlib
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from core.common import child_python
from core.search.compilation import code_cache
from core.search.compilation.compile import BESIDE, READY, WARM_UP, announcement, is_needed, load, make

CHANGED = "its sources were changed since it was started"


class Preparation:
    """Gets machine code in the background after `start`: from the user's cache, which a child process fills if necessary.

    Compiling in this process would take time from the window. It is done here only if the child process failed or could not
    store the result. The child process ends with this one, however that ends, and keeps what it has compiled.

    Attributes:
        is_over: whether the preparation has ended.
        note: after that: one line for users if the search is slower than it could be; empty otherwise.

    Args:
        module: names the entries to compile, see `core.search.compilation.compile`.
    """

    def __init__(self, module: str = WARM_UP):
        self._module = module
        self._lock = threading.Lock()
        self._child: subprocess.Popen[str] | None = None
        self._thread = threading.Thread(target=self._work, name="prepare search", daemon=True)
        self._closed = False
        self._progress: _Progress | None = None
        self.is_over, self.note = False, ""

    def start(self) -> None:
        """Starts the preparation and returns at once."""
        self._thread.start()

    @property
    def words(self) -> str:
        """The progress for users: `compiling the search: 1 of 3 parts, about 6 s left`; empty if nothing is compiled."""
        progress = self._progress
        return "" if progress is None else progress.words(time.monotonic())

    def wait(self) -> None:
        """Waits until the preparation is over."""
        self._thread.join()

    def close(self) -> None:
        """Ends the child process, and waits until no thread is loading machine code any more. May be called twice."""
        with self._lock:
            self._closed = True
            if self._child is not None:
                self._child.terminate()
        if self._thread.is_alive():
            self._thread.join()

    def _work(self) -> None:
        module = self._module
        try:
            trouble = self._compile() if is_needed(module) else ""
            if self._closed:
                return
            here = ""
            if is_needed(module):
                here = f"the search was compiled by the program itself: {trouble or CHANGED}"
                if code_cache.is_writable():
                    make(module)
            self.note = load(module) or here
        except Exception as error:  # noqa: BLE001 - reported here; the search goes on interpreted
            why = str(error).strip().partition("\n")[0]
            self.note = f"the search runs interpreted, about 100 times slower: {type(error).__name__}: {why}"
        finally:
            self._progress, self.is_over = None, True

    def _compile(self) -> str:
        """Compiles in a child process, and loads each entry that is ready. Returns why that failed, or an empty string."""
        if not code_cache.is_writable():
            return f"the cache folder {code_cache.base()} cannot be written to"
        names = [entry.__name__ for entry, _ in importlib.import_module(self._module).examples()]
        self._progress = progress = _Progress(names, code_cache.read_seconds(), 0, time.monotonic())
        said = ""
        with self._lock:
            if self._closed:
                return ""
            try:
                self._child = child = subprocess.Popen(
                    child_python.command("core.search.compilation.compile", BESIDE, self._module),
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                    process_group=0, env=child_python.environment())
            except OSError as error:
                return f"no process could be started: {error}"
        with child:
            for line in child.stdout or ():
                if line.startswith(READY):
                    self._progress = progress = progress.after_one(time.monotonic())
                    load(self._module, progress.done)
                else:
                    said = line.strip() or said
        if not child.returncode:
            return ""
        return f"the process that was to do it failed: {said or f'exit code {child.returncode}'}"


class _Progress(NamedTuple):
    """How far a compilation is.

    Attributes:
        names: the names of the entries, in the order in which they are compiled.
        seconds: how long each took when it was compiled last on this machine, as far as that is known.
        done: how many of them are ready.
        since: when the last one was ready, by the monotonic clock.
    """

    names: Sequence[str]
    seconds: Mapping[str, float]
    done: int
    since: float

    def after_one(self, now: float) -> _Progress:
        """Returns the progress once one more entry is ready."""
        return self._replace(done=self.done + 1, since=now)

    def words(self, now: float) -> str:
        """Returns the progress for users, with the remaining time if it has been measured."""
        words = f"compiling the search: {self.done} of {len(self.names)} parts"
        left = self.names[self.done:]
        if any(name not in self.seconds for name in left):
            return words
        seconds = round(sum(self.seconds[name] for name in left) - (now - self.since))
        return f"{words}, about {seconds} s left" if seconds > 0 else words


@functools.cache
def preparation() -> Preparation:
    """Returns the preparation of this process, started at the first call."""
    found = Preparation()
    atexit.register(found.close)
    found.start()
    return found


def load_kept() -> None:
    """Loads the machine code if all of it is in the cache. Without it the search of this process runs interpreted at first."""
    if not is_needed():
        preparation().wait()


def prepare(say: Callable[[str], None]) -> None:
    """Waits for machine code, before several processes search at once and their times are compared.

    Args:
        say: receives messages about slow steps and problems.
    """
    if is_needed():
        say(announcement())
    found = preparation()
    found.wait()
    if found.note:
        say(found.note)
