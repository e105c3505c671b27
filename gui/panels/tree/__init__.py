"""The search tree panel."""

from gui.panels.tree.panel import TreePanel

__all__ = ["TreePanel"]
