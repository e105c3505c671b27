"""The dialog *Statistics*: labels of each planner, interventions in each turn, and ratings, of the recordings of a folder."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QFileDialog, QStackedLayout, QWidget

from gui.control.background import ChartImport
from gui.control.console import Console
from gui.recordings.agreement import AgreementReview
from gui.theme.boxes import DIALOG, FLUSH, hbox, vbox
from gui.theme.screens import fit
from gui.widgets import Button, EmptyState, Line, Prose, Segment
from gui.widgets.numbers import count

if TYPE_CHECKING:
    from core.recording.statistics import EpisodeRow
    from gui.recordings.statistics_chart import Chart, Legend, StatisticsChart

CHARTS: tuple[Chart, ...] = ("labels", "interventions", "turn", "day")
TITLES = ("Labels", "Interventions", "Ratings by turn", "Ratings by day")
ABOUT = ("How many labels an episode of each planner got on average, from all annotators together.",
         "Overrides and edits of the operator in each turn, for each time that the turn was played.",
         "Mean rating in each turn, with its standard error. A larger mark stands for more ratings.",
         "Mean rating of the episodes of each day, with its standard error. A larger mark stands for more ratings.")


class StatisticsDialog(QDialog):
    """Reads a folder off the GUI thread, and shows one chart at a time; of labels only those that this annotator may see."""

    def __init__(self, console: Console, review: AgreementReview, parent: QWidget):
        super().__init__(parent)
        theme = self._theme = console.context.theme
        self._console, self._review = console, review
        self._rows: tuple[EpisodeRow, ...] = ()
        self._folder = review.folder
        self._asked = 0
        self.chart: StatisticsChart | None = None
        self.legend: Legend | None = None
        self.setWindowTitle("Statistics")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.line = Prose(theme, "", "small", "muted")
        self.about = Line(theme, ABOUT[0], "small", "muted")
        self.which = Segment(theme, TITLES, 0, "Chart")
        self.which.chosen.connect(lambda _: self._draw())
        self._body = QWidget()
        self._column = vbox(theme, on=self._body, spacing=4, margins=FLUSH)
        nothing = EmptyState(theme, "scatter", "Nothing to count yet",
                             "Choose a folder with recordings that have labels or ratings.")
        self._stack = QStackedLayout()
        for page in (nothing, self._body):
            self._stack.addWidget(page)
        pages = QWidget()
        pages.setLayout(self._stack)
        head = hbox(theme, (Line(theme, "Statistics", "heading", "text", 650), 1), self.which, spacing=8)
        buttons = hbox(theme, Button(theme, "Folder …", "folder", act=self._choose), 0,
                       Button(theme, "Close", "close", act=self.reject))
        vbox(theme, head, self.line, self.about, (pages, 1), buttons, on=self, spacing=8, margins=DIALOG)
        fit(self, theme, 760, 520)
        console.context.label_filter.changed.connect(self._draw)
        self._import = ChartImport(self)
        self._import.ready.connect(self._draw)
        self._import.start()
        self.read(self._folder)

    def read(self, folder: Path) -> None:
        """Reads the recordings of a folder."""
        self._asked, self._folder = self._asked + 1, folder
        self.line.say(f"Reading {folder.name} …")
        asked, files = self._asked, self._review.files

        def work() -> tuple[tuple[EpisodeRow, ...], tuple[str, ...]]:
            from core.recording.statistics import row_of

            return files.read_folder(folder, row_of)

        self._review.jobs.do(work, partial(self._take, asked), partial(self._fail, asked), self)

    def _take(self, asked: int, found: tuple[tuple[EpisodeRow, ...], tuple[str, ...]]) -> None:
        if asked == self._asked:
            self._rows, left_out = found
            planners = len({row.planner for row in self._rows})
            more = f" · {count(len(left_out), 'file')} not readable" if left_out else ""
            self.line.say(f"{self._folder.name} · {count(len(self._rows), 'recording')} · {count(planners, 'planner')}{more}")
            self._draw()

    def _fail(self, asked: int, error: Exception) -> None:
        if asked == self._asked:
            self._rows = ()
            self.line.say(" ".join(str(error).split()), "warn")
            self._draw()

    def _draw(self) -> None:
        self.about.say(ABOUT[self.which.index])
        can_draw = bool(self._rows) and self._import.is_ready
        self._stack.setCurrentIndex(int(can_draw))
        if not can_draw:
            return
        if self.chart is None or self.legend is None:
            from gui.recordings.statistics_chart import Legend, StatisticsChart

            self.chart, self.legend = StatisticsChart(self._theme, self._body), Legend(self._theme)
            self._column.addWidget(self.legend)
            self._column.addWidget(self.chart, 1)
        only = self._console.context.label_filter.only
        rows = self._rows if only is None else tuple(row.by(only) for row in self._rows)
        self.legend.setVisible(self.which.index < 2)
        self.legend.show_names(sorted({row.planner for row in rows}))
        self.chart.show_rows(rows, CHARTS[self.which.index])
        self._stack.setCurrentIndex(int(self.chart.has_figures))

    def _choose(self) -> None:
        dialog = QFileDialog(self, "Count the recordings of a folder", str(self._folder))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ReadOnly)
        dialog.fileSelected.connect(lambda path: self.read(Path(path)))
        dialog.finished.connect(lambda _: dialog.deleteLater())
        dialog.open()

    def done(self, result: int) -> None:
        """Drops what is still being read."""
        self._asked += 1
        super().done(result)
