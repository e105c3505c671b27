"""The blocking tree."""

from gui.panels.blocking.panel import BlockingPanel

__all__ = ["BlockingPanel"]
