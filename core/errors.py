"""What can go wrong in words an operator can act on. Every message names the cause and the cure in one line."""

from __future__ import annotations


class BelvedereError(Exception):
    """Base of all errors that are shown to people as they are, without a traceback."""


class UsageError(BelvedereError):
    """A flag, name or task that makes no sense here; the command line exits with 2."""


class DataError(BelvedereError):
    """A file, graph or reply from outside that does not hold what it should.

    The message often quotes it: whatever stands there, it stays one line, and says nothing to a terminal.
    """

    def __str__(self) -> str:
        return "".join(c if c.isprintable() else " " for c in super().__str__())


class MissingPart(BelvedereError):  # noqa: N818 - the name of the state in the window, too
    """An optional part is not installed; the message holds the command that installs it."""


class SimulatorError(BelvedereError):
    """A simulator died, hangs or answered nonsense."""


class RendererError(BelvedereError):
    """No picture could be drawn."""


class ModelError(BelvedereError):
    """A language model gave no answer: down, wrong key, rate limit, time-out, budget used up.

    Attributes:
        kind: down, key, rate limit, timeout, budget, refused, cancelled.
        retry: whether asking again may help.
    """

    def __init__(self, message: str, kind: str, *, retry: bool):
        super().__init__(message)
        self.kind, self.retry = kind, retry
