"""Finds pictures by the turn they show. They are recorded when they arrive, late and out of order."""

from __future__ import annotations

from bisect import bisect_left, insort

from core.planning.facets import Moment, Phase, View
from core.recording.catalogue import Catalogue
from core.recording.mcap_messages import VIEWS

Rows = dict[Phase, int]


class PictureLookup:
    """Looks up the pictures of a recording by what they show. Pictures missing from the file are not included.

    Pictures of formats 1 and 2 do not say which turn they show: they count as "about" the turn they arrived in.
    """

    def __init__(self, catalogue: Catalogue):
        self._rows: dict[tuple[View, Moment], Rows] = {}
        self._turns: dict[tuple[View, int], list[int]] = {}
        for view in VIEWS:
            for row in catalogue.shown.get(f"Frame {view}", ()):
                if catalogue.numbers[row] % 2**32 in catalogue.pictures:
                    self._add(view, row, *catalogue.taken[row])

    def _add(self, view: View, row: int, moment: Moment, phase: Phase) -> None:
        if (view, moment) not in self._rows:
            insort(self._turns.setdefault((view, moment.branch), []), moment.turn)
        self._rows.setdefault((view, moment), {})[phase] = row

    @property
    def views(self) -> tuple[View, ...]:
        """The cameras that took pictures."""
        return tuple(view for view in VIEWS if any(key[0] == view for key in self._turns))

    def of(self, view: View, moment: Moment, *, acted: bool = False) -> tuple[int, Phase] | None:
        """Returns the row of a turn's own picture, and what it shows of the turn; None if there is none.

        Args:
            view: the camera.
            moment: the turn.
            acted: prefer the state after the turn's action.
        """
        rows = self._rows.get((view, moment), {})
        wanted: tuple[Phase, ...] = ("after", "before", "about") if acted else ("before", "about")
        return next(((rows[phase], phase) for phase in wanted if phase in rows), None)

    def near(self, view: View, moment: Moment, *, acted: bool) -> int | None:
        """Returns the row of the picture to display for a turn: its own, else of the nearest earlier turn of its branch."""
        own = self.of(view, moment, acted=acted)
        if own is not None:
            return own[0]
        turns = self._turns.get((view, moment.branch), [])
        place = bisect_left(turns, moment.turn)
        earlier = self.of(view, Moment(moment.branch, turns[place - 1]), acted=True) if place else None
        return None if earlier is None else earlier[0]
