"""Machine code that is made for as long as a test needs."""

from __future__ import annotations

from typing import ClassVar

from tests.core.session.toys import Walker

WORDS = "compiling the search: 1 of 3 parts, about 6 s left"


class Searcher(Walker):
    """A walker that counts as a planner that searches."""

    searches: ClassVar[bool] = True


class Held:
    """A preparation that is over when a test says so."""

    def __init__(self) -> None:
        self.is_over, self.note, self.words, self.asked = False, "", WORDS, 0

    def __call__(self) -> Held:
        """Stands for `preparation`: the one of this process."""
        self.asked += 1
        return self

    def end(self, note: str = "") -> None:
        """Machine code is there, or it is known why there is none."""
        self.is_over, self.note, self.words = True, note, ""
