"""Turns of the line that leads to the present, as places to go to."""

from __future__ import annotations

from core.lineage import lineage
from core.snapshot import Snapshot
from gui.bridge import Moment


def turns_of(snapshot: Snapshot) -> tuple[Moment, ...]:
    """The acted turns that lead to the present, oldest first."""
    return tuple(Moment(turn.branch, turn.number) for turn in lineage(snapshot))
