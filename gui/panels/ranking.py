"""The ranking panel: the actions the planner could choose now, best first, and the operator's commands about them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from PySide6.QtCore import QEvent, QObject, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QKeyEvent, QMouseEvent, QPainter, QPen, QResizeEvent

from core.common.parameters import described
from core.goals.literals import Goal
from core.planning.facets import Facet, RankedAction, Ranking
from core.session.commands import Ban, Deepen, Step, Unban
from core.session.snapshot import Snapshot
from core.world.vocabulary import Action
from gui.control.context import Context, Selected
from gui.control.previews import Previews
from gui.control.snapshot_texts import staleness
from gui.panels.base import Panel
from gui.theme import Theme
from gui.widgets import (
    LEFT,
    RIGHT,
    EmptyState,
    Namer,
    Names,
    StaleOverlay,
    draw_loss,
    draw_text,
    glyph,
    loss_mark,
    text_width,
    tool_action,
    verb_words,
)
from gui.widgets import numbers as say
from gui.widgets.lists import Rows
from gui.widgets.names import split_id
from gui.widgets.numbers import loss, probability, value, whole

LEAST_VISITS = 3
"""Rows with fewer visits are drawn faint."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row: an action of the ranking, or one that the operator banned (then `ranked` may be None).

    `searched` is False if the planner ranks without a search: then there are no visits and values, only P.
    """

    action: Action
    ranked: RankedAction | None
    banned: bool = False
    searched: bool = True

    @property
    def visits(self) -> int:
        """The number of simulations that began with the action."""
        return self.ranked.visits if self.ranked is not None else 0

    @property
    def faint(self) -> bool:
        """True if the action is banned or has too few visits to judge it."""
        return self.banned or (self.searched and self.visits < LEAST_VISITS)


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


def make_listing(ranking: Ranking, banned: frozenset[Action], *, goal: Goal | None = None, room: int = 10_000,
                 order: Sequence[Action] = ()) -> Listing:
    """Returns the rows to show.

    Args:
        ranking: best first.
        banned: the banned actions; they are listed last.
        goal: lists only actions about objects of this goal; None: all actions.
        room: how many rows fit; unvisited actions beyond that are only counted.
        order: the order to keep while rows must not move.
    """
    searched = ranking.budget > 0 or any(r.visits for r in ranking.actions)
    rows = [Row(last_step(r), r, searched=searched) for r in ranking.actions if r.steps and last_step(r) not in banned]
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
    if ranked is not None and not row.searched:
        return f"{names.phrase(row.action)}, probability {probability(ranked.prior)}"
    if ranked is None or ranked.value is None:
        return f"{names.phrase(row.action)}, never visited"
    lost = "best" if not ranked.loss else f"loss {ranked.loss:.1f}"
    return f"{names.phrase(row.action)}, {ranked.visits} visits, value {ranked.value:.2f}, {lost}"


BAR = 14
"""The least width of the bar of visits, in pixels, where there is room for a bar."""


@dataclass(frozen=True, slots=True)
class Columns:
    """The left edges and widths of the columns, in pixels. A width of 0 means there is no room for the column."""

    action: tuple[float, float]
    prior: tuple[float, float]
    visits: tuple[float, float]
    value: tuple[float, float]
    loss: tuple[float, float]


def columns(theme: Theme, width: float, visits_wide: float = 0.0, *, searched: bool = True) -> Columns:
    """Returns the columns. The action gets what the numbers leave.

    In a narrow panel the bar of visits is dropped first, then P, then Q. Without a search there is only P.

    Args:
        theme: gives the sizes.
        width: pixels of a row.
        visits_wide: pixels of the longest number of visits; its column is at least that wide.
        searched: whether the ranking comes from a search.
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
        return Columns((px(12), right - px(12)), prior, none, none, none)
    lost = column(px(44), 0)
    mean = column(px(32), 240)
    visits = column(max(visits_wide + px(BAR + 6), px(62)) if width >= px(330) else max(visits_wide, px(34)), 0)
    prior = column(px(26), 280)
    return Columns((px(12), right - px(12)), prior, visits, mean, lost)


