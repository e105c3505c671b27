"""Facets of plans with several steps: a program or a numbered list, and how far its execution has come."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from core.planning.facets.base import Facet

LineState = Literal["plain", "waiting", "done", "failed", "skipped"]
"""plain: nothing to execute (comments, imports); skipped: not needed or not understood, as the note says."""


@dataclass(frozen=True, slots=True)
class ProgramLine:
    """One line of a plan.

    Attributes:
        text: the line.
        state: how far it was executed.
        note: how it was interpreted, or why it failed, in a few words.
    """

    text: str
    state: LineState = "waiting"
    note: str = ""


@dataclass(frozen=True, slots=True)
class Steps(Facet):
    """The numbered plan a model wrote, and the index of the current step (-1 before the first). It cannot be edited."""

    lines: tuple[ProgramLine, ...]
    current: int = -1
