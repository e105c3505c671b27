"""What was learned from refusals: which place takes which thing, which door does not open."""

from __future__ import annotations

from core.regression import Memory
from core.search.model import Layout, mask
from core.world import Outcome

NO_SPACE = frozenset({"room", "size", "kind", "sliced"})
"""Refusals of a put that another place of the class may not make."""


class Refusals:
    """Remembers them for an episode.

    Attributes:
        memory: the same for regression planning.
        pairs: (thing, holder) that did not go together.
        shut: containers that did not open, and for which no remedy is left to try.
    """

    def __init__(self) -> None:
        self.memory = Memory()
        self.pairs: set[tuple[str, str]] = set()
        self.shut: set[str] = set()

    def hear(self, outcome: Outcome, emptied: str | None) -> None:
        """Take an outcome; `emptied` is the furniture something was taken from: it has room again, but for what never fits."""
        self.memory.hear(outcome)
        action = outcome.action
        if outcome.ok and emptied is not None:
            self.pairs = {pair for pair in self.pairs if pair[1] != emptied or pair in self.memory.too_small}
        elif not outcome.ok and action.verb in ("put_in", "put_on") and outcome.precondition in NO_SPACE:
            self.pairs.add((action.args[0], action.args[1]))
        elif not outcome.ok and action.verb == "open" and not self.memory.remedies.due:
            self.shut.add(action.args[0])

    def barred(self, layout: Layout, thing: str | None, *, clutter: bool) -> int:
        """Bits of the places that do not take a thing; clutter is not put back to where it was just cleared from."""
        out = {holder for one, holder in self.pairs if one == thing} | (self.memory.clearing if clutter else set())
        return mask(k for k, p in enumerate(layout.places)
                    if p.relation == "floor" or p.id in out or (p.openable and p.id in self.shut))

    def unreachable(self, layout: Layout) -> int:
        """Bits of the places that cannot be looked into now."""
        refused = {a.args[0] for a in self.memory.refused if a.verb in ("walk", "open")} | self.shut
        return mask(k for k, p in enumerate(layout.places) if p.openable and p.id in refused)
