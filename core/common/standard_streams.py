"""The program's standard output and error: closed, full or narrow ones must not end a command in a traceback."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable
from typing import Any, TextIO


class Tolerant(io.TextIOWrapper):
    """Standard error that drops what cannot be written: when the disk is full or the terminal gone, there is no one to tell."""

    def write(self, text: str, /) -> int:
        """Write, or drop the text."""
        return _dropped(lambda: super(Tolerant, self).write(text)) or len(text)

    def flush(self) -> None:
        """Flush, or do nothing."""
        _dropped(super().flush)


def _dropped(act: Callable[[], int | None]) -> int | None:
    try:
        return act()
    except (OSError, ValueError):  # full, or closed
        return None


def prepare() -> None:
    """Make both streams fit to be written to; characters that an encoding lacks are written as escapes, such as `u2026`."""
    if sys.stdout is None:  # closed by who started the program
        sys.stdout = _nowhere()
    if sys.stderr is None:
        sys.stderr = _nowhere()
    if type(sys.stdout) is io.TextIOWrapper:
        sys.stdout.reconfigure(errors="backslashreplace")
    if type(sys.stderr) is io.TextIOWrapper and sys.stderr is sys.__stderr__:  # that one keeps the file open
        sys.stderr = Tolerant(sys.stderr.buffer, sys.stderr.encoding, "backslashreplace", write_through=True)


def takes(value: Any) -> bool:
    """Whether standard output can write all characters of a JSON value."""
    try:
        json.dumps(value, ensure_ascii=False).encode(sys.stdout.encoding or "ascii")
    except (UnicodeError, LookupError):
        return False
    return True


def give_up() -> None:
    """Drop what waits for standard output: Python would try to write it, and complain, once more at its end."""
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
    except (OSError, ValueError):  # a stream without a file, as in tests
        sys.stdout = _nowhere()


def _nowhere() -> TextIO:
    return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123 - open until the program ends
