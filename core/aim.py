"""A goal as a planner pursues it that gets to know the world as it goes: what it asks, and what that means for known things."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from core.concrete import concrete, plain
from core.goal_record import UNKNOWN, GoalWatch
from core.goals import Goal, LiteralProgress, is_a, meant, progress, satisfying
from core.known_world import KnownWorld


class Aim:
    """What an operator asked, kept in terms of things that are known.

    Attributes:
        asked: the goal as it was given.
        plain: the same without "every", rooms, sources and "away", for the things known at the last look.
    """

    def __init__(self, asked: Goal):
        self.asked, self.plain = asked, asked
        self._special = any(x.by or not plain(x) for x in asked.literals)
        self._watch = GoalWatch()
        self._known: object = None
        self._world = KnownWorld().merged()
        self._hidden: tuple[str, ...] = ()

    def see(self, world: KnownWorld, full: Collection[tuple[str, str]] = ()) -> bool:
        """Take a look; whether `plain` has changed. It does not while the things it speaks of stay what they are.

        Args:
            world: all that has been seen.
            full: (thing, holder) pairs that did not go together.
        """
        self._world = world.merged()
        if not self._special:
            return False
        record = self._watch.see(self._world)
        looked = {place for place, _ in world.looked}
        self._hidden = tuple(e.id for x in self.asked.literals if x.source for e in self._world.entities
                             if is_a(e, x.source) and e.id not in looked)
        known = [(sorted(e.id for e in meant(x, self._world, record)), sorted(satisfying(x, self._world, record)))
                 for x in self.asked.literals], sorted(full)
        if known == self._known:
            return False
        before, self._known = self.plain, known
        self.plain = concrete(self.asked, self._world, record, full)
        return self.plain != before

    def progress(self) -> tuple[LiteralProgress, ...]:
        """How far the goal is reached as far as is known; what lies on a table nobody looked at is not put away yet."""
        reports = progress(self.asked, self._world, self._watch.record if self._special else UNKNOWN)
        return tuple(replace(r, have=0) if r.literal.every and self._unseen(r.literal.source) else r for r in reports)

    def _unseen(self, source: str | None) -> bool:
        return source is not None and any(is_a(self._world.by_id[place], source) for place in self._hidden)

    @property
    def hidden(self) -> tuple[str, ...]:
        """Ids of places whose contents the goal is about and nobody has looked at."""
        return self._hidden
