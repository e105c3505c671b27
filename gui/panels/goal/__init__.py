"""The goal panel: the progress of each literal."""

from __future__ import annotations

from gui.panels.goal.panel import GoalPanel

__all__ = ["GoalPanel"]
