"""Computes log-probabilities of whole choices from those of tokens, in the format of chat completions or completions."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice

BRACKETS = " \t\n\"'`*([{"
"""Characters that may precede the choice at the start of a reply."""
MOST_POSITIONS, MOST_ALTERNATIVES = 2000, 100
"""The limits of a listing that are read: requests ask for 20 alternatives and short replies."""
LOWEST = -1e6
"""The minimum log-probability; lower ones are practically impossible, and sums stay finite."""


@dataclass(frozen=True, slots=True)
class Position:
    """One generated token, and the possible tokens at its position (including it) with natural log-probabilities."""

    token: str
    alternatives: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Scores:
    """Log-probabilities of the choices that the model considered.

    Attributes:
        values: (choice, log-probability).
        shared: choices with a common beginning at the end of the listing, which share its probability evenly.
    """

    values: tuple[tuple[str, float], ...] = ()
    shared: frozenset[str] = frozenset()


def positions(listing: object) -> tuple[Position, ...]:
    """Returns the tokens of a reply's `logprobs` object, in chat or completions format; empty if it is invalid."""
    if not isinstance(listing, dict):
        return ()
    content = listing.get("content")
    if isinstance(content, list):
        return tuple(p for entry in content[:MOST_POSITIONS] if (p := _chat_position(entry)) is not None)
    tokens, own, top = (listing.get(name) for name in ("tokens", "token_logprobs", "top_logprobs"))
    if not isinstance(tokens, list):
        return ()
    tokens = tokens[:MOST_POSITIONS]
    own = own if isinstance(own, list) else []
    top = top[:MOST_POSITIONS] if isinstance(top, list) else []
    others = [list(islice(t.items(), MOST_ALTERNATIVES)) if isinstance(t, dict) else []
              for t in (*top, *[None] * (len(tokens) - len(top)))]
    return tuple(_position(token, own[i] if i < len(own) else None, others[i])
                 for i, token in enumerate(tokens) if isinstance(token, str) and token)


def _chat_position(entry: object) -> Position | None:
    if not isinstance(entry, dict) or not isinstance(entry.get("token"), str) or not entry["token"]:
        return None
    top = entry.get("top_logprobs")
    top = top[:MOST_ALTERNATIVES] if isinstance(top, list) else []
    pairs = [(t.get("token"), t.get("logprob")) for t in top if isinstance(t, dict)]
    return _position(entry["token"], entry.get("logprob"), pairs)


def _position(token: str, own: object, pairs: Iterable[tuple[object, object]]) -> Position:
    found: dict[str, float] = {}
    for name, value in (*pairs, (token, own)):
        if isinstance(name, str) and isinstance(value, int | float) and -math.inf < value < math.inf:  # False for NaN as well
            found.setdefault(name, float(min(0.0, max(LOWEST, value))))
    return Position(token, tuple(found.items()))


@dataclass(slots=True)
class _Tally:
    """The probability found for each choice so far.

    Attributes:
        values: choice -> log-probability.
        alone: choices with an outcome that leads to no other choice.
    """

    values: dict[str, float] = field(default_factory=dict)
    alone: set[str] = field(default_factory=set)

    def add(self, choices: list[str], logprob: float) -> None:
        """Divides an outcome's probability evenly among the choices it is consistent with."""
        for choice in choices:
            self.values[choice] = min(0.0, _sum(logprob - math.log(len(choices)), self.values.get(choice, -math.inf)))
        self.alone |= set(choices) if len(choices) == 1 else set()

    @property
    def scores(self) -> Scores:
        """The scores, the highest first."""
        shared = frozenset(self.values.keys() - self.alone)
        return Scores(tuple(sorted(self.values.items(), key=lambda pair: -pair[1])), shared)


def _sum(one: float, other: float) -> float:
    """Returns the logarithm of the sum of two probabilities, at least one of which is not 0."""
    high, low = max(one, other), min(one, other)
    return high + math.log1p(math.exp(low - high))


def choice_scores(choices: tuple[str, ...], tokens: tuple[Position, ...]) -> Scores:
    """Returns what the tokens' probabilities say about each choice.

    The reply's own tokens are followed as long as several choices are possible. At each position, every alternative token that
    leads to other choices gives them its probability. An alternative that leads to the same choices is another tokenization of
    the same beginning (`in`, `side` for `inside`); its probability is added to the followed token. Choices not covered by the
    listing are left out.
    """
    first, lead = _beginning(choices, tokens)
    tally = _Tally()
    begun, left, logprob = "", list(dict.fromkeys(choices)), 0.0
    for index in range(first, len(tokens)):
        position = tokens[index]
        lead = lead if index == first else ""
        own = dict(position.alternatives).get(position.token)
        text = _rest(position.token, lead, at_start=index == first)
        following = _consistent(left, begun, text)
        for token, value in position.alternatives:
            if token != position.token:
                others = _consistent(left, begun, _rest(token, lead, at_start=index == first))
                if own is not None and others == following:
                    own = min(0.0, _sum(own, value))
                else:
                    tally.add(others, logprob + value)
        if own is None:
            break
        left, logprob = following, logprob + own
        begun += text
        if len(left) <= 1 or all(len(choice) < len(begun) for choice in left):
            break
    if begun and left:
        tally.add(left, logprob)
    return tally.scores


def _beginning(choices: tuple[str, ...], tokens: tuple[Position, ...]) -> tuple[int, str]:
    """Returns the index of the token in which the first named choice starts, and the text before it in that token."""
    text = "".join(position.token for position in tokens)
    starts = [at for choice in choices if choice and (at := text.find(choice)) >= 0]
    start = min(starts) if starts else len(text) - len(text.lstrip(BRACKETS))
    passed = 0
    for index, position in enumerate(tokens):
        if passed + len(position.token) > start:
            return index, position.token[:start - passed]
        passed += len(position.token)
    return len(tokens), ""


def _rest(token: str, lead: str, *, at_start: bool) -> str:
    if lead and token.startswith(lead):
        token = token[len(lead):]
    return token.lstrip(BRACKETS) if at_start else token


def _consistent(choices: list[str], begun: str, more: str) -> list[str]:
    """Returns the choices that a reply with this beginning may become; the longest complete choice wins over its prefixes."""
    text = begun + more
    if not text:
        return []
    open_ones = [choice for choice in choices if choice.startswith(text)]
    if open_ones:
        return open_ones
    complete = [c for c in choices if text.startswith(c) and len(c) >= len(begun) and not text[len(c):len(c) + 1].isalnum()]
    return [max(complete, key=len)] if complete else []
