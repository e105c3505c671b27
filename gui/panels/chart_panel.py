"""The base class of panels with a chart of pyqtgraph, which is imported once the panel is visible."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from PySide6.QtCore import QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QStackedLayout

from gui.control.background import ChartImport
from gui.control.context import Context
from gui.panels.base import Panel
from gui.panels.empty import Reason

if TYPE_CHECKING:
    from gui.widgets.plot_view import PlotView

IMPORT_AFTER = 500
"""Milliseconds from the first sight of the panel to the import, so that the window is complete first."""
C = TypeVar("C", bound="PlotView")


class ChartPanel(Panel, Generic[C]):
    """Shows another widget until there are data and pyqtgraph is imported, then the chart.

    The import takes about 0.4 s, so it is made on a thread of its own, before the first search where there is time for it. A
    subclass defines `make_chart` and `fill_chart`.
    """

    interval: ClassVar[int] = 300

    def __init__(self, context: Context, things: str, hint: str, reason: Reason | None = None):
        """Creates the panel.

        Args:
            context: the shared state.
            things: what the panel shows; this and the rest is said until there is a chart, see `Panel.nothing`.
            hint: what will appear.
            reason: why nothing comes.
        """
        super().__init__(context)
        self.plot: C | None = None
        """The chart; None until pyqtgraph is imported."""
        self._import = ChartImport(self)
        self._import.ready.connect(self._on_import)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.nothing(self.icon, things, hint, reason))

    def make_chart(self) -> C:
        """Returns a new chart. Called once, when pyqtgraph is imported."""
        raise NotImplementedError

    def fill_chart(self, chart: C) -> None:
        """Shows the newest data in the chart."""
        raise NotImplementedError

    def draw_chart(self, *, has_data: bool) -> None:
        """Shows the newest data, or the other widget if there are none."""
        if has_data:
            self._import.start()
        if self.plot is not None and has_data:
            self.fill_chart(self.plot)
        self._stack.setCurrentIndex(int(self.plot is not None and has_data))

    def restyle(self) -> None:
        """Takes the theme's colours and sizes again."""
        if self.plot is not None:
            self.plot.restyle()
        super().restyle()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        """Starts the import a little later."""
        super().showEvent(event)
        QTimer.singleShot(IMPORT_AFTER, self, self._import.start)

    def _on_import(self) -> None:
        self.plot = self.make_chart()
        self._stack.addWidget(self.plot)
        self.restyle()
