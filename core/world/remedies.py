"""The remedies that refusals name ("is running: switch it off first"): each is followed once, so that no loop comes of it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from core.world.vocabulary import Action, Outcome

DEEPEST = 3
"""Remedies in a row: one may itself be refused with another remedy."""
HAND_VERBS = frozenset({"grab", "put_in", "put_on"})
"""Verbs never followed as remedies: planners decide themselves what to hold, because they know what has to stay where it is."""


@dataclass
class Remedies:
    """What to do before planning goes on.

    Attributes:
        due: remedies to follow, the last one first.
        followed: (refused action, remedy) pairs already followed. A pair is free again once its action succeeds.
    """

    due: tuple[Action, ...] = ()
    followed: set[tuple[Action, Action]] = field(default_factory=set)

    def hear(self, outcome: Outcome) -> None:
        """Learns from an outcome: a refusal may name a remedy, and a remedy that was done is no longer due."""
        action, expected = outcome.action, self.due[-1] if self.due else None
        if outcome.ok:
            self.due = self.due[:-1] if action == expected else ()
            self.followed = {pair for pair in self.followed if pair[0] != action}
            return
        rest = self.due if action == expected else ()
        self.due = ()
        remedy = outcome.remedy
        if remedy is None or remedy.verb in HAND_VERBS or len(rest) >= DEEPEST or (action, remedy) in self.followed:
            return
        self.followed.add((action, remedy))
        self.due = (*rest, remedy)

    def next(self, without: Collection[Action], verbs: Collection[str]) -> Action | None:
        """The remedy to follow now, unless it is among `without` or its verb is unknown; None if none is due."""
        if not self.due or self.due[-1] in without or self.due[-1].verb not in verbs:
            return None
        return self.due[-1]
