"""The dialog of examples for prompts: the examples kept, and those that the recording shown offers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QDialog, QListWidget, QListWidgetItem, QWidget

from core.planning.examples import Example
from core.recording.examples import ExampleSet, examples_of, turn_of
from core.recording.reader import Recording
from core.world.vocabulary import in_words, named
from gui.control.background import BackgroundJobs
from gui.theme import Theme
from gui.theme.boxes import DIALOG, hbox, vbox
from gui.theme.screens import fit
from gui.widgets import Button, Line, Names, Prose

ABOUT = "Decisions that went well, or that an operator corrected. LLM-MCTS shows the model those that fit the task."
NONE_OFFERED = "Open a recording to add decisions from it."
Found = tuple[tuple[Example, ...], tuple[Example, ...]]
"""The examples kept, and those offered."""


def _found(recording: Recording | None, add: Sequence[Example], remove: Sequence[int]) -> Found:
    """Adds and removes examples. Returns those kept then, and those that the recording offers in addition."""
    examples = ExampleSet()
    if add:
        examples.add(add)
    for number in remove:
        examples.remove(number)
    kept = tuple(examples)
    known = {_bare(e) for e in kept}
    return kept, () if recording is None else tuple(e for e in examples_of(recording) if _bare(e) not in known)


def _bare(e: Example) -> tuple[object, ...]:
    return e.instruction, e.history, e.observation, e.action, e.instead_of


class ExamplesDialog(QDialog):
    """Two lists: kept examples, which can be removed, and offered ones, which can be added. Tooltips show an entry in full.

    The set of examples is read and written by the `jobs`, off the GUI thread.
    """

    def __init__(self, theme: Theme, jobs: BackgroundJobs, recording: Recording | None, parent: QWidget):
        super().__init__(parent)
        self._jobs, self._recording = jobs, recording
        self.setWindowTitle("Examples")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.kept, self.offered = _list(theme, "Kept examples"), _list(theme, "Offered examples")
        self._kept_head, self._offered_head = (Line(theme, "Reading …", "body", "text", 600) for _ in range(2))
        self._trouble = Prose(theme, "", "small", "bad")
        self._remove = Button(theme, "Remove chosen", "close", act=self.remove)
        self._add = Button(theme, "Add chosen", "add", "primary", self.add)
        buttons = hbox(theme, self._remove, 0, self._add, Button(theme, "Done", "check", act=self.accept))
        vbox(theme, Line(theme, "Examples", "heading", "text", 650), Prose(theme, ABOUT, "small", "muted"), self._kept_head,
             (self.kept, 1), self._offered_head, (self.offered, 1), self._trouble, buttons,
             on=self, spacing=8, margins=DIALOG)
        fit(self, theme, 620, 520)
        for entries in (self.kept, self.offered):
            entries.itemSelectionChanged.connect(self._enable)
        self._change()
        self._enable()

    def add(self) -> None:
        """Adds the selected examples of the recording."""
        self._change(add=_chosen(self.offered))

    def remove(self) -> None:
        """Removes the selected kept examples."""
        self._change(remove=[e.id for e in _chosen(self.kept)])

    def _change(self, add: Sequence[Example] = (), remove: Sequence[int] = ()) -> None:
        self._jobs.do(lambda: _found(self._recording, add, remove), self._show, self._fail, self)

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
