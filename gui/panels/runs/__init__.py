"""The runs panel: the runs of this window."""

from gui.panels.runs.panel import RunsPanel

__all__ = ["RunsPanel"]
