"""What the planner could do now, best first."""

from gui.panels.ranking.panel import RankingPanel

__all__ = ["RankingPanel"]
