"""The *Models* dialog: all models of the user; add, edit, duplicate, remove, test, use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QStackedLayout, QWidget

from core.common.errors import BelvedereError
from core.llm.model_config import PRESETS, ModelConfig, Preset, entry_of, free_name
from core.views.values import Item, Mark
from gui.control.choices import ModelBook, where_words
from gui.theme import Theme
from gui.theme.boxes import DIALOG, hbox, vbox
from gui.theme.screens import fit
from gui.views.object_list import ObjectList
from gui.widgets import Button, Line, PopupMenu, Prose, StateAction, StateCard
from gui.widgets.buttons import ButtonRow
from gui.widgets.state_card import CardState
from gui.window.model_editor import ModelEditor, TrialBox

USED = Mark("used", "good")
ABOUT = "Language models that can answer a planner's calls. API keys are stored separately, in the environment or the keyring."
NONE = CardState("empty", "No model yet", "Add a server, a paid service or a file on this machine. Until then, rules answer.",
                 "provider")


class ModelsDialog(QDialog):
    """The list of models and its buttons.

    `used` returns the name of the model that the next run uses, or empty. `comparing` says how free text is compared.
    """

    chosen = Signal(object)
    """The ModelConfig to use."""

    def __init__(self, theme: Theme, book: ModelBook, used: Callable[[], str], comparing: str, parent: QWidget):
        super().__init__(parent)
        self._theme, self._book, self._used = theme, book, used
        self._removed: tuple[ModelConfig, int, bool] | None = None
        self.setWindowTitle("Models")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.list = ObjectList[ModelConfig](theme, "Your models", self._item)
        self.add = Button(theme, "Add", "add", act=self.offer_presets)
        self.edit = Button(theme, "Edit", "edit", act=self.open_editor)
        self.copy = Button(theme, "Duplicate", "copy", act=self.duplicate)
        self.remove = Button(theme, "Remove", "close", act=self.remove_current)
        self.use = Button(theme, "Use this model", "check", "primary", self.use_current)
        self.close_button = Button(theme, "Close", "", act=self.reject)
        self.undo = Button(theme, "Undo", "undo", act=self.put_back)
        self.retry = Button(theme, "Try again", "retry", act=book.update)
        self.message = Prose(theme, "", "small", "muted")
        self.trial = TrialBox(theme, self._current)
        self.editor: ModelEditor | None = None
        """The open editor, or None."""
        self._stack = QStackedLayout()
        self._lay_out(comparing)
        self.list.chosen.connect(self._on_row)
        self.list.opened.connect(self.use_current)
        self.list.rows.on_key(Qt.Key.Key_Delete, self.remove_current)
        QShortcut(QKeySequence(QKeySequence.StandardKey.Undo), self, self.put_back)
        book.changed.connect(self._show)
        book.told.connect(self._show_message)
        self._show()
        if used():
            self.choose_name(used())
        (self.list if book.entries else self.add).setFocus()

    def _lay_out(self, comparing: str) -> None:
        theme = self._theme
        body = QWidget()
        none = replace(NONE, actions=(StateAction("Add a model", "add", self.offer_presets),))
        self._stack.addWidget(self.list)
        self._stack.addWidget(StateCard(theme, none))
        body.setLayout(self._stack)
        body.setMinimumHeight(theme.px(150))
        feedback = hbox(theme, (self.message, 1), self.undo, self.retry, spacing=8)
        foot = hbox(theme, (Prose(theme, comparing, "small", "faint"), 1), self.close_button, self.use, spacing=8)
        vbox(theme, Line(theme, "Models", "heading", "text", 650), Prose(theme, ABOUT, "small", "muted"), (body, 1),
             ButtonRow(theme, (self.add, self.edit, self.copy, self.remove)), feedback, self.trial, foot,
             on=self, spacing=8, margins=DIALOG)
        for button in (self.add, self.edit, self.copy, self.remove, self.close_button, self.undo, self.retry):
            button.setAutoDefault(False)
        fit(self, theme, 660, 500)

    def done(self, result: int) -> None:
        """Closes the dialog. Jobs under way are not waited for."""
        if self.editor is not None:
            self.editor.done(QDialog.DialogCode.Rejected)  # the window that would show the question is closing
        self.trial.close_down()
        self._book.changed.disconnect(self._show)
        self._book.told.disconnect(self._show_message)
        super().done(result)

    # --- what is shown ---------------------------------------------------------
    def _show(self) -> None:
        at = self.list.rows.current
        self.list.show_objects(self._book.entries)
        if self._current() is None:  # it was renamed or removed: that at its place is chosen
            self.list.choose_object(min(max(at, 0), len(self._book.entries) - 1))
        self._stack.setCurrentIndex(0 if self._book.entries or self._book.trouble else 1)
        trouble, left = self._book.trouble, self._book.left
        self.retry.setVisible(bool(trouble))
        if trouble:
            words = left or f"{trouble}. The file was not changed."
            self._show_message(words[:1].upper() + words[1:], "bad")
        elif left:
            self._show_message("Saving …")
        else:
            self._show_message(f"Removed {self._removed[0].name}" if self._removed else "")
        self._enable()

    def _enable(self) -> None:
        known, whole = self._current() is not None, self._is_whole()
        self.add.setEnabled(whole)
        for button in (self.edit, self.copy, self.remove, self.use, self.trial.button):
            button.setEnabled(known and whole)
        self.trial.setVisible(known)
        self.use.setToolTip("Use this model from the next run on" if known else "Add a model first")
        self.undo.setVisible(self._removed is not None and whole)

    def _is_whole(self) -> bool:
        """Whether entries can be changed: the file can be read, or what is changed is written later."""
        return bool(self._book.left) or not self._book.trouble

    def _on_row(self) -> None:
        self.trial.forget()
        self._enable()

    def _current(self) -> ModelConfig | None:
        chosen = self.list.chosen_object
        return None if chosen is None else self._book.find(chosen.name)

    def choose_name(self, name: str) -> None:
        """Chooses a model by its name."""
        at = next((k for k, entry in enumerate(self.list.objects) if entry.name == name), -1)
        self.list.choose_object(at, tell=True)

    def _item(self, entry: ModelConfig) -> Item:
        return Item(entry.name, entry.name, (), (USED,) if entry.name == self._used() else (),
                    note=where_words(entry.provider, entry.options))

    def _show_message(self, words: str, tone: str = "muted") -> None:
        self.message.say(words, tone)
        self.message.setVisible(bool(words))

    # --- acts --------------------------------------------------------------------
    def offer_presets(self) -> None:
        """Opens the menu of presets for a new entry."""
        menu = self.presets_menu()
        menu.open_under(self.add)

    def presets_menu(self) -> PopupMenu:
        """Returns a menu with one line for each preset."""
        menu = PopupMenu(self)
        for preset in PRESETS:
            menu.add(f"{preset.title}\t{preset.about}", partial(self._add, preset))
        return menu

    def _add(self, preset: Preset) -> None:
        editor = self._open(entry_of(preset, self._book.names), "", f"Add a model: {preset.title}")
        if preset.is_file:
            editor.form.ask_file()

    def open_editor(self) -> None:
        """Edits the current entry."""
        if (entry := self._current()) is not None:
            self._open(entry, entry.name, f"Model: {entry.name}")

    def duplicate(self) -> None:
        """Edits a copy of the current entry, which is added when it is saved."""
        if (entry := self._current()) is not None:
            self._open(replace(entry, name=free_name(entry.name, self._book.names)), "", f"Copy of {entry.name}")

    def _open(self, entry: ModelConfig, instead_of: str, heading: str) -> ModelEditor:
        taken = [name for name in self._book.names if name != instead_of]
        self.editor = ModelEditor(self._theme, entry, taken, heading, self)
        self.editor.saved.connect(lambda wanted: self._keep(wanted, instead_of))
        self.editor.finished.connect(lambda _: self._forget_editor())
        self.editor.open()
        return self.editor

    def _forget_editor(self) -> None:
        self.editor = None

    def _keep(self, wanted: ModelConfig, instead_of: str) -> None:
        self._removed = None
        was_used = bool(instead_of) and self._used() == instead_of
        if self._try(lambda: self._book.put(wanted, instead_of)):
            self.choose_name(wanted.name)
            self.list.setFocus()
            self.trial.forget()
            if was_used:
                self.chosen.emit(wanted)  # the next run uses it as it is now
                self._show()

    def remove_current(self) -> None:
        """Removes the current entry; Undo restores it."""
        entry = self._current()
        if entry is None:
            return
        at, chosen = self._book.names.index(entry.name), self._book.chosen == entry.name
        if self._try(lambda: self._book.remove(entry.name)):
            self._removed = (entry, at, chosen)
            self.trial.forget()
            self._show()

    def put_back(self) -> None:
        """Restores the entry removed last."""
        if self._removed is None:
            return
        entry, at, chosen = self._removed
        if self._try(lambda: self._book.restore(entry, at, chosen=chosen)):
            self._removed = None
            self.choose_name(entry.name)
            self._show()

    def use_current(self) -> None:
        """Uses the current entry for the next run."""
        entry = self._current()
        if entry is not None and self._is_whole():
            self.chosen.emit(entry)
            self.accept()

    def _try(self, act: Callable[[], object]) -> bool:
        """Changes the entries. Returns False and shows the error if that fails."""
        try:
            act()
        except BelvedereError as error:
            words = " ".join(str(error).split())
            self._show_message(words[:1].upper() + words[1:], "bad")
            return False
        return True
