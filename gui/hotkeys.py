"""One key for each common act. Letters act only when no text field has the focus: Qt gives those to the field first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from types import MappingProxyType

from PySide6.QtCore import QElapsedTimer, QObject, QSettings, Qt
from PySide6.QtGui import QKeySequence, QShortcut

from gui.acts import Act, panel_tool
from gui.main_window import MainWindow
from gui.palette import Palette
from gui.panels.registry import PANELS

ACT_KEYS: Mapping[str, str] = MappingProxyType({
    "run": "Space",
    "palette": "Ctrl+K",
    "step": "Right",
    "checkpoint": "Shift+Right",
    "back": "Left",
    "event back": "Shift+Left",
    "next mark": "]",
    "last mark": "[",
    "faster": ">",
    "slower": "<",
    "open": "Ctrl+O",
    "first": "Home",
    "live": "End",
    "rewind": "Ctrl+Left",
    "fork": "Ctrl+Shift+F",
    "override": "O",
    "ban": "X",
    "goal": "Ctrl+G",
    "undo": "Ctrl+Z",
    "redo": "Ctrl+Shift+Z",
    "deeper": "D",
    "bookmark": "K",
    "record": "R",
    "rate": "Ctrl+R",
    "keys": "F1",
    "full screen": "F11",
})
"""Act -> its key, unless the operator chose another (settings `keys/<act>`)."""
TOOL_KEYS: Mapping[str, str] = MappingProxyType({
    "P": "Path, or pin in Belief",
    "L": "Labels",
    "B": "Boxes",
    "G": "Belief glow",
    "0": "Fit",
    "V": "Follow the principal variation or live branch",
    "F": "Only the goal's objects",
    "Ctrl+F": "Find in the panel",
    "E": "Edit the selected cell, chip or node",
    "N": "More visits for the selected action",
    "Q": "Equalise visits",
    "A": "Answer the waiting call",
    "M": "Worst decisions so far",
})
"""Keys of the panels' tools: the first panel in view whose tool names the key takes it, the one with the focus first."""
OTHER_KEYS: Mapping[str, str] = MappingProxyType({
    "Esc": "Close; twice: stop",
    "↑ ↓": "Previous, next row or branch",
    "Ctrl+1–9": "Go to panel 1–9",
    "Tab": "Next panel; Shift Tab back",
    "1–9": "Label, as the tracks say: tap for a point, hold for a state",
})
TWICE = 700
"""Milliseconds in which a second Esc stops the run."""


def written(key: str) -> str:
    """A key as the window writes it: `Ctrl Shift F`, `→`."""
    arrows = {"Right": "→", "Left": "←", "Up": "↑", "Down": "↓"}
    return " ".join(arrows.get(part, part) for part in key.split("+"))


class Hotkeys(QObject):
    """Binds the table to a window."""

    def __init__(self, window: MainWindow, palette: Palette, acts: Iterable[Act], settings: QSettings):
        super().__init__(window)
        self._window, self._palette = window, palette
        self._escape = QElapsedTimer()
        self._shortcuts: list[QShortcut] = []
        self.keys = {name: str(settings.value(f"keys/{name}", key)) for name, key in ACT_KEYS.items()}
        for act in acts:
            if act.name in self.keys:
                self._bind(self.keys[act.name], act.run)
        for key in TOOL_KEYS:
            self._bind(key, partial(self._tool, written(key)))
        for k, name in enumerate(list(PANELS)[:9]):
            self._bind(f"Ctrl+{k + 1}", partial(window.show_panel, name))
        self._bind("Esc", self._on_escape)

    def key_of(self, act: str) -> str:
        """The key of an act as it is written, or empty."""
        return written(self.keys.get(act, ""))

    def _bind(self, key: str, run: object) -> None:
        shortcut = QShortcut(QKeySequence(key), self._window)
        shortcut.setContext(Qt.ShortcutContext.WindowShortcut)
        shortcut.activated.connect(run)
        self._shortcuts.append(shortcut)

    def _tool(self, key: str) -> None:
        action = panel_tool(self._window.visible_cards(), key)
        if action is not None:
            action.trigger()

    def _on_escape(self) -> None:
        """Close what is open; nothing open: the second Esc stops the run."""
        window = self._window
        if self._palette.isVisible():
            self._palette.leave()
        elif window.bar.goal.editing:
            window.bar.goal.leave()
        elif not window.close_card():
            if self._escape.isValid() and self._escape.elapsed() < TWICE:
                window.console.stop()
            else:
                window.console.told.emit("Esc again to stop the run", "muted")
            self._escape.restart()
