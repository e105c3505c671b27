"""The pictures of a recording turn by turn, for exports that show one picture per turn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from core.planning.facets import Moment, Phase, View
from core.recording.reader import Recording, TurnMark
from core.session.turns import Turn


@dataclass(frozen=True, slots=True)
class Shot:
    """A turn's own picture.

    Attributes:
        phase: what it shows of the turn: the state before or after its action; "about": an old recording does not say.
    """

    jpeg: bytes
    phase: Phase

    def caption(self, turn: int) -> str:
        """Returns what it shows, in words."""
        return {"before": f"turn {turn}", "after": f"after turn {turn}", "about": f"about turn {turn}"}[self.phase]


@dataclass(frozen=True, slots=True)
class Pictures:
    """Every turn's own pictures; never another turn's.

    Attributes:
        views: the cameras that took pictures.
    """

    recording: Recording
    views: tuple[View, ...]

    @classmethod
    def of(cls, recording: Recording) -> Pictures:
        """Returns the pictures of a recording."""
        return cls(recording, recording.picture_rows.views)

    def before(self, view: View, turn: Turn | TurnMark) -> Shot | None:
        """Returns the picture of the state in which a decision was made; None if there is none."""
        return self._shot(view, turn, acted=False)

    def after(self, view: View, turn: Turn | TurnMark) -> Shot | None:
        """Returns the picture of the state after a turn's action; None if there is none. Usually only the last turn has one."""
        shot = self._shot(view, turn, acted=True)
        return shot if shot is not None and shot.phase == "after" else None

    def missing(self) -> tuple[str, ...]:
        """Returns how many steps have no picture of their own, one clause per camera; empty if none is missing."""
        steps = len(self.recording.snapshot_at().turns)
        if not self.views:
            return ("no step has a picture",) if steps else ()
        return tuple(f"{len(gaps)} of {steps} steps {'has' if len(gaps) == 1 else 'have'} no {view} picture"
                     for view, gaps in self.gaps().items() if gaps)

    def gaps(self) -> dict[View, tuple[Moment, ...]]:
        """Returns, for each camera that took pictures, the completed turns it has none of."""
        pictures, turns = self.recording.picture_rows, self.recording.snapshot_at().turns
        return {view: tuple(turn.moment for turn in turns if pictures.of(view, turn.moment) is None) for view in self.views}

    def _shot(self, view: View, turn: Turn | TurnMark, *, acted: bool) -> Shot | None:
        found = self.recording.picture_rows.of(view, Moment(turn.branch, turn.number), acted=acted)
        return None if found is None else Shot(self.recording.jpeg_of(found[0]), found[1])


def spread(count: int, most: int) -> Iterator[int]:
    """Yields at most `most` of the numbers 0 … `count` - 1, evenly, including the first and the last."""
    if count <= most:
        yield from range(count)
    else:
        yield from dict.fromkeys(round(k * (count - 1) / (most - 1)) for k in range(most))
