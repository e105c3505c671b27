"""Which key was meant, on a keyboard of any layout.

The key that is labelled Z on a Russian keyboard types я, the key that is labelled 1 on a French one types &. Widgets and
shortcuts know keys by their Latin letters and digits, which are also what the window shows. So every key event is translated
once, before a widget receives it. Only its key and modifiers change: the text stays what was typed.
"""

from __future__ import annotations

import sys
import unicodedata

from PySide6.QtCore import QCoreApplication, QEvent, QKeyCombination, QObject, Qt
from PySide6.QtGui import QAction, QGuiApplication, QKeyEvent, QKeySequence, QShortcut, QWindow
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)
from shiboken6 import isValid

KINDS = (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress, QEvent.Type.KeyRelease)
SIGNS = "+-.,<>[]"
"""Signs that are keys of the window themselves. Others in the row of digits stand for the digit, as all do with Ctrl or Alt."""
SHIFTED = {",": "<", ".": ">"}
"""Signs that a US keyboard types with Shift, of those that are keys of the window."""
X11_ROWS = {10: "1234567890-=", 24: "qwertyuiop[]", 38: "asdfghjkl;'", 52: "zxcvbnm,./"}
"""What a US keyboard types, by the scan code of the first key of each row, under X11 and Wayland."""
MAC_KEYS = "asdfhgzxcv§bqweryt123465=97-80]ou[ip\rlj'k;\\,/nm."
"""What a US keyboard types, by the virtual key of macOS from 0."""
LARGEST_CHARACTER = 0x110000
"""Keys that type no character, such as arrows, have larger codes."""
LEVEL_3 = 0x80
"""X11's modifier of AltGr: its signs are meant as they are."""
Held = Qt.KeyboardModifier
COMMAND = Held.ControlModifier | Held.AltModifier | Held.MetaModifier


def us_keys(platform: str) -> dict[int, str]:
    """Returns what a US keyboard types, by the native code that a key event has for the place of its key.

    Args:
        platform: as in `sys.platform`. The code is the scan code on Linux, the virtual key on macOS and Windows, where the
            virtual keys of letters and digits are the same in all layouts that are not Latin.
    """
    if platform == "darwin":
        return dict(enumerate(MAC_KEYS))
    if platform == "win32":
        return {ord(letter): letter.lower() for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"}
    return {first + k: sign for first, row in X11_ROWS.items() for k, sign in enumerate(row)}


US_KEYS = us_keys(sys.platform)


def meant(event: QKeyEvent) -> QKeyCombination:
    """Returns the key and modifiers that were meant: those of the event unless this layout hides a letter or digit.

    A letter of another script means the Latin one of its key. A sign in the row of digits means the digit, and a digit typed
    with Shift is meant without it, as on French and Czech keyboards.
    """
    held, key = event.modifiers(), event.key()
    as_typed = event.keyCombination()
    if not 0x20 < key < LARGEST_CHARACTER or held & Held.KeypadModifier:
        return as_typed
    sign = chr(key)
    if sign.isascii() and sign.isdigit():
        return QKeyCombination(held & ~Held.ShiftModifier, Qt.Key(key))
    if (sign.isascii() and sign.isalpha()) or (sign in SIGNS and not held & COMMAND) or event.nativeModifiers() & LEVEL_3:
        return as_typed
    on_us = US_KEYS.get(event.nativeScanCode() if sys.platform.startswith("linux") else event.nativeVirtualKey(), "")
    is_digit = on_us.isdigit() and not held & Held.ShiftModifier
    if not on_us or not (is_digit or (_is_foreign(sign) and not on_us.isdigit())):
        return as_typed
    if held & Held.ShiftModifier:
        on_us = SHIFTED.get(on_us, on_us)
    return QKeyCombination(held, Qt.Key(ord(on_us.upper())))


def _is_foreign(sign: str) -> bool:
    """Whether this is a letter, but not of the Latin script."""
    return sign.isalpha() and "LATIN" not in unicodedata.name(sign, "")


def character(event: QKeyEvent) -> str:
    """Returns the capital letter, digit or sign of the key that was meant; empty for other keys."""
    key = meant(event).key().value
    return chr(key) if 0x20 < key < 0x7f else ""


def is_text(widget: QWidget | None) -> bool:
    """Whether letters typed in this widget are text."""
    if isinstance(widget, QTextEdit | QPlainTextEdit | QLineEdit):
        return not widget.isReadOnly()
    return isinstance(widget, QAbstractSpinBox)


class MeantKeys(QObject):
    """Translates the key events of the window that has the keyboard, before any widget or shortcut sees them.

    What is typed in a text field is not translated, only what is pressed together with Ctrl, Alt or Meta.
    """

    def __init__(self, parent: QObject):
        super().__init__(parent)
        self._window: QWindow | None = None
        self._claimed = False
        """Whether a widget claimed the key that is being pressed, so that it triggers no shortcut."""
        app = QApplication.instance()
        if isinstance(app, QGuiApplication):
            app.focusWindowChanged.connect(self._on_window)

    def _on_window(self, window: QWindow | None) -> None:
        if self._window is not None and isValid(self._window):
            self._window.removeEventFilter(self)
        self._window = window
        if window is not None:
            window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Sends the translated event in place of one that needs translation."""
        if event.type() not in KINDS or not isinstance(event, QKeyEvent):
            return False
        pressed = meant(event)
        popup = QApplication.activePopupWidget()
        receiver = (popup.focusWidget() or popup) if popup is not None else QApplication.focusWidget()
        if pressed == event.keyCombination() or (is_text(receiver) and not event.modifiers() & COMMAND):
            return False
        if event.type() == QEvent.Type.KeyPress and not self._claimed and popup is None and _trigger(pressed):
            event.accept()
            return True
        translated = QKeyEvent(event.type(), pressed.key().value, pressed.keyboardModifiers(), event.nativeScanCode(),
                               event.nativeVirtualKey(), event.nativeModifiers(),
                               character(event).lower() if isinstance(popup, QMenu) else event.text(),  # it finds rows by text
                               event.isAutoRepeat(), event.count())
        translated.setAccepted(event.isAccepted())
        QCoreApplication.sendEvent(watched, translated)
        event.setAccepted(translated.isAccepted())
        self._claimed = event.type() == QEvent.Type.ShortcutOverride and translated.isAccepted()
        return True


def _trigger(pressed: QKeyCombination) -> bool:
    """Triggers the shortcut of the active window for a key. Qt itself compares shortcuts with what the layout types.

    Returns:
        Whether there is one that is enabled.
    """
    window = QApplication.activeWindow()
    if window is not None and window.windowType() == Qt.WindowType.Tool and (parent := window.parentWidget()) is not None:
        window = parent.window()  # the shortcuts of the main window act in its floating panels, too
    if window is None:
        return False
    keys = {QKeySequence(pressed)}
    if chr(pressed.key().value) in SHIFTED.values():
        keys.add(QKeySequence(pressed.key()))  # Shift was needed to type it
    for part in (*window.actions(), *window.findChildren(QShortcut), *window.findChildren(QAbstractButton)):
        if isinstance(part, QShortcut):
            if part.key() in keys and part.isEnabled():
                part.activated.emit()
                return True
        elif isinstance(part, QAction | QAbstractButton) and part.isEnabled():
            if isinstance(part, QAction) and keys.intersection(part.shortcuts()):
                part.trigger()
                return True
            if isinstance(part, QAbstractButton) and part.shortcut() in keys and part.isVisible():
                part.click()
                return True
    return False
