"""Remedies that refusals suggest ("is running: switch it off first"). Each is tried once, so that no loop results."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from core.world.vocabulary import Action, Outcome

DEEPEST = 3
"""The maximum number of nested remedies: one may itself be refused with another remedy."""
HAND_VERBS = frozenset({"grab", "put_in", "put_on"})
"""Verbs never executed as remedies: planners decide themselves what to hold, because they know which objects must stay in
place."""


@dataclass
class Remedies:
    """The actions to execute before planning continues.

    Attributes:
        due: remedies to execute, the last one first.
        followed: (refused action, remedy) pairs already tried. A pair is allowed again once its action succeeds.
    """

    due: tuple[Action, ...] = ()
    followed: set[tuple[Action, Action]] = field(default_factory=set)

    def hear(self, outcome: Outcome) -> None:
        """Updates from an outcome: a refusal may suggest a remedy, and an executed remedy is no longer due."""
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
        """Returns the remedy to execute now, or None if none is due, it is in `without`, or its verb is unknown."""
        if not self.due or self.due[-1] in without or self.due[-1].verb not in verbs:
            return None
        return self.due[-1]
