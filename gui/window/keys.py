"""The keyboard shortcuts in force, and the dialog (Ctrl+F1) that finds them by text and changes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QDialog, QKeySequenceEdit, QWidget

from core.views.values import Column, Item, Mark
from gui.control.kept_settings import KeptSettings
from gui.control.key_labels import normal, written
from gui.theme import Theme
from gui.theme.boxes import DIALOG, hbox, vbox
from gui.theme.screens import fit
from gui.views.object_list import ObjectList
from gui.widgets import Button, Line, Prose
from gui.widgets.search import FindField

OTHER_KEYS: Mapping[str, str] = MappingProxyType({
    "Esc": "Close what is open, or return to the present",
    "↑ ↓": "Previous or next row or branch",
    "1–9": "Label: tap for a point, hold for a state",
})
"""Keys that cannot be changed here: they belong to lists and fields, or to the label set."""
FIXED: Mapping[str, str] = MappingProxyType({
    "Esc": "closes what is open, or returns to the present", "Up": "moves up in lists", "Down": "moves down in lists",
    "Return": "opens what is chosen", "Enter": "opens what is chosen", "Del": "deletes what is chosen",
    "Backspace": "deletes what is chosen",
})
COLUMNS = (Column("key", "state"),)
CHANGED, UNCHANGEABLE = Mark("changed", "operator"), Mark("fixed", "muted")
HINT = "Letters act only when no text field has the focus."
CHOOSE = "Choose a row, then press the key it should have."


class KeyBindings(QObject):
    """The keys in force, by the name of their action or tool: the defaults, overridden by the operator's own keys."""

    changed = Signal()

    def __init__(self, settings: KeptSettings, defaults: Mapping[str, str]):
        super().__init__()
        self._settings, self._defaults = settings, defaults
        self._own = {name: normal(str(key)) for name, key in settings.group("keys").items()}

    def of(self, name: str) -> str:
        """The key of an action, or empty."""
        return self._own.get(name, self._defaults.get(name, ""))

    def written(self, name: str) -> str:
        """The key of an action as the window shows it, or empty."""
        return written(self.of(name))

    def is_own(self, name: str) -> bool:
        """Whether the operator changed the key of this action."""
        return self.of(name) != self._defaults.get(name, "")

    def holder(self, key: str, besides: str = "") -> str:
        """The action that has a key, other than `besides`, or empty."""
        return next((name for name in {**self._defaults, **self._own} if name != besides and key and self.of(name) == key), "")

    def moved(self) -> Iterator[tuple[str, str]]:
        """Yields (default key, present key) of the tools whose key was changed."""
        return ((first, key) for name, key in self._own.items() if (first := self._defaults.get(name)) and key != first)

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
            self.change(name, self._defaults.get(name, ""))
            return
        self._own.clear()
        self._settings.remove("keys")
        self.changed.emit()

    def _set(self, name: str, key: str) -> None:
        if key == self._defaults.get(name, ""):
            self._own.pop(name, None)
            self._settings.remove(f"keys/{name}")
        else:
            self._own[name] = key
            self._settings.set_value(f"keys/{name}", key)


@dataclass(frozen=True, slots=True)
class KeyRow:
    """One row: an action and its key.

    Attributes:
        title: what the key does.
        name: the action's name; empty if the key cannot be changed.
        key: the key to show if `name` is empty.
    """

    title: str
    name: str = ""
    key: str = ""


