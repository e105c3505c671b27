"""What the planner learnt."""

from gui.panels.learnings.panel import LearningsPanel

__all__ = ["LearningsPanel"]
