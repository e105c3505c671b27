"""Valid replies: text of limited length, finite numbers and no keys; in memory and as JSON, as caches and recordings hold them.

All replies pass these checks, whether they come from a server, a recording, the cache or a person.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict, replace
from typing import ClassVar, cast, get_args

from core.common.cancellation import Cancellation
from core.common.errors import BelvedereError, DataError, ModelError
from core.common.redaction import Redactor
from core.llm.model import LanguageModel, Wrapper
from core.llm.server_errors import Trouble, shortened
from core.planning.model_requests import Misfit, ModelReply, ModelRequest

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


def uselessness(reply: ModelReply) -> str:
    """Returns "empty" or "a web page" for a reply that no planner can use, else ""."""
    if reply.scores or not reply.texts:
        return ""
    kinds = {_kind(text) for text in reply.texts}
    return "" if "" in kinds else "a web page" if "a web page" in kinds else "empty"


def _kind(text: str) -> str:
    start = text.lstrip()[:20].lower()
    return "a web page" if start.startswith(WEB_PAGE) else "" if start else "empty"


def checked(reply: ModelReply, ask: ModelRequest, redactor: Redactor) -> ModelReply:
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


def _scores(reply: ModelReply, ask: ModelRequest) -> tuple[tuple[str, float], ...]:
    offered = frozenset(ask.expects.choices)
    return tuple((choice, min(0.0, max(LOWEST, value))) for choice, value in reply.scores
                 if choice in offered and math.isfinite(value))


def _likeness(reply: ModelReply, rows: int) -> tuple[tuple[float, ...], ...]:
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


class Checked(Wrapper):
    """A layer that makes replies valid, and removes keys from them and from errors."""

    name: ClassVar[str] = "checked"

    def __init__(self, model: LanguageModel, redactor: Redactor):
        super().__init__(model)
        self._redactor = redactor

    def answer(self, ask: ModelRequest, cancelled: Cancellation) -> ModelReply:
        """See the base class.

        Raises:
            ModelError: there is no reply; also if the provider has a bug, since the traceback could contain the key.
        """
        try:
            return self.changed(ask, self.model.answer(ask, cancelled))
        except ModelError as error:
            raise without_keys(error, self._redactor) from None
        except BelvedereError:
            raise
        except Exception as error:  # noqa: BLE001 - a provider's own bug must reach the operator, without the key
            words = f"{self.source} broke: {type(error).__name__}: {shortened(self._redactor.text(str(error)))}"
        raise ModelError(words, "refused", retry=True)

    def changed(self, ask: ModelRequest, reply: ModelReply) -> ModelReply:
        """Returns the reply, valid and without keys."""
        return checked(reply, ask, self._redactor)


def reply_text(reply: ModelReply, *, judged: bool = False) -> str:
    """Returns a reply as one line of JSON; with `judged`, it says that halves of replies are told from whole ones."""
    mark = {"judged": True} if judged else {}
    return json.dumps({**asdict(reply), **mark}, ensure_ascii=True)  # lone surrogates survive only as escapes


def read_reply(text: str) -> ModelReply:
    """Returns the reply of a line.

    Raises:
        DataError: the text is no reply.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"a reply that is no JSON: {error}") from error
    return reply_of(value)


def reply_of(value: object) -> ModelReply:
    """Returns the reply of a decoded JSON object; missing fields get their defaults.

    Raises:
        DataError: the value is no reply.
    """
    if not isinstance(value, dict):
        raise DataError("a reply must be a JSON object")
    texts, scores = value.get("texts"), value.get("scores", [])
    if not (isinstance(texts, list) and all(isinstance(t, str) for t in texts) and isinstance(value.get("source"), str)):
        raise DataError("a reply needs texts and a source")
    if not (isinstance(scores, list) and all(map(_is_score, scores))):
        raise DataError("a reply's scores must be pairs of choice and log-probability")
    try:
        return ModelReply(tuple(texts), value["source"], tuple((c, float(p)) for c, p in scores),
                     bool(value.get("is_model", True)), bool(value.get("cached", False)),
                     within(float(value.get("seconds", 0.0)), MOST_SECONDS), _count(value.get("tokens_in", 0)),
                     _count(value.get("tokens_out", 0)),
                     str(value.get("note", "")), tuple(tuple(map(float, row)) for row in value.get("alike", ())),
                     _misfit(value.get("misfit", "")), within(float(value.get("first_token", 0.0)), MOST_SECONDS),
                     within(float(value.get("rate", 0.0)), MOST_TOKENS))
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"a reply with a field that makes no sense: {error}") from error


def _misfit(value: object) -> Misfit:
    for misfit in get_args(Misfit):
        if value == misfit:
            return cast(Misfit, misfit)
    raise ValueError(f"no way to miss a form: {value!r}")


def _count(value: object) -> int:
    if not isinstance(value, int | float):
        raise TypeError("a number of tokens must be a number")
    return int(within(value, MOST_TOKENS))


def _is_score(pair: object) -> bool:
    return isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str) and isinstance(pair[1], int | float) \
        and not math.isnan(pair[1])
