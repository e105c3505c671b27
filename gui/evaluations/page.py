"""The page of evaluations: how one goes, its table and plot, and the episodes of a cell, which open where they went wrong."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFileDialog, QSplitter, QStackedLayout, QWidget

from gui.control.background import ChartImport
from gui.control.console import Console
from gui.evaluations.cells import HEAD, CellTable, EpisodeList
from gui.evaluations.estimate_words import words_of
from gui.evaluations.runs import EvaluationRuns
from gui.recordings.viewer import RecordingViewer
from gui.theme.boxes import FLUSH, hbox, vbox
from gui.widgets import Button, CardState, Line, PopupMenu, Prose, StateAction, StateCard
from gui.widgets.full_page import FullPage
from gui.widgets.meter import Meter, Reading
from gui.widgets.numbers import count, whole

if TYPE_CHECKING:
    from core.evaluation.episode_command import Repetition
    from core.evaluation.overview import Cell, Overview
    from core.evaluation.plan import EvaluationPlan
    from core.suites.suite import Row
    from gui.evaluations.chart import EvaluationChart
    from gui.evaluations.plan_dialog import PlanDialog

CHART_HEIGHT = 170
"""Least height of the plot in pixels at 100 % text size."""
EPISODES_WIDTH = 380
OPEN = "Open the results of an evaluation"


class EvaluationsPage(FullPage):
    """The page. It fills the window in place of the console.

    Attributes:
        table: the table of planners and cells.
        episodes: the episodes of the chosen cell.
        chart: the plot; None until pyqtgraph is loaded.
        overview: what is shown; None before a folder was read.
        dialog: the open dialog of a plan, or None.
    """

    def __init__(self, console: Console, runs: EvaluationRuns, viewer: RecordingViewer):
        theme = console.context.theme
        super().__init__(theme, "Evaluations")
        self._console, self._runs, self._viewer = console, runs, viewer
        self.overview: Overview | None = None
        self.chart: EvaluationChart | None = None
        self._import = ChartImport(self)
        self._import.ready.connect(self._make_chart)
        self.dialog: PlanDialog | None = None
        self._measure = ""
        self._opening: tuple[Path, str, str] | None = None
        """The recording that is being opened, and what to say then: a text and its tone."""
        self.table, self.episodes = CellTable(theme), EpisodeList(theme)
        self._place = Line(theme, "", "small", "muted")
        self.status = Line(theme, "", "small", "text")
        self.meter = Meter(theme, "Episodes", 190, tone="accent")
        self.cell_name = Line(theme, "", "body", "text", 600)
        self.classes = Prose(theme, "", "small", "muted")
        self._empty = StateCard(theme)
        self._published = Line(theme, "", "micro", "muted")
        self._dragged: set[QSplitter] = set()
        """The splitters whose gap the operator has dragged."""
        self._sharing = QTimer(self, interval=0, singleShot=True)
        self._sharing.timeout.connect(self._share_room)
        self._make_buttons()
        self._lay_out()
        self._connect()
        self._show_buttons()
        self._show_empty()

    def _make_buttons(self) -> None:
        theme, runs = self._theme, self._runs
        self.new = Button(theme, "New evaluation …", "add", "primary", self.open_plan)
        self.folder = Button(theme, "Results", "folder", act=lambda: self.open_menu(self.folder, self._fill_folders))
        self.compare = Button(theme, "Compare with …", "compare", act=lambda: self.open_menu(self.compare, self._fill_compare))
        self.measure = Button(theme, "Measure", "scatter", act=lambda: self.open_menu(self.measure, self._fill_measures))
        self.pause = Button(theme, "Pause", "pause", act=runs.pause)
        self.pause.setToolTip("End after the episodes under way. Everything that was played is kept.")
        self.resume = Button(theme, "Resume", "run", "primary", self.go_on)
        self.more = Button(theme, "Change or extend …", "edit", act=lambda: self.open_plan(again=True))
        self.cancel = Button(theme, "Cancel", "close", act=runs.cancel)

    def _lay_out(self) -> None:
        theme = self._theme
        tables, episodes, content, pages = QWidget(), QWidget(), QWidget(), QWidget()
        self._chart_place = QWidget()
        self._charts = vbox(theme, self._published, on=self._chart_place, spacing=2, margins=FLUSH)
        self._split = split = QSplitter(Qt.Orientation.Vertical)
        split.addWidget(self.table)
        split.addWidget(self._chart_place)
        split.setStretchFactor(1, 1)
        split.setChildrenCollapsible(False)
        vbox(theme, (split, 1), on=tables, spacing=0, margins=FLUSH)
        vbox(theme, self.cell_name, self.classes, (self.episodes, 1), on=episodes, spacing=4, margins=FLUSH)
        self._across = across = QSplitter(Qt.Orientation.Horizontal)
        across.addWidget(tables)
        across.addWidget(episodes)
        across.setStretchFactor(0, 1)
        across.setChildrenCollapsible(False)
        doing = hbox(theme, self.meter, 10, (self.status, 1), self.pause, self.resume, self.more, self.compare, self.measure,
                     spacing=6)
        vbox(theme, doing, (across, 1), on=content, spacing=8, margins=FLUSH)
        self._pages = QStackedLayout(pages)
        self._pages.addWidget(content)
        self._pages.addWidget(self._empty)
        head = hbox(theme, self.back, 8, self.heading, 6, (self._place, 1),
                    self.folder, self.new, spacing=6)
        vbox(theme, head, (pages, 1), hbox(theme, (self.news, 1), self.cancel, spacing=6), on=self, spacing=8,
             margins=(12, 10, 12, 10))

    def _connect(self) -> None:
        runs = self._runs
        runs.read.connect(self.show_overview)
        runs.changed.connect(self._show_state)
        runs.troubled.connect(self._on_trouble)
        runs.recorded.connect(self._on_recorded)
        runs.not_recorded.connect(lambda row, why: self.say(why, "warn"))
        for splitter in (self._split, self._across):
            splitter.splitterMoved.connect(lambda *_, moved=splitter: self._dragged.add(moved))
        self._console.context.theme_changed.connect(self._sharing.start)
        self.table.picked.connect(self._show_cell)
        self.episodes.opened.connect(lambda index: self.open_episode(self.episodes.items[index]))
        self._console.replay.opened.connect(lambda _: self._on_opened())

    # --- what is shown -------------------------------------------------------
    def show_overview(self, overview: Overview) -> None:
        """Shows a folder as it is now."""
        before, self.overview = self.overview, overview
        if before is None or before.results.folder != overview.results.folder:
            self._measure, self.table.cell = "", None
            self.episodes.show_items(())
            self.cell_name.say("Choose a cell to see its episodes")
            self.classes.say("")
            self._dragged.discard(self._split)
        keys = [measure.key for measure in overview.measures]
        self._measure = self._measure if self._measure in keys else keys[0]
        self._pages.setCurrentIndex(0)
        self._sharing.start()
        self._show_measure()
        if self.table.cell is not None:
            self._show_cell(self.table.cell)
        self._show_state()
        if overview.results.note and self._runs.running is None:
            self.say(overview.results.note[:1].upper() + overview.results.note[1:], "warn")

    def _share_room(self) -> None:
        """Gives the table the height of its rows, the episodes their width, and the plot the rest. What was dragged stays."""
        px, split, across = self._theme.px, self._split, self._across
        least = px(CHART_HEIGHT)
        self._chart_place.setMinimumHeight(least)
        if across not in self._dragged:
            wide = min(px(EPISODES_WIDTH), across.width() // 2)
            across.setSizes([across.width() - wide, wide])
        if split not in self._dragged:
            high = min(self.table.row_height() * self.table.count() + px(HEAD + 4), max(0, split.height() - least))
            split.setSizes([high, split.height() - high])

    def _show_measure(self) -> None:
        overview = self.overview
        assert overview is not None
        title = next(m.title for m in overview.measures if m.key == self._measure)
        self.measure.dress(title.partition(" (")[0], "scatter")
        self.table.show_overview(overview, self._measure)
        is_first = self._measure == overview.measures[0].key
        self._published.say("Bars with 95 % intervals; ◆ published, in other worlds and with other models"
                            if is_first and overview.published else "Bars with 95 % intervals")
        if self.chart is not None:
            self.chart.show_overview(overview, self._measure)

    def _show_cell(self, cell: Cell) -> None:
        overview = self.overview
        assert overview is not None
        rows, failed = overview.episodes.get(cell, ()), overview.failed.get(cell)
        self.cell_name.say(f"{cell[0]} · {cell[1]}")
        told = ", ".join(f"{label} {n}" for label, n in failed.most_common()) if failed else ""
        self.classes.say(f"{count(len(rows), 'episode')}, {failed.total()} failed: {told}" if failed else
                         f"{count(len(rows), 'episode')}, none failed" if rows else "No episode yet")
        self.episodes.show_items(rows, lambda row: row.seed)

    def _show_state(self) -> None:
        runs, overview, folder = self._runs, self.overview, self._runs.folder
        self._place.say("" if folder is None else str(folder))
        self.episodes.playing = runs.playing
        self.episodes.redraw()
        if overview is not None and overview.results.folder == folder:
            done = overview.total - overview.left if overview.total else len(overview.results.rows)
            share = done / overview.total if overview.total else None
            self.meter.read(Reading(whole(done), f"/{whole(overview.total)}" if overview.total else "", share))
            self.status.say(f"{overview.results.suite} · {overview.results.model} · {self._state(overview)}")
        elif runs.running is not None:
            self._show_empty()
        self._show_buttons()

    def _state(self, overview: Overview) -> str:
        runs, folder = self._runs, overview.results.folder
        rest = words_of(overview.estimate)
        if runs.running == folder:
            return "pausing after the episodes under way" if runs.is_pausing else f"playing{f', {rest} left' if rest else ''}"
        if not overview.left:
            return "complete" if overview.total else "by an earlier version"
        why = f"stopped: {runs.ended}" if runs.ended else "not complete"
        return f"{why} · {count(overview.left, 'episode')} left{f', {rest}' if rest else ''}"

    def _show_buttons(self) -> None:
        runs, overview = self._runs, self.overview
        here = overview is not None and overview.results.folder == runs.folder
        is_running = runs.running is not None and runs.running == runs.folder
        self.pause.setVisible(is_running)
        self.pause.setEnabled(not runs.is_pausing)
        self.resume.setVisible(here and not is_running and overview is not None and overview.left > 0)
        self.resume.setEnabled(runs.running is None)
        self.more.setVisible(here and not is_running and overview is not None and overview.results.plan is not None)
        self.cancel.setVisible(runs.playing is not None)

    def _show_empty(self) -> None:
        """Shows a card in place of results."""
        if self._runs.running is not None:
            state = CardState("waiting", "The evaluation begins", "The first results appear here as soon as they are on disk.")
        else:
            state = CardState("empty", "No evaluation yet", "An evaluation plays a suite with several planners over many "
                              "seeds. Start one, or open the results of an earlier one.", "scatter",
                              actions=(StateAction("New evaluation …", "add", self.open_plan, primary=True),
                                       StateAction("Open results …", "folder", self.ask_folder)))
        self._empty.show_state(state)
        self._pages.setCurrentIndex(1)

    def _on_trouble(self, text: str) -> None:
        if self.overview is None and self._runs.running is None:
            self._show_empty()
        self.say(text, "warn")

    # --- menus ---------------------------------------------------------------
    def _fill_folders(self, menu: PopupMenu) -> None:
        for folder in self._runs.folders:
            menu.add(str(folder), partial(self.show_folder, folder), checked=folder == self._runs.folder)
        menu.addSeparator()
        menu.add("Open results …", self.ask_folder)
        if self.overview is not None and self.overview.results.rows:
            menu.add("Write its episodes as one table …", partial(self.ask_folder, self.write_dataset, "Write the table to"))

    def _fill_compare(self, menu: PopupMenu) -> None:
        for folder in self._runs.folders:
            if folder != self._runs.folder:
                menu.add(str(folder), partial(self._runs.compare_with, folder))
        menu.addSeparator()
        menu.add("Other results …", partial(self.ask_folder, self._runs.compare_with))
        menu.add("Nothing", partial(self._runs.compare_with, None))

    def _fill_measures(self, menu: PopupMenu) -> None:
        for measure in self.overview.measures if self.overview is not None else ():
            menu.add(measure.title, partial(self._choose_measure, measure.key), checked=measure.key == self._measure)

    def _choose_measure(self, key: str) -> None:
        self._measure = key
        self._show_measure()

    def ask_folder(self, then: Callable[[Path], object] | None = None, title: str = OPEN) -> None:
        """Lets the operator choose a folder. `then` gets it; without, its results are shown."""
        dialog = QFileDialog(self, title, str(self._runs.folder or self._runs.home))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ReadOnly)
        dialog.fileSelected.connect(lambda path: (then or self.show_folder)(Path(path)))
        dialog.finished.connect(lambda _: dialog.deleteLater())
        dialog.open()

    def show_folder(self, folder: Path) -> None:
        """Shows the results in a folder."""
        self.say("")
        self._runs.show_folder(folder)

    def write_dataset(self, inside: Path) -> None:
        """Writes the episodes as one table with a data card to a new folder in `inside`."""
        self.say("Writing the table …")
        self._runs.write_dataset(inside, lambda text: self.say(f"{text[:1].upper()}{text[1:]}"),
                                 lambda error: self.say(" ".join(str(error).split()), "warn"))

    # --- plans ---------------------------------------------------------------
    def open_plan(self, *, again: bool = False) -> None:
        """Opens the dialog of a new evaluation, or with `again` of the one that is shown."""
        from gui.evaluations.plan_dialog import PlanDialog

        results = self.overview.results if self.overview is not None and again else None
        if self.dialog is None:
            self.dialog = dialog = PlanDialog(self._console, self._runs, self, results)
            dialog.finished.connect(self._on_dialog_closed)
            dialog.started.connect(self._start)
            dialog.open()

    def _on_dialog_closed(self, _: int) -> None:
        self.dialog = None

    def _start(self, plan: EvaluationPlan, folder: Path) -> None:
        self.say("")
        if self.overview is not None and self.overview.results.folder != folder:
            self.overview = None
        self._runs.start(plan, folder)

    def go_on(self) -> None:
        """Goes on with the evaluation that is shown."""
        if self.overview is not None and self.overview.results.plan is not None:
            self._start(self.overview.results.plan, self.overview.results.folder)

    # --- episodes --------------------------------------------------------------
    def open_episode(self, row: Row) -> None:
        """Opens an episode in the console where it went wrong. Its recording is made first if there is none."""
        if self._runs.playing is None:
            self.say(f"Looking for the recording of seed {row.seed}; if there is none, the episode is played again")
            self._runs.play_again(row)

    def _on_recorded(self, row: Row, repetition: Repetition) -> None:
        sentence = repetition.sentence[:1].upper() + repetition.sentence[1:]
        self.say(repetition.differs or "", "warn")
        if not self.isVisible():
            self._console.message.emit(f"The recording of seed {row.seed} is ready: {repetition.path.name}", "muted")
            return
        differs = repetition.differs[:1].upper() + repetition.differs[1:]
        said = differs or sentence or "This episode reached its goal"
        self._opening = repetition.path, said, "warn" if repetition.differs else "muted"
        self._viewer.open_turn(repetition.path, repetition.turn)

    def _on_opened(self) -> None:
        opening, self._opening = self._opening, None
        recording = self._console.replay.recording
        if opening is not None and recording is not None and recording.path == opening[0]:
            self._console.message.emit(*opening[1:])

    # --- Qt --------------------------------------------------------------------
    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        """Begins to look at the folder, and loads the plot."""
        super().showEvent(event)
        self._runs.watch(shown=True)
        self.table.setFocus()
        if self.chart is None:
            self._import.start()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Shares the room again, once Qt has laid out the page."""
        super().resizeEvent(event)
        self._sharing.start()

    def _make_chart(self) -> None:
        from gui.evaluations.chart import EvaluationChart

        if self.chart is None:
            self.chart = EvaluationChart(self._theme, self._chart_place)
            self._charts.addWidget(self.chart, 1)
            if self.overview is not None:
                self.chart.show_overview(self.overview, self._measure)

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802 - Qt's name
        """Ends looking at the folder; what is played goes on."""
        super().hideEvent(event)
        self._runs.watch(shown=False)
