"""Sharing one decision: as a page that opens anywhere, or as a link that opens the window at it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QWidget

from core.common.user_folders import home
from core.planning.facets import Moment
from core.recording.files import HIDDEN
from core.recording.permalink import SUFFIX
from gui.control.background import BackgroundJobs
from gui.control.console import Console
from gui.recordings.recorders import Recorders
from gui.recordings.viewer import BLIND

PAGE, LINK = "Page with everything about the decision (*.html)", f"Link to the recording (*{SUFFIX})"


class DecisionSharing(QObject):
    """Writes a decision of the run or recording that is shown. Files are read and written off the GUI thread.

    A live run is read from the file it is written to, so that the page holds what a recording of it holds.

    Args:
        console: the run.
        recorders: know its file.
        window: the window that the dialog belongs to.
        panels: returns the names of the panels in view, which a link brings into view again.
    """

    def __init__(self, console: Console, recorders: Recorders, window: QWidget, panels: Callable[[], tuple[str, ...]]):
        super().__init__(window)
        self._console, self._recorders, self._window, self._panels = console, recorders, window, panels
        self.jobs = BackgroundJobs("sharing")

    def ask(self, moment: Moment | None = None) -> QFileDialog | None:
        """Asks where to write a decision, by default that of the turn shown, and as what. Then writes it."""
        moment = moment or self._console.shown.moment
        if moment.turn < 1 or not self._recorders.will_have_file:
            self._console.message.emit("There is no decision yet to share", "warn")
            return None
        folder = self._recorders.files.folder
        dialog = QFileDialog(self._window, f"Share the decision of turn {moment.turn}",
                             str(folder if folder.is_dir() else home()), f"{PAGE};;{LINK}")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("html")
        dialog.filterSelected.connect(lambda chosen: dialog.setDefaultSuffix(SUFFIX[1:] if chosen == LINK else "html"))
        dialog.selectFile(f"turn-{moment.turn}{f'-branch-{moment.branch}' if moment.branch else ''}")
        dialog.fileSelected.connect(lambda path: self.write(moment, Path(path)))
        dialog.finished.connect(lambda _: dialog.deleteLater())
        dialog.open()
        return dialog

    def write(self, moment: Moment, out: Path) -> None:
        """Writes a decision and reports the file: a link if the name has the suffix of links, otherwise a page."""
        console, path, files = self._console, self._recorders.shown_file, self._recorders.files
        if not self._recorders.will_have_file:
            console.message.emit("There is no decision yet to share", "warn")
            return
        if out.suffix == SUFFIX and (path is None or path.name.startswith(HIDDEN)):
            console.message.emit("This run is not saved: record it first, then a link leads to it, or share a page", "warn")
            return
        if console.context.label_filter.hidden and out.suffix != SUFFIX:
            console.message.emit(BLIND, "warn")
            return
        selected, panels, written = console.context.selection.thing(), self._panels(), self._recorders.written_file()
        watches = console.context.watches.texts
        margins = console.context.shown_margins if moment == console.shown.moment else None
        self.jobs.do(lambda: files.share(written(), moment, out, selected, panels, watches=watches, margins=margins),
                     lambda _: console.message.emit(f"Turn {moment.turn} is in {out}", "good"), console.report)
