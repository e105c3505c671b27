"""The dialog that replaces the planner's next action with the operator's."""

from gui.window.override_dialog import OverrideDialog

__all__ = ["OverrideDialog"]
