"""The dialog of one model: its settings, its key, a test, and Save, with the reason if it cannot be saved."""

from __future__ import annotations

import threading
from collections.abc import Iterable

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from core.llm.model_check import models_at
from core.llm.model_config import ModelConfig
from gui.control.background import BackgroundJobs
from gui.theme import Theme
from gui.widgets import Button, Line, Prose
from gui.window.models.form import ModelForm
from gui.window.models.key_box import KeyBox
from gui.window.models.trial_box import TrialBox


class ModelEditor(QDialog):
    """Enter saves, Esc discards. If something was changed, Esc and Cancel must be pressed twice.

    Args:
        theme: the colours and fonts.
        entry: what is edited, or the initial values of a new entry.
        taken: names of the other entries.
        heading: title of the dialog.
        parent: the dialog of all models.
    """

    saved = Signal(object)
    """The ModelConfig to save."""

    def __init__(self, theme: Theme, entry: ModelConfig, taken: Iterable[str], heading: str, parent: QWidget):
        super().__init__(parent)
        self._theme, self._changed, self._asked = theme, False, False
        self.setWindowTitle(heading)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._jobs, self._listing = BackgroundJobs("model server"), threading.Event()
        self.key: KeyBox | None = None
        self._reason = Prose(theme, "", "small", "warn")
        self.save = Button(theme, "Save", "save", "primary", self.accept)
        self.cancel = Button(theme, "Cancel", "close", act=self.reject)
        self.trial = TrialBox(theme, lambda: self.form.entry() if not self.form.judge() else None)
        self.form = ModelForm(theme, entry, taken, self._on_change)
        self.form.list_models.clicked.connect(lambda: self._list_models())
        if "base_url" in self.form.rows:
            self._listed = Prose(theme, "", "small", "bad")
            self._listed.hide()
            self.key = KeyBox(theme, self._jobs, self._where)
            at = self.form.column.indexOf(self.form.rows["model"]) + 1
            self.form.column.insertWidget(at, self._listed)
            self.form.column.insertWidget(at + 1, self.key)
            self.key.look()
        self._lay_out(heading)
        self._judge()
        self._changed = False  # from here on changes are the operator's
        first = self.form.rows["model"] if "model" in self.form.rows else self.form.rows["name"]
        first.field.setFocus()

    def _lay_out(self, heading: str) -> None:
        px, parent = self._theme.px, self.parentWidget()
        column, foot = QVBoxLayout(self), QHBoxLayout()
        column.setContentsMargins(px(22), px(18), px(22), px(18))
        column.setSpacing(px(10))
        column.addWidget(Line(self._theme, heading, "heading", "text", 650))
        column.addWidget(self.form, 1)
        column.addWidget(self.trial)
        foot.setSpacing(px(8))
        foot.addWidget(self._reason, 1)
        foot.addWidget(self.cancel)
        foot.addWidget(self.save)
        column.addLayout(foot)
        self.cancel.setAutoDefault(False)
        self.save.setDefault(True)
        above = parent
        while above is not None and (further := above.window().parentWidget()) is not None:
            above = further
        room = above.window().size() if above is not None else QSize(px(900), px(720))
        self.resize(min(px(640), room.width() - 40), min(px(720), max(px(300), room.height() - 40)))

    def accept(self) -> None:
        """Saves the entry."""
        if not self.form.judge():
            self.saved.emit(self.form.entry())
            super().accept()

    def reject(self) -> None:
        """Discards the changes. If there are any, a second press is required."""
        if self._changed and not self._asked:
            self._asked = True
            self.cancel.dress("Discard changes", "close")
            self._reason.say("The changes are not saved. Press once more to discard them.")
            return
        super().reject()

    def done(self, result: int) -> None:
        """Closes the dialog. Jobs under way are not waited for."""
        self._listing.set()
        self.trial.close_down()
        self._jobs.close(0.0)
        super().done(result)

    # --- while it is edited ------------------------------------------------------
    def _where(self) -> tuple[str, str]:
        rows = self.form.rows
        return rows["base_url"].text(), rows["key_name"].text() if "key_name" in rows else ""

    def _on_change(self) -> None:
        self._changed = True
        if self._asked:
            self._asked = False
            self.cancel.dress("Cancel", "close")
        self._judge()
        self.trial.forget()
        if self.key is not None:
            self.key.look_later()

    def _judge(self) -> None:
        reason = self.form.judge()
        self.save.setEnabled(not reason)
        self.save.setToolTip(f"Cannot be saved yet. {reason}" if reason else "Save (Enter)")
        self.trial.button.setEnabled(not reason or self.trial.running)
        self._reason.say(reason)

    def _list_models(self) -> None:
        base_url, key_name = self._where()
        self._listing.set()
        cancelled = self._listing = threading.Event()
        self.form.list_models.setEnabled(False)
        self.form.list_models.dress("Asking …", "retry")
        self._jobs.do(lambda: models_at(base_url, key_name, cancelled), self._show_models, self._no_models)

    def _show_models(self, names: tuple[str, ...]) -> None:
        self._end_listing("")
        self.form.offer_models(names)

    def _no_models(self, error: Exception) -> None:
        self._end_listing(" ".join(str(error).split()))

    def _end_listing(self, words: str) -> None:
        self.form.list_models.setEnabled(True)
        self.form.list_models.dress("List models", "retry")
        self._listed.say(words[:1].upper() + words[1:])
        self._listed.setVisible(bool(words))
