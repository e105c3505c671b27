"""Makes standard output and error robust: closed, full or narrow streams must not end a command with a traceback."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable
from typing import Any, TextIO


class Tolerant(io.TextIOWrapper):
    """Standard error that drops text it cannot write: with a full disk or a closed terminal there is no place to report it."""

    def write(self, text: str, /) -> int:
        """Writes the text, or drops it."""
        return _dropped(lambda: super(Tolerant, self).write(text)) or len(text)

    def flush(self) -> None:
        """Flushes, or does nothing."""
        _dropped(super().flush)


def _dropped(act: Callable[[], int | None]) -> int | None:
    try:
        return act()
    except (OSError, ValueError):  # the disk is full, or the stream is closed
        return None


def prepare() -> None:
    """Prepares both streams for writing. Characters that the encoding lacks are written as escapes, such as `u2026`."""
    if sys.stdout is None:  # closed by the parent process
        sys.stdout = _nowhere()
    if sys.stderr is None:
        sys.stderr = _nowhere()
    if type(sys.stdout) is io.TextIOWrapper:
        sys.stdout.reconfigure(errors="backslashreplace")
    if type(sys.stderr) is io.TextIOWrapper and sys.stderr is sys.__stderr__:  # sys.__stderr__ keeps the file open
        sys.stderr = Tolerant(sys.stderr.buffer, sys.stderr.encoding, "backslashreplace", write_through=True)


def takes(value: Any) -> bool:
    """Returns True if standard output can encode all characters of a JSON value."""
    try:
        json.dumps(value, ensure_ascii=False).encode(sys.stdout.encoding or "ascii")
    except (UnicodeError, LookupError):
        return False
    return True


def give_up() -> None:
    """Discards buffered standard output. Python would otherwise try to write it at exit, and fail again."""
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
    except (OSError, ValueError):  # a stream without a file, as in tests
        sys.stdout = _nowhere()


def _nowhere() -> TextIO:
    return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123 - open until the program ends
