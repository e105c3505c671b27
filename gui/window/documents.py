"""The window's documents: files opened last, files dropped on the window, and the title with what is shown."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QObject
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QWidget

from core.common.errors import DataError
from core.common.files import is_file
from core.common.redaction import without_user
from core.common.visible import path_of, path_text, readable
from core.recording.permalink import SUFFIX
from gui.control.background import BackgroundJobs, NewestJob
from gui.control.kept_settings import KeptSettings, Texts
from gui.control.recording_files import OpenRecording
from gui.recordings.recorders import Recorders, WindowRun
from gui.window.main_window import MainWindow
from gui.window.menus import RecentEntry
from gui.window.scene_files import SceneFiles

KEY, LAST = "recent files", "document at the end"
"""The settings that hold the paths of files opened last, and of the recording that was shown when the window closed."""
MOST = 12
"""Number of files in *Open recent*."""
RECORDINGS, JSON = (".mcap", SUFFIX), (".json", ".json.gz")
MOST_LABEL_BYTES = 1_000_000
"""A larger file is no label set."""
UNKNOWN = "{} cannot be opened here: a recording, a link to a decision, a household graph or a label set can"


class Documents(QObject):
    """Remembers files, opens dropped ones and names the document in the title. No file is touched on the GUI thread.

    Args:
        window: the window.
        recorders: know the run that is shown and its file.
        scene_files: open household graphs.
        settings: keep the list.
    """

    def close(self, left: Callable[[], float]) -> None:
        """Ends all jobs."""
        self.jobs.close(left())

    def __init__(self, window: MainWindow, recorders: Recorders, scene_files: SceneFiles, settings: KeptSettings):
        super().__init__(window)
        self._window, self._console, self._recorders = window, window.console, recorders
        self._scene_files, self._settings = scene_files, settings
        self.jobs = BackgroundJobs("documents")
        self._look = NewestJob(self.jobs, self)
        self.gone: frozenset[str] = frozenset()
        """Those that were not found when last looked for."""
        console = self._console
        console.replay.opened.connect(self._on_opened)
        scene_files.opened.connect(self._remember)
        for changed in (console.replay.changed, console.context.runs.changed, recorders.changed, console.live_snapshot):
            changed.connect(self._name_window)
        window.closed.connect(self._keep_last)
        self._take_drops(window)
        for dock in window.docks.values():
            dock.topLevelChanged.connect(partial(self._take_drops, dock))
        self._name_window()
        self._find()

    # --- files opened last ---------------------------------------------------
    @property
    def recent(self) -> Texts:
        """Paths of recordings and graphs, as `path_text` writes them, the last one first."""
        return self._settings.texts(KEY)[:MOST]

    def recent_entries(self) -> list[RecentEntry]:
        """Returns the files opened last, and looks for them again."""
        self._find()
        return [RecentEntry(readable(path_of(path).name), "scene" if path.endswith(JSON) else "runs", without_user(path),
                            partial(self.open, path), "no longer there" if path in self.gone else "") for path in self.recent]

    def open(self, path: str) -> None:
        """Opens a recording, a link or a household graph."""
        if path.endswith(RECORDINGS):
            self._window.viewer.open(path_of(path))
        elif self._console.may_change():
            self._scene_files.open(path)

    def offer_last(self) -> None:
        """Offers to open the recording that was shown when the window was closed, if it is still there."""
        last = str(self._settings.value(LAST) or "")
        if last:
            path = path_of(last)
            self.jobs.do(lambda: is_file(path), lambda there: self._offer(last) if there else None, self._console.report)

    def _offer(self, path: str) -> None:
        if not (self._console.begun or self._console.replaying):
            self._window.notices.offer_document(readable(path_of(path).name), lambda: self.open(path))

    def _keep_last(self) -> None:
        recording = self._console.replay.recording
        is_file = recording is not None and not self._window.viewer.is_run
        self._settings.set_value(LAST, path_text(recording.path) if recording is not None and is_file else "")

    def _on_opened(self, recording: OpenRecording) -> None:
        if not self._window.viewer.is_run:  # the autosave of a run of this window has no name of its own
            self._remember(path_text(recording.path))

    def _remember(self, path: str) -> None:
        self.gone -= {path}
        self._settings.change_texts(KEY, lambda known: [*dict.fromkeys((path, *known))][:MOST])

    def _find(self) -> None:
        """Looks for the files, off the GUI thread: one may be on a slow disk."""
        paths = self.recent

        def gone() -> frozenset[str]:
            return frozenset(path for path in paths if not is_file(path_of(path)))

        def take(found: frozenset[str]) -> None:
            self.gone = found

        self._look.do(gone, take, self._console.report)

    # --- drag and drop -------------------------------------------------------
    def _take_drops(self, part: QWidget, _: bool = True) -> None:
        """Takes what is dropped on a window: the main window, or a panel since it floated for the first time.

        On a panel that never floated, Qt offers the drop to the main window.
        """
        part.setAcceptDrops(True)
        part.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Takes files that can be opened; the pointer shows that others cannot."""
        del watched
        if event.type() == QEvent.Type.WindowActivate:
            self._find()
        if isinstance(event, QDragEnterEvent | QDragMoveEvent | QDropEvent):  # the last is also the base of the others
            paths = dropped(event.mimeData())
            if not any(path.endswith((*RECORDINGS, *JSON)) for path in paths):
                event.ignore()
                return bool(paths)
            event.acceptProposedAction()
            if event.type() == QEvent.Type.Drop:
                self.take(paths)
            return True
        return False

    def take(self, paths: Sequence[str]) -> None:
        """Opens the first of some dropped files that can be opened; of label sets, all."""
        known = [path for path in paths if path.endswith((*RECORDINGS, *JSON))]
        if not known:
            self._console.message.emit(UNKNOWN.format(readable(path_of(paths[0]).name)), "warn")
            return
        self.jobs.do(lambda: [path for path in known if is_label_set(path_of(path))], partial(self._take, known),
                     self._console.report)

    def _take(self, known: Sequence[str], sets: Sequence[str]) -> None:
        for path in sets:
            self._window.labelling.use(path_of(path))
            self._console.message.emit(f"Label set in force: {self._window.labelling.set.title}", "good")
        others = [path for path in known if path not in sets]
        if others:
            self.open(others[0])
        if len(others) > 1:
            self._console.message.emit(f"Only {readable(path_of(others[0]).name)} of {len(others)} files was opened", "warn")

    # --- the title -----------------------------------------------------------
    def _name_window(self) -> None:
        run, viewer = self._recorders.present, self._window.viewer
        if self._console.replaying:
            shown = next((r for r in self._recorders.runs if viewer.is_run and r.path == self._recorders.shown_file), None)
            self._say(viewer.name, shown)
        elif run is not None and self._console.begun:
            recorder = run.recorder
            path = recorder.path if recorder is not None else None
            self._say(readable(path.name) if path is not None else f"Run {run.number}", run)
        else:
            self._say("", None)

    def _say(self, name: str, run: WindowRun | None) -> None:
        """Names the document. The mark stands for what closing the window would ask about."""
        title = f"{name}[*] – Belvedere" if name else "Belvedere[*]"
        if title != self._window.windowTitle():
            self._window.setWindowTitle(title)
        self._window.setWindowModified(run is not None and run.recorder is None and run.is_unsaved)


def dropped(mime: QMimeData) -> list[str]:
    """Returns the paths of local files that are dragged, as `path_text` writes them."""
    return [path_text(path_of(str(url.toEncoded().data(), "ascii"))) for url in mime.urls() if url.isLocalFile()]


def is_label_set(path: Path) -> bool:
    """Returns whether a JSON file looks like a label set rather than a household graph.

    Raises:
        DataError: it cannot be read.
    """
    if not path.name.endswith(".json"):
        return False
    try:
        if path.stat().st_size > MOST_LABEL_BYTES:
            return False
        value = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"{path.name} cannot be read: {error}") from error
    return isinstance(value, dict) and "labels" in value
