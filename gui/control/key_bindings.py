"""Which key does what: the table of the window, unless the operator chose others, kept in the settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from PySide6.QtCore import QObject, QSettings, Signal
from PySide6.QtGui import QKeySequence

PANEL_KEYS = 9
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
"""Act -> the key it has at first. Acts that are not here have none until the operator gives them one."""
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
"""Keys of the panels' tools: the first panel in view whose tool names the key takes it, the one with the focus first."""
OTHER_KEYS: Mapping[str, str] = MappingProxyType({
    "Esc": "Close what is open, or leave the past",
    "↑ ↓": "Previous or next row or branch",
    "1–9": "Label: tap for a point, hold for a state",
})
"""What no table can change: it belongs to lists and fields, or to the set of labels."""
FIXED: Mapping[str, str] = MappingProxyType({
    "Esc": "closes what is open, or leaves the past", "Up": "goes up in lists", "Down": "goes down in lists",
    "Return": "opens what is chosen", "Enter": "opens what is chosen", "Del": "deletes what is chosen",
    "Backspace": "deletes what is chosen",
})


def tool_name(key: str) -> str:
    """What the table calls the tool that has this key at first."""
    return f"tool {key}"


DEFAULTS: Mapping[str, str] = MappingProxyType({**ACT_KEYS, **{tool_name(key): key for key in TOOL_KEYS}})


def written(key: str) -> str:
    """A key as the window writes it: `Ctrl Shift F`, `→`."""
    arrows = {"Right": "→", "Left": "←", "Up": "↑", "Down": "↓"}
    return " ".join(arrows.get(part, part) for part in key.split("+")) if key != "+" else key


def normal(key: str) -> str:
    """A key in Qt's spelling, or empty where it is none."""
    return QKeySequence(key).toString(QKeySequence.SequenceFormat.PortableText).replace("Backtab", "Tab")


class KeyBindings(QObject):
    """The keys in force, by the name of their act or tool."""

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
        """The key of an act, or empty."""
        return self._own.get(name, DEFAULTS.get(name, ""))

    def written(self, name: str) -> str:
        """The key of an act as the window writes it, or empty."""
        return written(self.of(name))

    def is_own(self, name: str) -> bool:
        """Whether the operator chose it."""
        return self.of(name) != DEFAULTS.get(name, "")

    def holder(self, key: str, besides: str = "") -> str:
        """The act that has a key, other than `besides`, or empty."""
        return next((name for name in {**DEFAULTS, **self._own} if name != besides and key and self.of(name) == key), "")

    def moved(self) -> Iterator[tuple[str, str]]:
        """(first key, present key) of tools that were given another."""
        return ((DEFAULTS[name], key) for name, key in self._own.items() if name in DEFAULTS and key != DEFAULTS[name])

    def change(self, name: str, key: str) -> None:
        """Give an act another key, or none; whoever had that key has none any more."""
        key = normal(key)
        before = self.holder(key, name)
        for who, what in ((before, ""), (name, key)):
            if who:
                self._set(who, what)
        self.changed.emit()

    def reset(self, name: str = "") -> None:
        """The first key of one act again, or those of all."""
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
