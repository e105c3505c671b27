"""Turns of the line that leads to the present, as places to go to."""

from __future__ import annotations

from core.lineage import lineage
from core.snapshot import Snapshot
from gui.bridge import Moment


def branch_name(number: int) -> str:
    """What a branch is called: the first one is the line that the others leave."""
    return f"branch {number}" if number else "main line"


def turns_of(snapshot: Snapshot) -> tuple[Moment, ...]:
    """The acted turns that lead to the present, oldest first."""
    return tuple(Moment(turn.branch, turn.number) for turn in lineage(snapshot))
