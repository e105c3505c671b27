"""The LLM-State panel: the dictionary, recent changes, the summary, and undoable edits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QStackedWidget, QWidget

from core.llm.grounding.choices import call_name
from core.planners.llm_state.recorded_types import StateDictionary, StateEntry, StateHistory
from core.session.events import Began
from core.session.snapshot import Snapshot
from gui.control.context import Context, EditableFacet, Selected
from gui.panels.base import Offer, Panel
from gui.panels.dictionary.entries import (
    attribute_set,
    in_words,
    is_changed,
    lock_turned,
    shown,
    tidied,
    with_entry,
    with_part,
    with_summary,
)
from gui.panels.dictionary.entry_list import EntryList
from gui.panels.dictionary.history import HistoryRows, SummaryBox
from gui.theme.boxes import vbox
from gui.widgets import Namer, tool_action
from gui.widgets import numbers as say
from gui.widgets.search import FindField


class DictionaryPanel(Panel):
    """Shows the state dictionary. A double click on a chip edits it, typing adds one.

    H shows the action history in place of the objects. Arrows beside the summary lead to earlier ones.
    """

    name: ClassVar[str] = "dictionary"
    title: ClassVar[str] = "LLM-State"
    facets = frozenset({StateDictionary, StateHistory})
    icon: ClassVar[str] = "state"
    needs_live: ClassVar[str] = "Editing the state dictionary"

    def __init__(self, context: Context):
        super().__init__(context)
        theme = context.theme
        self._namer = Namer()
        self._began: Began | None = None
        self._facet = EditableFacet(context, StateDictionary, self.redraw)
        self._words: dict[str, str] = {}
        self._ids: dict[str, str] = {}
        self._full: dict[str, str] = {}
        self.list, self.summary, self.history = EntryList(theme), SummaryBox(theme), HistoryRows(theme)
        self._past: StateHistory | None = None
        self.query = FindField("Find, or name an object to add and press Enter")
        self._find = tool_action(self, theme, "Find an object or attribute, or add an object with Enter", "search",
                                 checkable=True)
        self._changed = tool_action(self, theme, "Only what changed last", "filter", self.redraw, checkable=True)
        self._lock = tool_action(self, theme, "Lock or unlock the selected object", "pin", lambda: self._turn_lock(""),
                                 key="Ctrl+L")
        self._add = tool_action(self, theme, "Add an object", "add", lambda: self._find.setChecked(True))
        self._deeds = tool_action(self, theme, "Actions so far, as in the prompt", "log", self._turn_page, checkable=True,
                                  key="H")
        self._build()
        self._connect()

    def _build(self) -> None:
        self.query.setAccessibleName("Find or add an object")
        body = QWidget()
        self._upper = QStackedWidget()
        for page in (self.list, self.history):
            self._upper.addWidget(page)
        vbox(self.context.theme, self.query, (self._upper, 1), self.summary, on=body, spacing=0, margins=(0, 4, 0, 0))
        self._pages = self.stack(self.nothing(
            "state", "state dictionary", "Objects and what the model believes about them, after the first estimate."), body)

    def _connect(self) -> None:
        self.list.picked.connect(self._pick)
        self.list.edited.connect(self._edit)
        self.list.locked.connect(self._turn_lock)
        self.list.removed.connect(lambda name: self._change(name, None, f"removed {self._name(name)}"))
        self.summary.written.connect(self._write_summary)
        self.query.textChanged.connect(lambda _: self.redraw())
        self.query.returnPressed.connect(self._add_object)
        self.query.opened_by(self._find)
        self.context.selection.changed.connect(lambda _: self.redraw())
        self.context.live_changed.connect(lambda _: self.redraw())

    # --- display -------------------------------------------------------------
    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Shows the snapshot's dictionary, or the operator's pending edit of it, and learns the names of the objects seen."""
        if snapshot.began is not self._began:
            self._began = snapshot.began
            self._namer.forget()
        self._facet.show_snapshot(snapshot)
        self._past = snapshot.facet(StateHistory)
        if not self.has_changed(snapshot.facet(StateDictionary), self._past, snapshot.seen):
            return
        if snapshot.seen is not None:
            names = self._namer.of(snapshot.seen)
            self._ids.update((call_name(e.id), e.id) for e in (*snapshot.seen.landmarks, *snapshot.seen.entities))
            self._words = {name: names.full(i) for name, i in self._ids.items()}
            self._full = {i: names.full(i) for i in self._ids.values()}
        self.redraw()

    @property
    def state(self) -> StateDictionary | None:
        """Returns the dictionary to show: the operator's pending edit if there is one, otherwise the session's latest."""
        return self._facet.shown

    def headline(self) -> str:
        """Returns the number of objects, and how many of them the last estimate changed."""
        state = self.state
        if self._deeds.isChecked() and self._past is not None:
            failed = sum(not deed.ok for deed in self._past.deeds)
            return f"{say.count(len(self._past.deeds), 'action')} · {say.whole(failed)} failed"
        if state is None:
            return ""
        changed = sum(is_changed(e, state) for e in state.entries)
        return f"{len(state.entries)} objects · {changed} changed"

    def tools(self) -> tuple[QAction, ...]:
        """Returns the tools: add, lock, filter, history, find."""
        return self._add, self._lock, self._changed, self._deeds, self._find

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
        self.redraw()

    def redraw(self) -> None:
        """Draws the panel again at once."""
        state = self.state
        if state is None and self._past is not None and self._past.deeds:
            state = StateDictionary()  # as in the ablation without states
        self._pages.setCurrentIndex(int(state is not None))
        if state is None:
            return
        live = self.context.live
        self.list.editable = live
        for tool in (self._add, self._lock):
            tool.setEnabled(live)
        entries = shown(state, self.query.text(), changed_only=self._changed.isChecked())
        self.list.show_entries(state, entries, self._words, self.context.selection.thing())
        past = self._past or StateHistory()
        self.history.show_deeds(past.deeds, self._full)
        self.summary.show_summary(state, past.summaries, editable=live)

    def _turn_page(self) -> None:
        self._upper.setCurrentWidget(self.history if self._deeds.isChecked() else self.list)
        self.headline_changed.emit()

    # --- edits -----------------------------------------------------------------
    def _name(self, name: str) -> str:
        return self._words.get(name, name)

    def _entry(self, name: str) -> StateEntry | None:
        return self.state.entry(name) if self.state is not None else None

    def _pick(self, name: str) -> None:
        entry = self._entry(name)
        if entry is not None and entry.thing:
            self.context.selection.select(Selected("thing", entry.thing))

    def _edit(self, name: str, old: str, new: str) -> None:
        entry = self._entry(name)
        if entry is not None:
            was, now, whose = in_words(old, self._words), tidied(new), self._name(name)
            if old and now:
                did = f"changed “{was}” to “{now}” for {whose}"
            else:
                did = f"added “{now}” to {whose}" if now else f"removed “{was}” from {whose}"
            self._change(name, attribute_set(entry, old, new), did)

    def _turn_lock(self, name: str) -> None:
        name = name or self.list.current
        entry = self._entry(name)
        if entry is not None:
            self._change(name, lock_turned(entry), f"{'unlocked' if entry.locked else 'locked'} {self._name(name)}")

    def _write_summary(self, words: str) -> None:
        state = self.state
        if state is not None:
            done = "wrote the summary" if words else "let the model write the summary"
            self._push(done, state, with_summary(state, words), "")

    def _change(self, name: str, entry: StateEntry | None, words: str) -> None:
        state = self.state
        if state is not None and state.entry(name) is not entry:
            self._push(words, state, with_entry(state, name, entry), name)

    def _push(self, words: str, before: StateDictionary, after: StateDictionary, name: str) -> None:
        self._facet.push_edit(words, lambda now: with_part(now, after, name), lambda now: with_part(now, before, name))

    # --- search and adding -----------------------------------------------------------
    def _add_object(self) -> None:
        """Adds an object with the typed name, unless there is one of that name."""
        state, name = self.state, call_name(tidied(self.query.text()))
        if state is None or not name or not self.context.live or state.entry(name) is not None:
            return
        self.query.clear()
        self.list.current = name
        self._change(name, StateEntry(name, self._ids.get(name, ""), turn=state.turn), f"added {self._name(name)}")