class RankingRows(Rows):
    """The list of actions: icon, verb, object, P, N with its bar, Q, and loss with its mark.

    The foot counts the actions that are not listed.
    """

    foot_clicked = Signal()

    def __init__(self, theme: Theme):
        super().__init__(theme, row=20, head=21)
        self._listing, self._names, self._foot = Listing(), Names(), ""
        self._most, self._visits_wide = 1, 0.0
        self.setAccessibleName("Ranked actions")

    @property
    def listing(self) -> Listing:
        """The rows that are shown."""
        return self._listing

    def show_listing(self, listing: Listing, names: Names, foot: str) -> None:
        """Shows rows."""
        self._listing, self._names, self._foot = listing, names, foot
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
        return row_words(rows[index], self._names) if index < len(rows) else self._foot

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Emits `foot_clicked` on a click on the foot."""
        if self._foot and self.row_at(event.position().y()) == len(self._listing.rows):
            self.foot_clicked.emit()
        super().mousePressEvent(event)

    # --- painting ----------------------------------------------------------
    def _columns(self, rect: QRectF) -> Columns:
        return columns(self.theme, rect.width(), self._visits_wide, searched=self._listing.searched)

    def paint_head(self, painter: QPainter, rect: QRectF) -> None:
        """Paints the column titles."""
        theme, c = self.theme, self._columns(rect)
        visits = LEFT if c.visits[1] > self._visits_wide + theme.px(BAR) else RIGHT
        heads = (("Action", c.action, LEFT), ("P", c.prior, RIGHT), ("N", c.visits, visits), ("Q", c.value, RIGHT),
                 ("Loss", c.loss, RIGHT))
        for text, (x, width), align in heads:
            if width:
                draw_text(painter, theme, QRectF(x, 0, width, rect.height()), text, "small", "faint", 500, align)
        painter.setPen(QPen(theme.colour("line"), 1))
        painter.drawLine(0, int(rect.height()) - 1, int(rect.width()), int(rect.height()) - 1)

    def paint_row(self, painter: QPainter, index: int, rect: QRectF) -> None:
        """Paints one action, or the foot."""
        if index == len(self._listing.rows):
            room = rect.adjusted(self.theme.px(12), 0, -self.theme.px(8), 0)
            draw_text(painter, self.theme, room, self._foot, "small", "text" if index == self.under else "faint")
            return
        row = self._listing.rows[index]
        self.paint_back(painter, index, rect)
        c = self._columns(rect)
        self._paint_action(painter, row, index == 0, QRectF(c.action[0], rect.y(), c.action[1], rect.height()))
        if row.ranked is not None and not row.banned:
            self._paint_numbers(painter, row, index == 0, rect, c)
        elif row.banned:
            room = QRectF(min(c.visits[0], c.prior[0]), rect.y(), 0, rect.height())
            room.setRight(rect.width() - self.theme.px(8))
            draw_text(painter, self.theme, room, "banned", "small", "operator_act", 500, RIGHT)

    def _paint_action(self, painter: QPainter, row: Row, best: bool, rect: QRectF) -> None:
        theme = self.theme
        main, side = ("muted", "faint") if row.faint else ("text", "muted")
        picture = theme.pixmap(glyph(row.action.verb), theme.px(13), "operator_act" if row.banned else side)
        painter.drawPixmap(int(rect.x()), int(rect.center().y() - theme.px(13) / 2 + 0.5), picture)
        x = rect.x() + theme.px(17)
        room = QRectF(x, rect.y(), rect.right() - x, rect.height())
        if room.width() > theme.px(104):  # the icon shows the verb too
            took = draw_text(painter, theme, room, verb_words(row.action.verb), "small", side)
            room.setLeft(min(room.right(), x + took + theme.px(5)))
        weight = 650 if best and not row.banned else 400 if row.faint else 500
        wide = draw_text(painter, theme, room, self._names.target(row.action), "body", main, weight)
        if row.banned:
            painter.setPen(QPen(theme.colour("operator_act"), 1.2))
            painter.drawLine(int(x), int(rect.center().y()), int(min(rect.right(), room.x() + wide)), int(rect.center().y()))

    def _paint_numbers(self, painter: QPainter, row: Row, best: bool, rect: QRectF, c: Columns) -> None:
        theme, ranked = self.theme, row.ranked
        assert ranked is not None
        main, side = ("muted", "faint") if row.faint else ("text", "muted")
        weight = 600 if best else 400

        def cell(column: tuple[float, float], text: str, tone: str, bold: int = 400) -> None:
            room = QRectF(column[0], rect.y(), column[1], rect.height())
            if column[1]:
                draw_text(painter, theme, room, text, "small", tone, bold, RIGHT)

        cell(c.prior, probability(ranked.prior), side)
        self._paint_bar(painter, row, best, QRectF(c.visits[0], rect.y(), c.visits[1], rect.height()))
        cell(c.visits, whole(ranked.visits), main, weight)
        cell(c.value, value(ranked.value), main, weight)
        if not c.loss[1]:
            return
        tone, _ = loss_mark(ranked.loss)
        room = theme.px(11)
        cell((c.loss[0], c.loss[1] - room), loss(ranked.loss), "faint" if row.faint or tone == "idle" else tone)
        draw_loss(painter, theme, c.loss[0] + c.loss[1] - theme.px(4), rect.center().y(), theme.px(4), ranked.loss)

    def _paint_bar(self, painter: QPainter, row: Row, best: bool, rect: QRectF) -> None:
        room = rect.width() - self._visits_wide - self.theme.px(6)
        if row.visits and room > self.theme.px(8):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self.theme.tinted("accent", 0.85 if best else 0.45))
            high = self.theme.px(8)
            wide = max(2.0, room * row.visits / self._most)
            painter.drawRoundedRect(QRectF(rect.x(), rect.center().y() - high / 2, wide, high), 2, 2)


REPEAT_MS = 80
"""Milliseconds for which a key must stay up before the release counts.

