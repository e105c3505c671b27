"""Where a planner thinks things are: looked at, and changed by hand."""

from __future__ import annotations

from gui.panels.belief.panel import BeliefPanel

__all__ = ["BeliefPanel"]
