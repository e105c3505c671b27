"""What the library page shows, kept up to date off the GUI thread: the answer to the newest query, small pictures, progress."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QImage

from core.common.errors import BelvedereError
from core.common.visible import path_of, path_text
from core.library.entry import FIELDS, Entry
from core.library.query import complete
from gui.control.background import BackgroundJobs
from gui.control.kept_settings import KeptSettings

if TYPE_CHECKING:
    from core.library.child import ChildUpdate
    from core.library.index import Index
    from core.library.scan import Progress
    from core.recording.codec import Codec

RESCAN_MS: Final = 10_000
"""Milliseconds between two looks at the folders while the page is shown."""
REFRESH_MS: Final = 1_000
"""Milliseconds between two answers while the index changes."""
FEW: Final = 20
"""The number of recordings up to which they are read in this process: a child takes a second to start."""
MOST_PICTURES: Final = 300
"""Number of small pictures that are kept: 80 kB each."""
FOLDERS: Final = "library/folders"
"""The setting that holds the chosen folders."""


@dataclass(frozen=True, slots=True)
class Heading:
    """The heading of a group of recordings.

    Attributes:
        title: the value that its recordings share.
        count: how many there are.
        folded: whether they are not listed.
    """

    title: str
    count: int
    folded: bool = False


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be shown.

    Attributes:
        query: the text of the search box.
        sort: the name of a field; with `-` before it the largest come first.
        group: the name of a field; empty: no groups.
        folded: titles of the groups whose recordings are not listed.
        blind: nothing that annotators said is shown or found.
    """

    query: str = ""
    sort: str = "-date"
    group: str = ""
    folded: frozenset[str] = frozenset()
    blind: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """The answer to a wish.

    Attributes:
        rows: headings and recordings, from top to bottom.
        count: the number of recordings that were found.
        total: the number of recordings in the folders.
        trouble: why nothing could be found, in one line; empty if nothing is wrong.
        completions: texts that the query could become.
    """

    wish: Wish = Wish()
    rows: tuple[Entry | Heading, ...] = ()
    count: int = 0
    total: int = 0
    trouble: str = ""
    completions: tuple[str, ...] = ()


