"""The ranking panel: the actions the planner could choose now, best first."""

from gui.panels.ranking.panel import RankingPanel

__all__ = ["RankingPanel"]
