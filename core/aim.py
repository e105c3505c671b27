"""A goal as a planner pursues it that gets to know the world as it goes: what it asks, and what that means for known things."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from core.concrete import concrete, plain
from core.goal_record import UNKNOWN, GoalWatch
from core.goals import Goal, Literal, LiteralProgress, is_a, meant, progress, satisfying
from core.known_world import KnownWorld
from core.world import CONTAINER


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
        self._open: frozenset[Literal] = frozenset()

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
        self._hidden = tuple(dict.fromkeys(place for x in self.asked.literals for place in hidden(x, world)))
        self._open = frozenset(x for x in self.asked.literals if x.every and hidden(x, world))
        known = [(sorted(e.id for e in meant(x, self._world, record)), sorted(satisfying(x, self._world, record)))
                 for x in self.asked.literals], sorted(full)
        if known == self._known:
            return False
        before, self._known = self.plain, known
        self.plain = concrete(self.asked, self._world, record, full)
        return self.plain != before

    def progress(self) -> tuple[LiteralProgress, ...]:
        """How far the goal is reached as far as is known; what may lie where nobody looked is not put away yet."""
        reports = progress(self.asked, self._world, self._watch.record if self._special else UNKNOWN)
        return tuple(replace(r, have=0) if r.literal in self._open else r for r in reports)

    @property
    def hidden(self) -> tuple[str, ...]:
        """Ids of places and rooms that may hold what the goal is about, and nobody has looked at."""
        return self._hidden


def hidden(literal: Literal, world: KnownWorld) -> tuple[str, ...]:
    """Ids of places and rooms where a literal about all things, or all from somewhere, may find more of them.

    Furniture is on the map: where some is meant, no more is looked for.
    """
    looked = {place for place, _ in world.looked}
    if literal.source:
        return tuple(e.id for e in world.entities.values() if is_a(e, literal.source) and e.id not in looked)
    if not literal.every or any(is_a(e, literal.subject) and e.category == "furniture" for e in world.entities.values()):
        return ()
    rooms = tuple(e.id for e in world.entities.values() if e.category == "room" and e.id not in looked)
    return rooms + tuple(e.id for e in world.entities.values() if e.category == "furniture" and CONTAINER in e.properties
                         and (e.id, "inside") not in world.looked)
