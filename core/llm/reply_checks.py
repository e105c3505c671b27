"""What every reply must be before anything keeps or shows it: valid text of bounded length, sound numbers, and no keys.

All providers' replies pass here, whether they come from a server, a recording, the cache or a person.
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
"""Characters of one text: ten times what the longest prompt asks for. Planners search texts, so time is bounded with them."""
MOST_TOKENS, MOST_SECONDS = 10**9, 1e7
"""Of one reply; what is more is taken for a mistake."""
LOWEST = -1e6
"""Of log-probabilities."""
WEB_PAGE = ("<!doctype html", "<html", "<head", "<body", "<?xml")


def valid_text(text: str, limit: int = TEXT_LIMIT) -> str:
    """Text that can be encoded: halves of surrogate pairs become U+FFFD, and what is longer than the limit is cut."""
    text = text[:limit]
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def uselessness(reply: Reply) -> str:
    """What kind of reply no planner can use: "empty", "a web page", or "" for all others."""
    if reply.scores or not reply.texts:
        return ""
    kinds = {_kind(text) for text in reply.texts}
    return "" if "" in kinds else "a web page" if "a web page" in kinds else "empty"


def _kind(text: str) -> str:
    start = text.lstrip()[:20].lower()
    return "a web page" if start.startswith(WEB_PAGE) else "" if start else "empty"


def checked(reply: Reply, ask: Ask, redactor: Redactor) -> Reply:
    """The reply with everything in it made sound; a note says what kind of useless it is."""
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
    """The value, if it is a number from 0 to `most`; `most` for what is more, and 0 for what is less or no number."""
    return value if 0 <= value <= most else most if value > most else 0


def without_keys(error: ModelError, redactor: Redactor) -> ModelError:
    """The error itself, or one like it where its words held a key."""
    words = redactor.text(valid_text(str(error)))
    if words == str(error):
        return error
    return Trouble(words, error.kind, retry=error.retry, status=error.status if isinstance(error, Trouble) else 0)


class Checked(LanguageModel):
    """A provider whose replies are sound and whose errors hold no keys."""

    name: ClassVar[str] = "checked"

    def __init__(self, model: LanguageModel, redactor: Redactor):
        self._model, self._redactor = model, redactor

    @classmethod
    def open(cls, options: Mapping[str, str]) -> Self:
        """Not opened by name: it wraps a provider."""
        raise UsageError("checks stand around a provider; they are none themselves")

    @property
    def source(self) -> str:
        """That of the provider."""
        return self._model.source

    @property
    def secret(self) -> Secret:
        """That of the provider."""
        return self._model.secret

    def news(self) -> tuple[str, ...]:
        """That of the provider."""
        return self._model.news()

    def answer(self, ask: Ask, cancelled: threading.Event) -> Reply:
        """The provider's reply, made sound.

        Raises:
            ModelError: there is none; also where the provider broke, as the traceback could hold the key.
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
        """Close the provider."""
        self._model.close()
