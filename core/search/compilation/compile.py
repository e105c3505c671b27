"""`python -m core.search.compilation.compile` compiles the search in advance, unless the user's cache has its machine code.

It compiles a module with a function `warm_up()`. After that has returned, it writes a mark into the cache folder of the module.
The folder's name is a digest of all sources the module depends on, so a mark is never found for other sources.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import os
import sys
import time
from pathlib import Path

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
