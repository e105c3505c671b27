"""The candidates panel: the leaves of the blocking tree, which the model chooses from, as a list with reasons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import ClassVar

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from core.planners.bcr.recorded_types import BAN, CHOOSE, BlockingNode, BlockingTree
from core.planning.facets import Facet
from core.session.snapshot import Snapshot
from core.world.vocabulary import Action
from gui.control.context import Context, Selected
from gui.control.snapshot_texts import staleness
from gui.panels.base import Offer, Panel
from gui.panels.blocking.canvas import COLOURS
from gui.panels.blocking.node_actions import NodeActions
from gui.theme import Theme
from gui.widgets import RIGHT, Namer, Names, StaleOverlay, draw_text, glyph, text_width, verb_words
from gui.widgets import numbers as say
from gui.widgets.lists import ItemRows

LEAVES = ("chosen", "candidate", "banned")
MOST_TURNS = 200
"""The number of past turns searched for earlier attempts."""
LEAST_NOTE = 64
"""Pixels at text size 100 %. A note that does not fit is shortened down to this width, and left out below it."""


class CandidatesPanel(Panel):
    """Shows the leaves of the blocking tree as pills.

    A click selects a candidate. Enter or a double click previews an override. X bans it.
    """

    name: ClassVar[str] = "candidates"
    title: ClassVar[str] = "Candidates"
    facets: ClassVar[frozenset[type[Facet]]] = frozenset({BlockingTree})
    icon: ClassVar[str] = "ranking"

    def __init__(self, context: Context):
        super().__init__(context)
        self._snapshot, self._stale = Snapshot(), ""
        self._namer = Namer()
        self.rows = CandidateRows(context.theme)
        self.edits = NodeActions(context, self.redraw)
        self._overlay = StaleOverlay(context.theme, self.rows)
        empty = self.nothing("blocking", "candidates",
                             "Actions that may help appear here once the planner has tried one.")
        self._pages = self.stack(empty, self.rows)
        self.rows.chosen.connect(self._select)
        self.rows.opened.connect(self._override)
        self.rows.on_key(Qt.Key.Key_X, self.ban_or_allow)
        context.selection.changed.connect(self._follow)

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Shows the snapshot's blocking tree, or the operator's pending edit of it."""
        self._snapshot = snapshot
        self.edits.show_snapshot(snapshot)
        self._stale = staleness(snapshot, BlockingTree, "the next choice")
        if self.has_changed(snapshot.facet(BlockingTree), self._namer.of(snapshot.seen), snapshot.options,
                            snapshot.status == "paused", self._stale):
            self.redraw()

    def headline(self) -> str:
        """Returns which resolution the candidates serve."""
        text = wanted(self.edits.tree) if self.edits.tree is not None else ""
        return f"for {text}" if text else ""

    def offers(self) -> Sequence[Offer]:
        """Returns the actions on the current candidate. E has it chosen."""
        chosen = self.rows.chosen_item
        if chosen is None:
            return ()
        node = chosen.node
        return [replace(offer, title=f"{offer.title}: {node.text}") for offer in self.edits.offers(node)]

    def redraw(self) -> None:
        """Draws the panel again at once."""
        tree = self.edits.tree
        self._pages.setCurrentIndex(int(tree is not None and bool(tree.nodes)))
        if tree is None:
            return
        candidates, options = candidates_of(tree, self._snapshot), self._snapshot.options
        foot = say.count(len(candidates), "candidate")
        if options is not None:
            foot += f", of {say.count(sum(v.ok for _, v in options.options), 'admissible action')}"
        self.rows.show_candidates(candidates, self._namer.of(self._snapshot.seen), foot)
        self._follow(self.context.selection.now)
        self._overlay.say(self._stale)

    # --- selection and edits ---------------------------------------------------
    def _follow(self, selected: Selected | None) -> None:
        action = selected.action if selected is not None and selected.kind == "action" else None
        self.rows.choose(next((k for k, c in enumerate(self.rows.items) if action and c.node.action == action), -1))

    def _select(self, index: int) -> None:
        action = self.rows.items[index].node.action
        if action is not None:
            self.context.selection.select(Selected("action", action=action))

    def _override(self, index: int) -> None:
        """Previews an override with a candidate. A candidate without an executable action is chosen for the planner instead."""
        node = self.rows.items[index].node
        if node.action is None:
            self.edits.act(node, CHOOSE.key)
        elif self.context.live:
            self.context.selection.asked_actions.emit((node.action,))

    def ban_or_allow(self) -> None:
        """Bans the current candidate, or lifts the ban."""
        if (chosen := self.rows.chosen_item) is not None:
            self.edits.act(chosen.node, BAN.key)


