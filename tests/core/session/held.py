"""A search whose preparation lasts as long as a test needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from tests.core.session.toys import Walker

WORDS = "compiling the search, once: 3 of about 15 s"


class Searcher(Walker):
    """A walker that counts as a planner that searches."""

    searches: ClassVar[bool] = True


class Held:
    """A preparation that is over when a test says so."""

    made: ClassVar[list[Held]] = []

    def __init__(self, over: Callable[[], object]):
        self._over = over
        self.is_over, self.note, self.words, self.began, self.closed = False, "", "", False, False
        self.made.append(self)

    def start(self) -> None:
        self.began, self.words = True, WORDS

    def end(self, note: str = "") -> None:
        self.is_over, self.note, self.words = True, note, ""
        self._over()

    def close(self) -> None:
        self.closed = True
