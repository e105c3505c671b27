"""The pages that lie over the console: the library and the evaluations."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject

from gui.control.kept_settings import KeptSettings
from gui.control.recording_files import RecordingFiles
from gui.evaluations.runs import EvaluationRuns
from gui.library.acts import LibraryActs
from gui.library.shelf import Shelf
from gui.recordings.kept_runs import KeptRuns
from gui.recordings.labelling import Labelling
from gui.widgets.full_page import FullPage
from gui.window.main_window import MainWindow

if TYPE_CHECKING:
    from gui.evaluations.page import EvaluationsPage
    from gui.library.page import LibraryPage

Page = TypeVar("Page", bound=FullPage)


class FullPages(QObject):
    """Makes each page when it is first asked for, so that the window opens sooner; owns what works for them.

    Attributes:
        shelf: reads the library off the GUI thread.
        acts: what can be done with recordings of the library.
        evaluation_runs: reads and runs evaluations.
    """

    def __init__(self, window: MainWindow, kept: KeptRuns, labelling: Labelling, files: RecordingFiles, settings: KeptSettings):
        super().__init__(window)
        console = window.console
        self._window, self._console, self._viewer = window, console, kept.viewer
        shown = [files.folder, *filter(None, (files.running,))]
        self.shelf = Shelf(files.index or files.folder / ".library.sqlite", shown, settings, files.codec,
                           console.bridge.activity.wait_until_idle)
        kept.recorders.recorded.connect(lambda _: self.shelf.look_now())
        self.acts = LibraryActs(console, kept.viewer, files)
        self.shelf.is_blind = self.acts.is_blind = lambda: labelling.blind
        self.evaluation_runs = EvaluationRuns(files.folder.with_name("evaluations"), settings)
        window.asked_library.connect(lambda: window.toggle_page(self.library))
        window.asked_evaluations.connect(lambda: window.toggle_page(self.evaluations))
        console.replay.opened.connect(lambda _: window.leave_page())
        self.acts.asked_comparison.connect(self._compare_with)

    @cached_property
    def library(self) -> LibraryPage:
        """The page of the library."""
        from gui.library.page import LibraryPage

        return self._add(LibraryPage(self._console.context, self.shelf, self.acts))

    @cached_property
    def evaluations(self) -> EvaluationsPage:
        """The page of evaluations."""
        from gui.evaluations.page import EvaluationsPage

        return self._add(EvaluationsPage(self._console, self.evaluation_runs, self._viewer))

    def _add(self, page: Page) -> Page:
        self._window.add_page(page)
        page.left.connect(self._window.leave_frames_only)
        self._console.message.connect(page.say)
        return page

    def _compare_with(self, path: Path) -> None:
        self._window.show_panel("compare")
        self._window.docks["compare"].card.fill()
        self._console.context.asked_comparison.emit(path)

    def close(self, left: Callable[[], float]) -> None:
        """Ends all jobs."""
        self.acts.jobs.close(left())
        self.shelf.close(left())
        self.evaluation_runs.close(left())
