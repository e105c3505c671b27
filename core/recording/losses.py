"""What of a recording cannot be read, and of which turns, in one line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from core.common.errors import DataError
from core.common.visible import visible
from core.planning.facets import Moment
from core.recording.scan import Damage
from core.views.wording import count

MOST_NAMED: Final = 4
"""The maximum number of values that are named. All are counted."""
LONGEST_WHY: Final = 90


class EventError(DataError):
    """Some events cannot be read, or do not follow from those before them.

    Attributes:
        rows: their rows in the catalogue.
        why: what is wrong with them.
    """

    def __init__(self, rows: Sequence[int], why: str, event: str = ""):
        super().__init__(f"{event}: {why}" if event else why)
        self.rows, self.why = rows, why


@dataclass(frozen=True, slots=True)
class Loss:
    """A value that cannot be read: a kind of event, of facet, or a picture.

    Attributes:
        moment: the turn in which it was recorded.
        why: what is wrong with it.
    """

    what: str
    moment: Moment
    why: str


@dataclass(frozen=True, slots=True)
class LostPlace:
    """A place of the file that cannot be read, and the turns of the events before and after it; None: there are none."""

    damage: Damage
    before: Moment | None = None
    after: Moment | None = None

    @property
    def where(self) -> str:
        """The turns of which something is missing; empty if they are not known."""
        before, after = ("" if moment is None else turn_words(moment) for moment in (self.before, self.after))
        if not (before and after):
            return f"after {before}" if before else f"up to {after}" if after else ""
        return before if before == after else f"from {before} to {after}"


def turn_words(moment: Moment, state: str = "") -> str:
    """Returns the name of a turn, such as `turn 3 of branch 1 (not finished)`.

    Args:
        moment: the turn.
        state: what it is, if it is not one whose action was executed.
    """
    branch = f" of branch {moment.branch}" if moment.branch else ""
    return f"turn {moment.turn}{branch}{f' ({state})' if state else ''}" if moment.turn else f"before the first turn{branch}"


def lost_values(losses: Sequence[Loss]) -> str:
    """Returns how many values cannot be read, which, and of which turns; empty without any."""
    if not losses:
        return ""
    named = [f"{loss.what}, {turn_words(loss.moment)}" for loss in losses[:MOST_NAMED]]
    named[0] += f" ({visible(losses[0].why)[:LONGEST_WHY]})"
    more = f"; and {len(losses) - MOST_NAMED:,} more" if len(losses) > MOST_NAMED else ""
    return f"{count(len(losses), 'value')} cannot be read: {'; '.join(named)}{more}"


def lost_bytes(places: Sequence[LostPlace]) -> str:
    """Returns how many bytes cannot be read, of which turns, and why; empty if there are none."""
    if not places:
        return ""
    lost, first = sum(place.damage.size for place in places), places[0]
    more = f", and {len(places) - 1} more {'place' if len(places) == 2 else 'places'}" if len(places) > 1 else ""
    where = f", {first.where}" if first.where else ""
    return f"{lost:,} bytes cannot be read: {first.damage.why}{where}{more}"
