"""Computes a log-probability for every choice from several replies, each of which covers the choices near its own tokens."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from core.llm.logprobs import Scores

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


def scores_of_all(choices: tuple[str, ...], first: Scores, ask_again: Callable[[tuple[str, ...]], Scores | None]) -> Scored:
    """Requests the choices without a log-probability of their own, until all have one or a request gives none.

    Args:
        choices: all choices.
        first: the scores of the first reply.
        ask_again: sends the request with fewer choices; returns None if that is not possible.
    """
    rounds = [_split(first)]
    seen = set(rounds[0][0])
    for _ in range(MOST_ROUNDS):
        wanted = tuple(c for c in choices if c not in seen)
        found = ask_again(wanted) if seen and wanted else None
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
