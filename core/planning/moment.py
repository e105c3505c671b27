"""The position in a run: a turn of a branch."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Moment:
    """A turn of a branch.

    Attributes:
        branch: the number of the branch; 0 is the first.
        turn: from 1; 0 before the first turn.
    """

    branch: int
    turn: int
