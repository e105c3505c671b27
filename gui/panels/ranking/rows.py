"""The rows of the ranking: which actions are listed, their words, and how they are painted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPen

from core.goals.literals import Goal
from core.planning.facets import Plan
from core.planning.search_facets import RankedAction, Ranking
from core.session.snapshot import Snapshot
from core.world.vocabulary import Action
from gui.panels.ranking.mixture import Shares, mixture_columns, paint_heads, paint_parts, part_words, sample_words
from gui.theme import Theme
from gui.widgets import LEFT, RIGHT, Names, draw_loss, draw_text, glyph, loss_mark, text_width, verb_words
from gui.widgets.lists import Rows
from gui.widgets.names import split_id
from gui.widgets.numbers import loss, probability, value, whole

CHOSEN = "chosen"
LEAST_VISITS = 3
"""Rows with fewer visits are drawn faint."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row: an action of the ranking, or one that the operator banned (then `ranked` may be None).

    Attributes:
        searched: False if the planner ranks without a search: then there are no visits and values, only P.
        chosen: the planner has chosen it. The best one, of the highest value, may be another.
    """

    action: Action
    ranked: RankedAction | None
    banned: bool = False
    searched: bool = True
    chosen: bool = False

    @property
    def visits(self) -> int:
        """The number of simulations that began with the action."""
        return self.ranked.visits if self.ranked is not None else 0

    @property
    def faint(self) -> bool:
        """True if the action is banned or has too few visits to judge it."""
        return self.banned or (self.searched and self.visits < LEAST_VISITS)


@dataclass(frozen=True, slots=True)
class Flipping:
    """What would change the choice, told at one row.

    Attributes:
        short: the prior at which the choice changes to the action of the row, or away from it: `≥.31`; empty if none is known.
        words: the same and, at the chosen action, the nearest flip of all, as text.
    """

    short: str
    words: str


@dataclass(frozen=True, slots=True)
class Listing:
    """The rows, how many actions are left out (never visited, or not about the goal), and whether there was a search."""

    rows: tuple[Row, ...] = ()
    unvisited: int = 0
    filtered: int = 0
    searched: bool = True

    def index_of(self, action: Action | None) -> int:
        """Returns the row of an action, or -1."""
        return next((k for k, row in enumerate(self.rows) if row.action == action), -1)


def last_step(ranked: RankedAction) -> Action:
    """Returns the action that stands for a macro: its last step."""
    return ranked.steps[-1]


def choice_of(snapshot: Snapshot) -> RankedAction | None:
    """Returns the action of the newest ranking that the planner chose. Of a finished search that is the first one.

    None while it has not chosen one of them.
    """
    ranking, plan = snapshot.facet(Ranking), snapshot.facet(Plan)
    if ranking is None or not ranking.actions:
        return None
    if plan is None or (not plan.continues and snapshot.moment_of(Plan) != snapshot.moment_of(Ranking)):
        return ranking.actions[0] if 0 < ranking.budget <= ranking.simulations else None
    if not plan.actions:
        return None
    return next((r for r in ranking.actions if r.steps[-len(plan.actions):] == plan.actions), None)


def make_listing(ranking: Ranking, banned: frozenset[Action], *, chosen: RankedAction | None = None, goal: Goal | None = None,
                 room: int = 10_000, order: Sequence[Action] = ()) -> Listing:
    """Returns the rows to show.

    Args:
        ranking: best first.
        banned: the banned actions; they are listed last.
        chosen: the one that the planner chose; None: it has not chosen one of them.
        goal: lists only actions about objects of this goal; None: all actions.
        room: how many rows fit; unvisited actions beyond that are only counted.
        order: the order to keep while rows must not move.
    """
    searched = ranking.budget > 0 or any(r.visits for r in ranking.actions)
    rows = [Row(last_step(r), r, searched=searched, chosen=r is chosen)
            for r in ranking.actions if r.steps and last_step(r) not in banned]
    kept = [row for row in rows if goal is None or about(goal, row.action)]
    if order:
        place = {action: k for k, action in enumerate(order)}
        kept.sort(key=lambda row: place.get(row.action, len(place)))
    ranked = {last_step(r): r for r in ranking.actions if r.steps}
    forbidden = [Row(a, ranked.get(a), True) for a in sorted(banned, key=str)]
    spare = max(1, room - len(forbidden) - sum(row.visits > 0 for row in kept))
    unvisited = [row for row in kept if row.visits == 0]
    left_out = set(map(id, unvisited[spare:]))
    shown = [row for row in kept if id(row) not in left_out]
    return Listing((*shown, *forbidden), len(left_out), len(rows) - len(kept), searched)


def about(goal: Goal, action: Action) -> bool:
    """Returns True if the action has an object or location that the goal names."""
    named = {name for literal in goal.literals for name in (literal.subject, literal.target) if name}
    return any(arg in named or split_id(arg)[0] in named for arg in action.args)


def lead(ranking: Ranking) -> float | None:
    """Returns by how much the best action's value exceeds the next one's; None if fewer than two have a value."""
    values = sorted((r.value for r in ranking.actions if r.value is not None), reverse=True)
    return values[0] - values[1] if len(values) > 1 else None


def not_possible(snapshot: Snapshot) -> int:
    """Returns how many actions were listed as impossible now; 0 if no list was requested."""
    listed = snapshot.options
    if listed is None or listed.thing:
        return 0
    return sum(not verdict.ok for _, verdict in listed.options)


def row_words(row: Row, names: Names) -> str:
    """Returns a row as text."""
    if row.banned:
        return f"{names.phrase(row.action)}, banned"
    ranked = row.ranked
    chosen = ", chosen" if row.chosen else ""
    if ranked is not None and not row.searched:
        return f"{names.phrase(row.action)}{chosen}, probability {probability(ranked.prior)}"
    if ranked is None or ranked.value is None:
        return f"{names.phrase(row.action)}, never visited"
    lost = "best value" if not ranked.loss else f"loss {loss(ranked.loss)}"
    return f"{names.phrase(row.action)}{chosen}, {ranked.visits} visits, value {ranked.value:.2f}, {lost}"


BAR = 14
"""The least width of the bar of visits, in pixels, where there is room for a bar."""


@dataclass(frozen=True, slots=True)
class Columns:
    """The left edges and widths of the columns, in pixels. A width of 0 means there is no room for the column."""

    action: tuple[float, float]
    flip: tuple[float, float]
    prior: tuple[float, float]
    visits: tuple[float, float]
    value: tuple[float, float]
    loss: tuple[float, float]


def columns(theme: Theme, width: float, visits_wide: float = 0.0, *, searched: bool = True, flips: bool = False) -> Columns:
    """Returns the columns. The action gets what the numbers leave.

    In a narrow panel the bar of visits is dropped first, then the flips, P, and Q. Without a search there is only P.

    Args:
        theme: gives the sizes.
        width: pixels of a row.
        visits_wide: pixels of the longest number of visits; its column is at least that wide.
        searched: whether the ranking comes from a search.
        flips: whether a prior is known at which the choice changes.
    """
    px, gap = theme.px, theme.px(6)
    right = width - px(8)

    def column(wide: float, least: float) -> tuple[float, float]:
        nonlocal right
        if width < px(least):
            return right, 0
        right -= wide + gap
        return right + gap, wide

    if not searched:
        prior, none = column(px(44), 0), (right, 0.0)
        return Columns((px(12), right - px(12)), none, prior, none, none, none)
    lost = column(px(44), 0)
    mean = column(px(32), 240)
    visits = column(max(visits_wide + px(BAR + 6), px(62)) if width >= px(330) else max(visits_wide, px(34)), 0)
    prior = column(px(26), 280)
    flip = column(px(34), 380) if flips else (right, 0.0)
    return Columns((px(12), right - px(12)), flip, prior, visits, mean, lost)


class RankingRows(Rows):
    """The list of actions: icon, verb, object, P, N with its bar, Q, and loss with its mark.

    The foot counts the actions that are not listed.
    """

    foot_clicked = Signal()

    def __init__(self, theme: Theme):
        super().__init__(theme, row=20, head=21)
        self._listing, self._names, self._foot = Listing(), Names(), ""
        self._most, self._visits_wide = 1, 0.0
        self._shares: Shares | None = None
        self._flips: Mapping[Action, Flipping] = {}
        self.setAccessibleName("Ranked actions")

    @property
    def listing(self) -> Listing:
        """The rows that are shown."""
        return self._listing

    def show_listing(self, listing: Listing, names: Names, foot: str, shares: Shares | None = None,
                     flips: Mapping[Action, Flipping] = MappingProxyType({})) -> None:
        """Shows rows: with visits and values or, if `shares` is given, with the parts of the priors.

        Args:
            listing: the rows.
            names: display names of entities.
            foot: counts the actions that are not listed.
            shares: the parts of the priors.
            flips: what is known of the priors at which the choice changes, by action.
        """
        self._flips = flips
        self._listing, self._names, self._foot, self._shares = listing, names, foot, shares
        self._most = max((row.visits for row in listing.rows), default=1) or 1
        self._visits_wide = max((text_width(self.theme, whole(row.visits), "small", 600) for row in listing.rows), default=0.0)
        self.refresh()

    def rows_that_fit(self) -> int:
        """Returns how many rows fit above the foot."""
        return max(1, self.viewport().height() // self.row_height() - 1)

    # --- rows --------------------------------------------------------------
    def count(self) -> int:
        """Returns the number of rows, including the foot."""
        return len(self._listing.rows) + bool(self._foot)

    def can_choose(self, index: int) -> bool:
        """Returns True for rows other than the foot."""
        return 0 <= index < len(self._listing.rows)

    def row_words(self, index: int) -> str:
        """Returns a row, or the foot, as text."""
        rows = self._listing.rows
        if index >= len(rows):
            return self._foot
        parts = self._parts_of(rows[index])
        words = "" if parts is None else f", {part_words(*parts)}"
        flip = self._flips.get(rows[index].action)
        return row_words(rows[index], self._names) + words + (f", {flip.words}" if flip is not None else "")

    def row_tip(self, index: int) -> str:
        """Returns what would change the choice and, while the parts of the priors are shown, their sum and the samples."""
        if not self.can_choose(index):
            return ""
        row = self._listing.rows[index]
        parts, flip = self._parts_of(row), self._flips.get(row.action)
        told = (part_words(*parts), *sample_words(*parts)) if parts is not None else ()
        return "\n".join((*told, flip.words) if flip is not None else told)

    def _parts_of(self, row: Row) -> tuple[Shares, int] | None:
        """Returns where the parts of a row's prior are, if they are shown."""
        k = self._shares.of(row.ranked) if self._shares is not None else None
        return None if self._shares is None or k is None else (self._shares, k)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Emits `foot_clicked` on a click on the foot."""
        if self._foot and self.row_at(event.position().y()) == len(self._listing.rows):
            self.foot_clicked.emit()
        super().mousePressEvent(event)

    # --- painting ----------------------------------------------------------
    def _columns(self, rect: QRectF) -> Columns:
        return columns(self.theme, rect.width(), self._visits_wide, searched=self._listing.searched,
                       flips=any(flip.short for flip in self._flips.values()))

    def paint_head(self, painter: QPainter, rect: QRectF) -> None:
        """Paints the column titles."""
        theme, c = self.theme, self._columns(rect)
        painter.setPen(QPen(theme.colour("line"), 1))
        painter.drawLine(0, int(rect.height()) - 1, int(rect.width()), int(rect.height()) - 1)
        if self._shares is not None:
            paint_heads(painter, theme, mixture_columns(theme, rect.width(), len(self._shares.mixture.cosines)), rect.height())
            return
        visits = LEFT if c.visits[1] > self._visits_wide + theme.px(BAR) else RIGHT
        heads = (("Action", c.action, LEFT), ("flips", c.flip, RIGHT), ("P", c.prior, RIGHT), ("N", c.visits, visits),
                 ("Q", c.value, RIGHT), ("Loss", c.loss, RIGHT))
        for text, (x, width), align in heads:
            if width:
                draw_text(painter, theme, QRectF(x, 0, width, rect.height()), text, "small", "faint", 500, align)

    def paint_row(self, painter: QPainter, index: int, rect: QRectF) -> None:
        """Paints one action, or the foot."""
        if index == len(self._listing.rows):
            room = rect.adjusted(self.theme.px(12), 0, -self.theme.px(8), 0)
            draw_text(painter, self.theme, room, self._foot, "small", "text" if index == self.under else "faint")
            return
        row = self._listing.rows[index]
        self.paint_back(painter, index, rect)
        if self._shares is not None:
            self._paint_mixture(painter, row, row.chosen, rect)
            return
        c = self._columns(rect)
        self._paint_action(painter, row, row.chosen, QRectF(c.action[0], rect.y(), c.action[1], rect.height()))
        if row.ranked is not None and not row.banned:
            self._paint_numbers(painter, row, row.chosen, rect, c)
        elif row.banned:
            room = QRectF(min(c.visits[0], c.prior[0]), rect.y(), 0, rect.height())
            room.setRight(rect.width() - self.theme.px(8))
            draw_text(painter, self.theme, room, "banned", "small", "operator_act", 500, RIGHT)

    def _paint_mixture(self, painter: QPainter, row: Row, chosen: bool, rect: QRectF) -> None:
        assert self._shares is not None, "called while they are shown"
        c = mixture_columns(self.theme, rect.width(), len(self._shares.mixture.cosines))
        self._paint_action(painter, row, chosen, QRectF(c.action[0], rect.y(), c.action[1], rect.height()))
        parts = self._parts_of(row)
        if parts is not None:
            paint_parts(painter, self.theme, *parts, rect, c)

    def _paint_action(self, painter: QPainter, row: Row, chosen: bool, rect: QRectF) -> None:
        theme = self.theme
        main, side = ("muted", "faint") if row.faint else ("text", "muted")
        picture = theme.pixmap(glyph(row.action.verb), theme.px(13), "operator_act" if row.banned else side)
        painter.drawPixmap(int(rect.x()), int(rect.center().y() - theme.px(13) / 2 + 0.5), picture)
        x = rect.x() + theme.px(17)
        room = QRectF(x, rect.y(), rect.right() - x, rect.height())
        if room.width() > theme.px(104):  # the icon shows the verb too
            took = draw_text(painter, theme, room, verb_words(row.action.verb), "small", side)
            room.setLeft(min(room.right(), x + took + theme.px(5)))
        weight = 650 if chosen and not row.banned else 400 if row.faint else 500
        wide = draw_text(painter, theme, room, self._names.target(row.action), "body", main, weight)
        if row.banned:
            painter.setPen(QPen(theme.colour("operator_act"), 1.2))
            painter.drawLine(int(x), int(rect.center().y()), int(min(rect.right(), room.x() + wide)), int(rect.center().y()))
        rest = room.adjusted(wide + theme.px(6), 0, 0, 0)
        if chosen:
            painter.fillRect(QRectF(theme.px(3), rect.y() + 3, theme.px(3), rect.height() - 6), theme.colour("accent"))
            if rest.width() >= text_width(theme, CHOSEN, "micro", 600):
                draw_text(painter, theme, rest, CHOSEN, "micro", "accent", 600)

    def _paint_numbers(self, painter: QPainter, row: Row, chosen: bool, rect: QRectF, c: Columns) -> None:
        theme, ranked = self.theme, row.ranked
        assert ranked is not None
        main, side = ("muted", "faint") if row.faint else ("text", "muted")
        weight = 600 if chosen else 400

        def cell(column: tuple[float, float], text: str, tone: str, bold: int = 400) -> None:
            room = QRectF(column[0], rect.y(), column[1], rect.height())
            if column[1]:
                draw_text(painter, theme, room, text, "small", tone, bold, RIGHT)

        flip = self._flips.get(row.action)
        cell(c.flip, flip.short if flip is not None else "", "faint")
        cell(c.prior, probability(ranked.prior), side)
        self._paint_bar(painter, row, chosen, QRectF(c.visits[0], rect.y(), c.visits[1], rect.height()))
        cell(c.visits, whole(ranked.visits), main, weight)
        cell(c.value, value(ranked.value), main, weight)
        if not c.loss[1]:
            return
        tone, _ = loss_mark(ranked.loss)
        room = theme.px(11)
        cell((c.loss[0], c.loss[1] - room), loss(ranked.loss), "faint" if row.faint or tone == "idle" else tone)
        draw_loss(painter, theme, c.loss[0] + c.loss[1] - theme.px(4), rect.center().y(), theme.px(4), ranked.loss)

    def _paint_bar(self, painter: QPainter, row: Row, chosen: bool, rect: QRectF) -> None:
        room = rect.width() - self._visits_wide - self.theme.px(6)
        if row.visits and room > self.theme.px(8):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self.theme.tinted("accent", 0.85 if chosen else 0.45))
            high = self.theme.px(8)
            wide = max(2.0, room * row.visits / self._most)
            painter.drawRoundedRect(QRectF(rect.x(), rect.center().y() - high / 2, wide, high), 2, 2)
