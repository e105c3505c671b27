"""The table of an override: every listed action with the planner's ranking, or why it is not possible."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPen

from core.planning.facets import Plan
from core.planning.search_facets import RankedAction, Ranking
from core.session.snapshot import Snapshot
from core.world.vocabulary import Action, Verdict
from gui.theme import Theme
from gui.widgets import RIGHT, Names, draw_loss, draw_mark, draw_text, glyph, loss_mark, text_width, verb_words
from gui.widgets.lists import ItemRows
from gui.widgets.numbers import loss, probability, value, whole


@dataclass(frozen=True, slots=True)
class Option:
    """One action.

    Attributes:
        action: the action.
        phrase: the action as text.
        verdict: whether it is possible, and if not, why.
        ranked: its place in the planner's ranking, or None.
    """

    action: Action
    phrase: str
    verdict: Verdict
    ranked: RankedAction | None = None


@dataclass(frozen=True, slots=True)
class Heading:
    """A line between options."""

    text: str


Entry = Option | Heading
FIGURES = ("P", "N", "Q", "Loss")
"""The columns of the planner's figures: prior, visits, value, loss."""


def planners_choice(snapshot: Snapshot) -> Action | None:
    """The action that the planner would do next, or None if it is not known."""
    if snapshot.current is not None and snapshot.current.action is not None:
        return snapshot.current.action
    ranking, plan = snapshot.fresh(Ranking), snapshot.fresh(Plan)
    if plan is not None and plan.actions:
        return plan.actions[0]  # a ranking may be from an earlier decision, whose first steps are done
    return ranking.actions[0].steps[0] if ranking is not None and ranking.actions else None


def numbers(snapshot: Snapshot) -> Mapping[Action, RankedAction]:
    """First action -> the best entry of the planner's ranking that begins with it."""
    ranking = snapshot.fresh(Ranking)
    found: dict[Action, RankedAction] = {}
    for ranked in ranking.actions if ranking is not None else ():
        if ranked.steps:
            found.setdefault(ranked.steps[0], ranked)
    return found


def make_options(listed: Iterable[tuple[Action, Verdict]], known: Mapping[Action, RankedAction],
                 names: Names) -> tuple[Option, ...]:
    """Returns the options in order: possible ones by visits, then prior; then impossible ones, those with a remedy first."""
    found = [Option(action, names.phrase(action), verdict, known.get(action) if verdict.ok else None)
             for action, verdict in listed]
    return tuple(sorted(found, key=_order))


def _order(option: Option) -> tuple[bool, int, float, bool, str]:
    ranked = option.ranked
    visits, prior = (ranked.visits, ranked.prior) if ranked is not None else (-1, 0.0)
    return not option.verdict.ok, -visits, -prior, option.verdict.remedy is None, option.phrase


def matching(options: Sequence[Option], text: str, *, impossible: bool) -> tuple[Entry, ...]:
    """Returns the options that match the typed text: every word begins a word of the phrase.

    Impossible ones are under a heading.
    """
    words = text.lower().split()
    fitting = [o for o in options if _matches(o, words)]
    possible = [o for o in fitting if o.verdict.ok]
    rest = [o for o in fitting if not o.verdict.ok] if impossible else []
    return (*possible, *((Heading("Not possible now"),) if rest else ()), *rest)


def _matches(option: Option, words: Sequence[str]) -> bool:
    theirs = option.phrase.lower().split()
    return all(any(own.startswith(word) for own in theirs) for word in words)


