"""Charts: the plot is drawn by pyqtgraph, which is imported once a chart is visible."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QSize
from PySide6.QtGui import QPainter, QShowEvent
from PySide6.QtWidgets import QSizePolicy

from core.views.charts import chart_words
from core.views.values import Chart, Series
from gui.control.background import ChartImport
from gui.theme import Theme
from gui.theme.boxes import FLUSH, vbox
from gui.views.tones import point_radius, point_shape, series_pen
from gui.views.widget import LONGEST_TIP, ViewWidget, plain
from gui.widgets import draw_mark, draw_text
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
        self.legend.show_series(view.series)
        if self.plot is not None:
            self.plot.show_chart(view)
            named = view.series[0].name if view.series else "Chart"
            self.plot.setAccessibleName(plain(view.title or (f"{named} over {view.x}" if view.x else named)))
            self.plot.setAccessibleDescription(plain(chart_words(view), LONGEST_TIP))


class Legend(PaintedWidget):
    """The names of the series with their lines, in one row. Hidden with fewer than two."""

    def __init__(self, theme: Theme):
        super().__init__()
        self._theme, self._series = theme, tuple[Series, ...]()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.hide()

    def show_series(self, series: tuple[Series, ...]) -> None:
        """Shows other series."""
        self._series = series
        self.setToolTip("\n".join(plain(one.name, 60) for one in series[:40]))
        self.update()
        self.setVisible(len(series) > 1)

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Returns the height of a line."""
        return QSize(self._theme.px(120), self._theme.px(20))

    def paint(self, painter: QPainter) -> None:
        """Paints the names as far as there is room."""
        px, x = self._theme.px, self._theme.px(8)
        rect = self.rect().toRectF()
        painter.fillRect(rect, self._theme.colour("surface"))
        for k, series in enumerate(self._series[:MOST_SERIES]):
            if x + px(50) > rect.right():
                break
            middle, wide = rect.center().y(), px(8 if series.form == "points" else 16)
            if series.form == "points":
                colour = series_pen(self._theme, series, k).color()
                draw_mark(painter, point_shape(series), x + px(4), middle, px(point_radius(series)), colour)
            else:
                painter.setPen(series_pen(self._theme, series, k))
                painter.drawLine(QPointF(x, middle), QPointF(x + wide, middle))
            room = rect.adjusted(x + wide + px(4), 0, -px(8), 0)
            name = plain(series.name, 60)
            x += int(wide + px(16) + min(room.width(), draw_text(painter, self._theme, room, name, "micro", "muted")))
        hidden = len(self._series) - MOST_SERIES
        if hidden > 0 and x < rect.right():
            draw_text(painter, self._theme, rect.adjusted(x, 0, 0, 0), f"+{hidden:,}", "micro", "faint")
