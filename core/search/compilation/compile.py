"""Fills the cache of machine code: `python -m core.search.compilation.compile`, also run by `Preparation` beside a search.

A module with a function `examples()` names the entries that are compiled, see `warm_up`. Each entry is kept as soon as it is
compiled, so that a compilation that was killed goes on with the next one. After the last, a mark is written into the cache
folder of the module. The folder's name is a digest of all sources the module depends on, so a mark is never found for other
sources.
"""

from __future__ import annotations

import gc
import importlib
import importlib.util
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from core.common.errors import DataError
from core.common.priority import lower_priority
from core.search.compilation import code_cache
from core.search.compilation.availability import interpreted_note, is_switched_off

WARM_UP = "core.search.compilation.warm_up"
BESIDE = "--beside"
"""The flag of a process that compiles beside a search: it has low priority, writes a line for each entry that is ready, and
ends when its standard input does."""
READY = "ready: "
"""Begins that line."""


def is_needed(module: str = WARM_UP) -> bool:
    """Returns True if there is something to compile; False also if no machine code can be made (`interpreted_note` says why).

    The first call takes a tenth of a second: it loads neither numba nor the kernel.
    """
    try:
        return _is_wanted() and not _mark(module).is_file()
    except ImportError:  # numba without its compiler: loading the machine code detects the same
        return False


def _is_wanted() -> bool:
    return not is_switched_off() and importlib.util.find_spec("numba") is not None


def _mark(module: str) -> Path:
    found = importlib.util.find_spec(module)
    if found is None or found.origin is None:
        raise ImportError(f"no module {module}")
    return code_cache.folder(module, Path(found.origin)) / "complete"


def load(module: str = WARM_UP, most: int = sys.maxsize, compiled: Callable[[str, float], None] = lambda name, seconds: None,
         ) -> str:
    """Loads the machine code of all entries into this process, and compiles what the cache lacks.

    Args:
        module: names the entries.
        most: only so many of the entries, most urgent first.
        compiled: called after each entry that is ready, with its name and the seconds it took to compile; 0 if it was kept.

    Returns:
        One line for users if the search runs interpreted; empty if it is compiled.
    """
    if note := interpreted_note():
        return note
    from core.search.compilation.machine_code import machine_code

    for entry, arguments in importlib.import_module(module).examples()[:most]:
        since = time.monotonic()
        if entry.is_compiled:
            continue
        code, is_new = machine_code(entry, arguments)
        entry.use(code)
        compiled(entry.__name__, time.monotonic() - since if is_new else 0.0)
    return ""


def make(module: str = WARM_UP, done: Callable[[str], object] = lambda name: None) -> str:
    """Fills the cache, after any other process that is doing so, and removes old folders.

    Args:
        module: names the entries.
        done: called with the name of each entry that is in the cache.

    Returns:
        As `load`.

    Raises:
        DataError, OSError: the cache is not writable.
    """
    def keep_seconds(name: str, seconds: float) -> None:
        if seconds:
            code_cache.write_seconds({**code_cache.read_seconds(), name: seconds})
        done(name)

    with code_cache.alone("compile"):
        if not is_needed(module):
            return ""
        note = load(module, compiled=keep_seconds)
        if not note:
            mark = _mark(module)
            mark.parent.mkdir(parents=True, exist_ok=True)
            mark.touch()
            code_cache.remove_old(time.time())
        return note


def main(arguments: Sequence[str]) -> int:
    """Compiles the search. The exit code is 0 also if nothing can be compiled.

    Args:
        arguments: `BESIDE` or not; the module that names the entries, if not the default.
    """
    beside = BESIDE in arguments
    module = next((argument for argument in arguments if argument != BESIDE), WARM_UP)
    gc.disable()  # a tenth of the time; what the compiler leaves behind is freed when this process ends
    if beside:
        lower_priority()
        threading.Thread(target=_end_with_input, name="until input ends", daemon=True).start()
        make(module, _tell_ready)
    elif not _is_wanted():
        _say(interpreted_note())
    elif is_needed(module):
        _say(announcement())
        if note := make(module):
            _say(note)
    return 0


def _tell_ready(name: str) -> None:
    sys.stdout.write(f"{READY}{name}\n")
    sys.stdout.flush()


def _end_with_input() -> None:
    while os.read(sys.stdin.fileno(), 1):  # a thread that holds the lock of sys.stdin at the end would abort the process
        pass
    os._exit(1)


def announcement() -> str:
    """Returns one line for users who wait for a compilation, with the time it took last on this machine if that is known."""
    seconds = code_cache.read_seconds()
    return f"compiling the search, once{f': about {sum(seconds.values()):.0f} s' if seconds else ''}"


def _say(line: str) -> None:
    sys.stderr.write(f"{line[:1].upper()}{line[1:]}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (DataError, OSError) as error:
        _say(f"the search could not be compiled beforehand: {error}")
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
