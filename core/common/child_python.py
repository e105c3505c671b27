"""How child processes that run Python are started: they find the same modules as this process (see `module_path`)."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from core.common.module_path import STANDARD, in_order


def command(module: str, *words: str) -> list[str]:
    """Returns the command that runs a module. It is to be started in `environment()`."""
    return [sys.executable, "-P", "-m", module, *words]


def environment() -> dict[str, str]:
    """Returns the environment variables of a child process."""
    path = in_order([*STANDARD, *os.environ.get("PYTHONPATH", "").split(os.pathsep)])
    return {**os.environ, "PYTHONSAFEPATH": "1", "PYTHONPATH": os.pathsep.join(filter(None, path))}


@contextmanager
def everywhere() -> Iterator[None]:
    """Within the context, all child processes are started in `environment()`: for packages that start them on their own."""
    before = dict(os.environ)
    os.environ.update(environment())
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