class KeyDialog(QDialog):
    """The list of keys, and under it a field that takes another key for the chosen row.

    A conflict is shown before it is applied. `label_of` returns the label that has a key, or empty: keys of labels are set with
    the label set.
    """

    def __init__(self, theme: Theme, keys: KeyBindings, rows: Sequence[KeyRow], label_of: Callable[[str], str],
                 parent: QWidget):
        super().__init__(parent)
        self._keys, self._all, self._label_of = keys, tuple(rows), label_of
        self.setWindowTitle("Keys")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.words, self.field = FindField("Find a key or a command"), QKeySequenceEdit()
        self.list = ObjectList[KeyRow](theme, "Keys", self._item, COLUMNS)
        self.message = Prose(theme, CHOOSE, "small", "muted")
        self.take = Button(theme, "Use this key", "check", "primary", self._take)
        self.back = Button(theme, "Reset", "undo", act=self._reset)
        self.back_all = Button(theme, "Reset all", "retry", act=self._reset_all)
        self._lay_out(theme)
        self.field.setMaximumSequenceLength(1)
        self.field.setAccessibleName("Another key")
        self.words.textChanged.connect(lambda _: self._filter())
        self.words.closed.connect(self.reject)
        self.list.chosen.connect(self._begin)
        self.list.opened.connect(self.field.setFocus)
        self.field.keySequenceChanged.connect(lambda _: self._judge())
        self._filter()
        self._begin()

    def _lay_out(self, theme: Theme) -> None:
        px = theme.px
        foot = hbox(theme, self.field, self.take, self.back, 0, self.back_all)
        vbox(theme, Line(theme, "Keys", "heading", "text", 650), Line(theme, HINT, "small", "muted"), self.words,
             (self.list, 1), self.message, foot, on=self, spacing=8, margins=DIALOG)
        for field in (self.words, self.field):
            field.setFixedHeight(px(30))
        self.field.setFixedWidth(px(150))
        fit(self, theme, 560, 640)

    # --- the list ----------------------------------------------------------
    def _filter(self) -> None:
        self.list.search(self.words.text().lower().split())
        self.list.show_objects(self._all)

    def _item(self, row: KeyRow) -> Item:
        key = self._keys.written(row.name) if row.name else row.key
        mark = (UNCHANGEABLE,) if not row.name else (CHANGED,) if self._keys.is_own(row.name) else ()
        return Item(row.name or row.title, row.title, (key or None,), mark)

    def _chosen(self) -> str:
        row = self.list.chosen_object
        return row.name if row is not None else ""

    def _title(self, name: str) -> str:
        return next((row.title for row in self._all if row.name == name), name)

    # --- another key -------------------------------------------------------
    def _begin(self) -> None:
        """Shows the key of the chosen row in the field."""
        row, name = self.list.chosen_object, self._chosen()
        self.field.setKeySequence(QKeySequence(self._keys.of(name)))
        self.field.setEnabled(bool(name))
        self.back.setEnabled(bool(name) and self._keys.is_own(name))
        self.take.setEnabled(False)
        self.take.dress("Use this key", "check")
        if row is not None and not name:
            self.message.say(f"{row.title}: this key is fixed", "muted")
        else:
            self.message.say(f"{row.title}: press another key in the field" if row is not None else CHOOSE, "muted")

    def _judge(self) -> None:
        """Shows in one line what the pressed key would change."""
        name, key = self._chosen(), normal(self.field.keySequence().toString())
        if not name or key == self._keys.of(name):
            return
        holder, label = self._keys.holder(key, name), self._label_of(key)
        fixed = f"it {FIXED[key]}" if key in FIXED else f"it gives the label “{label}”" if label else ""
        self.take.setEnabled(not fixed)
        self.take.dress("Reassign key" if holder and not fixed else "Use this key", "check")
        if fixed:
            self.message.say(f"{written(key)} cannot be used: {fixed}", "bad")
        elif holder:
            self.message.say(f"{written(key)} is taken: {self._title(holder)} would lose its key", "warn")
        else:
            self.message.say(f"{written(key)} is free" if key else "Without a key it is only in the command palette", "good")

    def _take(self) -> None:
        name = self._chosen()
        if name:
            self._keys.change(name, self.field.keySequence().toString())
            self._refresh(f"{self._title(name)}: {self._keys.written(name) or 'no key'}")

    def _reset(self) -> None:
        name = self._chosen()
        if name:
            self._keys.reset(name)
            self._refresh(f"{self._title(name)}: {self._keys.written(name) or 'no key'}, the default")

    def _reset_all(self) -> None:
        self._keys.reset()
        self._refresh("All keys are reset")

    def _refresh(self, text: str) -> None:
        self._filter()
        self._begin()
        self.message.say(text, "good")
