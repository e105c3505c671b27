"""The dialog of one annotation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLineEdit,
    QWidget,
)

from core.session.annotation import Annotation
from core.world.vocabulary import in_words, named
from gui.theme import Theme
from gui.theme.boxes import DIALOG, vbox
from gui.theme.screens import fit
from gui.widgets import Button, Line, Names, Segment
from gui.widgets.numbers import clock

RATINGS = ("–", "1", "2", "3", "4", "5")
"""No rating, then from poor to good."""


class LabelDialog(QDialog):
    """The fields of an annotation. Enter keeps the changes, Esc discards them."""

    done_with = Signal(object, object)
    """The annotation before, and after (None: deleted)."""

    def __init__(self, theme: Theme, annotation: Annotation, about: str, labels: Sequence[str],
                 actions: Sequence[tuple[str, str]], parent: QWidget):
        """Creates the dialog.

        Args:
            theme: colours and fonts.
            annotation: the label to edit.
            about: the line below the title: when the label was given, and by whom.
            labels: names of labels to choose from.
            actions: actions to choose the better one from, each as `verb id id` and in words.
            parent: the window.
        """
        super().__init__(parent)
        self._before = annotation
        self.setWindowTitle("Label")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        px = theme.px
        self.label = QComboBox(editable=True)
        self.label.addItems(list(dict.fromkeys([annotation.label, *labels])))
        self.note = QLineEdit(annotation.note, placeholderText="Note on this label")
        self.rating = Segment(theme, RATINGS, annotation.rating or 0, "Rating")
        self.better = QComboBox()
        self.better.addItem("–", "")
        for action, words in actions:
            self.better.addItem(words, action)
        if annotation.better and self.better.findData(annotation.better) < 0:
            self.better.addItem(named(in_words(annotation.better), Names().full), annotation.better)
        self.better.setCurrentIndex(max(0, self.better.findData(annotation.better)))
        form = QFormLayout()
        form.setSpacing(px(8))
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        for what, field in (("Name", self.label), ("Note", self.note), ("Decision", self.rating),
                            ("Better action", self.better)):
            field.setFont(theme.font("body"))
            field.setAccessibleName(what)
            form.addRow(Line(theme, what, "small", "muted", shrinks=False), field)
        vbox(theme, Line(theme, "Label", "heading", "text", 650), Line(theme, about, "small", "muted"), form,
             self._buttons(theme), on=self, spacing=10, margins=DIALOG)
        fit(self, theme, 460, 0)
        self.note.setFocus()

    def _buttons(self, theme: Theme) -> QDialogButtonBox:
        box = QDialogButtonBox()
        keep = Button(theme, "Keep", "check", "primary", self.accept)
        delete = Button(theme, "Delete", "close", act=self._delete)
        box.addButton(delete, QDialogButtonBox.ButtonRole.DestructiveRole)
        box.addButton(Button(theme, "Cancel", act=self.reject), QDialogButtonBox.ButtonRole.RejectRole)
        box.addButton(keep, QDialogButtonBox.ButtonRole.AcceptRole)
        return box

    def wanted(self) -> Annotation:
        """Returns the annotation as edited."""
        label = " ".join(self.label.currentText().split()) or self._before.label
        return replace(self._before, label=label, note=self.note.text().strip(), rating=self.rating.index or None,
                       better=str(self.better.currentData() or ""))

    def accept(self) -> None:
        """Keeps the changes and closes the dialog."""
        self.done_with.emit(self._before, self.wanted())
        super().accept()

    def _delete(self) -> None:
        self.done_with.emit(self._before, None)
        super().reject()


def about_label(a: Annotation, worked_at: Callable[[float], float]) -> str:
    """Returns when a label was given, and by whom.

    Args:
        a: the label.
        worked_at: converts seconds since the session began into seconds of work.
    """
    end = f" to {clock(worked_at(a.until))}" if a.until is not None else ", still open" if a.state else ""
    span = clock(worked_at(a.at)) + end
    parts = (f"turn {a.turn}" if a.turn else "", span, f"by {a.annotator}" if a.annotator else "")
    return " · ".join(filter(None, parts))
