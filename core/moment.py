"""Which turn of which branch something belongs to."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Moment:
    """One turn of one branch."""

    branch: int
    turn: int
