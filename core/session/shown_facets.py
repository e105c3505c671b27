"""What the planner has shown on the present line of turns: kept so that a run that goes back can say what was known there."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from core.planning.facets import Facet, Grounded
from core.planning.moment import Moment
from core.session.event_bus import EventBus
from core.session.events import Shown

Known = Mapping[type[Facet], tuple[Facet, Moment]]
"""The newest facet of each kind, and the turn and branch in which it was shown."""
NOTHING_KNOWN: Known = MappingProxyType({})


class ShownFacets:
    """Emits what the planner shows and remembers the newest of each kind.

    Attributes:
        known: as of now. A new mapping each time, so that the beginning of a turn can keep it.
    """

    def __init__(self, bus: EventBus):
        self._bus = bus
        self.known: Known = NOTHING_KNOWN

    def show(self, facet: Facet) -> None:
        """The planner shows something new."""
        self._bus.tell(Shown(facet))
        if not isinstance(facet, Grounded):  # those add up
            self.known = MappingProxyType({**self.known, type(facet): (facet, self._bus.moment)})

    def recall(self, known: Known) -> None:
        """The run went to another turn: this is what was known there, and nothing else is."""
        self.known = known
        for facet, moment in known.values():
            self._bus.tell(Shown(facet, moment))
