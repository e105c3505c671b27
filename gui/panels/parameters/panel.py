"""The parameters panel: a property editor built from the planner's description of its parameters."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea, QStackedLayout, QVBoxLayout, QWidget

from core.common.parameters import Parameters, Value, described
from core.session.snapshot import Snapshot
from gui.control.context import Context
from gui.control.undo import ParameterSet
from gui.panels.base import Panel
from gui.panels.parameters.row import ParameterRow
from gui.widgets import EmptyState
from gui.widgets import numbers as say


class ParametersPanel(Panel):
    """The parameters panel.

    A change is sent at once. It takes effect at the planner's next yield and stays for the next runs. Each change can be
    undone.
    """

    name: ClassVar[str] = "parameters"
    title: ClassVar[str] = "Parameters"
    icon: ClassVar[str] = "parameters"

    def __init__(self, context: Context):
        super().__init__(context)
        self._parameters: Parameters | None = None
        self._initial: Parameters | None = None
        self.rows: dict[str, ParameterRow] = {}
        self._list = QWidget()
        self._column = QVBoxLayout(self._list)
        self._column.setContentsMargins(0, context.theme.px(4), 0, context.theme.px(4))
        self._column.setSpacing(0)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(self._list)
        area.viewport().setAutoFillBackground(False)
        self._list.setAutoFillBackground(False)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(EmptyState(context.theme, "parameters", "No parameters",
                                         "What a planner lets you change appears here when a run begins."))
        self._stack.addWidget(area)
        context.live_changed.connect(lambda _: self._show())
        context.preview.cancelled.connect(self._let_go)

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Shows the newest values."""
        initial = snapshot.began.parameters if snapshot.began is not None else snapshot.parameters
        if snapshot.parameters is self._parameters and initial is self._initial:
            return
        another = type(snapshot.parameters) is not type(self._parameters)
        self._parameters, self._initial = snapshot.parameters, initial
        if another:
            self._build()
        self._show()

    def headline(self) -> str:
        """Returns how many parameters there are, and how many were changed."""
        if self._parameters is None or not self.rows:
            return ""
        moved = sum(value != self._initially().get(name) for name, value in self._now().items())
        return say.count(len(self.rows), "parameter") + (f" · {moved} changed" if moved else "")

    def restyle(self) -> None:
        """Builds the rows again with the colours and sizes of the theme."""
        if self._parameters is not None:
            self._build()
            self._show()

    def _now(self) -> dict[str, Value]:
        return {p.name: p.value for p in described(self._parameters)} if self._parameters is not None else {}

    def _initially(self) -> dict[str, Value]:
        """Returns the values that the run began with. A planner of another kind is compared with its own defaults."""
        if self._initial is not None and type(self._initial) is type(self._parameters):
            return {p.name: p.value for p in described(self._initial)}
        if self._parameters is None:
            return {}
        fields = dataclasses.fields(self._parameters)
        return {f.name: f.default for f in fields if f.default is not dataclasses.MISSING}

    def _build(self) -> None:
        for row in self.rows.values():
            self._column.removeWidget(row)
            row.hide()
            row.deleteLater()
        while self._column.count():
            self._column.takeAt(0)
        self.rows = {}
        for parameter in described(self._parameters) if self._parameters is not None else ():
            row = ParameterRow(self.context.theme, parameter, self._say, self.context.preview)
            self.rows[parameter.name] = row
            self._column.addWidget(row)
        self._column.addStretch(1)
        self._stack.setCurrentIndex(int(bool(self.rows)))

    def _show(self) -> None:
        if self._parameters is None:
            return
        initial = self._initially()
        for parameter in described(self._parameters):
            first = initial.get(parameter.name, parameter.value)
            self.rows[parameter.name].show_parameter(parameter, self._parameters, first, self.context.live)

    def _let_go(self) -> None:
        for row in self.rows.values():
            row.let_go()

    def _say(self, name: str, value: Value, before: Value) -> None:
        self.context.undo.push(ParameterSet(self.context, f"Set {name.replace('_', ' ')}", name, value, before))