A held key goes up and down thirty times a second, and on a busy machine X11 does not always mark that as a repetition.
"""


class HeldBan(QObject):
    """Keeps one row of a list from the press of the key to its release.

    Args:
        watched: the list that has the keyboard focus.
        preview: answers what the ban, or its removal, would change.
        act: bans the row's action, or allows it again.
    """

    def __init__(self, watched: QObject, preview: Previews, act: Callable[[Row], None]):
        super().__init__(watched)
        self._preview, self._act = preview, act
        self._row: Row | None = None
        self._down = False
        self._up = QTimer(self)
        self._up.setSingleShot(True)
        self._up.setInterval(REPEAT_MS)
        self._up.timeout.connect(self._let_go)
        watched.installEventFilter(self)
        preview.cancelled.connect(self._forget)

    def press(self, row: Row, banned: frozenset[Action], names: Names) -> None:
        """Starts the preview for the row on which the key was pressed."""
        self._row, self._down = row, True
        words = f"{names.phrase(row.action)} is {'allowed' if row.banned else 'banned'}"
        self._preview.ask(words, banned=banned ^ {row.action})

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Handles the release of the key and the loss of the keyboard focus.

        The release of any key counts, because the operator may have assigned another key to the ban. If the list loses the
        focus, nothing is banned.
        """
        del watched
        if not self._down:
            return False
        if event.type() == QEvent.Type.FocusOut:
            self._up.stop()
            self._down = False
            self._preview.cancel()
        elif event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            repeats = event.isAutoRepeat() or self._up.isActive()
            self._up.stop()
            return repeats
        elif event.type() == QEvent.Type.KeyRelease:
            self._up.start()
        return False

    def _let_go(self) -> None:
        row, self._row, self._down = self._row, None, False
        if row is not None:
            self._preview.release()
            self._act(row)

    def _forget(self) -> None:
        self._row = None


MORE_SIMULATIONS = 100
PREVIEW_MS = 120
"""Milliseconds for which the pointer rests on a row before its variation is shown."""


