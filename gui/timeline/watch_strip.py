"""The strip under the timeline: a plot for each watched expression."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QFrame, QSizePolicy, QVBoxLayout, QWidget

from core.session.checked_expressions import Expression, in_words
from core.session.turns import line_of
from gui.control.background import ChartImport
from gui.control.console import Console
from gui.control.watches import Watches, known
from gui.theme.boxes import FLUSH, hbox, vbox
from gui.widgets import Line, Tool, tool_action

if TYPE_CHECKING:
    from gui.timeline.watch_plot import WatchPlot

EVERY = 300
"""Milliseconds between two drawings."""
HIGH = 56
"""Height of a row in pixels at text size 100 %."""


class WatchStrip(QFrame):
    """A row for each watch: the expression, its value at the moment on display, and its plot. Hidden without watches."""

    resized = Signal()
    """It has more or fewer rows."""

    def __init__(self, console: Console):
        super().__init__()
        self._console, self._theme = console, console.context.theme
        self._watches: Watches = console.context.watches
        self._rows: dict[str, WatchRow] = {}
        self._has_charts = False
        self._import = ChartImport(self)
        self._import.ready.connect(self._on_import)
        self._later = QTimer(self, singleShot=True, interval=EVERY)
        self._later.timeout.connect(self.redraw)
        self.setObjectName("Card")
        self.setAccessibleName("Watches")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 2, 0, 2)
        self._column.setSpacing(0)
        self._watches.changed.connect(self._draw_later)
        console.shown_changed.connect(lambda _: self._draw_later())

    def _on_import(self) -> None:
        self._has_charts = True
        self.redraw()

    def _draw_later(self) -> None:
        if {watch.text for watch in self._watches.watched} != self._rows.keys():
            self.redraw()
        elif self._rows and not self._later.isActive():
            self._later.start()

    def redraw(self) -> None:
        """Shows the present watches and values."""
        watched = self._watches.watched
        self._fit(watched)
        if not watched:
            return
        self._import.start()
        shown, newest = self._console.shown, self._watches.snapshot
        numbers = [number for number, _, _ in newest.branches]
        lines = {number: line_of(newest.turns, newest.branches, number) for number in numbers}
        last = max((line[-1].number for line in lines.values() if line), default=0)
        for watch in watched:
            row = self._rows[watch.text]
            row.value.say(in_words(watch.value(shown, index=self._watches.index)))
            if self._has_charts:
                row.draw(self._watches, shown.branch if shown.branch in numbers else newest.branch, shown.turn,
                         max(last, newest.turn), numbers)

    def _fit(self, watched: tuple[Expression, ...]) -> None:
        """Makes as many rows as there are watches."""
        texts = {watch.text for watch in watched}
        for text in [text for text in self._rows if text not in texts]:
            row = self._rows.pop(text)
            self._column.removeWidget(row)
            row.deleteLater()
        for watch in watched:
            if watch.text not in self._rows:
                self._rows[watch.text] = row = WatchRow(self._console, watch)
                self._column.addWidget(row)
        high = self._theme.px(HIGH) * len(watched) + 4
        if self.height() != high or self.isHidden() != (not watched):
            self.setFixedHeight(high)
            self.setVisible(bool(watched))
            self.resized.emit()


class WatchRow(QWidget):
    """One watch.

    Attributes:
        value: its value at the moment on display.
        plot: its plot; None until pyqtgraph is imported.
    """

    def __init__(self, console: Console, watch: Expression):
        super().__init__()
        theme = self._theme = console.context.theme
        self._watch = watch
        self.value = Line(theme, "", "small", "text", 600)
        self.plot: WatchPlot | None = None
        name = Line(theme, watch.text, "micro", "muted")
        remove = Tool(theme, tool_action(self, theme, f"Stop watching {watch.text}", "close",
                                         partial(console.context.watches.remove, watch.text)))
        self._label = QWidget()
        vbox(theme, 0, name, self.value, 0, on=self._label, spacing=2, margins=FLUSH)
        self._label.setFixedWidth(theme.px(150))
        self._label.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        self._box = hbox(theme, remove, self._label, on=self, spacing=4, margins=(6, 0, 6, 0))
        self.setAccessibleName(f"Watch {watch.text}")

    def draw(self, watches: Watches, branch: int, turn: int, last: int, branches: list[int]) -> None:
        """Draws the values of all branches.

        Args:
            watches: has the values.
            branch: the branch on display.
            turn: the turn on display.
            last: the last turn of all branches.
            branches: the numbers of all branches.
        """
        from gui.timeline.watch_plot import Curve, WatchPlot

        if self.plot is None:
            self.plot = WatchPlot(self._theme, f"Plot of {self._watch.text}", self, is_truth=self._watch.kind == "truth")
            self._box.addWidget(self.plot, 1)
        self.plot.show_curves([Curve(known(watches.series(self._watch, number)), number == branch) for number in branches],
                              turn, last)
