"""The panel of model calls: every request to the model, with its prompt and reply."""

from gui.panels.calls.panel import CallsPanel

__all__ = ["CallsPanel"]
