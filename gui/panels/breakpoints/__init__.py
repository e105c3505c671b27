"""The operator's breakpoints."""

from gui.panels.breakpoints.panel import BreakpointsPanel

__all__ = ["BreakpointsPanel"]
