"""Turns of a line, oldest first: where one stands among thousands, without looking at all of them."""

from __future__ import annotations

from collections.abc import Sequence

from core.planning.moment import Moment
from core.session.lineage import first_from
from core.session.snapshot import Turn


def branch_name(number: int) -> str:
    """What a branch is called: the first one is the line that the others leave."""
    return f"branch {number}" if number else "main line"


def moment_of(turn: Turn) -> Moment:
    """A turn as a place to go to."""
    return Moment(turn.branch, turn.number)


def place_of(line: Sequence[Turn], moment: Moment | None) -> int | None:
    """Where a turn stands; None: it is not on this line."""
    if moment is None:
        return None
    place = first_from(line, moment.turn)
    return place if place < len(line) and moment_of(line[place]) == moment else None
