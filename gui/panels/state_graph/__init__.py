"""The state graph panel."""

from gui.panels.state_graph.panel import StateGraphPanel

__all__ = ["StateGraphPanel"]
