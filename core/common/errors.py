"""What can go wrong in words an operator can act on. Every message names the cause and the cure in one line."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from core.common.installation import program


class BelvedereError(Exception):
    """Base of all errors that are shown to people as they are, without a traceback."""


class UsageError(BelvedereError):
    """A flag, name or task that makes no sense here; the command line exits with 2.

    Attributes:
        command: what the command line says after the message, such as a command that lists the names; the window does not.
    """

    def __init__(self, message: str = "", *, command: str = ""):
        super().__init__(message)
        self.command = command


class GoalError(UsageError):
    """A task in words that names no goal here.

    The message of the command line is the cause, then what would do. The window shows the parts separately.

    Attributes:
        cause: one sentence without a remedy.
        words: the part of the task that is wrong, in lower case; empty when it is the whole task.
        instead: what to write in the place of `words`; not checked against the scene.
        suggestions: whole tasks that are possible in the scene; filled by `core.app.goal_suggestions`.
    """

    def __init__(self, cause: str, words: str = "", instead: Sequence[str] = (), suggestions: Sequence[str] = ()):
        self.cause, self.words = cause, words
        self.instead, self.suggestions = tuple(instead), tuple(suggestions)
        super().__init__(self._message(), command="" if self.suggestions else f"see: {program()} list objects")

    def with_suggestions(self, suggestions: Sequence[str]) -> GoalError:
        """The same error, naming tasks that are possible."""
        return type(self)(self.cause, self.words, self.instead, suggestions)

    def reworded(self, change: Callable[[str], str]) -> GoalError:
        """The same error with each of its texts changed."""
        return type(self)(change(self.cause), change(self.words), tuple(map(change, self.instead)), self.suggestions)

    def _message(self) -> str:
        if self.suggestions:
            return f"{self.cause}; try {' or '.join(f'“{text}”' for text in self.suggestions)}"
        if any(text not in self.cause for text in self.instead):
            return f"{self.cause}; did you mean {' or '.join(f'“{text}”' for text in self.instead)}?"
        return self.cause


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
