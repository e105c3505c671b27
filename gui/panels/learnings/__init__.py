"""The learnings panel: what the planner learnt from earlier episodes."""

from gui.panels.learnings.panel import LearningsPanel

__all__ = ["LearningsPanel"]
