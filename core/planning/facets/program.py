"""Plans of more than one action, as they were written: a program, or numbered steps; and how far they have come."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from core.planning.facets.base import Facet

LineState = Literal["plain", "waiting", "done", "failed", "skipped"]
"""plain: nothing to do (comments, imports); skipped: not needed, or not understood, as the note says."""


@dataclass(frozen=True, slots=True)
class ProgramLine:
    """One line of code.

    Attributes:
        note: what it was taken for, or why it failed, in a few words.
    """

    text: str
    state: LineState = "waiting"
    note: str = ""


@dataclass(frozen=True, slots=True)
class Program(Facet):
    """The code, and the index of the line under way (-1 before the first, the number of lines after the last)."""

    lines: tuple[ProgramLine, ...]
    current: int = -1

    @property
    def text(self) -> str:
        """The code alone."""
        return "\n".join(line.text for line in self.lines)


@dataclass(frozen=True, slots=True)
class Steps(Facet):
    """The numbered plan a model wrote, with the index of the step under way (-1 before the first); nobody edits it."""

    lines: tuple[ProgramLine, ...]
    current: int = -1
