"""The parameters panel."""

from gui.panels.parameters.panel import ParametersPanel

__all__ = ["ParametersPanel"]
