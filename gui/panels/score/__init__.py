"""The score panel: the score over interactions."""

from gui.panels.score.panel import ScorePanel

__all__ = ["ScorePanel"]
