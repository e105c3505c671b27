"""Computes a log-probability for every choice from those of tokens, in the format of chat completions or completions.

A reply covers only the choices near its own tokens, so several replies are combined.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterable, Sequence
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


ROUNDING, NEARLY_NOTHING = 1e-3, 1e-9
"""Tolerances of probabilities."""
MOST_ROUNDS = 24
"""The maximum number of further requests; each gives at least one more choice, and most give several."""
Round = tuple[dict[str, float], dict[str, float]]
"""The result of one reply: log-probabilities of choices, and of choices that share one."""


@dataclass(frozen=True, slots=True)
class Scored:
    """The available log-probabilities.

    Attributes:
        values: (choice, natural log-probability), the highest first.
        missing: choices without one.
        shared: choices with a common beginning that share its probability evenly.
    """

    values: tuple[tuple[str, float], ...]
    missing: tuple[str, ...]
    shared: tuple[str, ...]

    @property
    def note(self) -> str:
        """What is missing, in words; empty if each choice has its own log-probability."""
        total = len(self.values) + len(self.missing)
        if not self.values:
            return "the server gave no log-probabilities"
        parts = [f"no log-probability of {len(self.missing)} of {total} choices"] if self.missing else []
        parts += [f"{len(self.shared)} choices that begin alike share their beginning's probability"] if self.shared else []
        return "; ".join(parts)


def scores_of_all(choices: tuple[str, ...], first: Scores) -> Generator[tuple[str, ...], Scores | None, Scored]:
    """Yields the choices without a log-probability of their own, until all have one or a request gives none.

    It is sent the scores of a request with these choices alone; None if that is not possible.

    Args:
        choices: all choices.
        first: the scores of the first reply.
    """
    rounds = [_split(first)]
    seen = set(rounds[0][0])
    for _ in range(MOST_ROUNDS):
        wanted = tuple(c for c in choices if c not in seen)
        found = (yield wanted) if seen and wanted else None
        own, shared = _split(found or Scores())
        if not own.keys() - seen:
            break
        rounds.append((own, shared))
        seen |= own.keys()
    own, shared = _joined(rounds, certain=False)
    if _total(own.values()) > 1.0 + ROUNDING:
        own, shared = _joined(rounds, certain=True)
    shared = {c: value for c, value in shared.items() if c not in own}
    values = own | shared
    return Scored(tuple(sorted(values.items(), key=lambda pair: -pair[1])), tuple(c for c in choices if c not in values),
                  tuple(c for c in choices if c in shared))


def _split(scores: Scores) -> Round:
    """Returns the choices with a log-probability of their own, and those that share one."""
    own = {c: value for c, value in scores.values if c not in scores.shared}
    return own, {c: value for c, value in scores.values if c in scores.shared}


def _joined(rounds: Sequence[Round], *, certain: bool) -> Round:
    """Combines all rounds; the first round that covers a choice counts.

    Args:
        rounds: in order.
        certain: True if the server renormalizes probabilities after excluding what the form forbids. Then the choices of a
            round sum to 1, and their real share is what the earlier rounds left over.
    """
    own, shared = dict[str, float](), dict[str, float]()
    for new, alike in rounds:
        left = max(NEARLY_NOTHING, 1.0 - _total(own.values()))
        shift = math.log(left) if certain else 0.0
        shared |= {c: value + shift for c, value in alike.items() if c not in shared}
        own |= {c: value + shift for c, value in new.items() if c not in own}
    return own, shared


def _total(values: Iterable[float]) -> float:
    return sum(math.exp(value) for value in values)
