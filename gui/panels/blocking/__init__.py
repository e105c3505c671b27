"""The blocking tree panel."""

from gui.panels.blocking.panel import BlockingPanel

__all__ = ["BlockingPanel"]
