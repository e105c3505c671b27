"""The dialog of one annotation: its label, the rating of the decision, and a better action."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QDialog, QDialogButtonBox, QFormLayout, QLineEdit, QVBoxLayout, QWidget

from core.session.annotation import Annotation
from core.world.vocabulary import in_words, named
from gui.theme import Theme
from gui.widgets import Button, Line, Names, Segment
from gui.widgets.numbers import clock

RATINGS = ("–", "1", "2", "3", "4", "5")
"""No rating, then from poor to good."""


class LabelDialog(QDialog):
    """The fields of an annotation. Enter keeps the changes, Esc discards them."""

    done_with = Signal(object, object)
    """The annotation before, and after (None: deleted)."""

    def __init__(self, theme: Theme, annotation: Annotation, labels: Sequence[str], actions: Sequence[tuple[str, str]],
                 parent: QWidget):
        """Creates the dialog.

        Args:
            theme: the colours and fonts.
            annotation: the annotation to edit.
            labels: names to choose from.
            actions: better actions to choose from, each as (`verb id id`, phrase).
            parent: the window.
        """
        super().__init__(parent)
        self._before = annotation
        self.setWindowTitle("Label")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        px = theme.px
        self.label = QComboBox()
        self.label.setEditable(True)
        self.label.addItems(list(dict.fromkeys([annotation.label, *labels])))
        self.note = QLineEdit(annotation.note)
        self.note.setPlaceholderText("Note on this label")
        self.rating = Segment(theme, RATINGS, annotation.rating or 0, "Rating")
        self.better = QComboBox()
        self.better.addItem("–", "")
        for action, words in actions:
            self.better.addItem(words, action)
        if annotation.better and self.better.findData(annotation.better) < 0:
            self.better.addItem(named(in_words(annotation.better), Names().full), annotation.better)
        self.better.setCurrentIndex(max(0, self.better.findData(annotation.better)))
        column = QVBoxLayout(self)
        column.setContentsMargins(px(22), px(18), px(22), px(18))
        column.setSpacing(px(10))
        column.addWidget(Line(theme, "Label", "heading", "text", 650))
        column.addWidget(Line(theme, _about(annotation), "small", "muted"))
        form = QFormLayout()
        form.setSpacing(px(8))
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        for what, field in (("Name", self.label), ("Note", self.note), ("Decision", self.rating),
                            ("Better action", self.better)):
            field.setFont(theme.font("body"))
            field.setAccessibleName(what)
            form.addRow(Line(theme, what, "small", "muted", shrinks=False), field)
        column.addLayout(form)
        column.addWidget(self._buttons(theme))
        self.setMinimumWidth(px(460))
        self.note.setFocus()

    def _buttons(self, theme: Theme) -> QDialogButtonBox:
        box = QDialogButtonBox()
        keep = Button(theme, "Keep", "check", "primary", self.accept)
        keep.setDefault(True)
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


def _about(a: Annotation) -> str:
    span = clock(a.at) + (f" to {clock(a.until)}" if a.until is not None else ", still open" if a.state else "")
    parts = (f"turn {a.turn}" if a.turn else "", span, f"by {a.annotator}" if a.annotator else "")
    return " · ".join(filter(None, parts))
