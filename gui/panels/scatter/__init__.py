"""The scatter panel: value against visits."""

from gui.panels.scatter.panel import ScatterPanel

__all__ = ["ScatterPanel"]
