"""The learnings panel: the lines that the planner learnt in earlier episodes, which the operator can edit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import ClassVar

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QAction, QPainter
from PySide6.QtWidgets import QWidget

from core.planners.neoplanner.recorded_types import Axiom, Learnings
from core.planning.facets import Facet
from core.session.snapshot import Snapshot
from gui.control.context import Context, EditableFacet
from gui.panels.base import Offer, Panel
from gui.theme import Theme
from gui.theme.boxes import FLUSH, hbox, vbox
from gui.widgets import RIGHT, Button, draw_block, draw_text, text_width, tool_action
from gui.widgets import numbers as say
from gui.widgets.lists import ItemRows
from gui.widgets.search import FindField


class AxiomRows(ItemRows[Axiom]):
    """A list with one row for each line: pin, text, episode.

    Lines by the operator have a pencil and an edge in the operator's colour (orchid). New lines have an edge in the accent
    colour.
    """

    def __init__(self, theme: Theme):
        super().__init__(theme, row=23)
        self._newest = 0
        self.setAccessibleName("Learnings")

    def show_axioms(self, axioms: tuple[Axiom, ...], newest: int) -> None:
        """Shows lines. `newest` is the number of the episode that ended last."""
        chosen, self._newest = min(self.current, len(axioms) - 1), newest
        self.show_items(axioms)
        self.choose(chosen)

    def row_words(self, index: int) -> str:
        """Returns a line with its author, and whether it is pinned."""
        one = self.items[index]
        by = "operator" if one.by == "operator" else f"episode {one.episode}"
        return f"{one.text} · {by}{' · pinned' if one.pinned else ''}"

    def paint_row(self, painter: QPainter, index: int, rect: QRectF) -> None:
        """Paints one line."""
        theme, px, one = self.theme, self.theme.px, self.items[index]
        self.paint_back(painter, index, rect, block=True)
        own, new = one.by == "operator", bool(one.episode) and one.episode == self._newest
        if own or new:
            edge = QRectF(rect.x() + px(4), rect.y() + px(4), px(3), rect.height() - px(8))
            draw_block(painter, theme, edge, "operator_act" if own else "accent", radius=1.5)
        side, x = px(12), rect.x() + px(11)
        if one.pinned or own:
            picture = theme.pixmap("pin" if one.pinned else "edit", side, "operator_act")
            painter.drawPixmap(QPointF(x, rect.center().y() - side / 2), picture)
        note = "you" if own else f"ep {one.episode}" if one.episode else ""
        wide = text_width(theme, note, "micro") + px(8) if note else 0.0
        room = rect.adjusted(px(28), 0, -px(10) - wide, 0)
        draw_text(painter, theme, room, one.text, "small", "text", 500 if own or one.pinned else 400)
        end = rect.adjusted(0, 0, -px(10), 0)
        draw_text(painter, theme, end, note, "micro", "operator_act" if own else "faint", 400, RIGHT)


LONGEST = 600


def pinned(now: Learnings, text: str, on: bool) -> Learnings:
    """Returns the learnings with a line pinned or unpinned."""
    return replace(now, axioms=tuple(replace(a, pinned=on) if a.text == text else a for a in now.axioms))


def deleted(now: Learnings, text: str) -> Learnings:
    """Returns the learnings without a line. The line is struck: it stays out if the model writes it again."""
    return replace(now, axioms=tuple(a for a in now.axioms if a.text != text), struck=tuple(dict.fromkeys((*now.struck, text))))


def rewritten(now: Learnings, text: str, words: str) -> Learnings:
    """Returns the learnings with a line rewritten by the operator. The old text is struck.

    Returns `now` unchanged if there is no such line, or if the new text is unusable (see `usable`).
    """
    words = " ".join(words.split())
    if not usable(now, words) or all(a.text != text for a in now.axioms):
        return now
    axioms = tuple(Axiom(words, a.pinned, "operator", a.episode) if a.text == text else a for a in now.axioms)
    return replace(now, axioms=axioms, struck=tuple(s for s in dict.fromkeys((*now.struck, text)) if s != words))


def added(now: Learnings, words: str) -> Learnings:
    """Returns the learnings with one more line at the top. The line is no longer struck if it was."""
    words = " ".join(words.split())
    if not usable(now, words):
        return now
    return replace(now, axioms=(Axiom(words, False, "operator", now.episodes), *now.axioms),
                   struck=tuple(s for s in now.struck if s != words))


def usable(now: Learnings, words: str) -> bool:
    """Returns True if a text can be a new line: not empty, not too long, and not there already."""
    return bool(words) and len(words) <= LONGEST and all(a.text != words for a in now.axioms)


def undone(now: Learnings, before: Learnings, after: Learnings) -> Learnings:
    """Returns the newest version with one edit (before → after) undone. What the model wrote since the edit stays."""
    if now is after:
        return before
    old, new = {a.text: a for a in before.axioms}, {a.text: a for a in after.axioms}
    gone = [text for text in new if text not in old]
    changed = {text: old[text] for text in old if new.get(text) != old[text]}
    axioms = [changed.pop(a.text, a) for a in now.axioms if a.text not in gone]
    struck = tuple(s for s in now.struck if s in before.struck or s not in after.struck)
    return replace(now, axioms=(*changed.values(), *axioms), struck=struck)


HINT = "Add a learning: X Y Z"


class EditStrip(QWidget):
    """A text field, and buttons for the selected line."""

    entered = Signal(str)
    pinned = Signal()
    deleted = Signal()

    def __init__(self, theme: Theme):
        super().__init__()
        self.field = FindField(HINT)
        self.field.setMaxLength(LONGEST)
        self.pin, self.delete = Button(theme, "Pin", "pin"), Button(theme, "Delete", "ban")
        self.enter = Button(theme, "Add", "add", "operator")
        buttons = hbox(theme, self.pin, self.delete, 0, self.enter, spacing=6)
        vbox(theme, self.field, buttons, on=self, spacing=5, margins=(8, 4, 8, 6))
        self.enter.clicked.connect(self._enter)
        self.field.returnPressed.connect(self._enter)
        self.pin.clicked.connect(self.pinned)
        self.delete.clicked.connect(self.deleted)

    def begin(self, text: str) -> None:
        """Starts editing a line in the field, or a new one if the text is empty."""
        self.field.setText(text)
        self.enter.dress("Change" if text else "Add", "edit" if text else "add")
        if text:
            self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self.field.selectAll()

    def allow(self, *, live: bool, chosen: bool, kept: bool) -> None:
        """Enables what can be done now."""
        self.field.setEnabled(live)
        self.enter.setEnabled(live)
        self.pin.setEnabled(live and chosen)
        self.delete.setEnabled(live and chosen)
        self.pin.dress("Unpin" if kept else "Pin", "pin")

    def _enter(self) -> None:
        text = self.field.text().strip()
        if text:
            self.entered.emit(text)


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
    needs_live: ClassVar[str] = "Editing the learnings"

    def __init__(self, context: Context):
        super().__init__(context)
        theme = context.theme
        self._facet = EditableFacet(context, Learnings, self.redraw)
        self._changing = ""
        self.rows, self.strip, self.query = AxiomRows(theme), EditStrip(theme), FindField("Find in the learnings")
        self._find = tool_action(self, theme, "Find", "search", checkable=True, key="Ctrl+F")
        self._undo = tool_action(self, theme, "Undo the last edit here", "undo", partial(context.undo_edit, Learnings))
        body = QWidget()
        self._pages = self.stack(self.nothing(
            "learnings", "learnings",
            "After each episode the learner writes down what was learnt. You can add a line yourself."), self.rows, body)
        vbox(theme, self.query, (body, 1), self.strip, on=self, spacing=0, margins=FLUSH)
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
        strip.field.closed.connect(self._end_change)
        self.query.opened_by(self._find)
        self.query.textChanged.connect(lambda _: self.redraw())
        self.context.live_changed.connect(lambda _: self._allow())
        self.context.undo.indexChanged.connect(self._on_steps)
        self._on_steps()

    # --- what it shows -----------------------------------------------------
    def _on_steps(self, _: int = 0) -> None:
        self._undo.setEnabled(bool(self.context.last_edit(Learnings)))

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Shows the newest learnings. A new edit is shown until the planner emits its own version."""
        self._facet.show_snapshot(snapshot)
        if self.has_changed(snapshot.facet(Learnings), snapshot.began):
            self.redraw()

    def headline(self) -> str:
        """Returns how many lines there are, and how many are the operator's, pinned and deleted."""
        now = self._facet.shown
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
        one = self.rows.chosen_item
        if one is None or not self.context.live:
            return ()
        short = _short(one.text)
        return (Offer(f"change “{short}”", self._begin_change, "E", "edit"),
                Offer(f"{'unpin' if one.pinned else 'pin'} “{short}”", self._pin, "P", "pin"),
                Offer(f"delete “{short}”", self._delete, icon="close"))

    def redraw(self) -> None:
        """Draws the panel again at once."""
        now = self._facet.shown
        words = self.query.text().lower().split() if self.query.isVisible() else []
        axioms = tuple(a for a in (now.axioms if now is not None else ()) if all(w in a.text.lower() for w in words))
        self._pages.setCurrentIndex(int(bool(now is not None and now.axioms)))
        self.rows.show_axioms(axioms, now.episodes if now is not None else 0)
        self._allow()

    def _allow(self) -> None:
        one = self.rows.chosen_item
        live = self.context.live and self._facet.shown is not None
        self.strip.allow(live=live, chosen=one is not None, kept=one is not None and one.pinned)

    # --- the operator ------------------------------------------------------
    def _begin_change(self) -> None:
        one = self.rows.chosen_item
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
            self._edit(f"change “{_short(old)}”", lambda now: rewritten(now, old, text))
        else:
            self._edit(f"add “{_short(text)}”", lambda now: added(now, text))
        self._end_change()

    def _pin(self) -> None:
        self._one(lambda one: (f"{'unpin' if one.pinned else 'pin'} “{_short(one.text)}”",
                               lambda now: pinned(now, one.text, not one.pinned)))

    def _delete(self) -> None:
        self._one(lambda one: (f"delete “{_short(one.text)}”", lambda now: deleted(now, one.text)))

    def _one(self, act: Callable[[Axiom], tuple[str, Callable[[Learnings], Learnings]]]) -> None:
        one = self.rows.chosen_item
        if one is not None:
            self._edit(*act(one))

    def _edit(self, words: str, change: Callable[[Learnings], Learnings]) -> None:
        before = self._facet.current
        after = change(before) if before is not None else None
        if before is not None and after is not None and after is not before:
            self._facet.push_edit(words, lambda now: undone(now, after, before), lambda now: undone(now, before, after))


def _short(text: str) -> str:
    return text if len(text) <= SHORT else f"{text[:SHORT - 1]}…"
