"""What was learned from refused actions: which place refuses which object, which door does not open."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

import numpy as np

from core.planning.regression import Memory
from core.search.model import Flags
from core.search.problem import Layout
from core.world.vocabulary import Outcome

NO_SPACE = frozenset({"room", "size", "kind", "sliced"})
"""Failed preconditions of a put that may hold for another place of the same class."""


class Refusals:
    """The refusals of an episode.

    Attributes:
        memory: the memory of regression planning.
        pairs: (object, holder) pairs that were refused.
        shut: containers that could not be opened and have no remedy left to try.
    """

    def __init__(self) -> None:
        self.memory = Memory()
        self.pairs: set[tuple[str, str]] = set()
        self.shut: set[str] = set()

    def hear(self, outcome: Outcome, emptied: str | None) -> None:
        """Processes an outcome.

        Args:
            outcome: the outcome.
            emptied: the furniture an object was taken from; it has space again, except for objects that never fit.
        """
        self.memory.hear(outcome)
        action = outcome.action
        if outcome.ok and emptied is not None:
            self.pairs = {pair for pair in self.pairs if pair[1] != emptied or pair in self.memory.too_small}
        elif not outcome.ok and action.verb in ("put_in", "put_on") and outcome.precondition in NO_SPACE:
            self.pairs.add((action.args[0], action.args[1]))
        elif not outcome.ok and action.verb == "open" and not self.memory.remedies.due:
            self.shut.add(action.args[0])

    def barred(self, layout: Layout, things: Sequence[str | None], clutter: AbstractSet[str | None]) -> Flags:
        """Returns which location refuses which object: [things, locations].

        Args:
            layout: the map.
            things: ids; None for ghosts.
            clutter: objects that occur in no literal: they are not put back to a holder that is being emptied.
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
        """Returns which locations cannot be opened or walked to now: [locations]."""
        refused = {a.args[0] for a in self.memory.refused if a.verb in ("walk", "open")} | self.shut
        return np.array([p.openable and p.id in refused for p in layout.places], np.bool_)
