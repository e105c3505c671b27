"""Doing something else than the planner would."""

from gui.window.override.dialog import OverrideDialog

__all__ = ["OverrideDialog"]
