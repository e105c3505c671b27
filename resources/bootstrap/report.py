"""How the set-up speaks: short lines for a person, one line for an error."""

from __future__ import annotations

import sys


class SetupError(Exception):
    """The set-up cannot go on; its text is what a person has to know, and do."""


def say(text: str) -> None:
    """Write one line of progress to stderr, clearing the passing line that may stand there."""
    clear = "\r\033[K" if sys.stderr.isatty() else ""
    sys.stderr.write(f"{clear}{text}\n")
    sys.stderr.flush()


def say_passing(text: str) -> None:
    """Show what goes on right now in a line that the next one replaces; only where a person watches."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\033[K  {text[:76]}")
        sys.stderr.flush()