class RankingPanel(Panel):
    """The ranking panel: actions best first, with the evidence for each.

    Resting on a row shows its variation in all panels (it is selected until the pointer leaves); a click keeps the selection.

    Enter or a double click previews an override. N searches the selected action with 25 more simulations, Q searches all
    actions until their visits are equal, D adds 100 simulations to the budget, and F lists only actions about the goal's
    objects. X bans or allows an action; in a paused run, holding X previews what that would change, and Escape cancels it.
    """

    name: ClassVar[str] = "ranking"
    title: ClassVar[str] = "Ranking"
    facets: ClassVar[frozenset[type[Facet]]] = frozenset({Ranking})
    icon: ClassVar[str] = "ranking"
    previews: ClassVar[bool] = True

    def __init__(self, context: Context):
        super().__init__(context)
        self._snapshot = Snapshot()
        self._listing, self._namer = Listing(), Namer()
        self._all = self._playing = False
        self._kept: Selected | None = None
        empty = EmptyState(context.theme, "filter", "No actions to rank yet",
                           "The planner's choices appear here with their visits and values once it thinks.")
        self.rows = RankingRows(context.theme)
        self._held_ban = HeldBan(self.rows, context.preview, self._ban_or_allow)
        self._stale = ""
        self._overlay = StaleOverlay(context.theme, self.rows)
        self._pages = self.stack(empty, self.rows)
        self._goal_only = tool_action(self, context.theme, "Only the goal's objects", "filter", self.redraw,
                                      checkable=True, key="F")
        self._more = tool_action(self, context.theme, "More visits for the selected action", "add", self.more_visits, key="N")
        self._equal = tool_action(self, context.theme, "Equalise visits", "equal", self.equalise, key="Q")
        self._preview = QTimer(self)
        self._preview.setSingleShot(True)
        self._preview.setInterval(PREVIEW_MS)
        self._preview.timeout.connect(self._play)
        self._connect()

    def _connect(self) -> None:
        rows = self.rows
        rows.chosen.connect(self._choose)
        rows.opened.connect(lambda index: self._override(self._listing.rows[index]))
        rows.hovered.connect(self._hover)
        rows.foot_clicked.connect(self._list_all)
        key = Qt.Key
        for code, act in ((key.Key_X, self._press_ban), (key.Key_N, self.more_visits), (key.Key_D, self.deeper),
                          (key.Key_Q, self.equalise),
                          (key.Key_F, self._goal_only.trigger)):
            rows.on_key(code, act)
        self.context.selection.changed.connect(self._follow)

    # --- what it shows -----------------------------------------------------
    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Shows the newest ranking, bans and names."""
        self._snapshot = snapshot
        self._stale = staleness(snapshot, Ranking, "new search")
        if self.has_changed(snapshot.facet(Ranking), snapshot.banned, self._namer.of(snapshot.seen), snapshot.options,
                            snapshot.goal, snapshot.status == "paused", not self._stale):
            self.redraw()

    def headline(self) -> str:
        """Returns the number of actions, and by how much the best one leads."""
        ranking = self._snapshot.facet(Ranking)
        if ranking is None:
            return ""
        gap = lead(ranking)
        leads = "" if gap is None else f" · best action leads by {say.lead(gap)}"
        return f"{say.count(len(ranking.actions), 'action')}{leads}"

    def tools(self) -> tuple[QAction, ...]:
        """Returns the actions for more visits, equal visits and the filter."""
        return (self._more, self._equal, self._goal_only)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Lists as many rows as now fit."""
        super().resizeEvent(event)
        if self._snapshot.facet(Ranking) is not None:
            self.redraw()

    def redraw(self) -> None:
        """Draws the panel again at once."""
        snapshot = self._snapshot
        ranking = snapshot.facet(Ranking)
        self._pages.setCurrentIndex(int(ranking is not None))
        if ranking is None:
            return
        held = [row.action for row in self._listing.rows] if self.rows.under >= 0 else []
        self._listing = make_listing(ranking, snapshot.banned, goal=snapshot.goal if self._goal_only.isChecked() else None,
                                     room=10_000 if self._all else self.rows.rows_that_fit(), order=held)
        self.rows.show_listing(self._listing, self._namer.of(snapshot.seen), self._foot())
        self._overlay.say(self._stale)
        self._follow(self.context.selection.now)

    def _foot(self) -> str:
        """Returns a line that counts the actions not listed."""
        impossible = not_possible(self._snapshot)
        unvisited = "more, never visited" if self._listing.searched else "more"
        parts = [f"{say.whole(n)} {what}" for n, what in (
            (self._listing.unvisited, unvisited), (self._listing.filtered, "not about the goal"),
            (impossible, "not possible now")) if n]
        return f"Not listed: {' · '.join(parts)}" if parts else ""

    def _list_all(self) -> None:
        self._all = not self._all
        self.redraw()

    # --- the selection -----------------------------------------------------
    def _follow(self, selected: Selected | None) -> None:
        if selected is not None and selected.kind == "action":
            self.rows.choose(self._listing.index_of(selected.action))
        else:
            self.rows.choose(-1)

    def _choose(self, index: int) -> None:
        self._preview.stop()
        self._kept = Selected("action", action=self._listing.rows[index].action)
        self.context.selection.select(self._kept)

    def _hover(self, index: int) -> None:
        if self.rows.can_choose(index):
            self._preview.start()
            return
        self._preview.stop()
        if index < 0 and self._playing:
            self._playing = False
            self.context.selection.select(self._kept)

    def _play(self) -> None:
        index = self.rows.under
        if not self.rows.can_choose(index):
            return
        if not self._playing:
            self._kept, self._playing = self.context.selection.now, True
        self.context.selection.select(Selected("action", action=self._listing.rows[index].action))

    # --- the operator's acts -----------------------------------------------
    def _current(self) -> Row | None:
        """Returns the row that keys act on: the one under the pointer while it is previewed, otherwise the selected one."""
        index = self.rows.current
        return self._listing.rows[index] if self.rows.can_choose(index) else None

    def _override(self, row: Row) -> None:
        """Previews an override with a row's action. For a macro it offers the steps; the first possible one is used."""
        if self.context.live:
            self.context.selection.asked_actions.emit(row.ranked.steps if row.ranked is not None else (row.action,))

    def ban_or_allow(self) -> None:
        """Bans the current action, or allows it again. The command can be undone."""
        row = self._current()
        if row is not None and self.context.live:
            self._ban_or_allow(row)

    def _press_ban(self) -> None:
        """Starts the preview of a ban if the run is paused, otherwise bans the action or allows it again."""
        row = self._current()
        if row is not None and self.context.live and self._snapshot.status == "paused":
            self._held_ban.press(row, self._snapshot.banned, self._namer.of(None))
        else:
            self.ban_or_allow()

    def _ban_or_allow(self, row: Row) -> None:
        command, word = (Unban(row.action), "Allow") if row.banned else (Ban(row.action), "Ban")
        self.context.push_command(command, f"{word} {self._namer.of(None).phrase(row.action)}")

    def more_visits(self) -> None:
        """Requests 25 more simulations of the current action. A paused run does them and pauses again."""
        row = self._current()
        if row is not None and row.ranked is not None:
            self._deepen(row.action)

    def equalise(self) -> None:
        """Requests simulations until all actions have equally many visits."""
        self._deepen(None)

    def _deepen(self, action: Action | None) -> None:
        if not self.context.live:
            return
        self.context.post(Deepen(action))
        if self._snapshot.status == "paused":
            self.context.post(Step("checkpoint"))

    def deeper(self) -> None:
        """Adds 100 simulations to the budget, if the planner has a parameter for it."""
        if not self.context.live:
            return
        for parameter in described(self._snapshot.parameters):
            if parameter.name == "simulations" and isinstance(parameter.value, int):
                more = parameter.value + MORE_SIMULATIONS
                self.context.push_parameter(f"simulations: {more}", "simulations", more, parameter.value)
