"""The budget of a run: simulations, calls, tokens, time and steps, each with its limit. A click changes the limit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QMenu, QWidget

from core.session import commands as c
from core.session.snapshot import Snapshot
from gui.control.console import Console
from gui.control.key_labels import KeyLabel
from gui.control.snapshot_texts import budget_of
from gui.theme import Theme
from gui.widgets import Button, Meter

CALLS, TOKENS = (50, 200, 1_000, 5_000), (20_000, 100_000, 500_000, 2_000_000)
"""Limits to choose from."""


class Meters(QWidget):
    """The budget as a grid of three by two cells; the sixth cell opens the palette."""

    def __init__(self, theme: Theme, console: Console, palette: Callable[[], object]):
        super().__init__()
        self._theme, self._console, self._factor = theme, console, 1.0
        self.simulations = Meter(theme, "Simulations", 118, "Sims")
        self.calls = Meter(theme, "Model calls", 108, "Calls")
        self.tokens = Meter(theme, "Tokens", 100)
        self.turn = Meter(theme, "This turn", 118, "Turn")
        self.steps = Meter(theme, "Steps", 108)
        self.palette_button = Button(theme, "", "palette", act=palette)
        KeyLabel(console.context, self, lambda key: self.palette_button.dress(key or "Commands", "palette"), "{Ctrl+K}")
        self.palette_button.setToolTip("Command palette")
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._columns = 3
        self._place_cells()
        self.simulations.clicked.connect(lambda: console.run_request.more_simulations())
        self.steps.setToolTip("Click for 10 more")
        for meter, field, offered in ((self.calls, "calls", CALLS), (self.tokens, "tokens", TOKENS)):
            meter.setToolTip(f"Click to limit the {field} of this run")
            meter.clicked.connect(lambda meter=meter, field=field, offered=offered: self._offer_limits(meter, field, offered))
        self.steps.clicked.connect(self._more_steps)

    def _place_cells(self) -> None:
        """Places the cells in their columns."""
        left_out = () if self._columns == 3 else (self.tokens, self.turn)
        cells = [cell for cell in (self.simulations, self.calls, self.tokens, self.turn, self.steps, self.palette_button)
                 if cell not in left_out]
        for meter in (self.tokens, self.turn):
            self._grid.removeWidget(meter)
        for k, cell in enumerate(cells):
            self._grid.addWidget(cell, k // self._columns, k % self._columns, Qt.AlignmentFlag.AlignVCenter)
        for meter in (self.tokens, self.turn):
            meter.setVisible(meter not in left_out)  # only now, because they have a parent and so are not windows
        self._update_tooltips()

    def _update_tooltips(self) -> None:
        """Sets the tooltips: what a click does, and the readings of cells that are left out."""
        def left_out(meter: Meter) -> str:
            return f"\n{meter.accessibleName()}" if self._columns < 3 else ""

        self.simulations.setToolTip("Click for 100 more" + left_out(self.turn))
        self.calls.setToolTip("Click to limit the calls of this run" + left_out(self.tokens))

    def _more_steps(self) -> None:
        console = self._console
        console.run_request.set_steps((console.snapshot.most_steps or console.request.max_steps or 0) + 10)

    def limits_menu(self, field: str, offered: tuple[int, ...]) -> QMenu:
        """Returns a menu of no limit and the limits offered, with the present one ticked.

        Args:
            field: `calls` or `tokens`.
            offered: limits to choose from.
        """
        menu, console = QMenu(self), self._console
        now = asdict(console.snapshot.limits if console.begun else console.request.limits)
        for value in (None, *offered):
            action = menu.addAction("No limit" if value is None else f"At most {value:,} {field}".replace(",", "\u2009"))
            action.setCheckable(True)
            action.setChecked(value == now[field])
            limits = c.SetLimits(**{**now, field: value})
            action.triggered.connect(lambda _=False, limits=limits: console.run_request.set_limits(limits))
        return menu

    def _offer_limits(self, meter: Meter, field: str, offered: tuple[int, ...]) -> None:
        menu = self.limits_menu(field, offered)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(meter.mapToGlobal(meter.rect().bottomLeft()))

    def fit(self, compact: bool, columns: int) -> None:
        """Sets the cells' widths and columns. With two columns, the tooltips show tokens and turn instead of cells."""
        px, narrow = self._theme.px, 84 if columns == 3 else 78
        self._grid.setHorizontalSpacing(px(12 if compact else 16))
        self._grid.setVerticalSpacing(px(6))
        meters = (self.simulations, self.calls, self.tokens, self.turn, self.steps)
        for meter, width in zip(meters, (118, 108, 100, 118, 108), strict=True):
            meter.setFixedSize(px(narrow if compact else width), px(28))
        if columns != self._columns:
            self._columns = columns
            self._place_cells()
        self.palette_button.setFixedWidth(px(narrow if compact else 100))

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Shows the readings of a snapshot."""
        budget = budget_of(snapshot, self._console.request.max_steps)
        self.simulations.read(budget.simulations)
        self.calls.read(budget.calls)
        self.tokens.read(budget.tokens)
        self.turn.read(budget.turn)
        self.steps.read(budget.steps)
        if self._columns < 3:
            self._update_tooltips()
