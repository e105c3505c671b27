"""A plan written as a program: its code, the line under way, and the operator's edits of it."""

from __future__ import annotations

from gui.panels.program.panel import ProgramPanel

__all__ = ["ProgramPanel"]
