"""The belief panel: where a planner believes objects are, with the operator's edits."""

from __future__ import annotations

from gui.panels.belief.panel import BeliefPanel

__all__ = ["BeliefPanel"]
