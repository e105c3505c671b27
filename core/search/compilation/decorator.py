"""The decorator of the search's kernel: machine code by numba if it is available, otherwise plain Python.

The same source runs both ways with the same results; no code may depend on which it is. Therefore the kernel is compiled
without `fastmath` (the same seed grows the same tree on every machine), and its `np.uint64` arithmetic wraps silently in both.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np

from core.common.installation import is_checkout, pip_install
from core.search.compilation import code_cache

F = TypeVar("F", bound=Callable[..., Any])

NEWEST_PYTHON = (3, 15)
"""The newest Python that numba supports; pyproject.toml requires numba up to it."""


def why_interpreted(error: Exception | None, is_switched_off: bool, python: tuple[int, ...] = sys.version_info[:3],
                    machine: tuple[str, str] = (sys.platform, platform.machine())) -> str:
    """Returns why there is no machine code, and the remedy.

    Args:
        error: the error of importing numba; None if it was imported.
        is_switched_off: whether numba's settings disable compilation.
        python: the version of Python.
        machine: system and processor.

    Returns:
        Part of a line for users; empty if there is machine code.
    """
    if error is None:
        return "NUMBA_DISABLE_JIT is set; unset it" if is_switched_off else ""
    if not isinstance(error, ModuleNotFoundError):
        return f"numba does not load here: {error}"
    if machine == ("darwin", "x86_64"):
        return "numba does not exist for Intel Macs"
    if python[:2] > NEWEST_PYTHON:
        newest, found = (".".join(map(str, version[:2])) for version in (NEWEST_PYTHON, python))
        cure = f"make PYTHON=python{newest}" if is_checkout() else f"install Belvedere with Python {newest}"
        return f"numba does not exist yet for Python {found}; {cure}"
    return f"numba is not installed for this Python; {pip_install() if is_checkout() else 'pip install numba'}"


try:
    import numba
except (ImportError, OSError) as error:  # not installed, numpy too new for it, or its shared library does not load
    _WHY = why_interpreted(error, False)
else:
    _WHY = why_interpreted(None, bool(numba.config.DISABLE_JIT))

IS_COMPILED = not _WHY
"""Whether decorated functions are machine code; otherwise they are Python functions, about 100 times slower."""


def compiled(function: F) -> F:
    """Compiles a function at its first call with new types, or loads its machine code from the user's cache.

    A compiled function runs without the interpreter lock. The module globals it reads are frozen into the machine code. Such
    constants must be literals in the sources (which `code_cache` checks), never read from a file or the environment.
    Interpreted, it is the function itself, with numpy's warning about integer overflow switched off.

    It cannot allocate arrays: numba's reference counting is switched off, because it takes nine tenths of the time when named
    tuples of arrays are passed between functions. It writes into arrays passed to it instead.

    Args:
        function: a function at the top level of a module; it may call other compiled functions, also of other modules.

    Returns:
        A callable with the same parameters and results.
    """
    if not IS_COMPILED:
        return np.errstate(over="ignore")(function)
    from core.search.compilation.tolerant_cache import TolerantCache

    dispatcher = numba.njit(nogil=True, _nrt=False)(function)
    with code_cache.chosen_for(function) as can_keep:
        if can_keep:
            dispatcher._cache = TolerantCache(function)  # the attribute that `cache=True` sets to numba's own cache
    return cast(F, dispatcher)


def interpreted_note() -> str:
    """Returns one line for users if the search runs interpreted: the reason and the remedy; empty if it is compiled."""
    return f"the search runs interpreted, about 100 times slower: {_WHY}" if _WHY else ""
