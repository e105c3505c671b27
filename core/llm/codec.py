"""Replies as JSON, as stored in caches and recordings."""

from __future__ import annotations

import json
import math
from typing import cast, get_args

from core.common.errors import DataError
from core.llm.reply_checks import MOST_SECONDS, MOST_TOKENS, within
from core.planning.model_requests import Misfit, Reply


def reply_text(reply: Reply) -> str:
    """Returns a reply as one line of JSON."""
    value = {"texts": reply.texts, "source": reply.source, "scores": reply.scores, "is_model": reply.is_model,
             "cached": reply.cached, "seconds": reply.seconds, "tokens_in": reply.tokens_in, "tokens_out": reply.tokens_out,
             "note": reply.note, "alike": reply.alike, "misfit": reply.misfit, "first_token": reply.first_token,
             "rate": reply.rate}
    return json.dumps(value, ensure_ascii=True)  # lone surrogates, which models may send, survive only as escapes


def read_reply(text: str) -> Reply:
    """Returns the reply of a line.

    Raises:
        DataError: the text is no reply.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"a reply that is no JSON: {error}") from error
    return reply_of(value)


def reply_of(value: object) -> Reply:
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
        return Reply(tuple(texts), value["source"], tuple((c, float(p)) for c, p in scores),
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
