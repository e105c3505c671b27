"""Compiles the search in advance: for a run that starts (`Preparation`), or by `python -m core.search.compilation.compile`.

A module with a function `warm_up()` is compiled. After that has returned, a mark is written into the cache folder of the
module. The folder's name is a digest of all sources the module depends on, so a mark is never found for other sources.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from core.common.installation import ROOT
from core.search.compilation import code_cache

WARM_UP = "core.search.compilation.warm_up"
SECONDS = 15
"""The approximate time to compile everything, in seconds."""


def is_needed(module: str = WARM_UP) -> bool:
    """Returns True if there is something to compile; False also if no machine code can be made (`decorator` gives the reason).

    The first call takes a tenth of a second: it loads neither numba nor the kernel.
    """
    try:
        return _is_wanted() and not _mark(module).is_file()
    except ImportError:  # numba without its compiler: importing the kernel detects the same
        return False


def _is_wanted() -> bool:
    switched_off = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
    return not switched_off and importlib.util.find_spec("numba") is not None


def _mark(module: str) -> Path:
    found = importlib.util.find_spec(module)
    if found is None or found.origin is None:
        raise ImportError(f"no module {module}")
    return code_cache.folder(module, Path(found.origin)) / "complete"


@functools.cache
def load(module: str = WARM_UP) -> str:
    """Loads all machine code into this process, and compiles what the cache lacks.

    Returns:
        One line for users if the search runs interpreted; empty if it is compiled.
    """
    from core.search.compilation.decorator import interpreted_note

    note = interpreted_note()
    kernel = importlib.import_module(module)
    if not note:
        kernel.warm_up()
    return note


def make(module: str = WARM_UP) -> str:
    """Fills the cache, after any other process that is doing so, and removes old folders.

    Returns:
        As `load`.

    Raises:
        OSError: the cache is not writable.
    """
    with code_cache.alone("compile"):
        if not is_needed(module):
            return ""
        note = load(module)
        if not note:
            mark = _mark(module)
            mark.parent.mkdir(parents=True, exist_ok=True)
            mark.touch()
            code_cache.remove_old(time.time())
        return note


def main(arguments: list[str]) -> int:
    """Compiles the search. The exit code is 0 also if nothing can be compiled.

    Args:
        arguments: the module to compile, if not the default.
    """
    module = arguments[0] if arguments else WARM_UP
    if not _is_wanted():
        from core.search.compilation.decorator import interpreted_note

        _say(interpreted_note())
        return 0
    if is_needed(module):
        _say(f"compiling the search, once: about {SECONDS} s")
        if note := make(module):
            _say(note)
    return 0


def _say(line: str) -> None:
    sys.stderr.write(f"{line[:1].upper()}{line[1:]}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except OSError as error:
        _say(f"the search could not be compiled beforehand: {error}")
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)


CHANGED = "its sources were changed since it was started"


class Preparation:
    """Prepares the search in the background after `start`. The search is ready when `is_over` is True.

    Compiling in this process would hold the interpreter lock for seconds. It is done here only if the child process failed or
    could not store the result.

    Attributes:
        is_over: whether the preparation has ended.
        note: after that: one line for users if the search is slower than it could be; empty otherwise.

    Args:
        over: called at the end, on the preparation's thread.
        module: the module to compile, see `core.search.compilation.compile`.
    """

    def __init__(self, over: Callable[[], object], module: str = WARM_UP):
        self._over, self._module = over, module
        self._lock = threading.Lock()
        self._child: subprocess.Popen[str] | None = None
        self._since: float | None = None
        self._how = "once"
        self._closed = False
        self.is_over, self.note = False, ""

    def start(self) -> None:
        """Starts the preparation and returns at once; `words` are available from then on."""
        is_missing = is_needed(self._module)
        self._since = time.monotonic() if is_missing else None
        threading.Thread(target=self._work, args=(is_missing,), name="prepare search", daemon=True).start()

    @property
    def words(self) -> str:
        """The progress for users: `compiling the search, once: 6 of about 15 s`; empty if nothing is compiled."""
        since = self._since
        if since is None:
            return ""
        gone = round(time.monotonic() - since)
        so_far = f"{gone} s so far" if gone >= SECONDS else f"{gone} of about {SECONDS} s" if gone else f"about {SECONDS} s"
        return f"compiling the search, {self._how}: {so_far}"

    def close(self) -> None:
        """Ends the child process. May be called twice."""
        with self._lock:
            self._closed = True
            if self._child is not None:
                self._child.terminate()

    def _work(self, is_missing: bool) -> None:
        module = self._module
        try:
            trouble = self._compile() if is_missing else ""
            if self._closed:
                return
            here = ""
            if is_needed(module):
                here = f"the search was compiled by the program itself: {trouble or CHANGED}"
                self._how, self._since = "by the program itself", time.monotonic()
                if code_cache.is_writable():
                    make(module)
            self.note = load(module) or here
        except Exception as error:  # noqa: BLE001 - reported here; the search itself raises the same error
            self.note = f"the search could not be made ready: {type(error).__name__}: {error}"
        finally:
            self._since, self.is_over = None, True
            self._over()

    def _compile(self) -> str:
        """Compiles in a child process. Returns why that failed, or an empty string."""
        if not code_cache.is_writable():
            return f"the cache folder {code_cache.base()} cannot be written to"
        paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
        with self._lock:
            if self._closed:
                return ""
            try:
                self._child = subprocess.Popen(
                    [sys.executable, "-P", "-m", "core.search.compilation.compile", self._module], stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace", process_group=0,
                    env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)})
            except OSError as error:
                return f"no process could be started: {error}"
        _, said = self._child.communicate()
        if not self._child.returncode:
            return ""
        lines = said.strip().splitlines() or [f"exit code {self._child.returncode}"]
        return f"the process that was to do it failed: {lines[-1]}"


def prepare(say: Callable[[str], None]) -> None:
    """Prepares the search and waits for it, before several processes search at once.

    Args:
        say: receives messages about slow steps and problems.
    """
    over = threading.Event()
    preparation = Preparation(over.set)
    preparation.start()
    if words := preparation.words:
        say(words)
    try:
        over.wait()
    finally:
        preparation.close()
    if preparation.note:
        say(preparation.note)
