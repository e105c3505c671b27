"""The keyboard shortcuts: the window's defaults, overridden by the operator's own keys, which are kept in the settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from PySide6.QtCore import QObject, QSettings, Signal
from PySide6.QtGui import QKeySequence

PANEL_KEYS = 9
ACTION_KEYS: Mapping[str, str] = MappingProxyType({
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
    "stop": "Ctrl+.",
    "override": "O",
    "ban": "X",
    "goal": "Ctrl+G",
    "models": "Ctrl+M",
    "undo": "Ctrl+Z",
    "redo": "Ctrl+Shift+Z",
    "deeper": "D",
    "worst": "M",
    "bookmark": "K",
    "record": "R",
    "rate": "Ctrl+R",
    "keys": "F1",
    "quit": "Ctrl+Q",
    "frames alone": "F11",
    "full screen": "Shift+F11",
    "next panel": "Tab",
    "last panel": "Shift+Tab",
    "next control": "Ctrl+Tab",
    "last control": "Ctrl+Shift+Tab",
    **{f"panel {k}": f"Ctrl+{k}" for k in range(1, PANEL_KEYS + 1)},
})
"""Action -> its default key. Actions that are not listed have no key until the operator gives them one."""
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
})
"""Keys of the panels' tools. The key goes to the first visible panel that has a tool with it; the panel with the focus comes
first."""
OTHER_KEYS: Mapping[str, str] = MappingProxyType({
    "Esc": "Close what is open, or leave the past",
    "↑ ↓": "Previous or next row or branch",
    "1–9": "Label: tap for a point, hold for a state",
})
"""Keys that cannot be changed here: they belong to lists and fields, or to the label set."""
FIXED: Mapping[str, str] = MappingProxyType({
    "Esc": "closes what is open, or leaves the past", "Up": "goes up in lists", "Down": "goes down in lists",
    "Return": "opens what is chosen", "Enter": "opens what is chosen", "Del": "deletes what is chosen",
    "Backspace": "deletes what is chosen",
})


def tool_name(key: str) -> str:
    """Returns the name of the tool that has this key by default, as the settings and the table use it."""
    return f"tool {key}"


DEFAULTS: Mapping[str, str] = MappingProxyType({**ACTION_KEYS, **{tool_name(key): key for key in TOOL_KEYS}})


def written(key: str) -> str:
    """Formats a key as the window shows it: `Ctrl Shift F`, `→`."""
    arrows = {"Right": "→", "Left": "←", "Up": "↑", "Down": "↓"}
    return " ".join(arrows.get(part, part) for part in key.split("+")) if key != "+" else key


def normal(key: str) -> str:
    """Returns a key in Qt's portable spelling, or empty if it is not a key."""
    return QKeySequence(key).toString(QKeySequence.SequenceFormat.PortableText).replace("Backtab", "Tab")


class KeyBindings(QObject):
    """The keys in force, by the name of their action or tool."""

    changed = Signal()

    def __init__(self, settings: QSettings):
        super().__init__()
        self._settings = settings
        self._own = {name: normal(str(settings.value(f"keys/{name}"))) for name in self._kept()}

    def _kept(self) -> list[str]:
        self._settings.beginGroup("keys")
        names = self._settings.childKeys()
        self._settings.endGroup()
        return list(names)

    def of(self, name: str) -> str:
        """The key of an action, or empty."""
        return self._own.get(name, DEFAULTS.get(name, ""))

    def written(self, name: str) -> str:
        """The key of an action as the window shows it, or empty."""
        return written(self.of(name))

    def is_own(self, name: str) -> bool:
        """Whether the operator changed the key of this action."""
        return self.of(name) != DEFAULTS.get(name, "")

    def holder(self, key: str, besides: str = "") -> str:
        """The action that has a key, other than `besides`, or empty."""
        return next((name for name in {**DEFAULTS, **self._own} if name != besides and key and self.of(name) == key), "")

    def moved(self) -> Iterator[tuple[str, str]]:
        """Yields (default key, present key) of the tools whose key was changed."""
        return ((DEFAULTS[name], key) for name, key in self._own.items() if name in DEFAULTS and key != DEFAULTS[name])

    def change(self, name: str, key: str) -> None:
        """Gives an action another key, or none. The action that had the key loses it."""
        key = normal(key)
        before = self.holder(key, name)
        for who, what in ((before, ""), (name, key)):
            if who:
                self._set(who, what)
        self.changed.emit()

    def reset(self, name: str = "") -> None:
        """Restores the default key of one action, or of all if `name` is empty."""
        if name:
            self.change(name, DEFAULTS.get(name, ""))
            return
        self._own.clear()
        self._settings.remove("keys")
        self.changed.emit()

    def _set(self, name: str, key: str) -> None:
        if key == DEFAULTS.get(name, ""):
            self._own.pop(name, None)
            self._settings.remove(f"keys/{name}")
        else:
            self._own[name] = key
            self._settings.setValue(f"keys/{name}", key)
