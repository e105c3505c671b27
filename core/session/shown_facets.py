"""The facets that the planner has shown on the present line of turns, kept so that a run that goes back can restore them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from core.planning.facets import Facet, Grounded
from core.planning.moment import Moment
from core.session.event_bus import EventBus
from core.session.events import Shown

Known = Mapping[type[Facet], tuple[Facet, Moment]]
"""The newest facet of each kind, and the moment (turn and branch) in which it was shown."""
NOTHING_KNOWN: Known = MappingProxyType({})


class ShownFacets:
    """Emits what the planner shows and remembers the newest facet of each kind.

    Attributes:
        known: the facets as of now. It is a new mapping each time, so that the beginning of a turn can keep it.
    """

    def __init__(self, bus: EventBus):
        self._bus = bus
        self.known: Known = NOTHING_KNOWN

    def show(self, facet: Facet) -> None:
        """Emits a new facet and remembers it."""
        self._bus.emit(Shown(facet))
        if not isinstance(facet, Grounded):  # groundings accumulate in the snapshot
            self.known = MappingProxyType({**self.known, type(facet): (facet, self._bus.moment)})

    def recall(self, known: Known) -> None:
        """Emits the facets that were known at another turn. They replace all facets known so far."""
        self.known = known
        for facet, moment in known.values():
            self._bus.emit(Shown(facet, moment))
