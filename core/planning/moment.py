"""Which turn of which branch something belongs to."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Moment:
    """One turn of one branch.

    Attributes:
        branch: 0 for the first line of the run.
        turn: from 1; 0 before the first turn.
    """

    branch: int
    turn: int
