"""The dialog *Labels*: who labels, whether blind, and the label sets."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QDialog, QFileDialog, QLineEdit, QWidget

from core.common.user_folders import home
from core.recording.labels import STANDARD, LabelSet
from core.views.values import Item, Mark
from gui.recordings.labelling import Labelling
from gui.theme import Theme
from gui.theme.boxes import DIALOG, hbox, scrolled, vbox
from gui.theme.screens import fit
from gui.views.object_list import ObjectList
from gui.widgets import Button, Line, Prose
from gui.widgets.buttons import ButtonRow
from gui.widgets.numbers import count

FILES = "Label sets (*.json);;All files (*)"
IN_USE = Mark("in use", "good")


class LabelSettings(QDialog):
    """Changes take effect at once and are kept for the next start."""

    def __init__(self, theme: Theme, labelling: Labelling, parent: QWidget):
        super().__init__(parent)
        self._theme, self._labelling = theme, labelling
        self.setWindowTitle("Labels")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.name = QLineEdit(labelling.annotator, placeholderText="Your name, shown beside your labels")
        self.name.setAccessibleName("Annotator")
        self.name.setFont(theme.font("body"))
        self.name.editingFinished.connect(lambda: labelling.set_annotator(self.name.text()))
        self.blind = QCheckBox("Hide the labels of others until I have finished")
        self.blind.setFont(theme.font("body"))
        self.blind.setChecked(labelling.blind)
        self.blind.toggled.connect(labelling.set_blind)
        self._state = Line(theme, "", "small", "muted")
        self.finish = Button(theme, "I have finished", "check", act=lambda: labelling.finish(finished=not labelling.finished))
        self.sets = ObjectList[LabelSet](theme, "Label sets", self._item)
        self.sets.setMinimumHeight(theme.px(26 * 2))
        self.sets.opened.connect(self._use)
        self.sets.chosen.connect(self._show)
        self.use = Button(theme, "Use", "check", act=self._use)
        self.remove = Button(theme, "Remove", "close", act=self._remove)
        self._keys = Prose(theme, "", "small", "muted")
        self._lay_out()
        labelling.changed.connect(self._show)
        self._show()
        self.sets.choose_object(labelling.sets.index(labelling.set) if labelling.set in labelling.sets else 0)
        self._show()

    def _lay_out(self) -> None:
        theme = self._theme
        done = Button(theme, "Done", "check", "primary", self.accept)
        add, save = Button(theme, "Add …", "folder", act=self._add), Button(theme, "Save as …", "save", act=self._save)
        for button in (self.finish, self.use, self.remove, add, save):
            button.setAutoDefault(False)
        vbox(theme, Line(theme, "Labels", "heading", "text", 650), Line(theme, "Annotator", "small", "muted"), self.name,
             self.blind, hbox(theme, (self._state, 1), self.finish, spacing=8), 6,
             Line(theme, "Label sets · the keys of one are in force", "small", "muted"), (self.sets, 1),
             ButtonRow(theme, (self.use, add, save, self.remove)), (scrolled(self._keys, theme.px(36)), 1),
             hbox(theme, 0, done), on=self, spacing=8, margins=DIALOG)
        fit(self, theme, 500, 520)

    def _item(self, one: LabelSet) -> Item:
        keys = "".join(label.key for label in one.labels)
        return Item(one.title, one.title, (), (IN_USE,) if one == self._labelling.set else (),
                    note=f"{count(len(one.labels), 'label')}{f' · keys {keys}' if keys else ''}")

    def _show(self) -> None:
        labelling = self._labelling
        self.sets.show_objects(labelling.sets)
        chosen = self._chosen()
        self._keys.setText("\n".join(f"{label.key or '–'}   {label.name} ({label.kind})"
                                     f"{f': {label.help}' if label.help else ''}" for label in chosen.labels[:12]))
        self.use.setEnabled(chosen != labelling.set)
        self.remove.setEnabled(chosen != STANDARD)
        self.blind.setChecked(labelling.blind)
        self.finish.dress("Go on labelling" if labelling.finished else "I have finished",
                          "undo" if labelling.finished else "check")
        self._state.say(self._state_words())

    def _state_words(self) -> str:
        labelling = self._labelling
        if labelling.finished:
            return "You have finished this one: all labels are shown"
        return f"{count(labelling.hidden, 'label')} of others hidden" if labelling.hidden else ""

    def _chosen(self) -> LabelSet:
        return self.sets.chosen_object or self._labelling.set

    def _use(self) -> None:
        self._labelling.switch(self._chosen())

    def _remove(self) -> None:
        self._labelling.remove(self._chosen())

    def _add(self) -> None:
        dialog = QFileDialog(self, "Add a set of labels", str(home()), FILES)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setOption(QFileDialog.Option.ReadOnly)  # it opens files, and must not offer to delete any
        self._ask(dialog, self._labelling.use)

    def _save(self) -> None:
        one = self._chosen()
        dialog = QFileDialog(self, f"Save {one.title}", str(home()), FILES)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("json")
        dialog.selectFile(one.title)
        self._ask(dialog, lambda path: self._labelling.write(path, one))

    @staticmethod
    def _ask(dialog: QFileDialog, then: Callable[[Path], object]) -> None:
        dialog.fileSelected.connect(lambda path: then(Path(path)))
        dialog.finished.connect(lambda _: dialog.deleteLater())
        dialog.open()

    def done(self, result: int) -> None:
        """Takes the typed name, however the dialog is closed."""
        self._labelling.set_annotator(self.name.text())
        super().done(result)