class Shelf(QObject):
    """Answers wishes from the index, and brings the index up to date with the folders. All signals come on the GUI thread.

    Args:
        index: the file of the index.
        folders: the folders to look into if the operator chose none.
        settings: keeps the chosen folders.
        codec: makes the codec that decodes labels.
        rest: waits until the GUI thread is idle; called before each recording is read.
    """

    found = Signal(object)
    """A Found."""
    progressed = Signal(object)
    """A Progress; None when no update is under way."""
    pictured = Signal()
    """More small pictures are known."""
    troubled = Signal(str)
    """A line about the index."""
    _advanced = Signal(object)

    def __init__(self, index: Path, folders: Sequence[Path], settings: KeptSettings, codec: Callable[[], Codec],
                 rest: Callable[[], object]):
        super().__init__()
        self._path, self._default, self._settings, self._codec, self._rest = index, tuple(folders), settings, codec, rest
        self.wish = Wish()
        self.is_blind: Callable[[], bool] = lambda: False
        """Returns whether the operator labels without seeing what others said."""
        self._number = 0
        """The number of the newest wish. Older ones that wait are not answered."""
        self._reading, self._writing = BackgroundJobs("library"), BackgroundJobs("library update")
        self._index: Index | None = None
        """Opened and used by the thread of `_reading` only."""
        self._temporary: Index | None = None
        """Owns the temporary file that takes the place of an index that cannot be kept."""
        self._scanning = self._again = self._is_first = False
        self._stop, self._lock = threading.Event(), threading.Lock()
        self._child: ChildUpdate | None = None
        self._pictures: OrderedDict[tuple[Path, int], QImage] = OrderedDict()
        self._missing: dict[tuple[Path, int], Path] = {}
        self._fetch = QTimer(self, interval=0, singleShot=True)
        self._fetch.timeout.connect(self._fetch_pictures)
        self._look = QTimer(self, interval=RESCAN_MS)
        self._look.timeout.connect(self.rescan)
        self._refresh = QTimer(self, interval=REFRESH_MS, singleShot=True)
        self._refresh.timeout.connect(lambda: self.ask(self.wish))
        self._advanced.connect(self._on_progress, Qt.ConnectionType.QueuedConnection)
        settings.follow(FOLDERS, self._on_other_folders)

    # --- folders -----------------------------------------------------------
    @property
    def folders(self) -> tuple[Path, ...]:
        """The folders that are looked into."""
        return tuple(map(path_of, self._settings.texts(FOLDERS))) or self._default

    def worth_telling(self, troubles: Iterable[str]) -> tuple[str, ...]:
        """Returns the troubles with folders, without those of usual ones that are not there: the first recording makes them."""
        from core.library.scan import NO_FOLDER

        usual = {f"{folder}: {NO_FOLDER}" for folder in self._default}
        return tuple(trouble for trouble in troubles if trouble not in usual)

    def add_folder(self, folder: Path) -> None:
        """Looks into a further folder from now on."""
        usual = tuple(map(path_text, self._default))
        self._settings.change_texts(FOLDERS, lambda known: dict.fromkeys((*(known or usual), path_text(folder))))

    def remove_folder(self, folder: Path) -> None:
        """Looks into a folder no longer; into the usual ones if none is left."""
        usual = tuple(map(path_text, self._default))
        self._settings.change_texts(FOLDERS, lambda known: [one for one in known or usual if one != path_text(folder)])

    def choose_usual_folders(self) -> None:
        """Looks into the usual folders only."""
        self._settings.change_texts(FOLDERS, lambda _: ())

    def _on_other_folders(self) -> None:
        self.rescan()
        self.ask(self.wish)

    # --- wishes ------------------------------------------------------------
    def ask(self, wish: Wish) -> None:
        """Answers a wish. Only the newest one is answered."""
        self.wish = wish = replace(wish, blind=self.is_blind())
        self._number += 1
        number, folders = self._number, self.folders
        self._reading.do(lambda: self._answer(wish, folders) if number == self._number else None, self._deliver, self._fail)

    def _answer(self, wish: Wish, folders: Sequence[Path]) -> Found:
        """Called on the thread of `_reading`."""
        index = self._opened()
        listing = index.listing(folders, wish.sort, wish.group, blind=wish.blind)
        total, completions = len(listing.entries), tuple(complete(wish.query, listing.counts))
        try:
            entries = index.find(wish.query, folders, wish.sort, wish.group, blind=wish.blind)
        except BelvedereError as error:
            return Found(wish, (), 0, total, " ".join(str(error).split()), completions)
        self._tell(index)
        return Found(wish, tuple(_rows(entries, wish)), len(entries), total, completions=completions)

    def _opened(self) -> Index:
        if self._index is None:
            self._index = self._open()
        return self._index

    def _open(self) -> Index:
        """Returns the index, opened for the calling thread."""
        from core.library.index import Index  # imported here: the window does not wait for what reads recordings

        with self._lock:
            index = Index(self._path)
            self._tell(index)
            if index.is_temporary:  # all threads must use the same file: it is there until the end
                self._temporary, self._path = index, index.path
                index = Index(self._path)
        return index

    def _tell(self, index: Index) -> None:
        """Tells what is made again of the index, once."""
        if index.notice:
            self._advanced.emit(index.notice)
            index.notice = ""

    def _deliver(self, found: Found | None) -> None:
        if found is not None and found.wish == self.wish:
            self.found.emit(found)
            self._look_first()

    def _look_first(self) -> None:
        """Looks at the folders once the page shows what is known: both at once would show it later."""
        if self._is_first:
            self._is_first = False
            self.rescan()

    def _fail(self, error: Exception) -> None:
        self._look_first()
        self.troubled.emit(" ".join(str(error).split()))

    # --- the update --------------------------------------------------------
    def watch(self, *, shown: bool) -> None:
        """Looks at the folders now and again while the page is shown."""
        if shown:
            self._look.start()
            self._is_first = True
            self.ask(self.wish)
        else:
            self._look.stop()

    def look_now(self) -> None:
        """Looks at the folders at once if the page is shown, because a recording was just finished."""
        if self._look.isActive():
            self.rescan()

    def rescan(self) -> None:
        """Brings the index up to date with the folders; once more if this is under way."""
        self._again = self._scanning
        if not self._scanning:
            self._scanning = True
            folders = self.folders
            self._writing.do(lambda: self._update(folders, clear=False), self._on_updated, self._on_update_failed)

    def rebuild(self) -> None:
        """Throws the index away and makes it again."""
        self._scanning = True
        folders = self.folders
        self._writing.do(lambda: self._update(folders, clear=True), self._on_updated, self._on_update_failed)

    def forget(self, paths: Sequence[Path]) -> None:
        """Removes recordings from the list, and looks at the folders. The files are not touched."""
        self._writing.do(lambda: self._forget(paths), lambda _: self.ask(self.wish), self._fail)
        self.rescan()

    def _forget(self, paths: Sequence[Path]) -> None:
        with self._open() as index:
            index.remove(paths)

    def _update(self, folders: Sequence[Path], *, clear: bool) -> None:
        """Called on the thread of `_writing`. Many recordings are read by a child process."""
        from core.library.child import ChildUpdate
        from core.library.scan import pending, update

        with self._open() as index:
            if clear:
                index.clear()
            if pending(index, folders) <= FEW:
                for progress in update(index, folders, self._codec(), stopped=self._stop.is_set, rest=self._rest):
                    self._advanced.emit(progress)
                self._tell(index)
                return
        self._child = ChildUpdate(self._path, folders)
        if not self._stop.is_set():
            for progress in self._child.progress():
                self._advanced.emit(progress)

    def _on_progress(self, progress: Progress | str) -> None:
        if isinstance(progress, str):
            self.troubled.emit(progress)
            return
        self.progressed.emit(progress)
        if progress.is_over:
            self.ask(self.wish)
        elif not self._refresh.isActive():
            self._refresh.start()

    def _on_updated(self, _: object) -> None:
        self._scanning = False
        self.progressed.emit(None)
        if self._again:
            self.rescan()

    def _on_update_failed(self, error: Exception) -> None:
        self._on_updated(None)
        self._fail(error)

    # --- small pictures ----------------------------------------------------
    def picture_of(self, entry: Entry) -> QImage | None:
        """Returns the small picture of a recording, null if it has none; None if it is not read yet. `pictured` follows."""
        key = entry.path, entry.file.modified
        picture = self._pictures.get(key)
        if picture is None:
            self._missing[key] = entry.path
            if not self._fetch.isActive():
                self._fetch.start()
        else:
            self._pictures.move_to_end(key)
        return picture

    def _fetch_pictures(self) -> None:
        missing, self._missing = self._missing, {}
        self._reading.do(lambda: {key: _image(self._opened().thumbnail(path)) for key, path in missing.items()},
                         self._keep_pictures, self._fail)

    def _keep_pictures(self, pictures: dict[tuple[Path, int], QImage]) -> None:
        self._pictures |= pictures
        while len(self._pictures) > MOST_PICTURES:
            self._pictures.popitem(last=False)
        self.pictured.emit()

    def close(self, patience: float) -> None:
        """Ends the update and the threads."""
        self._stop.set()
        for timer in (self._look, self._refresh, self._fetch):
            timer.stop()
        if self._child is not None:
            self._child.stop()
        self._number += 1
        self._writing.close(patience)
        self._reading.do(self._close_index, lambda _: None, lambda _: None)
        self._reading.close(patience)

    def _close_index(self) -> None:
        for index in filter(None, (self._index, self._temporary)):
            index.close()


def _image(jpeg: bytes) -> QImage:
    return QImage.fromData(jpeg) if jpeg else QImage(QSize(0, 0), QImage.Format.Format_RGB32)


def _rows(entries: Sequence[Entry], wish: Wish) -> Iterable[Entry | Heading]:
    """Yields recordings, under headings if they are grouped."""
    if not wish.group:
        yield from entries
        return
    field = FIELDS[wish.group]
    for _, members in groupby(entries, field.key):
        group = list(members)
        title = ", ".join(str(value) for value in field.values(group[0]) if value) or f"no {field.title.lower()}"
        heading = Heading(title, len(group))
        folded = title in wish.folded
        yield replace(heading, folded=folded)
        if not folded:
            yield from group
