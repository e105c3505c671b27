"""Labels of people on an episode, as values: what one is, and how one becomes another."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Annotation:
    """One label on one moment or stretch.

    Attributes:
        id: unique in its recording: `event 12` for those made live, `ann 3` for the third of annotator "ann".
        at: seconds since the session began.
        until: when a state ends; None for a point, and for a state whose end is missing.
        state: it is meant to have an end.
        turn: the turn it is about; with a rating, the decision of that turn.
        rating: 1 (poor) to 5 (good); None: no rating.
        better: the action that would have been better, as `verb id id`, or empty.
    """

    id: str
    label: str
    at: float
    until: float | None = None
    state: bool = False
    turn: int = 0
    branch: int = 0
    note: str = ""
    annotator: str = ""
    rating: int | None = None
    better: str = ""

    def __post_init__(self) -> None:
        """Check its times.

        Raises:
            ValueError: one of them is none.
        """
        if not (math.isfinite(self.at) and math.isfinite(self.at if self.until is None else self.until)):
            raise ValueError(f"a label from {self.at} to {self.until}")

    @property
    def paired(self) -> bool:
        """Whether nothing is missing: a state has its end."""
        return not self.state or self.until is not None


@dataclass(frozen=True, slots=True)
class Change:
    """From one annotation to another; None: from or to nothing."""

    before: Annotation | None
    after: Annotation | None

    @property
    def undone(self) -> Change:
        """The way back."""
        return Change(self.after, self.before)
