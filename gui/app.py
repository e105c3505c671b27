"""Assembles the console and runs it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QSettings, QTimer

from core.common.terminal import Interrupted
from gui.control.background import PATIENCE, Deadline
from gui.control.kept_settings import KeptSettings, user_settings
from gui.control.parts import Parts
from gui.control.run_control import RunControl
from gui.recordings.kept_runs import KeptRuns
from gui.recordings.label_work import LabelWork
from gui.recordings.runs import Ask, CloseGuard, ask_operator
from gui.theme import Theme, theme_named
from gui.theme.screens import GEOMETRY
from gui.window.actions import Actions
from gui.window.application import application, ended_by_signals, responsive_interpreter
from gui.window.documents import Documents
from gui.window.full_pages import FullPages
from gui.window.label_tools import LabelTools
from gui.window.main_window import MainWindow
from gui.window.run_dialogs import RunDialogs
from gui.window.scene_offers import SceneOffers
from gui.window.screen_keeper import ScreenKeeper

PICTURES_PATIENCE = 3.0
"""Seconds that recordings may take to add their last pictures when the window closes."""


class App(QObject):
    """The assembled console. Each part makes what its concern needs, and ends it when the window closes.

    Attributes:
        settings: the user's settings.
        control: the run without widgets. Its main parts are attributes, too: context, bridge, runner, replay, console.
        kept_runs: the runs and their files; of them, recorders and viewer.
        labels: who keeps and sets labels; of them, labelling.
        window: the window.
        offers: what the window offers of a scene.
        tools: what asks the annotator.
        pages: the library and the evaluations.
        run_dialogs: the dialogs about a run.
        documents: the files that were opened last.
        actions: keys, menus and palette.
        screens: keeps the window on the screens that there are.
        close_guard: decides whether the window may close.
    """

    def __init__(self, parts: Parts, theme: Theme, settings: QSettings, ask: Ask | None = None):
        """Creates all parts of the console.

        Args:
            parts: supplied by `main.py`.
            theme: the colours and fonts.
            settings: name the file of the user's settings.
            ask: asks the operator before unsaved runs are lost; None: they are discarded without asking.
        """
        super().__init__()
        self.settings = KeptSettings(settings)
        self.control = run = RunControl(parts, theme, self.settings, lambda *session: self.recorders.listener_for(*session))
        self.context, self.bridge, self.runner, self.replay = run.context, run.bridge, run.runner, run.replay
        self.console = console = run.console
        self.kept_runs = kept = KeptRuns(console, parts)
        self.recorders, self.viewer = kept.recorders, kept.viewer
        self.labels = LabelWork(console, kept.recorders, run.replay, self.settings)
        self.labelling = self.labels.labelling
        self.window = MainWindow(console, kept.recorders, kept.viewer, self.labelling, self.labels.failures, run.reader,
                                 self.settings)
        self.screens = ScreenKeeper(self.window)
        self.offers = SceneOffers(self.window, parts, self.settings)
        self.tools = LabelTools(self.window, self.labels, kept, parts.files)
        self.close_guard = CloseGuard(self.window, kept.runs, self.labels.keeping, self.tools.unsaved, run.kept, ask)
        self.window.may_close = self.close_guard.may_close
        self.pages = FullPages(self.window, kept, self.labelling, parts.files, self.settings)
        self.tools.review.selected = lambda: self.pages.library.marked_paths()
        self.documents = Documents(self.window, kept.recorders, self.offers.files, self.settings)
        self.actions = Actions(self.window, self.tools.dialogs, self.tools.unsaved, kept.exporter, self.tools.sharing,
                               kept.examples, self.documents, parts.read_facts, self.settings)
        self.actions.tour.sample = parts.sample
        self.run_dialogs = RunDialogs(self.window, kept.batch, parts.files.folder, self.settings)
        self._recording: Path | None = None
        self._turn = 0
        self.window.closed.connect(self._end)

    def _end(self) -> None:
        """Ends the run and all jobs when the window closes. Signals are blocked, so that none reaches a window that is gone."""
        until = Deadline(PATIENCE + (PICTURES_PATIENCE if self.recorders.on or self.runner.pictures_left else 0.0))

        def left() -> float:
            return until.left

        self.run_dialogs.close()
        for silenced in (self.kept_runs, self.labels, self.tools, self.control):
            silenced.silence()
        self.settings.set_value(ASKED, True)
        self.labels.keeping.close(left())  # first: nothing is labelled any more
        self.control.end_run(left)
        for part in (self.kept_runs, self.tools, self.pages, self.documents, self.offers, self.control):
            part.close(left)
        # Last: until now jobs may read or export these files, or label them.
        self.kept_runs.runs.settle(keep=self.close_guard.keep)
        self.runner.blockSignals(True)

    def open(self, *, ask: bool, recording: Path | None = None, turn: int = 0) -> None:
        """Shows the window and prepares the request, or shows a recording.

        Args:
            ask: whether to show the card for the first task.
            recording: a recording to show instead of a run.
            turn: the turn to show of it; 0: the first.
        """
        self._recording, self._turn = recording, turn
        self.window.show()
        if ask and recording is None:
            self.window.ask_task()
        # Show the window before panels load their modules and the session opens its scene.
        QTimer.singleShot(0, self, self._go)

    def _go(self) -> None:
        self.window.settle()
        if self.console.models.trouble:
            self.console.message.emit(f"Your models are not listed: {self.console.models.trouble}", "bad")
        if self._recording is not None:
            self.viewer.open_turn(self._recording, self._turn)
        else:
            self.console.prepare()


ASKED = "first run asked"
"""The setting that tells whether the card for the first task was shown."""


def run_console(parts: Parts, recording: Path | None = None, turn: int = 0) -> int:
    """Runs the console until its window is closed. Returns the exit code of the application.

    Args:
        parts: what it is made of.
        recording: a recording to show at the start instead of a run.
        turn: the turn to show of it; 0: the first.

    Raises:
        Interrupted: a signal closed the window.
    """
    app = application()
    app.setApplicationName("Belvedere")
    app.setOrganizationName("Belvedere")
    settings = user_settings()
    theme = theme_named(str(settings.value("theme", "dark")), _number(settings.value("text size", 1.0)))
    theme.apply(app)
    with responsive_interpreter():
        console = App(parts, theme, settings, ask_operator)
        console.screens.begin(settings.value(GEOMETRY))
        first = parts.show_welcome and not settings.value(ASKED)
        console.open(ask=first or not parts.request.task, recording=recording, turn=turn)
        if recording is None and parts.show_welcome and not first:
            console.documents.offer_last()
        if parts.record:
            console.recorders.toggle()
        with ended_by_signals(console.window, console.close_guard.close_keeping) as came:
            code = app.exec()
    if came:
        said = console.recorders.saved, console.tools.left_words, *(kept.left for kept in console.control.kept)
        raise Interrupted(came[0], "; ".join(filter(None, said)))
    return code


def _number(value: object) -> float:
    """Reads a number from the settings, which may contain text."""
    try:
        return float(str(value))
    except ValueError:
        return 1.0
