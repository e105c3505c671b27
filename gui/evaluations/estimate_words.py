"""An estimate of what a plan takes, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gui.widgets.numbers import compact

if TYPE_CHECKING:
    from core.evaluation.plan import Estimate

HOUR, MINUTE = 3600, 60
"""In seconds."""


def words_of(estimate: Estimate | None) -> str:
    """Returns an estimate in words: `about 3 min, 12k tokens, cost 0.4`; empty if nothing is known or left."""
    if estimate is None or estimate.seconds is None:
        return ""
    spent = estimate.seconds
    told = [f"about {spent / HOUR:.1f} h" if spent >= HOUR else f"about {spent / MINUTE:.0f} min" if spent >= 1.5 * MINUTE
            else f"about {max(1, round(spent))} s"]
    spent_tokens = 0.0 if estimate.tokens is None else estimate.tokens[0] + estimate.tokens[1]
    if spent_tokens:
        told += [f"{compact(spent_tokens)} tokens",
                 f"cost {estimate.cost:.3g}" if estimate.cost is not None else "no price known"]
    return ", ".join(told)
