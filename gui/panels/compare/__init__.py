"""The compare panel: two branches side by side, turn by turn from where they diverge."""

from gui.panels.compare.panel import ComparePanel

__all__ = ["ComparePanel"]
