"""The costs of a sweep, in words: so far, an estimate of the total, and at the end."""

from __future__ import annotations

from dataclasses import dataclass

from core.evaluation.ledger import Used

THOUSAND, MILLION = 1_000, 1_000_000


@dataclass(frozen=True, slots=True)
class Costs:
    """What was used, and the number of episodes it was used for, over all runs of a folder.

    Attributes:
        priced: whether the model's price is known.
        done: number of finished episodes.
        left: number of episodes to be played.
    """

    used: Used
    priced: bool
    done: int
    left: int

    @property
    def in_all(self) -> float | None:
        """The estimated total cost, or total tokens if no price is known, at the present rate; None: unknown."""
        if not self.done:
            return None
        spent = self.used.spent
        return (spent.cost if self.priced else spent.tokens) / self.done * (self.done + self.left)

    @property
    def short(self) -> str:
        """The costs for the end of a progress bar: `12 calls, 3.4k tokens, cost 0.02 of about 1.9`."""
        spent, total = self.used.spent, self.in_all
        calls, tokens = f"{amount(spent.calls)} calls", f"{amount(spent.tokens)} tokens"
        if self.priced:
            return f"{calls}, {tokens}, cost {spent.cost:.3g}" + ("" if total is None else f" of about {total:.3g}")
        return f"{calls}, {tokens}" + ("" if total is None else f" of about {amount(total)}")

    @property
    def lines(self) -> tuple[str, ...]:
        """The costs at the end: calls, tokens in and out, cost, cached replies; and an estimate for what is left."""
        spent = self.used.spent
        cost = f"cost {spent.cost:.4g}" if self.priced else "no price known (give --prices MODEL=IN/OUT)"
        failed = f" ({spent.failed:,} failed)" if spent.failed else ""
        used = (f"used in all runs of this sweep: {spent.calls:,} calls{failed}, {spent.tokens_in:,} tokens in, "
                f"{spent.tokens_out:,} out, {cost}; {self.used.cached:,} replies from the cache")
        total = self.in_all
        if not self.left or total is None:
            return (used,)
        left = f"{total - spent.cost:.3g} more" if self.priced else f"{amount(total - spent.tokens)} tokens more"
        return (used, f"the {self.left:,} episodes left may cost about {left}, at the rate so far")


def amount(number: float) -> str:
    """Returns a count in few characters: 950, 3.4k, 12M."""
    for size, unit in ((MILLION, "M"), (THOUSAND, "k")):
        if number >= size:
            share = number / size
            return f"{share:.0f}{unit}" if share >= 10 else f"{share:.1f}{unit}"
    return f"{number:.0f}"