class CandidateRows(ItemRows["Candidate"]):
    """Paints one pill per row: glyph, verb, object, and the note at the right end.

    The last row, the foot, says how many candidates there are, and of how many admissible actions.
    """

    def __init__(self, theme: Theme):
        super().__init__(theme, row=33)
        self._names, self._foot = Names(), ""
        self.setAccessibleName("Candidates")

    def show_candidates(self, candidates: tuple[Candidate, ...], names: Names, foot: str) -> None:
        """Shows other candidates.

        Args:
            candidates: one per row.
            names: display names of objects.
            foot: the text of the last row. Empty for none.
        """
        self._names, self._foot = names, foot
        self.show_items(candidates)

    def count(self) -> int:
        """Returns the number of rows: the candidates, and the foot if it has text."""
        return len(self.items) + bool(self._foot)

    def can_choose(self, index: int) -> bool:
        """Returns True if the row is a candidate. The foot cannot be chosen."""
        return self.item(index) is not None

    def row_words(self, index: int) -> str:
        """Returns the text of a row for assistive tools."""
        if index >= len(self.items):
            return self._foot
        one = self.items[index]
        return f"{one.node.text}: {one.note}"

    def paint_row(self, painter: QPainter, index: int, rect: QRectF) -> None:
        """Paints one candidate, or the foot."""
        px = self.theme.px
        if index >= len(self.items):
            draw_text(painter, self.theme, rect.adjusted(px(14), 0, -px(8), 0), self._foot, "small", "faint")
            return
        one = self.items[index]
        pill = rect.adjusted(px(8), px(4), -px(8), -px(2))
        self._paint_back(painter, one, pill, index)
        self._paint_words(painter, one, pill)

    def _paint_back(self, painter: QPainter, one: Candidate, pill: QRectF, index: int) -> None:
        theme, state, colours = self.theme, one.node.state, COLOURS[one.node.state]
        pen = QPen(theme.colour("operator_act" if one.node.by_operator else colours.line), 2 if state == "chosen" else 1.2)
        if state == "candidate" and not one.node.certain:
            pen.setStyle(Qt.PenStyle.DashLine)
        if index == self.current:
            pen = QPen(theme.colour("selection"), 2)
        painter.setPen(pen)
        painter.setBrush(theme.colour("hover" if index == self.under else colours.fill))
        painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2)

    def _paint_words(self, painter: QPainter, one: Candidate, pill: QRectF) -> None:
        theme, px, state = self.theme, self.theme.px, one.node.state
        tone = COLOURS[state].text
        side = "faint" if one.tried and state == "candidate" else "muted"
        inside = pill.adjusted(px(13), 0, -px(13), 0)
        note = ("✓ " if state == "chosen" else "") + one.note
        wide = text_width(theme, note, "small", 500)
        left = inside.width() - self._action_width(one)
        if wide > left >= px(LEAST_NOTE):
            wide = left
        elif wide > left:  # the action matters more, and the row's description repeats the note
            wide = text_width(theme, "✓", "small", 500) if state == "chosen" else 0.0
            note = "✓" if state == "chosen" else ""
        end = QRectF(inside.right() - wide, inside.y(), wide, inside.height())
        draw_text(painter, theme, end, note, "small", tone if state != "candidate" else side, 500, RIGHT)
        action = one.node.action
        room = QRectF(inside.x(), inside.y(), end.x() - px(8) - inside.x(), inside.height())
        if action is None:
            draw_text(painter, theme, room, one.node.text, "body", tone, 500)
            return
        picture = theme.pixmap(glyph(action.verb), px(13), tone if state == "chosen" else side)
        painter.drawPixmap(QPointF(room.x(), room.center().y() - px(13) / 2), picture)
        room.setLeft(room.x() + px(19))
        took = draw_text(painter, theme, room, verb_words(action.verb), "small", tone if state == "chosen" else side)
        room.setLeft(min(room.right(), room.x() + took + px(5)))
        width = draw_text(painter, theme, room, self._names.target(action), "body", tone, 650 if state == "chosen" else 500)
        if state == "banned":
            painter.setPen(QPen(theme.colour("faint"), 1.2))
            y = room.center().y() + 0.5
            painter.drawLine(QPointF(room.x(), y), QPointF(room.x() + min(width, room.width()), y))

    def _action_width(self, one: Candidate) -> float:
        """Returns the width of glyph, verb and object in pixels, including the gap after them."""
        theme, action = self.theme, one.node.action
        if action is None:
            return text_width(theme, one.node.text, "body", 500) + theme.px(8)
        words = text_width(theme, verb_words(action.verb)) + text_width(theme, self._names.target(action), "body", 650)
        return words + theme.px(34)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A leaf of the blocking tree, shown as one pill.

    Attributes:
        node: the leaf.
        why: why it is a candidate: the resolution it leads to, or that the operator added it.
        tried: the number of the last turn in which its action was executed, 0 if there is none.
    """

    node: BlockingNode
    why: str
    tried: int = 0

    @property
    def note(self) -> str:
        """Returns the note at the right end of the pill: its state, the last attempt, or `why`."""
        if self.node.state == "chosen":
            return "your choice" if self.node.by_operator else "chosen"
        if self.node.state == "banned":
            return "banned"
        return f"tried in turn {self.tried}" if self.tried else self.why


def candidates_of(tree: BlockingTree, snapshot: Snapshot) -> tuple[Candidate, ...]:
    """Returns the candidates of a tree: the chosen one first, then the others in tree order, banned ones last.

    Args:
        tree: the blocking tree.
        snapshot: its turns show which actions were tried before.
    """
    texts = {n.id: n.text for n in tree.nodes}
    tried = _tried(snapshot)
    leaves = [n for n in tree.nodes if n.kind == "action" and n.state in LEAVES]
    leaves.sort(key=lambda n: LEAVES.index(n.state))
    return tuple(Candidate(n, _why(n, texts.get(n.parent, "")), tried.get(n.action, 0) if n.action else 0) for n in leaves)


def wanted(tree: BlockingTree) -> str:
    """Returns the text of the resolution above the chosen candidate, or above the first one. Empty if there is none."""
    leaves = [n for n in tree.nodes if n.kind == "action" and n.state in LEAVES[:2]]
    first = next((n for n in leaves if n.state == "chosen"), leaves[0] if leaves else None)
    return next((n.text for n in tree.nodes if first is not None and n.id == first.parent), "")


def _why(node: BlockingNode, resolution: str) -> str:
    if node.by_operator and node.state == "candidate":
        return "added by you"
    if not resolution:
        return ""
    return f"{'leads to' if node.certain else 'may lead to'} {resolution}"


def _tried(snapshot: Snapshot) -> dict[Action, int]:
    """Returns the last turn of each action on the current branch, within the last `MOST_TURNS` turns."""
    found: dict[Action, int] = {}
    for turn in islice(reversed(snapshot.turns), MOST_TURNS):
        if turn.branch == snapshot.branch and turn.outcome is not None:
            found.setdefault(turn.outcome.action, turn.number)
    return found
