"""Words that name a key, kept true when the operator gives it another."""

from __future__ import annotations

import re
from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction

from gui.control.context import Context
from gui.control.key_bindings import written

_BRACKET = re.compile(r" \(([^()]*\{\S+?\}[^()]*)\)")
_KEY = re.compile(r"\{(\S+?)\}")


def keyed(context: Context, text: str) -> str:
    """A text with the keys of now: `Record ({R})` gives `Record (R)`, or with another key `Record (Shift F2)`.

    Args:
        context: tells the keys of now.
        text: names keys in braces, each as the window's table has it at first (`{Ctrl+Left}`); a bracket with a key that the
            operator took away is left out.
    """
    def now(found: re.Match[str]) -> str:
        return written(context.key_now(found[1]))

    def bracket(found: re.Match[str]) -> str:
        whole = all(map(now, _KEY.finditer(found[1])))
        return f" ({_KEY.sub(now, found[1])})" if whole else ""

    return _KEY.sub(now, _BRACKET.sub(bracket, text))


class KeyLabel(QObject):
    """Puts a text with the keys of now somewhere, and again whenever they change, as long as its owner lives.

    Args:
        put: takes the text.
        text: as for `keyed`.
    """

    def __init__(self, context: Context, owner: QObject, put: Callable[[str], object], text: str):
        super().__init__(owner)
        self._context, self._put, self._text = context, put, text
        context.keys_changed.connect(self.refresh)
        self.refresh()

    @property
    def now(self) -> str:
        """The text as it stands."""
        return keyed(self._context, self._text)

    def say(self, text: str) -> None:
        """Another text."""
        if text != self._text:
            self._text = text
            self.refresh()

    def refresh(self) -> None:
        """Put it there again."""
        self._put(self.now)


def keyed_action(context: Context, action: QAction, text: str) -> KeyLabel:
    """Words and tip of an action."""
    def name(words: str) -> None:
        action.setText(words)
        action.setToolTip(words)

    return KeyLabel(context, action, name, text)
