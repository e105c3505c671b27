"""Resolves names in a program to ids of known entities, the preferred ones first."""

from __future__ import annotations

from collections.abc import Collection

from core.goals.literals import Goal
from core.llm.grounding import ground
from core.planning.regression import Regression
from core.search.translation import Names
from core.world.known_world import KnownWorld
from core.world.vocabulary import spaced


class NameResolver:
    """Resolves names among known entities and the words of the goal.

    Args:
        world: all that is known.
        goal: the goal.
        names: the display names.
        regression: estimates the effort to use an entity.
        kept: ids that are already where the goal requires them; they come last.
    """

    def __init__(self, world: KnownWorld, goal: Goal, names: Names, regression: Regression, kept: Collection[str]):
        self._kept, self._regression, self._world = kept, regression, world
        self._ids: dict[str, list[str]] = {spaced(x): [] for literal in goal.literals
                                           for x in (literal.subject, literal.target) if x is not None}
        for entity in world.entities.values():
            for name in dict.fromkeys((entity.name, spaced(entity.cls), spaced(entity.id), names(entity.id))):
                self._ids.setdefault(name, []).append(entity.id)

    def __call__(self, name: str) -> tuple[str, ...]:
        """Returns all ids a name may refer to: those not kept first, then the easiest to use."""
        match = ground(name, tuple(self._ids))
        found = self._ids.get(match.candidate or "", [])
        return tuple(sorted(found, key=lambda i: (i in self._kept, self._regression.effort(self._world.entities[i]), i)))

    def free(self, name: str) -> tuple[str, ...]:
        """Returns the ids of a name that may still be moved."""
        return tuple(i for i in self(name) if i not in self._kept)
