"""What every facet is."""

from __future__ import annotations

from core.world.vocabulary import Value


class Facet(Value):
    """Marker base: frozen, made of plain data."""

    __slots__ = ()
