"""Everything that happened, in words."""

from gui.panels.log.panel import LogPanel

__all__ = ["LogPanel"]
