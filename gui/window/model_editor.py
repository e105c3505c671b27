"""The dialog of one model: its settings, its key, a test, and Save, with the reason if it cannot be saved."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QLineEdit, QSizePolicy, QWidget

from core.common.cancellation import Cancellation
from core.common.errors import BelvedereError
from core.llm.keys import Address, KeySource, keep_key, key_source
from core.llm.model_check import failure_words, models_at, try_model
from core.llm.model_config import ModelConfig
from gui.control.background import BackgroundJobs
from gui.theme import Theme
from gui.theme.boxes import DIALOG, hbox, vbox
from gui.theme.screens import fit
from gui.widgets import Button, Line, Prose
from gui.window.model_form import ModelForm

SETTLED = 400
"""Milliseconds after the last change of the address before the key is looked for."""


class ModelEditor(QDialog):
    """Enter saves, Esc discards. If something was changed, Esc and Cancel must be pressed twice.

    `taken` are the names of the other entries.
    """

    saved = Signal(object)
    """The ModelConfig to save."""

    def __init__(self, theme: Theme, entry: ModelConfig, taken: Iterable[str], heading: str, parent: QWidget):
        super().__init__(parent)
        self._theme, self._changed, self._asked = theme, False, False
        self.setWindowTitle(heading)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._jobs, self._listing = BackgroundJobs("model server"), Cancellation()
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
            self.key.kept.connect(self._use_key)
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
        foot = hbox(self._theme, (self._reason, 1), self.cancel, self.save, spacing=8)
        vbox(self._theme, Line(self._theme, heading, "heading", "text", 650), (self.form, 1), self.trial, foot,
             on=self, spacing=10, margins=DIALOG)
        self.cancel.setAutoDefault(False)
        fit(self, self._theme, 640, 720)

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

    def _use_key(self, name: str) -> None:
        """Names the key in the entry of a server on this machine, where none is looked for otherwise."""
        if Address(self._where()[0]).loopback and "key_name" in self.form.rows:
            self.form.rows["key_name"].show_text(name)
            self._on_change()

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
        cancelled = self._listing = Cancellation()
        self.form.list_models.setEnabled(False)
        self.form.list_models.dress("Asking …", "retry")
        self._jobs.do(lambda: models_at(base_url, key_name, cancelled), self._show_models,
                      lambda error: self._end_listing(" ".join(str(error).split())))

    def _show_models(self, names: tuple[str, ...]) -> None:
        self._end_listing("")
        self.form.offer_models(names)

    def _end_listing(self, words: str) -> None:
        self.form.list_models.setEnabled(True)
        self.form.list_models.dress("List models", "retry")
        self._listed.say(words[:1].upper() + words[1:])
        self._listed.setVisible(bool(words))


class KeyBox(QWidget):
    """One line about the key, and the field if no key is found. `where` returns the present address and the name of the key."""

    kept = Signal(str)
    """The name under which a key was kept."""

    def __init__(self, theme: Theme, jobs: BackgroundJobs, where: Callable[[], tuple[str, str]]):
        super().__init__()
        self._jobs, self._where, self._source = jobs, where, KeySource(False, False, False, "", "")
        self.says = Prose(theme, "Key: looking …", "small", "muted")
        self.says.setAccessibleName("Key")
        self.store = Button(theme, "Keep in keyring", "key", act=self.keep)
        self.store.setAutoDefault(False)
        self.store.setEnabled(False)
        self.field = KeyField(self.keep)
        self.field.setPlaceholderText("Paste a key to keep it in the system keyring")
        self.field.setAccessibleName("Key for the system keyring")
        self.field.setFont(theme.font("body"))
        self.field.setFixedHeight(theme.px(28))
        self.field.textChanged.connect(lambda text: self.store.setEnabled(bool(text.strip())))
        self._offer = QWidget()
        hbox(theme, (self.field, 1), self.store, on=self._offer, spacing=6, margins=(0, 0, 0, 0))
        vbox(theme, self.says, self._offer, on=self, spacing=4, margins=(0, 0, 0, 0))
        self._offer.hide()
        self._later = QTimer(self, singleShot=True, interval=SETTLED)
        self._later.timeout.connect(self.look)

    def look_later(self) -> None:
        """Looks for the key soon, while the address is being typed."""
        self._later.start()

    def look(self) -> None:
        """Looks for the source of the key."""
        base_url, key_name = self._where()
        self._jobs.do(lambda: key_source(base_url, key_name), self._show, self._fail)

    def keep(self) -> None:
        """Stores the pasted key in the keyring and clears the field."""
        key, name = self.field.text(), self._source.name
        self.field.clear()
        self._jobs.do(lambda: keep_key(name, key), lambda _: self._on_kept(name), self._fail)

    def _on_kept(self, name: str) -> None:
        self.kept.emit(name)
        self.look()

    def _show(self, source: KeySource) -> None:
        self._source = source
        self.says.say(source.words, "good" if source.found else "warn" if source.needed else "muted")
        self._offer.setVisible(source.can_keep and not source.found)

    def _fail(self, error: Exception) -> None:
        words = " ".join(str(error).split())
        self.says.say(words[:1].upper() + words[1:], "bad")


class KeyField(QLineEdit):
    """A field that shows dots. Enter stores the key and does not reach the dialog."""

    def __init__(self, entered: Callable[[], object]):
        super().__init__()
        self._entered = entered
        self.setEchoMode(QLineEdit.EchoMode.Password)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Stores the key on Enter."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._entered()
        else:
            super().keyPressEvent(event)


class TrialBox(QWidget):
    """The button and the result. `wanted` returns the entry to test, or None if there is no valid one."""

    def __init__(self, theme: Theme, wanted: Callable[[], ModelConfig | None]):
        super().__init__()
        self._wanted, self._jobs = wanted, BackgroundJobs("model trial")
        self._cancelled: Cancellation | None = None
        self._began = 0.0
        self.button = Button(theme, "Test connection", "model", act=self.test_or_stop)
        self.button.setAutoDefault(False)
        self.button.setToolTip("Asks the model three short questions")
        self.button.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.says = Prose(theme, "", "small", "muted")
        self.says.setAccessibleName("Result of the test")
        hbox(theme, self.button, (self.says, 1), on=self, spacing=10, margins=(0, 0, 0, 0))
        self._tick = QTimer(self, interval=1000)
        self._tick.timeout.connect(self._show_time)

    @property
    def running(self) -> bool:
        """Whether a test is running."""
        return self._cancelled is not None

    def test_or_stop(self) -> None:
        """Starts a test, or stops the one that is running."""
        if self._cancelled is not None:
            self._cancelled.set()
            return
        entry = self._wanted()
        if entry is None:
            return
        cancelled = self._cancelled = Cancellation()
        self._began = time.monotonic()
        self.button.dress("Stop", "stop")
        self.says.say("Asking …", "muted")
        self._tick.start()
        self._jobs.do(lambda: _outcome(entry, cancelled), self._show, self._broke)

    def forget(self) -> None:
        """Clears the result, because the model has changed."""
        if not self.running:
            self.says.say("")

    def close_down(self) -> None:
        """Stops the test without a result when the dialog closes."""
        if self._cancelled is not None:
            self._cancelled.set()
        self._tick.stop()
        self._jobs.close(0.0)

    def _show_time(self) -> None:
        self.says.say(f"Asking … {time.monotonic() - self._began:.0f} s")

    def _show(self, outcome: tuple[str, str]) -> None:
        self._end()
        self.says.say(*outcome)

    def _broke(self, error: Exception) -> None:
        self._end()
        self.says.say(f"The test itself failed ({type(error).__name__}): see the log", "bad")

    def _end(self) -> None:
        self._cancelled = None
        self._tick.stop()
        self.button.dress("Test connection", "model")


def _outcome(entry: ModelConfig, cancelled: Cancellation) -> tuple[str, str]:
    """Returns the result and its tone."""
    try:
        trial = try_model(entry, cancelled)
    except BelvedereError as error:
        stopped = Cancellation()  # stopping the test does not stop the explanation of its end
        words = failure_words(error, entry, stopped)
        return words, "muted" if words == "Stopped" else "bad"
    return trial.words, "good" if trial.is_usable else "warn"
