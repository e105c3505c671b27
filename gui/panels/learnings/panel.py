"""The learnings panel: the lines that the planner learnt, with editing by the operator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QStackedLayout, QVBoxLayout, QWidget

from core.planners.neoplanner.recorded_types import Axiom, Learnings
from core.planning.facets import Facet
from core.session.events import Began
from core.session.snapshot import Snapshot
from gui.control.context import Context, EditableFacet
from gui.panels.base import Offer, Panel
from gui.panels.learnings import edits
from gui.panels.learnings.rows import AxiomRows
from gui.panels.learnings.strip import EditStrip
from gui.panels.learnings.undo_edit import EditLearnings
from gui.widgets import EmptyState, tool_action
from gui.widgets import numbers as say
from gui.widgets.lists import FindField

SHORT = 40


class LearningsPanel(Panel):
    """The learnings panel, one line each.

    E or a double click edits a line, P pins it, Delete strikes it. The planner uses the edited lines from its next model
    request on.
    """

    name: ClassVar[str] = "learnings"
    title: ClassVar[str] = "Learnings"
    facets: ClassVar[frozenset[type[Facet]]] = frozenset({Learnings})
    icon: ClassVar[str] = "learnings"

    def __init__(self, context: Context):
        super().__init__(context)
        theme = context.theme
        self._facet: Learnings | None = None
        self._held = EditableFacet(context, Learnings)
        self._began: Began | None = None
        self._changing = ""
        self.rows, self.strip, self.query = AxiomRows(theme), EditStrip(theme), FindField("Find in the learnings")
        self._find = tool_action(self, theme, "Find", "search", self._toggle_find, key="Ctrl+F")
        self._undo = tool_action(self, theme, "Undo", "undo", context.asked_undo.emit, key="Ctrl+Z")
        self._empty = EmptyState(theme, "learnings", "Nothing learnt yet",
                                 "After each episode the learner writes down what was learnt. You can add a line yourself.")
        lines = QWidget()
        self._stack = QStackedLayout(lines)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.rows)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for part, share in ((self.query, 0), (lines, 1), (self.strip, 0)):
            column.addWidget(part, share)
        self.query.hide()
        self._connect()
        self._allow()

    def _connect(self) -> None:
        rows, strip = self.rows, self.strip
        rows.chosen.connect(lambda _: self._allow())
        rows.opened.connect(lambda _: self._begin_change())
        for key, act in ((Qt.Key.Key_E, self._begin_change), (Qt.Key.Key_P, self._pin), (Qt.Key.Key_Delete, self._delete)):
            rows.on_key(key, act)
        strip.entered.connect(self._enter)
        strip.pinned.connect(self._pin)
        strip.deleted.connect(self._delete)
        strip.field.left.connect(self._end_change)
        self.query.textChanged.connect(lambda _: self._draw())
        self.query.closed.connect(self._toggle_find)
        self.context.live_changed.connect(lambda _: self._allow())
        self.context.undo.canUndoChanged.connect(self._undo.setEnabled)
        self._undo.setEnabled(self.context.undo.canUndo())

    # --- what it shows -----------------------------------------------------
    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Shows the newest learnings. A new edit is shown until the planner emits its own version."""
        facet = snapshot.facet(Learnings)
        self._held.show_snapshot(snapshot)
        if facet is self._facet and snapshot.began is self._began:
            return
        self._facet = facet
        self._began = snapshot.began
        self._draw()

    def headline(self) -> str:
        """Returns how many lines there are, and how many are the operator's, pinned and deleted."""
        now = self._held.shown
        if now is None or not (now.axioms or now.struck):
            return ""
        own, kept = sum(a.by == "operator" for a in now.axioms), sum(a.pinned for a in now.axioms)
        parts = [say.count(len(now.axioms), "line"), f"after {say.count(now.episodes, 'episode')}"]
        parts += [f"{own} yours"] if own else []
        parts += [f"{kept} pinned"] if kept else []
        parts += [f"{len(now.struck)} deleted"] if now.struck else []
        return " · ".join(parts)

    def tools(self) -> tuple[QAction, ...]:
        """Returns the find and undo actions."""
        return (self._find, self._undo)

    def offers(self) -> Sequence[Offer]:
        """Returns what can be done to the selected line."""
        one = self.rows.axiom(self.rows.current)
        if one is None or not self.context.live:
            return ()
        short = _short(one.text)
        return (Offer(f"change “{short}”", self._begin_change, "E", "edit"),
                Offer(f"{'unpin' if one.pinned else 'pin'} “{short}”", self._pin, "P", "pin"),
                Offer(f"delete “{short}”", self._delete, icon="close"))

    def restyle(self) -> None:
        """Takes the colours and sizes of the theme again."""
        self._draw()

    def _draw(self) -> None:
        now = self._held.shown
        words = self.query.text().lower().split() if self.query.isVisible() else []
        axioms = tuple(a for a in (now.axioms if now is not None else ()) if all(w in a.text.lower() for w in words))
        self._stack.setCurrentIndex(int(bool(now is not None and now.axioms)))
        self.rows.show_axioms(axioms, now.episodes if now is not None else 0)
        self._allow()

    def _allow(self) -> None:
        one = self.rows.axiom(self.rows.current)
        live = self.context.live and self._held.shown is not None
        self.strip.allow(live=live, chosen=one is not None, kept=one is not None and one.pinned)

    # --- the operator ------------------------------------------------------
    def _toggle_find(self) -> None:
        self.query.setVisible(not self.query.isVisible())
        self.query.clear()
        if self.query.isVisible():
            self.query.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._draw()

    def _begin_change(self) -> None:
        one = self.rows.axiom(self.rows.current)
        if one is not None and self.context.live:
            self._changing = one.text
            self.strip.begin(one.text)

    def _end_change(self) -> None:
        self._changing = ""
        self.strip.begin("")
        self.rows.setFocus(Qt.FocusReason.OtherFocusReason)

    def _enter(self, text: str) -> None:
        old = self._changing
        if old:
            self._edit(f"change “{_short(old)}”", lambda now: edits.rewritten(now, old, text))
        else:
            self._edit(f"add “{_short(text)}”", lambda now: edits.added(now, text))
        self._end_change()

    def _pin(self) -> None:
        self._one(lambda one: (f"{'unpin' if one.pinned else 'pin'} “{_short(one.text)}”",
                               lambda now: edits.pinned(now, one.text, not one.pinned)))

    def _delete(self) -> None:
        self._one(lambda one: (f"delete “{_short(one.text)}”", lambda now: edits.deleted(now, one.text)))

    def _one(self, act: Callable[[Axiom], tuple[str, Callable[[Learnings], Learnings]]]) -> None:
        one = self.rows.axiom(self.rows.current)
        if one is not None:
            self._edit(*act(one))

    def _edit(self, words: str, change: Callable[[Learnings], Learnings]) -> None:
        now = self._held.current
        if now is None or not self.context.live:
            return
        after = change(now)
        if after is not now:
            self.context.undo.push(EditLearnings(words, now, after, lambda: self._held.current, self._say))

    def _say(self, learnings: Learnings, why: str) -> None:
        """Posts the edited learnings to the session and shows them at once."""
        self._held.post_edit(learnings, why)
        self._draw()


def _short(text: str) -> str:
    return text if len(text) <= SHORT else f"{text[:SHORT - 1]}…"
