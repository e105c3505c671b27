"""The dialog of examples for prompts: the examples kept, and those that the recording shown offers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QAbstractItemView, QDialog, QHBoxLayout, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from core.planning.examples import Example
from core.recording.examples import ExampleSet, examples_of, turn_of
from core.recording.reader import Recording
from core.world.action_phrases import in_words, named
from gui.control.background import BackgroundJobs
from gui.theme import Theme
from gui.widgets import Button, Line, Names, Prose

ABOUT = "Decisions that went well, or that an operator corrected. LLM-MCTS shows the model those that fit the task."
NONE_OFFERED = "Open a recording to add decisions from it."
Found = tuple[tuple[Example, ...], tuple[Example, ...]]
"""The examples kept, and those offered."""


class ExampleStore(QObject):
    """Reads and writes the example set off the GUI thread."""

    def __init__(self, jobs: BackgroundJobs, folder: Path | None = None):
        super().__init__()
        self._jobs, self._folder = jobs, folder

    def read(self, recording: Recording | None, then: Callable[[Found], object], failed: Callable[[Exception], object]) -> None:
        """Reads the examples kept, and those that a recording offers in addition."""
        self._jobs.do(lambda: self._found(recording), then, failed)

    def add(self, examples: Iterable[Example], recording: Recording | None, then: Callable[[Found], object],
            failed: Callable[[Exception], object]) -> None:
        """Adds examples, then reads again."""
        chosen = tuple(examples)

        def work() -> Found:
            ExampleSet(self._folder).add(chosen)
            return self._found(recording)

        self._jobs.do(work, then, failed)

    def remove(self, numbers: Iterable[int], recording: Recording | None, then: Callable[[Found], object],
               failed: Callable[[Exception], object]) -> None:
        """Removes examples, then reads again."""
        chosen = tuple(numbers)

        def work() -> Found:
            kept = ExampleSet(self._folder)
            for number in chosen:
                kept.remove(number)
            return self._found(recording)

        self._jobs.do(work, then, failed)

    def _found(self, recording: Recording | None) -> Found:
        kept = tuple(ExampleSet(self._folder))
        known = {_bare(e) for e in kept}
        offered = () if recording is None else tuple(e for e in examples_of(recording) if _bare(e) not in known)
        return kept, offered


def _bare(e: Example) -> tuple[object, ...]:
    return e.instruction, e.history, e.observation, e.action, e.instead_of


class ExamplesDialog(QDialog):
    """Two lists: kept examples, which can be removed, and offered ones, which can be added. Tooltips show an entry in full."""

    def __init__(self, theme: Theme, store: ExampleStore, recording: Recording | None, parent: QWidget):
        super().__init__(parent)
        self._store, self._recording = store, recording
        self.setWindowTitle("Examples")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        px = theme.px
        self.kept, self.offered = _list(theme, "Kept examples"), _list(theme, "Offered examples")
        self._kept_head, self._offered_head = (Line(theme, "Reading …", "body", "text", 600) for _ in range(2))
        self._trouble = Line(theme, "", "small", "bad")
        column = QVBoxLayout(self)
        column.setContentsMargins(px(22), px(18), px(22), px(18))
        column.setSpacing(px(8))
        column.addWidget(Line(theme, "Examples", "heading", "text", 650))
        column.addWidget(Prose(theme, ABOUT, "small", "muted"))
        for head, entries in ((self._kept_head, self.kept), (self._offered_head, self.offered)):
            column.addWidget(head)
            column.addWidget(entries, 1)
        column.addWidget(self._trouble)
        row = QHBoxLayout()
        self._remove = Button(theme, "Remove chosen", "close", act=self.remove)
        self._add = Button(theme, "Add chosen", "add", "primary", self.add)
        row.addWidget(self._remove)
        row.addStretch(1)
        row.addWidget(self._add)
        row.addWidget(Button(theme, "Done", "check", act=self.accept))
        column.addLayout(row)
        self.resize(px(620), px(520))
        for entries in (self.kept, self.offered):
            entries.itemSelectionChanged.connect(self._enable)
        store.read(recording, self._show, self._fail)
        self._enable()

    def add(self) -> None:
        """Adds the selected examples of the recording."""
        self._store.add(_chosen(self.offered), self._recording, self._show, self._fail)

    def remove(self) -> None:
        """Removes the selected kept examples."""
        self._store.remove([e.id for e in _chosen(self.kept)], self._recording, self._show, self._fail)

    def _show(self, found: Found) -> None:
        kept, offered = found
        self._trouble.say("")
        _fill(self.kept, kept)
        _fill(self.offered, offered)
        self._kept_head.say(f"Kept · {len(kept)}")
        name = self._recording.path.name if self._recording is not None else ""
        self._offered_head.say(f"From {name} · {len(offered)} not added yet" if name else NONE_OFFERED)
        self._enable()

    def _fail(self, error: Exception) -> None:
        self._trouble.say(" ".join(str(error).split()))

    def _enable(self) -> None:
        self._remove.setEnabled(bool(self.kept.selectedItems()))
        self._add.setEnabled(bool(self.offered.selectedItems()))


def _list(theme: Theme, name: str) -> QListWidget:
    entries = QListWidget()
    entries.setAccessibleName(name)
    entries.setFont(theme.font("small"))
    entries.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)  # cut; tooltips show all
    entries.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
    return entries


def _fill(entries: QListWidget, examples: Iterable[Example]) -> None:
    entries.clear()
    for e in examples:
        corrected = f", instead of: {_words(e.instead_of)}" if e.instead_of else ""
        done = f"{_words(e.action)}{corrected}"
        item = QListWidgetItem(f"turn {turn_of(e)} · {done} · {e.instruction}", entries)
        item.setData(Qt.ItemDataRole.UserRole, e)
        before = ", ".join(map(_words, e.history)) or "nothing"
        item.setToolTip(f"{e.instruction}\nBefore: {before}\nSeen: {e.observation}\nDone: {done}\n{e.origin}")


def _words(action: str) -> str:
    """Formats an action of a recorded run, given as its verb and ids, with display names."""
    return named(in_words(action), Names().full)


def _chosen(entries: QListWidget) -> list[Example]:
    return [e for item in entries.selectedItems() if isinstance(e := item.data(Qt.ItemDataRole.UserRole), Example)]
