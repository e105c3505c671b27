"""Two branches beside each other, turn by turn from where they part."""

from gui.panels.compare.panel import ComparePanel

__all__ = ["ComparePanel"]
