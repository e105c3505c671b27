"""The search tree."""

from gui.panels.tree.panel import TreePanel

__all__ = ["TreePanel"]
