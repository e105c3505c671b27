"""The breakpoints panel: the breakpoints that the operator has set."""

from gui.panels.breakpoints.panel import BreakpointsPanel

__all__ = ["BreakpointsPanel"]
