"""How far the goal is, literal by literal."""

from __future__ import annotations

from gui.panels.goal.panel import GoalPanel

__all__ = ["GoalPanel"]
