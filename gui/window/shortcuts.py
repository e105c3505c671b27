"""Keyboard shortcuts. Letters act only while no text field has the focus, because Qt sends them to the field first."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from gui.control.key_bindings import ACTION_KEYS, TOOL_KEYS, KeyBindings, normal, tool_name
from gui.window.actions import WindowAction, do_tool
from gui.window.docks import is_text
from gui.window.main_window import MainWindow
from gui.window.palette import Palette


class Shortcuts(QObject):
    """Binds the table of keys to a window.

    Lists and canvases handle some letters themselves while they have the focus, by their default keys. If the operator changed
    such a key, the focused widget receives the default key in its place, and no longer receives a press of the default key
    itself.
    """

    def __init__(self, window: MainWindow, palette: Palette, actions: Iterable[WindowAction], keys: KeyBindings):
        super().__init__(window)
        self._window, self._palette, self.keys = window, palette, keys
        self._shortcuts: dict[str, QShortcut] = {act.name: self._shortcut(act.run) for act in actions}
        for key in TOOL_KEYS:
            self._shortcuts[tool_name(key)] = self._shortcut(partial(self._tool, key))
        self._shortcut(self._on_escape).setKey(QKeySequence("Esc"))
        self._focus: QWidget | None = None
        self._translated: dict[str, str] = {}
        self._unused_defaults: frozenset[str] = frozenset()
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._on_focus)
        window.context.key_now = self.now
        keys.changed.connect(self._bind)
        self._bind()

    def now(self, key: str) -> str:
        """The present key of a panel's tool, given its default key."""
        name = tool_name(key) if key in TOOL_KEYS else next((act for act, first in ACTION_KEYS.items() if first == key), "")
        return self.keys.of(name) if name else key

    def _shortcut(self, run: Callable[[], object]) -> QShortcut:
        shortcut = QShortcut(self._window)
        shortcut.setContext(Qt.ShortcutContext.WindowShortcut)
        shortcut.activated.connect(run)
        return shortcut

    def _bind(self) -> None:
        """Sets the keys in force."""
        for name, shortcut in self._shortcuts.items():
            shortcut.setKey(QKeySequence(self.keys.of(name)))
        moved = [(first, now) for first, now in self.keys.moved() if len(first.removeprefix("Ctrl+")) == 1]
        self._translated = {now: first for first, now in moved if now}
        used = {self.keys.of(name) for name in self._shortcuts}
        self._unused_defaults = frozenset(first for first, _ in moved) - self._translated.keys() - used
        self._window.context.keys_changed.emit()

    def _tool(self, key: str) -> None:
        do_tool(self._window.visible_cards(), key)

    # --- what the widget with the focus hears --------------------------------
    def _on_focus(self, old: QWidget | None, new: QWidget | None) -> None:
        del old
        if self._focus is not None and isValid(self._focus):
            self._focus.removeEventFilter(self)
        self._focus = None
        if new is not None and new.window() is self._window:
            self._focus = new
            new.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Leaves Tab to text fields and to what lies over the window, and translates changed letters to their default keys."""
        if not isinstance(event, QKeyEvent) or not isinstance(watched, QWidget):
            return False
        asking = event.type() == QEvent.Type.ShortcutOverride
        if event.key() in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab) and asking and self._window.navigation.keeps_tab(watched):
            event.accept()
            return True
        if is_text(watched) or not (asking or event.type() == QEvent.Type.KeyPress):
            return False
        pressed = normal(QKeySequence(event.keyCombination()).toString())
        if pressed in self._unused_defaults:
            event.ignore()
            return True
        first = self._translated.get(pressed)
        return first is not None and self._send_default_key(watched, event, first)

    def _send_default_key(self, watched: QWidget, event: QKeyEvent, first: str) -> bool:
        """Sends the default key to the widget instead of the one that was pressed."""
        letter = first.removeprefix("Ctrl+")
        modifiers = Qt.KeyboardModifier.NoModifier if first == letter else Qt.KeyboardModifier.ControlModifier
        translated = QKeyEvent(event.type(), ord(letter), modifiers, letter.lower() if first == letter else "")
        translated.ignore()
        watched.removeEventFilter(self)
        try:
            QApplication.sendEvent(watched, translated)
        finally:
            watched.installEventFilter(self)
        event.setAccepted(translated.isAccepted())
        return True

    # --- Esc -----------------------------------------------------------------
    def _on_escape(self) -> None:
        """Cancels a drag, or closes what is open, or else leaves the past. A run goes on."""
        window = self._window
        if window.context.preview.cancel():
            return
        if self._palette.isVisible():
            self._palette.leave()
        elif window.bar.goal.editing:
            window.bar.goal.leave()
        elif not (window.leave_frames_only() or window.notices.close() or window.close_card()) and not window.console.replaying:
            window.console.go_live()