class OptionRows(ItemRows[Entry]):
    """Possible actions with P, N, Q and loss, then those that are not possible, with the failed precondition and its remedy."""

    helped = Signal(object)
    """The Action that is the remedy was clicked."""

    def __init__(self, theme: Theme):
        super().__init__(theme, row=26, head=26)
        self._names = Names()
        self._choice: Action | None = None
        self.figures = True
        """Whether the planner's figures are shown."""
        self.setAccessibleName("Actions")
        self.viewport().setCursor(Qt.CursorShape.ArrowCursor)

    def show_entries(self, entries: tuple[Entry, ...], names: Names, choice: Action | None) -> None:
        """Replaces the rows. `choice` is the planner's action."""
        self._names, self._choice = names, choice
        self.show_items(entries)

    def option(self, index: int) -> Option | None:
        """The action of a row that can be chosen, or None."""
        entry = self.item(index)
        return entry if isinstance(entry, Option) and entry.verdict.ok else None

    def index_of(self, action: Action | None) -> int:
        """The row of an action, or -1."""
        return next((k for k, e in enumerate(self.items) if isinstance(e, Option) and e.action == action), -1)

    # --- rows --------------------------------------------------------------
    def act(self, index: int) -> Action | None:
        """Returns what a row would do: its action, or what must be done before it; None if nothing can be done."""
        entry = self.item(index)
        return None if not isinstance(entry, Option) else entry.action if entry.verdict.ok else entry.verdict.remedy

    def can_choose(self, index: int) -> bool:
        """Whether a row can be chosen: also actions that are not possible, to read why and to do what helps."""
        return isinstance(self.item(index), Option)

    def row_words(self, index: int) -> str:
        """Describes a row."""
        entry = self.items[index]
        if isinstance(entry, Heading):
            return entry.text
        if not entry.verdict.ok:
            return f"{entry.phrase}: not possible, {entry.verdict.reason}"
        mine = ", planner's choice" if entry.action == self._choice else ""
        figures = f", {entry.ranked.visits} visits" if entry.ranked is not None and self.figures else ""
        return f"{entry.phrase}{mine}{figures}"

    def row_tip(self, index: int) -> str:
        """Says why an action is not possible."""
        entry = self.items[index]
        return entry.verdict.reason if isinstance(entry, Option) and not entry.verdict.ok else ""

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Chooses a row, or follows the link to a remedy."""
        remedy = self._link_at(self.row_at(event.position().y()), event.position().x())
        if remedy is not None:
            self.helped.emit(remedy)
        else:
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Shows a hand cursor over links."""
        super().mouseMoveEvent(event)
        link = self._link_at(self.under, event.position().x())
        self.viewport().setCursor(Qt.CursorShape.ArrowCursor if link is None else Qt.CursorShape.PointingHandCursor)

    def _link_at(self, index: int, x: float) -> Action | None:
        """The remedy whose link is at a position of a row, or None."""
        entry = self.item(index)
        remedy = entry.verdict.remedy if isinstance(entry, Option) else None
        return remedy if remedy is not None and x >= self._link_left(remedy) else None

    # --- painting ----------------------------------------------------------
    def paint_head(self, painter: QPainter, rect: QRectF) -> None:
        """Paints the column titles."""
        theme, px = self.theme, self.theme.px
        draw_text(painter, theme, QRectF(px(12), 0, px(200), rect.height()), "Action", "small", "faint", 500)
        for text, right in zip(FIGURES if self.figures else (), self._edges(rect.width()), strict=False):
            draw_text(painter, theme, QRectF(right - px(60), 0, px(60), rect.height()), text, "small", "faint", 500, RIGHT)
        painter.setPen(QPen(theme.colour("line"), 1))
        painter.drawLine(0, int(rect.height()) - 1, int(rect.width()), int(rect.height()) - 1)

    def paint_row(self, painter: QPainter, index: int, rect: QRectF) -> None:
        """Paints one action, or a heading."""
        entry, theme, px = self.items[index], self.theme, self.theme.px
        if isinstance(entry, Heading):
            room = rect.adjusted(px(12), px(4), 0, 0)
            draw_text(painter, theme, room, entry.text, "small", "faint", 600)
            return
        mine = index == self.current
        self._paint_back(painter, rect, mine, index == self.under)
        tones = ("faint", "faint") if not entry.verdict.ok else ("text", "muted")
        side = px(15)
        picture = theme.pixmap(glyph(entry.action.verb), side, "operator_act" if mine else tones[1])
        painter.drawPixmap(int(px(12)), int(rect.center().y() - side / 2 + 0.5), picture)
        end = self._edges(rect.width())[0] - px(40) if entry.verdict.ok else self._reason_left(rect.width()) - px(10)
        room = QRectF(px(36), rect.y(), end - px(36), rect.height())
        room.setLeft(room.left() + draw_text(painter, theme, room, verb_words(entry.action.verb), "small", tones[1]) + px(5))
        words = " → ".join(map(self._names.display, entry.action.args))
        took = draw_text(painter, theme, room, words, "body", tones[0], 500 if entry.verdict.ok else 400)
        if entry.verdict.ok:
            room.setLeft(min(room.right(), room.left() + took + px(10)))
            self._paint_whose(painter, entry, mine, room)
            self._paint_numbers(painter, entry, rect)
        else:
            self._paint_reason(painter, entry, rect)

    def _paint_back(self, painter: QPainter, rect: QRectF, mine: bool, under: bool) -> None:
        if not mine and not under:
            return
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.theme.colour("operator_bg" if mine else "hover"))
        painter.drawRoundedRect(rect.adjusted(1, 0, -1, 0), 4, 4)
        if mine:
            painter.fillRect(QRectF(rect.x() + 1, rect.y(), 3, rect.height()), self.theme.colour("operator_act"))

    def _paint_whose(self, painter: QPainter, option: Option, mine: bool, room: QRectF) -> None:
        if option.action == self._choice:
            room.setLeft(room.left() + draw_text(painter, self.theme, room, "planner's choice", "small", "planner_act", 500)
                         + self.theme.px(8))
        if mine and room.width() > self.theme.px(30):
            draw_text(painter, self.theme, room, "yours", "small", "operator_act", 600)

    def _paint_numbers(self, painter: QPainter, option: Option, rect: QRectF) -> None:
        ranked, theme, px = option.ranked, self.theme, self.theme.px
        if ranked is None or not self.figures:
            return
        p, n, q, lost = self._edges(rect.width())
        for right, text, tone in ((p, probability(ranked.prior), "muted"), (n, whole(ranked.visits), "text"),
                                  (q, value(ranked.value), "text")):
            draw_text(painter, theme, QRectF(right - px(60), rect.y(), px(60), rect.height()), text, "small", tone, align=RIGHT)
        tone, _ = loss_mark(ranked.loss)
        room = QRectF(lost - px(60), rect.y(), px(46), rect.height())
        draw_text(painter, theme, room, loss(ranked.loss), "small", "faint" if tone == "idle" else tone, align=RIGHT)
        draw_loss(painter, theme, lost - px(5), rect.center().y(), px(4.5), ranked.loss)

    def _paint_reason(self, painter: QPainter, option: Option, rect: QRectF) -> None:
        theme, px, verdict = self.theme, self.theme.px, option.verdict
        left, right = self._reason_left(rect.width()), rect.right() - px(12)
        if verdict.remedy is not None:
            start = self._link_left(verdict.remedy)
            room = QRectF(start, rect.y(), right - start, rect.height())
            draw_text(painter, theme, room, self._link(verdict.remedy), "small", "accent", 600, RIGHT)
            right = start - px(8)
        draw_mark(painter, "octagon", left, rect.center().y(), px(5.5), None, theme.colour("blocked"))
        room = QRectF(left + px(11), rect.y(), max(0.0, right - left - px(11)), rect.height())
        draw_text(painter, theme, room, verdict.reason or verdict.precondition, "small", "bad", 500)

    # --- geometry ----------------------------------------------------------
    def _edges(self, width: float) -> tuple[float, float, float, float]:
        """Right edges of P, N, Q and loss, in pixels."""
        px = self.theme.px
        return width - px(200), width - px(146), width - px(84), width - px(14)

    def _reason_left(self, width: float) -> float:
        return min(self.theme.px(236), width * 0.36)

    def _link(self, remedy: Action) -> str:
        return f"{self._names.phrase(remedy)} first"

    def _link_left(self, remedy: Action) -> float:
        """The left edge of a link, in pixels. A long remedy is cut before the reason is."""
        wide = text_width(self.theme, self._link(remedy), "small", 600) + 2
        right = self.viewport().width() - self.theme.px(12)
        return max(right - wide, self._reason_left(self.viewport().width()) + self.theme.px(200))
