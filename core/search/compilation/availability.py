"""Whether machine code can be made here, and if not, why and what helps."""

from __future__ import annotations

import os
import platform
import sys

from core.common.installation import is_checkout, pip_install

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
    if is_switched_off:
        return "NUMBA_DISABLE_JIT is set; unset it"
    if error is None:
        return ""
    if not isinstance(error, ModuleNotFoundError):
        return f"numba does not load here: {error}"
    if machine == ("darwin", "x86_64"):
        return "numba does not exist for Intel Macs"
    if python[:2] > NEWEST_PYTHON:
        newest, found = (".".join(map(str, version[:2])) for version in (NEWEST_PYTHON, python))
        cure = f"make PYTHON=python{newest}" if is_checkout() else f"install Belvedere with Python {newest}"
        return f"numba does not exist yet for Python {found}; {cure}"
    return f"numba is not installed for this Python; {pip_install() if is_checkout() else 'pip install numba'}"


def is_switched_off() -> bool:
    """Returns True if numba's settings disable compilation."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


def interpreted_note() -> str:
    """Returns one line for users if the search can only run interpreted: the reason and the remedy; else an empty line.

    Imports numba, which takes half a second, unless it is switched off.
    """
    error: Exception | None = None
    if not is_switched_off():
        try:
            import numba  # noqa: F401 - only whether it can be imported
        except (ImportError, OSError) as caught:  # not installed, numpy too new for it, or its shared library does not load
            error = caught
    why = why_interpreted(error, is_switched_off())
    return f"the search runs interpreted, about 100 times slower: {why}" if why else ""
