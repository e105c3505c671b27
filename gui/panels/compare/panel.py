"""The compare panel: two branches, two turns, two planners or two recordings, and where they differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import ClassVar

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QAction, QMouseEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QStackedLayout, QWidget

from core.common.shared_list import SharedList
from core.planning.facets import Moment
from core.session.branch_comparison import BranchComparer, Comparison, Pair, Side, Turns, usual_pair
from core.session.events import Began
from core.session.snapshot import Snapshot
from core.session.turns import Turn
from gui.control.context import Context
from gui.control.key_labels import KeyLabel
from gui.control.snapshot_texts import branch_name
from gui.panels.base import Panel
from gui.panels.compare.differences import BETWEEN, BY_SIDE, BY_TIME, DifferenceView
from gui.panels.compare.listing import Band, Listed, end_words, facts, headline, row_words, turn_words
from gui.panels.compare.moments import BEFORE, BRANCHES, NOTHING, OTHER, TITLES, Moments, ask_recording
from gui.theme import Theme
from gui.theme.boxes import FLUSH, hbox, vbox
from gui.widgets import (
    CENTRE,
    RIGHT,
    CardState,
    Line,
    Namer,
    Names,
    Picker,
    StateCard,
    draw_block,
    draw_loss,
    draw_mark,
    draw_text,
    glyph,
    loss_mark,
    text_width,
    tool_action,
)
from gui.widgets.chooser import Choice
from gui.widgets.lists import Rows
from gui.widgets.numbers import loss
from gui.widgets.text import ThemedWidget

WORDY = 210
"""Pixels at text size 100 %. If a side is at least this wide, refusals and losses are also given as text."""
FACET_SHARE, ITEM_SHARE = 0.35, 0.6
"""The largest share of the panel's height that the planner's data takes, without and with the items of a kind."""
QWIDGETSIZE_MAX = (1 << 24) - 1
"""Qt's largest height: a widget without a limit."""
NO_FORK = ("This run has one branch so far. Go to a turn, fork there ({Ctrl+Shift+F}) and try something else: "
           "both branches appear side by side.")


