"""Every question to the model."""

from gui.panels.calls.panel import CallsPanel

__all__ = ["CallsPanel"]
