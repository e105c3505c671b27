"""The program panel: a plan written as code, its current line, and the operator's edits of it."""

from __future__ import annotations

from gui.panels.program.panel import ProgramPanel

__all__ = ["ProgramPanel"]
