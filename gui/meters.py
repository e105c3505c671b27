"""The budget of a run: simulations, calls, tokens, time and steps, each with its limit; a click changes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QMenu, QWidget

from core import commands as c
from core.snapshot import Snapshot
from gui.console import Console
from gui.keyed import Keyed
from gui.readings import budget_of
from gui.theme import Theme
from gui.widgets import Button, Meter

CALLS, TOKENS = (50, 200, 1_000, 5_000), (20_000, 100_000, 500_000, 2_000_000)
"""Limits offered."""


class Meters(QWidget):
    """The budget, three by two cells; the sixth opens the palette."""

    def __init__(self, theme: Theme, console: Console, palette: Callable[[], object]):
        super().__init__()
        self._theme, self._console, self._factor = theme, console, 1.0
        self.simulations = Meter(theme, "Simulations", 118)
        self.calls = Meter(theme, "Model calls", 108)
        self.tokens = Meter(theme, "Tokens", 100)
        self.turn = Meter(theme, "This turn", 118)
        self.steps = Meter(theme, "Steps", 108)
        self.palette_button = Button(theme, "", "palette", act=palette)
        Keyed(console.context, self, lambda key: self.palette_button.dress(key or "Commands", "palette"), "{Ctrl+K}")
        self.palette_button.setToolTip("Command palette")
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        cells = (self.simulations, self.calls, self.tokens, self.turn, self.steps, self.palette_button)
        for k, cell in enumerate(cells):
            self._grid.addWidget(cell, k // 3, k % 3, Qt.AlignmentFlag.AlignVCenter)
        self.simulations.clicked.connect(lambda: console.wishes.more_simulations())
        self.simulations.setToolTip("Click for 100 more")
        self.steps.setToolTip("Click for 10 more")
        for meter, field, offered in ((self.calls, "calls", CALLS), (self.tokens, "tokens", TOKENS)):
            meter.setToolTip(f"Click to limit the {field} of this run")
            meter.clicked.connect(lambda meter=meter, field=field, offered=offered: self._offer_limits(meter, field, offered))
        self.steps.clicked.connect(self._more_steps)

    def _more_steps(self) -> None:
        console = self._console
        console.wishes.set_steps((console.snapshot.most_steps or console.request.max_steps or 0) + 10)

    def limits_menu(self, field: str, offered: tuple[int, ...]) -> QMenu:
        """No limit, or one of those offered: `field` is `calls` or `tokens`; the present one is ticked."""
        menu, console = QMenu(self), self._console
        now = asdict(console.snapshot.limits if console.begun else console.request.limits)
        for value in (None, *offered):
            action = menu.addAction("No limit" if value is None else f"At most {value:,} {field}".replace(",", "\u2009"))
            action.setCheckable(True)
            action.setChecked(value == now[field])
            limits = c.SetLimits(**{**now, field: value})
            action.triggered.connect(lambda _=False, limits=limits: console.wishes.set_limits(limits))
        return menu

    def _offer_limits(self, meter: Meter, field: str, offered: tuple[int, ...]) -> None:
        menu = self.limits_menu(field, offered)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(meter.mapToGlobal(meter.rect().bottomLeft()))

    def fit(self, compact: bool) -> None:
        """Narrower cells with shorter names where room is short."""
        px = self._theme.px
        self._grid.setHorizontalSpacing(px(12 if compact else 16))
        self._grid.setVerticalSpacing(px(6))
        for meter, long, short, width in (
            (self.simulations, "Simulations", "Sims", 118), (self.calls, "Model calls", "Calls", 108),
            (self.tokens, "Tokens", "Tokens", 100), (self.turn, "This turn", "Turn", 118), (self.steps, "Steps", "Steps", 108),
        ):
            meter.setFixedSize(px(84 if compact else width), px(28))
            meter.read(meter.reading, short if compact else long)
        self.palette_button.setFixedWidth(px(84 if compact else 100))

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """The readings of a moment."""
        budget = budget_of(snapshot, self._console.request.max_steps)
        self.simulations.read(budget.simulations)
        self.calls.read(budget.calls)
        self.tokens.read(budget.tokens)
        self.turn.read(budget.turn)
        self.steps.read(budget.steps)
