"""Annotations of an episode by people, as values, and changes of them."""

from __future__ import annotations

import math
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from core.common.recorded import ADDED

COMPANION = "companion"
"""The annotator of labels that a second planner gives."""
Role = Literal["label", "settled", "rejected", "done"]
"""What an annotation says: its label holds; an adjudicator decided that it holds, or that it does not; or its annotator has
finished the recording."""


def new_id() -> str:
    """Returns an id for a new label. It is random, so no other window, annotator or machine gives it to another label."""
    return f"label {secrets.token_hex(8)}"


@dataclass(frozen=True, slots=True)
class Annotation:
    """One label on a moment or an interval.

    Attributes:
        id: made by `new_id`. Earlier versions used numbers: `event 12` for labels made live, `ann 3` for the third of annotator
            "ann". Labels of a script or a companion are still called after their event.
        at: seconds since the session began.
        until: when an interval ends; None for a point, and for an interval whose end is missing.
        state: it is an interval, which should have an end.
        turn: the turn it is about; with a rating, the decision of that turn.
        rating: 1 (poor) to 5 (good); None: no rating.
        better: the action that would have been better, as `verb id id`, or empty.
        proposed: for a label that says why an episode failed: the one that was proposed when it was given; else empty.
        settles: the ids of the annotations that an adjudicator decided about with this one; empty for all others.
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
    proposed: str = field(default="", metadata=ADDED)
    role: Role = field(default="label", metadata=ADDED)
    settles: tuple[str, ...] = field(default=(), metadata=ADDED)

    def __post_init__(self) -> None:
        """Checks the times.

        Raises:
            ValueError: a time is not finite.
        """
        if not (math.isfinite(self.at) and math.isfinite(self.at if self.until is None else self.until)):
            raise ValueError(f"a label from {self.at} to {self.until}")

    @property
    def paired(self) -> bool:
        """True if nothing is missing: an interval has its end."""
        return not self.state or self.until is not None

    @property
    def holds(self) -> bool:
        """True if it says that its label holds, unlike what an adjudicator rejected, and the mark of a finished annotator."""
        return self.role in ("label", "settled")


@dataclass(frozen=True, slots=True)
class Change:
    """The change of one annotation. `before` None: it was added. `after` None: it was removed.

    Attributes:
        version: 1 for the first change of a label, then one more than the greatest that was known when this one was made. Files
            of several windows are merged by it. 0 in files of earlier versions, where the order of the lines counts.
    """

    before: Annotation | None
    after: Annotation | None
    version: int = field(default=0, metadata=ADDED)

    @property
    def key(self) -> str:
        """The id of the annotation; empty if nothing changes."""
        one = self.after or self.before
        return one.id if one is not None else ""

    @property
    def undone(self) -> Change:
        """The change that undoes this one."""
        return Change(self.after, self.before)


@dataclass(frozen=True, slots=True)
class Unsaved:
    """Labels that are not beside their recording.

    Attributes:
        keys: their ids.
        lost: how many of them are in no file at all, so that they end with the window.
        recording: the recording.
        why: why they could not be written, in one line.
    """

    keys: frozenset[str] = frozenset()
    lost: int = 0
    recording: Path | None = None
    why: str = ""

    def __bool__(self) -> bool:
        return bool(self.keys)
