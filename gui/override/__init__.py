"""Doing something else than the planner would."""

from gui.override.dialog import OverrideDialog

__all__ = ["OverrideDialog"]
