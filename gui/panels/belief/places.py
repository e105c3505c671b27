"""The columns of the heatmap: locations grouped by room, with their names, and folded if there are too many."""

from __future__ import annotations

from core.planning.facets import Belief
from core.world.vocabulary import Observation
from gui.panels.belief.geometry import room_for
from gui.panels.belief.heatmap import Heatmap
from gui.panels.belief.layout import Column, columns_of, folded, known_rooms
from gui.panels.belief.texts import Cell
from gui.theme import Theme
from gui.widgets import Namer


class Places:
    """Makes the columns of a belief. Rooms and names are remembered once they have been observed.

    Attributes:
        columns: the columns of the last belief, unfolded.
    """

    def __init__(self, theme: Theme):
        self._theme = theme
        self._namer, self._names = Namer(), Namer().of(None)
        self._rooms: tuple[dict[str, str], tuple[str, ...]] = ({}, ())
        self.columns: tuple[Column, ...] = ()

    def see(self, seen: Observation | None) -> None:
        """Learns rooms and names from an observation."""
        self._names, rooms = self._namer.of(seen), known_rooms(seen)
        self._rooms = ({**self._rooms[0], **rooms[0]}, rooms[1] or self._rooms[1])

    def room_titles(self) -> dict[str, str]:
        """Returns the title above each room's columns, by the id of the room."""
        return {room: self._names.display(room).capitalize() for room in self._rooms[1]}

    def name(self, place: int) -> str:
        """Returns the name of a location by its index in the belief, or an empty text."""
        return next((c.name for c in self.columns if c.places[0] == place), "")

    def where(self, place: int) -> str:
        """Returns the name of a location with its preposition by its index in the belief, or an empty text."""
        return next((c.where for c in self.columns if c.places[0] == place), "")

    def shown(self, belief: Belief, heatmap: Heatmap, selected: Cell | None, *, fold: bool) -> tuple[Column, ...]:
        """Returns the columns to draw.

        The folding does not change while the pointer is over the heatmap, so that no column moves under it.

        Args:
            belief: the belief.
            heatmap: gives the width and the columns drawn before.
            selected: the selected cell, whose column is not folded, or None.
            fold: whether unlikely locations are folded.
        """
        columns = self.columns = columns_of(belief, *self._rooms, self._names)
        if not fold:
            return columns
        before = heatmap.columns
        same = {k for c in before for k in c.places} == {k for c in columns for k in c.places}
        keep = frozenset() if selected is None else frozenset({selected[1]})
        standing = {c.places[0] for c in before if not c.folded}
        if same and keep <= standing and heatmap.viewport().underMouse():
            return before
        room = room_for(heatmap.viewport().width(), len({c.room for c in columns}), self._theme.px)
        return folded(columns, belief, room, keep)
