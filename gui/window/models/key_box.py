"""Where the key to a server comes from, and a field to store one in the system keyring. No key is ever shown or written."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from core.llm.keys import KeySource, keep_key, key_source
from gui.control.background import BackgroundJobs
from gui.theme import Theme
from gui.widgets import Button, Prose

SETTLED = 400
"""Milliseconds after the last change of the address before the key is looked for."""


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


class KeyBox(QWidget):
    """One line about the key, and the field if no key is found.

    Args:
        theme: the colours and fonts.
        jobs: reads and stores keys off the GUI thread.
        where: returns the present address and the name of the key.
    """

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
        row = QHBoxLayout(self._offer)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.px(6))
        row.addWidget(self.field, 1)
        row.addWidget(self.store)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.px(4))
        column.addWidget(self.says)
        column.addWidget(self._offer)
        self._offer.hide()
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(SETTLED)
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
        self._jobs.do(lambda: keep_key(name, key), lambda _: self.look(), self._fail)

    def _show(self, source: KeySource) -> None:
        self._source = source
        self.says.say(source.words, "good" if source.found else "warn" if source.needed else "muted")
        self._offer.setVisible(source.can_keep and not source.found)

    def _fail(self, error: Exception) -> None:
        words = " ".join(str(error).split())
        self.says.say(words[:1].upper() + words[1:], "bad")
