"""The errors shown to users. Every message states the cause and the remedy in one line."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from core.common.installation import program
from core.common.visible import visible


class BelvedereError(Exception):
    """Base class of all errors whose message is shown to users without a traceback.

    The message may quote names and texts from outside. It stays on one line and cannot control a terminal.
    """

    def __str__(self) -> str:
        return visible(super().__str__())


class UsageError(BelvedereError):
    """An invalid flag, name or task; the command line exits with 2.

    Attributes:
        command: a hint that only the command line adds to the message, such as a command that lists the names.
    """

    def __init__(self, message: str = "", *, command: str = ""):
        super().__init__(message)
        self.command = command


class GoalError(UsageError):
    """A text that cannot be parsed as a goal here.

    The command line prints the cause and the suggestions as one message. The window shows them separately.

    Attributes:
        cause: one sentence without a remedy.
        words: the wrong part of the task, in lower case; empty if it is the whole task.
        instead: replacements for `words`; not checked against the scene.
        suggestions: whole tasks that are possible in the scene; filled by `core.app.goal_suggestions`.
    """

    def __init__(self, cause: str, words: str = "", instead: Sequence[str] = (), suggestions: Sequence[str] = ()):
        self.cause, self.words = cause, words
        self.instead, self.suggestions = tuple(instead), tuple(suggestions)
        super().__init__(self._message(), command="" if self.suggestions else f"see: {program()} list objects")

    def with_suggestions(self, suggestions: Sequence[str]) -> GoalError:
        """Returns the same error with tasks that are possible."""
        return type(self)(self.cause, self.words, self.instead, suggestions)

    def reworded(self, change: Callable[[str], str]) -> GoalError:
        """Returns the same error with each of its texts changed."""
        return type(self)(change(self.cause), change(self.words), tuple(map(change, self.instead)), self.suggestions)

    def _message(self) -> str:
        if self.suggestions:
            return f"{self.cause}; try {' or '.join(f'“{text}”' for text in self.suggestions)}"
        if any(text not in self.cause for text in self.instead):
            return f"{self.cause}; did you mean {' or '.join(f'“{text}”' for text in self.instead)}?"
        return self.cause


class DataError(BelvedereError):
    """A file, graph or reply from outside with invalid content."""


class MissingPart(BelvedereError):  # noqa: N818 - the name of the state in the window, too
    """An optional part is not installed; the message contains the command that installs it."""


class SimulatorError(BelvedereError):
    """A simulator crashed, hangs or returned an invalid answer."""


class RendererError(BelvedereError):
    """No picture could be drawn."""


class ModelError(BelvedereError):
    """A language model gave no reply: down, wrong key, rate limit, time-out, budget used up.

    Attributes:
        kind: down, key, rate limit, timeout, budget, refused, cancelled.
        retry: True if the same request may succeed later.
    """

    def __init__(self, message: str, kind: str, *, retry: bool):
        super().__init__(message)
        self.kind, self.retry = kind, retry
