"""The planner's parameters."""

from gui.panels.parameters.panel import ParametersPanel

__all__ = ["ParametersPanel"]
