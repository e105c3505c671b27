"""What a program's names mean: ids of what is known, the ones to use first."""

from __future__ import annotations

from collections.abc import Collection

from core.goals.literals import Goal
from core.llm.grounding import ground
from core.planning.regression import Regression
from core.search.phrases import Names
from core.world.known_world import KnownWorld
from core.world.vocabulary import spaced


class Meanings:
    """Finds names among all that is known and what the goal speaks of.

    Args:
        kept: ids that are already where the goal wants them: meant last.
    """

    def __init__(self, world: KnownWorld, goal: Goal, names: Names, regression: Regression, kept: Collection[str]):
        self._kept, self._regression, self._world = kept, regression, world
        self._ids: dict[str, list[str]] = {spaced(x): [] for literal in goal.literals
                                           for x in (literal.subject, literal.target) if x is not None}
        for entity in world.entities.values():
            for name in dict.fromkeys((entity.name, spaced(entity.cls), spaced(entity.id), names(entity.id))):
                self._ids.setdefault(name, []).append(entity.id)

    def __call__(self, name: str) -> tuple[str, ...]:
        """All ids a name may mean: those not kept first, then the easiest to use."""
        match = ground(name, tuple(self._ids))
        found = self._ids.get(match.candidate or "", [])
        return tuple(sorted(found, key=lambda i: (i in self._kept, self._regression.effort(self._world.entities[i]), i)))

    def free(self, name: str) -> tuple[str, ...]:
        """Those of them that may still be taken."""
        return tuple(i for i in self(name) if i not in self._kept)
