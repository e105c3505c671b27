"""Charts: the plot is drawn by pyqtgraph, which is imported once a chart is visible."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize
from PySide6.QtGui import QPainter, QShowEvent
from PySide6.QtWidgets import QSizePolicy

from core.views.values import Chart
from core.views.wording import cell_text
from gui.control.background import ChartImport
from gui.theme import Theme
from gui.theme.boxes import FLUSH, vbox
from gui.views.widget import ViewWidget, plain
from gui.widgets import draw_text
from gui.widgets.painting import pen_of
from gui.widgets.text import PaintedWidget

if TYPE_CHECKING:
    from gui.views.chart_plot import ChartPlot

MOST_SERIES = 12
"""Series that are drawn; the others are counted in the legend."""


class ChartView(ViewWidget[Chart]):
    """Shows a chart, and until it can be drawn a line that says so."""

    def __init__(self, theme: Theme):
        super().__init__(theme)
        self.view = Chart(())
        self.plot: ChartPlot | None = None
        """The plot; None until pyqtgraph is imported."""
        self.legend = Legend(theme)
        self._column = vbox(theme, self.legend, on=self, spacing=0, margins=FLUSH)
        self._import = ChartImport(self)
        self._import.ready.connect(self._on_import)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        """Starts the import."""
        super().showEvent(event)
        self._import.start()

    def _on_import(self) -> None:
        from gui.views.chart_plot import ChartPlot

        self.plot = ChartPlot(self.theme, self)
        self._column.addWidget(self.plot, 1)
        self.show_view(self.view)

    def show_view(self, view: Chart) -> None:
        """Shows another chart."""
        self.view = view
        self.legend.show_series(tuple(plain(series.name, 60) for series in view.series))
        if self.plot is not None:
            self.plot.show_chart(view)
            self.plot.setAccessibleName(view.title or "Chart")
            self.plot.setAccessibleDescription(chart_words(view))


def chart_words(view: Chart) -> str:
    """Returns the last point of each series in words."""
    words = []
    for series in view.series[:MOST_SERIES]:
        last = next((point for point in reversed(series.points) if all(map(math.isfinite, point))), None)
        at = "no points" if last is None else f"{cell_text(float(last[1]), 'value')} at {cell_text(float(last[0]), 'value')}"
        words.append(f"{plain(series.name, 60)}: {len(series.points):,} points, last {at}")
    return "; ".join(words)


class Legend(PaintedWidget):
    """The names of the series with their lines, in one row. Hidden with fewer than two."""

    def __init__(self, theme: Theme):
        super().__init__()
        self._theme, self._names = theme, tuple[str, ...]()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.hide()

    def show_series(self, names: tuple[str, ...]) -> None:
        """Shows other names."""
        if names != self._names:
            self._names = names
            self.setToolTip("\n".join(names[:40]))
            self.update()
        self.setVisible(len(names) > 1)

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Returns the height of a line."""
        return QSize(self._theme.px(120), self._theme.px(20))

    def paint(self, painter: QPainter) -> None:
        """Paints the names as far as there is room."""
        px, x = self._theme.px, self._theme.px(8)
        rect = self.rect().toRectF()
        for k, name in enumerate(self._names[:MOST_SERIES]):
            if x + px(50) > rect.right():
                break
            painter.setPen(pen_of(self._theme, k))
            painter.drawLine(int(x), int(rect.center().y()), int(x + px(16)), int(rect.center().y()))
            room = rect.adjusted(x + px(20), 0, -px(8), 0)
            x += int(px(32) + min(room.width(), draw_text(painter, self._theme, room, name, "micro", "muted")))
        hidden = len(self._names) - MOST_SERIES
        if hidden > 0 and x < rect.right():
            draw_text(painter, self._theme, rect.adjusted(x, 0, 0, 0), f"+{hidden:,}", "micro", "faint")
