"""The plan panel: the steps that a model planned, with their states and the current one."""

from __future__ import annotations

from collections import Counter
from typing import ClassVar

from PySide6.QtWidgets import QStackedLayout

from core.planning.facets import Program, Steps
from core.session.snapshot import Snapshot
from gui.control.context import Context
from gui.panels.base import Panel
from gui.widgets import EmptyState
from gui.widgets.code_view import CodeView


class PlanPanel(Panel):
    """Shows a plan of several steps. LLM-State emits such plans."""

    name: ClassVar[str] = "plan"
    title: ClassVar[str] = "Plan"
    facets = frozenset({Steps})
    icon: ClassVar[str] = "plan"

    def __init__(self, context: Context):
        super().__init__(context)
        self._steps: Steps | None = None
        self._empty = EmptyState(context.theme, "plan", "No plan yet",
                                 "The steps that the model plans, and their progress, appear here.")
        self.view = CodeView(context.theme, "Steps of the plan")
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.view)

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Shows the snapshot's plan."""
        steps = snapshot.facet(Steps)
        if steps is self._steps:
            return
        self._steps = steps
        self._draw()

    def headline(self) -> str:
        """Returns the number of the current step, and how many steps failed or were skipped."""
        steps = self._steps
        if steps is None or not steps.lines:
            return ""
        states = Counter(line.state for line in steps.lines)
        where = f"step {steps.current + 1} of {len(steps.lines)}" if steps.current >= 0 else "not started"
        return " · ".join([where, *(f"{states[s]} {s}" for s in ("failed", "skipped") if states[s])])

    def restyle(self) -> None:
        """Draws the steps again in the new theme."""
        self._draw()

    def _draw(self) -> None:
        steps = self._steps
        self._stack.setCurrentWidget(self.view if steps is not None and steps.lines else self._empty)
        self.view.show_program(Program(steps.lines, steps.current) if steps is not None else Program(()))
