"""The decorators of the search's kernel: plain Python functions, of which some run as machine code once there is any.

Interpreted and compiled functions give the same results, so a run need not wait for the compiler. No code may depend on which
is used. Therefore the kernel is compiled without `fastmath` (the same seed grows the same tree on every machine), and its
`np.uint64` arithmetic wraps silently in both.

This module does not import numba, which takes half a second; `machine_code` compiles what is marked here.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType
from typing import Generic, ParamSpec, TypeVar

import numpy as np

F = TypeVar("F", bound=Callable[..., object])
P = ParamSpec("P")
R = TypeVar("R")

_marked: list[FunctionType] = []


def kernel(function: F) -> F:
    """Marks a function that entries may call. It stays a Python function; entries that are machine code contain a copy of it.

    Module globals that it reads are frozen into the machine code. Such constants must be literals in the sources (which
    `code_cache` checks), never read from a file or the environment. It cannot allocate arrays: numba's reference counting is
    switched off, because it takes nine tenths of the time when named tuples of arrays are passed between functions. It writes
    into arrays passed to it instead.

    Args:
        function: a function at the top level of a module; it may call other marked functions, also of other modules.

    Returns:
        The function itself. Where Python calls it and its numbers may wrap, numpy's warning must be switched off.
    """
    assert isinstance(function, FunctionType), "only functions can be compiled"
    _marked.append(function)
    return function


def marked() -> tuple[FunctionType, ...]:
    """Returns the functions that were marked so far."""
    return tuple(_marked)


class Entry(Generic[P, R]):
    """Decorates a kernel function that does much work at each call from Python. No other kernel function may call it.

    It runs interpreted, with numpy's warning about integer overflow switched off, until it is given its machine code. That
    runs without the interpreter lock, about 100 times faster, and continues where interpreted calls have left its arrays.

    Args:
        function: as for `kernel`.

    Attributes:
        function: the Python function.
    """

    def __init__(self, function: Callable[P, R]):
        assert isinstance(function, FunctionType), "only functions can be compiled"
        functools.update_wrapper(self, function)
        self.function: FunctionType = function
        self._interpreted: Callable[P, R] = function
        self._machine: Callable[P, R] | None = None

    @property
    def is_compiled(self) -> bool:
        """Whether calls run machine code."""
        return self._machine is not None

    def use(self, machine: Callable[P, R]) -> None:
        """Runs machine code from the next call on. Safe from any thread, also during a call."""
        self._machine = machine

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Calls the machine code if there is any, else the Python function."""
        machine = self._machine
        if machine is not None:
            return machine(*args, **kwargs)
        with np.errstate(over="ignore"):
            return self._interpreted(*args, **kwargs)
