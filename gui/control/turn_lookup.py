"""Finds turns on a line of turns (oldest first) by bisection, so that a line of thousands is not scanned."""

from __future__ import annotations

from collections.abc import Sequence

from core.planning.facets import Moment
from core.session.lineage import first_from
from core.session.turns import Turn


def branch_name(number: int) -> str:
    """Returns the name of a branch. Branch 0 is the main line, from which the others fork."""
    return f"branch {number}" if number else "main line"


def moment_of(turn: Turn) -> Moment:
    """Returns the moment of a turn."""
    return Moment(turn.branch, turn.number)


def place_of(line: Sequence[Turn], moment: Moment | None) -> int | None:
    """Returns the index of a turn on a line, or None if it is not on this line."""
    if moment is None:
        return None
    place = first_from(line, moment.turn)
    return place if place < len(line) and moment_of(line[place]) == moment else None
