"""What the replies of a run took: calls and tokens by who answered, and what that cost at the run's prices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from core.llm.budget import Price, price_of
from core.planning.model_requests import ModelReply


@dataclass(frozen=True, slots=True)
class Usage:
    """Model requests that one source answered, without those answered from memory, and the tokens of prompts and replies."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0


Used = Mapping[str, Usage]
"""By who answered, such as `openai gpt-5`, in order of their first replies. A source may have answered from memory only."""
NOTHING_USED: Used = MappingProxyType({})


def used_after(used: Used, reply: ModelReply) -> Used:
    """Returns the usage after one more reply."""
    old = used.get(reply.source)
    if reply.cached:
        return used if old is not None else MappingProxyType({**used, reply.source: Usage()})
    before = old or Usage()
    now = Usage(before.calls + 1, before.tokens_in + reply.tokens_in, before.tokens_out + reply.tokens_out)
    return MappingProxyType({**used, reply.source: now})


def total(used: Used) -> Usage:
    """Returns the usage of all sources together."""
    each = used.values()
    return Usage(sum(u.calls for u in each), sum(u.tokens_in for u in each), sum(u.tokens_out for u in each))


def cost_of(used: Used, prices: Iterable[tuple[str, float, float]]) -> float | None:
    """Returns what replies cost; None without prices. A source without a price costs nothing.

    Args:
        used: what was used.
        prices: what a million tokens of prompt and of reply cost, by model name.
    """
    table = {name: Price(sent, received) for name, sent, received in prices}
    if not table:
        return None
    priced = ((price_of(table, source), usage) for source, usage in used.items())
    return sum((price.of(usage.tokens_in, usage.tokens_out) for price, usage in priced if price is not None), 0.0)
