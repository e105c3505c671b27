"""What was learned from refusals: which place takes which thing, which door does not open."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

import numpy as np

from core.planning.regression import Memory
from core.search.model import Flags
from core.search.task_map import Layout
from core.world.vocabulary import Outcome

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

    def barred(self, layout: Layout, things: Sequence[str | None], clutter: AbstractSet[str | None]) -> Flags:
        """Returns [things, locations]: which location does not take which thing.

        Args:
            layout: the map.
            things: ids; None for things that were not found yet.
            clutter: those that no literal asks for: they are not put back to where they were just cleared from.
        """
        always = np.array([p.relation == "floor" or (p.openable and p.id in self.shut) for p in layout.places], np.bool_)
        rows = np.tile(always, (len(things), 1))
        for k, thing in enumerate(things):
            out = {holder for one, holder in self.pairs if one == thing} if self.pairs else set()
            out |= self.memory.clearing if thing in clutter else set()
            if out:
                rows[k] |= np.array([p.id in out for p in layout.places], np.bool_)
        return rows

    def unreachable(self, layout: Layout) -> Flags:
        """Returns [locations]: which cannot be looked into now."""
        refused = {a.args[0] for a in self.memory.refused if a.verb in ("walk", "open")} | self.shut
        return np.array([p.openable and p.id in refused for p in layout.places], np.bool_)
