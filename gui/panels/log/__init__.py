"""The log panel: everything that happened in a run, as text."""

from gui.panels.log.panel import LogPanel

__all__ = ["LogPanel"]
