"""The dialog of the annotator's name and the label set with its keys."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QFileDialog, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from gui.recordings.labelling import Labelling
from gui.theme import Theme
from gui.widgets import Button, Line, Prose


class LabelSettings(QDialog):
    """Changes take effect at once and are kept for the next start."""

    def __init__(self, theme: Theme, labelling: Labelling, parent: QWidget):
        super().__init__(parent)
        self._labelling = labelling
        self.setWindowTitle("Labels")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        px = theme.px
        self.name = QLineEdit(labelling.annotator)
        self.name.setPlaceholderText("Your name, shown beside your labels")
        self.name.setAccessibleName("Annotator")
        self.name.setFont(theme.font("body"))
        self.name.editingFinished.connect(lambda: labelling.set_annotator(self.name.text()))
        self._set = Line(theme, "", "body", "text", 600)
        self._keys = Prose(theme, "", "small", "muted")
        column = QVBoxLayout(self)
        column.setContentsMargins(px(22), px(18), px(22), px(18))
        column.setSpacing(px(8))
        column.addWidget(Line(theme, "Labels", "heading", "text", 650))
        column.addWidget(Line(theme, "Annotator", "small", "muted"))
        column.addWidget(self.name)
        column.addSpacing(px(6))
        column.addWidget(self._set)
        column.addWidget(self._keys)
        row = QHBoxLayout()
        row.addWidget(Button(theme, "Open a set …", "folder", act=self._choose))
        row.addWidget(Button(theme, "Standard set", "retry", act=lambda: labelling.use(None)))
        row.addStretch(1)
        row.addWidget(Button(theme, "Done", "check", "primary", self.accept))
        column.addLayout(row)
        self.setMinimumWidth(px(460))
        labelling.changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        labels = self._labelling.set.labels
        self._set.say(self._labelling.set.title)
        self._keys.setText("\n".join(f"{label.key or '–'}   {label.name} ({label.kind})"
                                     f"{f': {label.help}' if label.help else ''}" for label in labels))

    def _choose(self) -> None:
        dialog = QFileDialog(self, "Open a set of labels", str(Path.home()), "Label sets (*.json);;All files (*)")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setOption(QFileDialog.Option.ReadOnly)  # it opens files, and must not offer to delete any
        dialog.fileSelected.connect(lambda path: self._labelling.use(Path(path)))
        dialog.finished.connect(lambda _: dialog.deleteLater())
        dialog.open()

    def done(self, result: int) -> None:
        """Takes the typed name, however the dialog is closed."""
        self._labelling.set_annotator(self.name.text())
        super().done(result)
