"""How keys are written, and texts that name a key, updated when the operator changes that key."""

from __future__ import annotations

import re
from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtGui import QKeySequence

from gui.control.context import Context
from gui.widgets import Tool, tool_action

_BRACKET = re.compile(r" \(([^()]*\{\S+?\}[^()]*)\)")
_KEY = re.compile(r"\{(\S+?)\}")


def written(key: str) -> str:
    """Formats a key as the window shows it: `Ctrl Shift F`, `→`."""
    arrows = {"Right": "→", "Left": "←", "Up": "↑", "Down": "↓"}
    return " ".join(arrows.get(part, part) for part in key.split("+")) if key != "+" else key


def normal(key: str) -> str:
    """Returns a key in Qt's portable spelling, or empty if it is not a key."""
    return QKeySequence(key).toString(QKeySequence.SequenceFormat.PortableText).replace("Backtab", "Tab")


def with_keys(context: Context, text: str) -> str:
    """Returns a text with the present keys: `Record ({R})` gives `Record (R)`, or after a change `Record (Shift F2)`.

    Args:
        context: knows the present keys.
        text: names keys in braces, each by its default in the window's table (`{Ctrl+Left}`). A bracket is left out if the
            operator removed a key it names.
    """
    def now(found: re.Match[str]) -> str:
        return written(context.key_now(found[1]))

    def bracket(found: re.Match[str]) -> str:
        whole = all(map(now, _KEY.finditer(found[1])))
        return f" ({_KEY.sub(now, found[1])})" if whole else ""

    return _KEY.sub(now, _BRACKET.sub(bracket, text))


class KeyLabel(QObject):
    """Sets a text with the present keys, and sets it again whenever a key changes, for as long as its owner lives.

    `put` sets the text; `text` is as for `with_keys`.
    """

    def __init__(self, context: Context, owner: QObject, put: Callable[[str], object], text: str):
        super().__init__(owner)
        self._context, self._put, self._text = context, put, text
        context.keys_changed.connect(self.refresh)
        self.refresh()

    @property
    def now(self) -> str:
        """The text with the present keys."""
        return with_keys(self._context, self._text)

    def set_text(self, text: str) -> None:
        """Changes the text."""
        if text != self._text:
            self._text = text
            self.refresh()

    def refresh(self) -> None:
        """Sets the text again."""
        self._put(self.now)


def key_tool(context: Context, parent: QObject, icon: str, text: str, act: Callable[[], object]) -> Tool:
    """Returns a tool whose name and tooltip are a text with the present keys."""
    action = tool_action(parent, context.theme, "", icon, act)

    def name(words: str) -> None:
        action.setText(words)
        action.setToolTip(words)

    KeyLabel(context, action, name, text)
    return Tool(context.theme, action)
