"""Sanitizes replies before they are stored or shown: valid text of limited length, valid numbers, and no keys.

All replies pass these checks, whether they come from a server, a recording, the cache or a person.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar, Self

from core.common.errors import BelvedereError, ModelError, UsageError
from core.common.redaction import Redactor
from core.llm.keys import Secret
from core.llm.model import LanguageModel
from core.llm.server_errors import Trouble, shortened
from core.planning.model_requests import Ask, Reply

TEXT_LIMIT = 100_000
"""The maximum number of characters of a text: ten times the longest requested. It limits the time that planners need to search
it."""
MOST_TOKENS, MOST_SECONDS = 10**9, 1e7
"""The maximum of one reply; larger values are errors."""
LOWEST = -1e6
"""The minimum log-probability."""
WEB_PAGE = ("<!doctype html", "<html", "<head", "<body", "<?xml")


def valid_text(text: str, limit: int = TEXT_LIMIT) -> str:
    """Returns text that can be encoded: surrogate halves become U+FFFD, and text beyond the limit is cut."""
    text = text[:limit]
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def uselessness(reply: Reply) -> str:
    """Returns "empty" or "a web page" for a reply that no planner can use, else ""."""
    if reply.scores or not reply.texts:
        return ""
    kinds = {_kind(text) for text in reply.texts}
    return "" if "" in kinds else "a web page" if "a web page" in kinds else "empty"


def _kind(text: str) -> str:
    start = text.lstrip()[:20].lower()
    return "a web page" if start.startswith(WEB_PAGE) else "" if start else "empty"


def checked(reply: Reply, ask: Ask, redactor: Redactor) -> Reply:
    """Returns the sanitized reply; a note says if it is useless."""
    texts = tuple(valid_text(redactor.text(valid_text(text))) for text in reply.texts[:max(1, ask.samples)])
    sound = replace(
        reply, texts=texts, source=shortened(redactor.text(valid_text(reply.source))), scores=_scores(reply, ask),
        seconds=within(reply.seconds, MOST_SECONDS), tokens_in=int(within(reply.tokens_in, MOST_TOKENS)),
        tokens_out=int(within(reply.tokens_out, MOST_TOKENS)), first_token=within(reply.first_token, MOST_SECONDS),
        rate=within(reply.rate, MOST_TOKENS), alike=_likeness(reply, len(texts)))
    kind, note = uselessness(sound), shortened(redactor.text(valid_text(reply.note, 4000)))
    said = f"the reply is {kind}" if kind else ""
    return replace(sound, note=note if not said or said in note else f"{said}; {note}" if note else said)


def _scores(reply: Reply, ask: Ask) -> tuple[tuple[str, float], ...]:
    offered = frozenset(ask.expects.choices)
    return tuple((choice, min(0.0, max(LOWEST, value))) for choice, value in reply.scores
                 if choice in offered and math.isfinite(value))


def _likeness(reply: Reply, rows: int) -> tuple[tuple[float, ...], ...]:
    most = reply.alike[:max(1, rows)]
    return tuple(row if all(-2 <= value <= 2 for value in row) else () for row in most)  # False for NaN


def within(value: float, most: float) -> float:
    """Returns the value limited to 0..`most`; 0 if it is no number."""
    return value if 0 <= value <= most else most if value > most else 0


def without_keys(error: ModelError, redactor: Redactor) -> ModelError:
    """Returns the error itself, or a copy without keys if its message contained one."""
    words = redactor.text(valid_text(str(error)))
    if words == str(error):
        return error
    return Trouble(words, error.kind, retry=error.retry, status=error.status if isinstance(error, Trouble) else 0)


class Checked(LanguageModel):
    """A provider whose replies are sanitized and whose errors contain no keys."""

    name: ClassVar[str] = "checked"

    def __init__(self, model: LanguageModel, redactor: Redactor):
        self._model, self._redactor = model, redactor

    @classmethod
    def open(cls, options: Mapping[str, str]) -> Self:
        """Raises UsageError: this class wraps a provider and is not opened by name."""
        raise UsageError("checks stand around a provider; they are none themselves")

    @property
    def source(self) -> str:
        """The source of the inner provider."""
        return self._model.source

    @property
    def secret(self) -> Secret:
        """The key of the inner provider."""
        return self._model.secret

    def news(self) -> tuple[str, ...]:
        """Returns the problems of the inner provider."""
        return self._model.news()

    def answer(self, ask: Ask, cancelled: threading.Event) -> Reply:
        """Returns the provider's reply, sanitized.

        Raises:
            ModelError: there is no reply; also if the provider has a bug, since the traceback could contain the key.
        """
        try:
            return checked(self._model.answer(ask, cancelled), ask, self._redactor)
        except ModelError as error:
            raise without_keys(error, self._redactor) from None
        except BelvedereError:
            raise
        except Exception as error:  # noqa: BLE001 - a provider's own bug must reach the operator, without the key
            words = f"{self.source} broke: {type(error).__name__}: {shortened(self._redactor.text(str(error)))}"
        raise ModelError(words, "refused", retry=True)

    def close(self) -> None:
        """Closes the inner provider."""
        self._model.close()
