"""The LLM-State panel: the dictionary, recent changes, the summary, and undoable edits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QStackedLayout, QVBoxLayout, QWidget

from core.llm.grounding.choices import call_name
from core.planning.facets import StateDictionary, StateEntry
from core.session.events import Began
from core.session.snapshot import Snapshot
from core.world.vocabulary import Observation
from gui.control.context import Context, Selected
from gui.control.editable_facet import EditableFacet
from gui.panels.base import Offer, Panel
from gui.panels.dictionary.edits import attribute_set, lock_turned, tidied, with_entry, with_summary
from gui.panels.dictionary.list import EntryList
from gui.panels.dictionary.rows import is_changed, shown
from gui.panels.dictionary.summary import SummaryBox
from gui.panels.dictionary.undo_edit import EditEntry
from gui.widgets import EmptyState, Namer, tool_action


class DictionaryPanel(Panel):
    """Shows the state dictionary. A double click on a chip edits it, typing adds one."""

    name: ClassVar[str] = "dictionary"
    title: ClassVar[str] = "LLM-State"
    facets = frozenset({StateDictionary})
    icon: ClassVar[str] = "state"

    def __init__(self, context: Context):
        super().__init__(context)
        theme = context.theme
        self._namer = Namer()
        self._began: Began | None = None
        self._seen: Observation | None = None
        self._told: StateDictionary | None = None
        self._held = EditableFacet(context, StateDictionary)
        self._words: dict[str, str] = {}
        self._ids: dict[str, str] = {}
        self._empty = EmptyState(theme, "state", "No state yet",
                                 "Objects and what the model believes about them, after the first estimate.")
        self.list, self.summary, self.query = EntryList(theme), SummaryBox(theme), QLineEdit()
        self._body = QWidget()
        self._find = tool_action(self, theme, "Find an object or attribute, or add an object with Enter", "search",
                                 self._open_search, checkable=True)
        self._changed = tool_action(self, theme, "Only what changed last", "filter", self._draw, checkable=True)
        self._lock = tool_action(self, theme, "Lock or unlock the selected object", "pin", lambda: self._turn_lock(""),
                                 key="Ctrl+L")
        self._add = tool_action(self, theme, "Add an object", "add", self._begin_adding)
        self._build()
        self._connect()

    def _build(self) -> None:
        self.query.setPlaceholderText("Find, or name an object to add and press Enter")
        self.query.setAccessibleName("Find or add an object")
        self.query.setClearButtonEnabled(True)
        self.query.hide()
        column = QVBoxLayout(self._body)
        for part, stretch in ((self.query, 0), (self.list, 1), (self.summary, 0)):
            column.addWidget(part, stretch)
        column.setContentsMargins(0, 4, 0, 0)
        column.setSpacing(0)
        self._stack = QStackedLayout(self)
        for state in (self._empty, self._body):
            self._stack.addWidget(state)

    def _connect(self) -> None:
        self.list.picked.connect(self._pick)
        self.list.edited.connect(self._edit)
        self.list.locked.connect(self._turn_lock)
        self.list.removed.connect(lambda name: self._change(name, None, f"removed {self._name(name)}"))
        self.summary.written.connect(self._write_summary)
        self.query.textChanged.connect(lambda _: self._draw())
        self.query.returnPressed.connect(self._add_object)
        self.query.installEventFilter(self)
        self.context.selection.changed.connect(lambda _: self._draw())
        self.context.live_changed.connect(lambda _: self._draw())

    # --- display -------------------------------------------------------------
    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Shows the snapshot's dictionary, or the operator's pending edit of it, and learns the names of the objects seen."""
        book = snapshot.facet(StateDictionary)
        if snapshot.began is not self._began:
            self._began = snapshot.began
            self._namer.forget()
        self._held.show_snapshot(snapshot)
        if book is self._told and snapshot.seen is self._seen:
            return
        if snapshot.seen is not self._seen and snapshot.seen is not None:
            names = self._namer.of(snapshot.seen)
            self._ids.update((call_name(e.id), e.id) for e in (*snapshot.seen.landmarks, *snapshot.seen.entities))
            self._words = {name: names.full(i) for name, i in self._ids.items()}
        self._told, self._seen = book, snapshot.seen
        self._draw()

    @property
    def book(self) -> StateDictionary | None:
        """Returns the dictionary to show: the operator's pending edit if there is one, otherwise the session's latest."""
        return self._held.shown

    def headline(self) -> str:
        """Returns the number of objects, and how many of them the last estimate changed."""
        book = self.book
        if book is None:
            return ""
        changed = sum(is_changed(e, book) for e in book.entries)
        return f"{len(book.entries)} objects · {changed} changed"

    def tools(self) -> tuple[QAction, ...]:
        """Returns the tools: add, lock, filter, find."""
        return self._add, self._lock, self._changed, self._find

    def offers(self) -> Sequence[Offer]:
        """Returns find, and editing the current chip or adding one to the current object."""
        found = [Offer("find", self._find.trigger, "Ctrl+F", "search")]
        name, chip = self.list.current, self.list.chip
        if name and self.list.editable:
            words = f"edit “{chip}” of {self._name(name)}" if chip else f"add an attribute to {self._name(name)}"
            found.append(Offer(words, lambda: self.list.begin(name, chip), "E", "edit"))
        return found

    def restyle(self) -> None:
        """Draws the entries and the summary again in the new theme."""
        self.summary.restyle()
        self._draw()

    def _draw(self) -> None:
        book = self.book
        self._stack.setCurrentWidget(self._empty if book is None else self._body)
        if book is None:
            return
        live = self.context.live
        self.list.editable = live
        for tool in (self._add, self._lock):
            tool.setEnabled(live)
        entries = shown(book, self.query.text(), changed_only=self._changed.isChecked())
        self.list.show_entries(book, entries, self._words, self.context.selection.thing())
        self.summary.show_book(book, editable=live)

    # --- edits -----------------------------------------------------------------
    def _name(self, name: str) -> str:
        return self._words.get(name, name)

    def _pick(self, name: str) -> None:
        entry = self.book.entry(name) if self.book is not None else None
        if entry is not None and entry.thing:
            self.context.selection.select(Selected("thing", entry.thing))

    def _edit(self, name: str, old: str, new: str) -> None:
        entry = self.book.entry(name) if self.book is not None else None
        if entry is not None:
            did = f"removed “{old}” from" if not tidied(new) else f"added “{tidied(new)}” to"
            self._change(name, attribute_set(entry, old, new), f"{did} {self._name(name)}")

    def _turn_lock(self, name: str) -> None:
        name = name or self.list.current
        entry = self.book.entry(name) if self.book is not None else None
        if entry is not None:
            self._change(name, lock_turned(entry), f"{'unlocked' if entry.locked else 'locked'} {self._name(name)}")

    def _write_summary(self, words: str) -> None:
        book = self.book
        if book is not None and self.context.live:
            self._push("wrote the summary" if words else "let the model write the summary", book, with_summary(book, words), "")

    def _change(self, name: str, entry: StateEntry | None, words: str) -> None:
        book = self.book
        if book is not None and self.context.live and book.entry(name) is not entry:
            self._push(words, book, with_entry(book, name, entry), name)

    def _push(self, words: str, before: StateDictionary, after: StateDictionary, name: str) -> None:
        self.context.undo.push(EditEntry(words, before, after, name, lambda: self._held.current, self._say))

    def _say(self, book: StateDictionary, why: str) -> None:
        self._held.post_edit(book, why)
        self._draw()

    # --- search and adding -----------------------------------------------------------
    def _begin_adding(self) -> None:
        if not self._find.isChecked():
            self._find.trigger()

    def _open_search(self) -> None:
        self.query.setVisible(self._find.isChecked())
        if self._find.isChecked():
            self.query.setFocus(Qt.FocusReason.ShortcutFocusReason)
        else:
            self.query.clear()

    def _add_object(self) -> None:
        """Adds an object with the typed name, unless there is one of that name."""
        book, name = self.book, call_name(tidied(self.query.text()))
        if book is None or not name or not self.context.live or book.entry(name) is not None:
            return
        self.query.clear()
        self.list.current = name
        self._change(name, StateEntry(name, self._ids.get(name, ""), turn=book.turn), f"added {self._name(name)}")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Closes the search field on Escape."""
        pressed = isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and event.key() == Qt.Key.Key_Escape
        if pressed and watched is self.query:
            self._find.trigger()
            return True
        return super().eventFilter(watched, event)
