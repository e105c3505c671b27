"""The base class of all facets."""

from __future__ import annotations

from core.world.vocabulary import Value


class Facet(Value):
    """A frozen value made of plain data that a planner or world yields to be shown. Every facet is recorded and exported."""

    __slots__ = ()
