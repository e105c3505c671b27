"""Labels that could not be written beside their recording: what is said of them, and the question for another place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QObject, QStandardPaths
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from core.common.user_folders import home
from core.recording.files import LABELS, sidecar
from core.session.annotation import Unsaved
from gui.control.console import Console
from gui.control.label_keeping import LabelKeeping
from gui.widgets.numbers import count

Answer = Literal["save", "discard", "cancel"]
KEPT = "They are in your data folder, and shown again when the recording is opened on this computer."
LOST = "They are in no file, and are lost when the window closes."


def counted(unsaved: Unsaved) -> str:
    """Returns how many labels are not saved."""
    return count(len(unsaved.keys), "label is not saved", "labels are not saved")


def heading(unsaved: Unsaved) -> str:
    """Returns how many labels are not saved, and of which recording."""
    return counted(unsaved) + (f" beside {unsaved.recording.name}" if unsaved.recording is not None else "")


def explanation(unsaved: Unsaved) -> str:
    """Returns why they are not saved, and where they are now."""
    why = unsaved.why[:1].upper() + unsaved.why[1:]
    return f"{why}. {LOST if unsaved.lost else KEPT}" if why else LOST if unsaved.lost else KEPT


def brief(unsaved: Unsaved) -> str:
    """Returns where they are now, in a few words."""
    return "In no file: lost on closing" if unsaved.lost else "Kept in your data folder meanwhile"


class UnsavedLabels(QObject):
    """Asks for another place for labels that could not be written."""

    def __init__(self, console: Console, keeping: LabelKeeping, window: QWidget):
        super().__init__(window)
        self._console, self._keeping, self._window = console, keeping, window

    def save_elsewhere(self, then: Callable[[], object] = lambda: None) -> QFileDialog | None:
        """Lets the annotator choose a file for the labels that are not saved. Calls `then` once they are in it."""
        unsaved = self._keeping.unsaved
        if not unsaved:
            self._console.message.emit("Every label is saved beside its recording", "good")
            return None
        folder = Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation) or home())
        name = sidecar(unsaved.recording).name if unsaved.recording is not None else "labels.annotations.jsonl"
        dialog = QFileDialog(self._window, "Save labels elsewhere", str(folder), "Labels (*.jsonl);;All files (*)")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setOption(QFileDialog.Option.DontConfirmOverwrite)  # labels are appended to what the file holds
        dialog.selectFile(name)
        dialog.fileSelected.connect(lambda path: self.save(Path(path), then))
        dialog.finished.connect(lambda _: dialog.deleteLater())
        dialog.open()
        return dialog

    def save(self, path: Path, then: Callable[[], object] = lambda: None) -> None:
        """Writes the labels that are not saved to a file, and later ones, too. Calls `then` once they are in it.

        The file gets the ending by which labels are found beside a recording, whatever it is called otherwise.
        """
        path = path if path.name.endswith(LABELS) else path.with_name(path.name.removesuffix(".jsonl") + LABELS)

        def saved() -> None:
            where = f"The labels are in {path}: put it in the folder of the recording for others to see them"
            self._console.message.emit(where, "good")
            then()

        self._keeping.save_elsewhere(path, saved, self._console.report)


def ask_about_labels(window: QWidget, unsaved: Unsaved, answered: Callable[[Answer], object]) -> None:
    """Asks in a dialog over the window, and reports `save` (elsewhere), `discard` (close all the same) or `cancel`."""
    ask_to_close(window, heading(unsaved), explanation(unsaved), answered, elsewhere="Save labels elsewhere …")


def ask_to_close(window: QWidget, what: str, why: str, answered: Callable[[Answer], object], *, elsewhere: str = "") -> None:
    """Asks over the window whether to close although something is not saved.

    Args:
        window: the window.
        what: what is not saved.
        why: the reason.
        answered: receives `save` if it is to be saved elsewhere, `discard` or `cancel`.
        elsewhere: the button for `save`; empty: there is no other place for it.
    """
    box = QMessageBox(QMessageBox.Icon.NoIcon, "Belvedere", f"{what}. Close all the same?", parent=window)
    box.setInformativeText(why)
    role = QMessageBox.ButtonRole
    save = box.addButton(elsewhere, role.AcceptRole) if elsewhere else None
    close = box.addButton("Close", role.DestructiveRole)
    cancel = box.addButton("Cancel", role.RejectRole)
    box.setDefaultButton(save or cancel)
    box.setEscapeButton(cancel)
    answers: dict[object, Answer] = {save: "save", close: "discard"}
    box.finished.connect(lambda _: answered(answers.get(box.clickedButton(), "cancel")))
    box.finished.connect(lambda _: box.deleteLater())
    box.open()
