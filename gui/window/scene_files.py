"""Opening a household graph as a scene, and the list of the files opened last."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from core.common.files import is_file
from core.common.user_folders import home
from gui.control.console import Console
from gui.control.kept_settings import KeptSettings

KEY = "graph files"
"""The setting that holds the paths."""
MOST = 8
"""Number of files kept in the list."""


class SceneFiles(QObject):
    """Asks for a graph file and prepares a run in it."""

    opened = Signal(str)
    """The path of a graph file that was chosen."""

    def __init__(self, console: Console, settings: KeptSettings, window: QWidget):
        super().__init__(window)
        self._console, self._settings, self._window = console, settings, window
        console.graph_files = tuple(path for path in settings.texts(KEY) if is_file(Path(path)))
        settings.follow(KEY, self._take_list)
        console.asked_graph.connect(self.ask)

    def _take_list(self) -> None:
        self._console.graph_files = self._settings.texts(KEY)

    def ask(self) -> None:
        """Lets the operator choose a file."""
        if not self._console.may_change():
            return
        last = self._console.graph_files
        folder = Path(last[0]).parent if last else home()
        dialog = QFileDialog(self._window, "Open a household graph", str(folder), "Household graphs (*.json *.json.gz)")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setOption(QFileDialog.Option.ReadOnly)  # it opens files, and must not offer to delete any
        dialog.fileSelected.connect(self.open)
        dialog.finished.connect(lambda _: dialog.deleteLater())
        dialog.open()

    def open(self, path: str) -> None:
        """Prepares a run in a graph file, and keeps it in the list."""
        console = self._console
        self._settings.change_texts(KEY, lambda known: [*dict.fromkeys((path, *known))][:MOST])
        self.opened.emit(path)
        simulators = console.choices.graph_simulators
        if console.request.simulator in simulators or not simulators:
            console.run_request.choose("scene", path)
        else:
            console.run_request.choose_simulator(simulators[0], path)