class ComparePanel(Panel):
    """Shows two branches turn by turn from where they diverge. A click goes to a turn.

    Below the turns is a row for every kind of facet that the planner showed in the turn displayed, or at the first difference.
    A click on a row shows what is new, gone, moved or changed. The picker at the top chooses what is compared: two branches,
    the turn displayed with the one before it, the planner with the second one that only thinks, or with another recording.

    Like the timeline, it shows the whole run or recording, whichever turn the window displays.
    """

    name: ClassVar[str] = "compare"
    title: ClassVar[str] = "Compare"
    icon: ClassVar[str] = "compare"

    def __init__(self, context: Context):
        super().__init__(context)
        theme = context.theme
        self._snapshot = Snapshot()
        self._began: Began | None = None
        self._branches: object = None
        self._chosen: tuple[int, int] | None = None
        self._comparing = BranchComparer()
        self._found: Comparison | None = None
        self._namer = Namer()
        self._named: tuple[SharedList[Turn], ...] = (SharedList(), SharedList())
        """The turns of each side whose actions the namer has already read."""
        self._compared: tuple[tuple[Moment, bool], ...] = ()
        """The turn of each side whose facets are compared, and whether it is completed."""
        self._read: dict[int, Snapshot | None] = {}
        """The last snapshot of each of these turns, by side. A recording takes a moment to read them."""
        self._empty, self._no_fork = StateCard(theme), ""
        self.heads = (BranchHead(theme, "Left"), BranchHead(theme, "Right"))
        self.rows, self.differences = CompareRows(theme), DifferenceView(theme, context.jobs)
        self.facet_rows = self.differences.kinds
        self.what, self._mode = Picker(theme, "compare", "Compare"), BRANCHES
        self._moments, self._showing = Moments(context), NOTHING
        self._only = tool_action(self, theme, "Only what differs", "filter", self._show_only, checkable=True)
        self._to_first = tool_action(self, theme, "To the first difference", "follow", self.to_first)
        self._build()
        self._connect()

    def _build(self) -> None:
        inside, theme = QWidget(), self.context.theme
        self._heads = hbox(theme, *((head, 1) for head in self.heads))
        vbox(theme, self._heads, (self.rows, 1), on=inside, spacing=2, margins=FLUSH)
        self._turns = QWidget()
        self._pages = QStackedLayout(self._turns)
        for page in (self._empty, inside):
            self._pages.addWidget(page)
        self._top = hbox(theme, (self.what, 1), margins=(8, 6, 8, 0))
        vbox(theme, self._top, (self._turns, 1), (self.differences, 1), on=self, spacing=2, margins=FLUSH)
        self._space()
        KeyLabel(self.context, self, self._explain, NO_FORK)

    def _connect(self) -> None:
        for side, head in enumerate(self.heads):
            head.picker.picked.connect(lambda name, side=side: self.choose(side, int(name)))
        self.rows.asked.connect(lambda moment: self.context.selection.asked_turn.emit(moment.branch, moment.turn))
        self.context.newest_changed.connect(self._go_on)
        self.what.picked.connect(self.compare)
        self.context.asked_comparison.connect(lambda path: self.compare(str(path)))
        self.differences.changed.connect(self._space)
        self._moments.changed.connect(self.redraw)

    def _explain(self, text: str) -> None:
        self._no_fork = text
        self._empty.show_state(CardState("empty", "No fork yet", text, "fork"))

    def _show_only(self) -> None:
        self.differences.show_only_differences(self._only.isChecked())
        self.redraw()

    def compare(self, mode: str) -> None:
        """Chooses what is compared: one of the modes of `TITLES`, or the path of a recording."""
        if mode == OTHER:
            ask_recording(self, lambda path: self.compare(str(path)))
            return
        self._mode = mode
        self.redraw()

    # --- display -------------------------------------------------------------
    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Shows the turns of both branches, and marks the turn that the window displays."""
        self._snapshot = snapshot
        self._take()

    def _go_on(self) -> None:
        """Shows new turns of the run while the window displays the past."""
        if self.isVisible():
            self._take()

    def _take(self) -> None:
        now, shown = self._now, self._snapshot
        place = (None, None) if self.context.live else (shown.branch, shown.turn)
        facets = None if self._mode == BRANCHES else shown.facets
        if self.has_changed(now.began, now.turns, now.branches, now.current, now.branch_states, now.branch, now.turn,
                            now.status, facets, *place):
            self.redraw()

    @property
    def _now(self) -> Snapshot:
        """Returns the newest snapshot of the run or the recording."""
        return self.context.newest(self._snapshot)

    @property
    def _looked_at(self) -> Moment | None:
        return None if self.context.live else Moment(self._snapshot.branch, self._snapshot.turn)

    def headline(self) -> str:
        """Returns where the branches differ first, and in how many turns."""
        if self._mode != BRANCHES:
            return self._showing.title
        return headline(self._found) if self._found is not None else ""

    def tools(self) -> tuple[QAction, ...]:
        """Returns the tools: the filter, and the jump to the first difference."""
        return self._only, self._to_first

    def choose(self, side: int, branch: int) -> None:
        """Chooses the branch of one side. Choosing the other side's branch swaps the two.

        Args:
            side: 0 for left, 1 for right.
            branch: the number of the branch.
        """
        pair = self._pair(self._now)
        if pair is not None:
            other = pair[1 - side] if branch != pair[1 - side] else pair[side]
            self._chosen = (other, branch) if side else (branch, other)
            self.redraw()

    def restyle(self) -> None:
        """Applies the theme's sizes and draws the panel again."""
        self._space()
        self.redraw()

    def _pair(self, now: Snapshot) -> tuple[int, int] | None:
        """Returns the branches to compare. A choice is forgotten when a branch is added or another run begins."""
        if now.began is not self._began or now.branches != self._branches:
            self._began, self._branches, self._chosen = now.began, now.branches, None
            self._namer.forget()
            self._named = (SharedList(), SharedList())
        return self._chosen or usual_pair(now)

    def redraw(self) -> None:
        """Draws the panel again at once."""
        now = self._now
        recording = () if self._mode in TITLES else (Choice(self._mode, f"With the recording {Path(self._mode).stem}"),)
        self.what.offer((*(Choice(name, title) for name, title in TITLES.items()), *recording), self._mode)
        if self._mode != BRANCHES:
            self._show_moments()
            return
        pair = self._pair(now)
        self._turns.setVisible(True)
        self._explain(self._no_fork)
        self._pages.setCurrentIndex(int(pair is not None))
        for tool in (self._only, self._to_first):
            tool.setEnabled(pair is not None)
        before, self._found = self._found, None if pair is None else self._comparing.of(now, *pair)
        if self._found is not None:
            self._fill(self._found, now, restart=before is None or (before.left.branch, before.right.branch) != pair)
        else:
            self._compared, self._read = (), {}
            self._show_facets()

    def _show_moments(self) -> None:
        """Shows the planner's data of two moments or two planners."""
        self._showing = found = self._moments.of(self._mode, self._snapshot, self._namer.of(self._snapshot.seen))
        self._only.setEnabled(found.pair is not None)
        self._to_first.setEnabled(False)
        self.differences.show_pair("Planner data", found.sides, found.pair, self._namer.of(self._snapshot.seen), opens=True,
                                   words=BY_TIME if self._mode == BEFORE else BY_SIDE)
        self._turns.setVisible(found.pair is None)
        self.differences.setVisible(found.pair is not None)
        self._pages.setCurrentIndex(0)
        if found.pair is None:
            self._empty.show_state(CardState("empty", found.title, found.why, "compare"))
        self.headline_changed.emit()
        self._space()

    def _fill(self, found: Comparison, now: Snapshot, *, restart: bool) -> None:
        sides = (found.left, found.right)
        for head, side in zip(self.heads, sides, strict=True):
            head.show_side(side, now.branches, now)
        self._named = tuple(self._learn_names(side.turns, named) for side, named in zip(sides, self._named, strict=True))
        branches, ends = (found.left.branch, found.right.branch), (end_words(found.left, now), end_words(found.right, now))
        rows = Listed(found, differing_only=self._only.isChecked())
        follows = self.rows.at_the_end()
        last = (found.left.last, found.right.last)
        self.rows.show_rows(Shown(rows, branches, ends, self._looked_at, last), self._namer.of(now.seen))
        self._to_first.setEnabled(found.first is not None)
        self._compare_facets(found)
        if restart:
            self.to_first()
        elif follows:
            self.rows.scrollToBottom()

    def _learn_names(self, turns: Turns, named: SharedList[Turn]) -> SharedList[Turn]:
        """Learns the names of the objects in the actions of one side. Reads only new turns if the side has just grown.

        Args:
            turns: the turns of the side.
            named: the turns read before.

        Returns:
            The turns read now, to pass as `named` next time.
        """
        new = turns.line.since(named)
        self._namer.meet(turn.done for turn in (*(turns.line if new is None else new), *turns[-1:]))
        return turns.line

    # --- facets --------------------------------------------------------------
    def _compare_facets(self, found: Comparison) -> None:
        """Reads both sides of the turn whose facets are compared, unless they have been read already."""
        pair = self._pair_compared(found)
        turns = [turn for turn in (pair.left, pair.right) if turn is not None] if pair is not None else []
        compared = tuple((turn.moment, turn.outcome is not None) for turn in turns)
        if compared != self._compared:
            self._compared, self._read = compared, {}
            self._show_facets()
            for side, turn in enumerate(turns):
                self.context.read_turn(turn.moment, partial(self._take_turn, compared, side))

    def _pair_compared(self, found: Comparison) -> Pair | None:
        """Returns the turn displayed, otherwise the first one that differs. None if there is neither on both sides."""
        wanted = (*([self._looked_at.turn] if self._looked_at is not None else []), *found.differ[:1])
        pairs = (found.pairs[found.pairs.place(number)] for number in wanted if number in found.pairs.numbers)
        return next((pair for pair in pairs if pair.left is not None and pair.right is not None), None)

    def _take_turn(self, compared: tuple[tuple[Moment, bool], ...], side: int, snapshot: Snapshot | None) -> None:
        if compared == self._compared:
            self._read[side] = snapshot
            self._show_facets()

    def _show_facets(self) -> None:
        left, right = self._read.get(0), self._read.get(1)
        pair = (left, right) if left is not None and right is not None else None
        title = f"Planner data at turn {self._compared[0][0].turn}" if pair is not None else ""
        self.differences.show_pair(title, ("", ""), pair, self._namer.of(self._now.seen), opens=False)
        self._space()

    def to_first(self) -> None:
        """Scrolls to the first difference, or to the end if there is none."""
        at = self.rows.rows.strong
        if at is None:
            self.rows.scrollToBottom()
        else:
            self.rows.verticalScrollBar().setValue(int(self.rows.row_top(max(0, at - 1))))

    # --- size ----------------------------------------------------------------
    def _space(self) -> None:
        px = self.context.theme.px
        self._heads.setContentsMargins(px(8), px(6), px(8), px(2))
        self._heads.setSpacing(px(BETWEEN) if self.width() > px(260) else px(8))
        view = self.differences
        if self._mode == BRANCHES:
            share = FACET_SHARE if view.kinds.current < 0 else ITEM_SHARE
            view.setFixedHeight(min(view.wanted_height, int(self.height() * share)))
            view.setVisible(view.has_rows)
        else:
            view.setMinimumHeight(0)
            view.setMaximumHeight(QWIDGETSIZE_MAX)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Aligns the headers with their sides if the panel is wide enough, and gives the facets their share of the height."""
        super().resizeEvent(event)
        self._space()


class BranchHead(ThemedWidget):
    """A picker of the branch, above two lines of facts about it."""

    def __init__(self, theme: Theme, caption: str):
        super().__init__()
        self._theme, self._shown = theme, tuple[object, ...]()
        self.picker = Picker(theme, "fork", caption)
        self.facts = Line(theme, "", "small", "muted")
        self.end = Line(theme, "", "small", "muted", 600)
        self._column = vbox(theme, self.picker, self.facts, self.end, on=self, margins=FLUSH)
        self.restyle()

    def show_side(self, side: Side, branches: Sequence[tuple[int, int | None, int]], now: Snapshot) -> None:
        """Shows a branch.

        Args:
            side: the branch of this side of the comparison.
            branches: all branches to pick from: number, parent, and the turn at which it was forked.
            now: the newest snapshot of the run or the recording.
        """
        shown = (side.branch, branches)
        if shown != self._shown:
            self._shown = shown
            self.picker.offer(tuple(Choice(str(number), _title(number, leaves)) for number, _, leaves in branches),
                              str(side.branch))
        end, tone = end_words(side, now)
        self.facts.say(facts(side))
        self.end.say(end, tone)
        self.setAccessibleName(f"{_title(side.branch, 0)}: {facts(side)}, {end}")

    def restyle(self) -> None:
        """Takes the sizes of the theme again."""
        self._column.setSpacing(self._theme.px(2))
        self.setMinimumWidth(self._theme.px(40))


class CompareRows(Rows):
    """The list of turns of both branches.

    A click goes to a turn of the clicked side. The arrow keys move up and down a side, and to the other side.
    """

    asked = Signal(object)
    """Emitted with the `Moment` to display."""

    def __init__(self, theme: Theme):
        super().__init__(theme, row=24)
        self._shown, self._names = Shown(), Names()
        self._side, self._under_side = 1, 0
        self._after: tuple[int, int] = (-1, -1)
        self.setAccessibleName("Turns of both branches")
        self.chosen.connect(self._ask)
        self.hovered.connect(lambda _: self._tip())
        self.on_key(Qt.Key.Key_Left, lambda: self._cross(0))
        self.on_key(Qt.Key.Key_Right, lambda: self._cross(1))

    def show_rows(self, shown: Shown, names: Names) -> None:
        """Shows other rows.

        Args:
            shown: the rows and what belongs to them.
            names: display names of objects.
        """
        self._shown, self._names = shown, names
        self._after = (shown.rows.after(shown.last[0]), shown.rows.after(shown.last[1]))
        if self.current >= self.count():
            self.current = -1
        self.refresh()

    @property
    def rows(self) -> Listed:
        """Returns the rows shown."""
        return self._shown.rows

    def moment(self, index: int, side: int) -> Moment | None:
        """Returns the turn of a row and a side, or None if there is none.

        Args:
            index: the row.
            side: 0 for left, 1 for right.
        """
        row = self.rows[index] if 0 <= index < self.count() else None
        turn = _turn(row, side) if isinstance(row, Pair) else None
        return Moment(turn.branch, turn.number) if turn is not None else None

    # --- rows --------------------------------------------------------------
    def count(self) -> int:
        """Returns the number of rows, bands included."""
        return len(self._shown.rows)

    def can_choose(self, index: int) -> bool:
        """Returns True if the row is a turn. Bands cannot be chosen."""
        return 0 <= index < self.count() and isinstance(self.rows[index], Pair)

    def row_words(self, index: int) -> str:
        """Returns the text of a row for assistive tools."""
        return row_words(self.rows[index], self._shown.sides, self._names)

    # --- painting ----------------------------------------------------------
    def paint_row(self, painter: QPainter, index: int, rect: QRectF) -> None:
        """Paints a band, or one turn of both sides."""
        row = self.rows[index]
        if isinstance(row, Band):
            self._paint_band(painter, row, rect)
            return
        left, right = self._sides(rect)
        self._paint_number(painter, row, QRectF(left.right(), rect.y(), right.left() - left.right(), rect.height()))
        for side, room in enumerate((left, right)):
            self._paint_cell(painter, (index, side), row, room.adjusted(0, 1, 0, -1))

    def _sides(self, rect: QRectF) -> tuple[QRectF, QRectF]:
        px = self.theme.px
        wide = max(0.0, (rect.width() - px(BETWEEN) - px(16)) / 2)
        return (QRectF(rect.x() + px(8), rect.y(), wide, rect.height()),
                QRectF(rect.right() - px(8) - wide, rect.y(), wide, rect.height()))

    def _paint_band(self, painter: QPainter, band: Band, rect: QRectF) -> None:
        theme, px = self.theme, self.theme.px
        wide = min(rect.width() - px(16), text_width(theme, band.text, "small", 650 if band.strong else 400) + px(16))
        y = int(rect.center().y()) + 0.5
        painter.setPen(QPen(theme.colour("text" if band.strong else "line"), 1))
        painter.drawLine(int(rect.left() + px(8)), int(y), int(rect.right() - px(8)), int(y))
        chip = QRectF(rect.center().x() - wide / 2, rect.y() + px(3), wide, rect.height() - px(6))
        if band.strong:
            draw_block(painter, theme, chip, "raised", "text", px(4))
            draw_text(painter, theme, chip, band.text, "small", "text", 650, CENTRE)
        else:
            painter.fillRect(chip, theme.colour("surface"))
            draw_text(painter, theme, chip, band.text, "small", "faint", align=CENTRE)

    def _paint_number(self, painter: QPainter, row: Pair, room: QRectF) -> None:
        """Paints the turn number, with ≠ in a chip if both sides differ and a plain = if they do not."""
        theme, px = self.theme, self.theme.px
        both = all(turn is not None and turn.outcome is not None for turn in (row.left, row.right))
        text = f"{row.number} {'≠' if row.differs else '='}" if both else str(row.number)
        if row.differs:
            draw_block(painter, theme, room.adjusted(px(4), px(3), -px(4), -px(3)), "raised", "line_strong", px(4))
        draw_text(painter, theme, room, text, "small", "text" if row.differs else "faint", 600 if row.differs else 400, CENTRE)

    def _paint_cell(self, painter: QPainter, at: tuple[int, int], row: Pair, room: QRectF) -> None:
        theme, px, turn = self.theme, self.theme.px, _turn(row, at[1])
        if turn is None:
            words, tone = self._shown.ends[at[1]] if self._after[at[1]] == at[0] else ("", "faint")
            draw_text(painter, theme, room.adjusted(px(8), 0, -px(6), 0), words, "small", tone, 500)
            return
        looked_at = self._shown.looked_at == Moment(turn.branch, turn.number)
        if looked_at:
            draw_block(painter, theme, room, "selection_bg", "selection", px(4), 1.5)
        elif at == (self.under, self._under_side):
            draw_block(painter, theme, room, "hover", "", px(4))
        elif turn.outcome is None:
            painter.setPen(QPen(theme.colour("line_strong"), 1, Qt.PenStyle.DashLine))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(room.adjusted(0.5, 0.5, -0.5, -0.5), px(4), px(4))
        inside = room.adjusted(px(6), 0, -px(6), 0)
        self._paint_result(painter, turn, inside)
        self._paint_action(painter, turn, inside, "text" if row.differs or looked_at else "muted")

    def _paint_result(self, painter: QPainter, turn: Turn, room: QRectF) -> None:
        """Paints loss and refusal of a turn at the right end of `room`, and shortens `room` by their width."""
        theme, px, wordy = self.theme, self.theme.px, room.width() >= self.theme.px(WORDY)
        y = room.center().y()
        if turn.loss is not None:
            draw_loss(painter, theme, room.right() - px(5), y, px(4.5), turn.loss)
            room.setRight(room.right() - px(14))
            if wordy:
                text = loss(turn.loss)
                draw_text(painter, theme, room, text, "small", loss_mark(turn.loss)[0], 600, RIGHT)
                room.setRight(room.right() - text_width(theme, text, "small", 600) - px(8))
        if turn.outcome is not None and not turn.outcome.ok:
            if wordy:
                draw_text(painter, theme, room, "refused", "small", "bad", 500, RIGHT)
                room.setRight(room.right() - text_width(theme, "refused", "small", 500) - px(5))
            draw_mark(painter, "octagon", room.right() - px(6), y, px(5.5), theme.colour("bad_bg"), theme.colour("blocked"))
            room.setRight(room.right() - px(16))

    def _paint_action(self, painter: QPainter, turn: Turn, room: QRectF, tone: str) -> None:
        theme, px, action = self.theme, self.theme.px, turn.done
        operator = turn.by == "operator" and action is not None
        icon = "override" if operator else glyph(action.verb) if action is not None else "planner"
        tone = "operator_act" if operator else tone
        if room.width() < px(30):
            return
        side = px(14)
        painter.drawPixmap(int(room.x()), int(room.center().y() - side / 2 + 0.5), theme.pixmap(icon, side, tone))
        words = self._names.phrase(action) if action is not None else "thinking"
        draw_text(painter, theme, room.adjusted(px(20), 0, 0, 0), words, "body", tone, 500)

    # --- pointer and keys --------------------------------------------------
    def _side_at(self, x: float) -> int:
        return int(x > self.viewport().width() / 2)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Chooses the turn of the side under the pointer."""
        self._side = self._side_at(event.position().x())
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Highlights the turn under the pointer, and updates the tip when the pointer changes sides."""
        side = self._side_at(event.position().x())
        if side != self._under_side:
            self._under_side = side
            self._tip()
            self.redraw()
        super().mouseMoveEvent(event)

    def _cross(self, side: int) -> None:
        self._side = side
        self._ask(self.current)

    def _ask(self, index: int) -> None:
        moment = self.moment(index, self._side)
        if moment is not None:
            self.asked.emit(moment)

    def _tip(self) -> None:
        row = self.rows[self.under] if 0 <= self.under < self.count() else None
        turn = _turn(row, self._under_side) if isinstance(row, Pair) else None
        tip = ""
        if turn is not None:
            name = branch_name(self._shown.sides[self._under_side])
            tip = f"Turn {turn.number}, {name}: {turn_words(turn, self._names)}"
            tip += f"\n{turn.because}" if turn.because else ""
        self.viewport().setToolTip(tip)


@dataclass(frozen=True, slots=True)
class Shown:
    """What the list shows.

    Attributes:
        rows: the rows.
        sides: the numbers of the left and the right branch.
        ends: for each side, the text in place of the turn after its last one, and the token of the text's colour.
        looked_at: the turn that the window displays, or None for the present.
        last: the number of the last turn of each side.
    """

    rows: Listed = field(default_factory=Listed)
    sides: tuple[int, int] = (0, 0)
    ends: tuple[tuple[str, str], tuple[str, str]] = (("", ""), ("", ""))
    looked_at: Moment | None = None
    last: tuple[int, int] = (0, 0)


def _title(number: int, leaves: int) -> str:
    name = branch_name(number)
    return name[:1].upper() + name[1:] + (f" · from turn {leaves}" if number and leaves else "")


def _turn(row: Pair, side: int) -> Turn | None:
    return row.right if side else row.left
