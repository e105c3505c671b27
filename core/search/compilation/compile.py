"""`python -m core.search.compilation.compile` compiles the search beforehand, unless the user's cache holds it already.

What is to be compiled is a module with a function `warm_up()`. When that has returned, the cache folder of the module gets a
mark. The folder's name is made of all sources below the module, so a mark is never found for other sources.
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
"""What compiling all of it takes, about."""


def is_needed(module: str = WARM_UP) -> bool:
    """Whether there is something to compile. False where no machine code can be made: `decorator` says why.

    It takes a tenth of a second the first time: neither numba nor the kernel is loaded.
    """
    try:
        return _is_wanted() and not _mark(module).is_file()
    except ImportError:  # numba without its compiler: the kernel finds the same when it is imported
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
    """Have all machine code in the memory of this process, compiled here where the cache lacks it.

    Returns:
        One line for people where the search runs interpreted, empty where it is compiled.
    """
    from core.search.compilation.decorator import interpreted_note

    note = interpreted_note()
    kernel = importlib.import_module(module)
    if not note:
        kernel.warm_up()
    return note


def make(module: str = WARM_UP) -> str:
    """Fill the cache, after another process that does so, and remove what is old there.

    Returns:
        As `load`.

    Raises:
        OSError: the cache cannot be written to.
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
    """Compile; the exit code is 0 also where nothing can be compiled.

    Args:
        arguments: the module to compile, if it is another one.
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
