"""The decorator of the search's kernel: machine code by numba where numba can be had, plain Python elsewhere.

The same source runs both ways and gives the same results: nothing may depend on which it is. So the kernel is compiled without
`fastmath` (the same seed grows the same tree on every machine), and its `np.uint64` arithmetic wraps silently in both.
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
"""The newest Python that numba exists for; pyproject.toml asks for numba up to it."""


def why_interpreted(error: Exception | None, is_switched_off: bool, python: tuple[int, ...] = sys.version_info[:3],
                    machine: tuple[str, str] = (sys.platform, platform.machine())) -> str:
    """Say why there is no machine code, and the cure.

    Args:
        error: why numba could not be imported; None if it could.
        is_switched_off: whether its settings say not to compile.
        python: version of Python.
        machine: system and processor.

    Returns:
        Part of a line for people; empty where there is machine code.
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
"""Whether decorated functions are machine code; otherwise they are Python, about 100 times slower."""


def compiled(function: F) -> F:
    """Compile a function at its first call with new types, or take the machine code from the user's cache.

    A compiled function runs without the interpreter lock. What it reads from its module's globals is frozen into the machine
    code: such constants must be spelt in the sources (`code_cache` watches those), never read from a file or the environment.
    Interpreted, it is the function itself, with numpy's warning of integers that wrap switched off.

    It cannot allocate arrays: numba's reference counts are switched off, which otherwise take nine tenths of the time where
    named tuples of arrays are handed from function to function. So it writes into arrays that it is given.

    Args:
        function: at the top level of a module; it may call other compiled functions, of other modules too.

    Returns:
        What is called in its place, with the same parameters and results.
    """
    if not IS_COMPILED:
        return np.errstate(over="ignore")(function)
    from core.search.compilation.tolerant_cache import TolerantCache

    dispatcher = numba.njit(nogil=True, _nrt=False)(function)
    with code_cache.chosen_for(function) as can_keep:
        if can_keep:
            dispatcher._cache = TolerantCache(function)  # where `cache=True` puts numba's own
    return cast(F, dispatcher)


def interpreted_note() -> str:
    """One line for people where the search runs interpreted: why, and the cure; empty where it is compiled."""
    return f"the search runs interpreted, about 100 times slower: {_WHY}" if _WHY else ""
