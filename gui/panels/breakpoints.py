"""The breakpoints panel: lists breakpoints with their hits and present values, and edits them as expressions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QIntValidator, QMouseEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from core.planning.measures import FacetIndex
from core.session.breakpoints import Breakpoint, Hit
from core.session.checked_expressions import condition, expression, in_words
from core.session.commands import ClearBreakpoint, EnableBreakpoint, SetBreakpoint
from core.session.expressions import ExpressionError
from core.session.snapshot import Snapshot
from gui.control.context import Context
from gui.control.watches import MOST, is_watch
from gui.panels.base import LiveOffer, Offer, Panel
from gui.theme import Theme
from gui.theme.boxes import FLUSH, hbox, vbox
from gui.widgets import RIGHT, Button, Line, Prose, Segment, Tool, draw_text, text_width, tool_action
from gui.widgets import numbers as say
from gui.widgets.buttons import ButtonRow, list_over
from gui.widgets.expression_field import ExpressionField, words
from gui.widgets.lists import ItemRows
from gui.widgets.numbers import count

MANNERS = ("Stop", "Once", "Log")
SET, CHANGE = "Set this breakpoint", "Change the breakpoint"
MOST_HITS = 9999


class BreakpointsPanel(Panel):
    """Lists the breakpoints set now, which apply to every later run. For a recording, lists those set at that time.

    Enter or a double click goes to the last hit. Delete deletes a breakpoint, F2 edits it. Enter in the field sets one.
    """

    name: ClassVar[str] = "breakpoints"
    title: ClassVar[str] = "Breakpoints"
    icon: ClassVar[str] = "breakpoint"
    interval: ClassVar[int] = 300

    def __init__(self, context: Context):
        super().__init__(context)
        theme = context.theme
        self._snapshot = Snapshot()
        self._edited: Breakpoint | None = None
        """The breakpoint that the field replaces; None: it sets another one."""
        self.rows = PointRows(theme)
        self._switch = Button(theme, "Turn off", "breakpoint", act=self._toggle)
        self._last = Button(theme, "Last hit", "prev", act=self._go)
        self._change = Button(theme, "Edit", "edit", act=self.edit)
        self._delete = Button(theme, "Delete", "close", act=self.delete)
        self._row = ButtonRow(theme, (self._switch, self._last, self._change, self._delete))
        self.field = ExpressionField(theme, "gap < 0.2 and turn > 3", self._check)
        self.manner = Segment(theme, MANNERS, what="What it does when it is true")
        self.from_hit = QLineEdit("1")
        self.from_hit.setAccessibleName("From which hit on")
        self.from_hit.setValidator(QIntValidator(1, MOST_HITS, self))
        self.from_hit.setFixedWidth(theme.px(52))
        self._note, self._choices = Prose(theme, "", "micro", "muted"), QWidget()
        self._add = tool_action(self, theme, SET, "check", self.confirm)
        self._watch = tool_action(self, theme, "Watch: plot it under the timeline", "scatter", self.watch)
        empty = self.nothing(
            "breakpoint", "breakpoints", "Type a condition below. The palette has ready-made ones under “break”.",
            lambda snapshot: f"Until turn {snapshot.turn} none was set.")
        body = QWidget()
        self._pages = self.stack(empty, list_over(theme, self.rows, self._row), body)
        self.offer = LiveOffer(context, "A breakpoint")
        vbox(theme, (body, 1), self.offer, self._editor(), on=self, spacing=0, margins=FLUSH)
        self._connect()
        self.redraw()

    def _editor(self) -> QWidget:
        part, theme = QWidget(), self.context.theme
        line = hbox(theme, (self.field, 1), Tool(theme, self._add), Tool(theme, self._watch), spacing=4)
        hbox(theme, self.manner, 0, Line(theme, "from hit", "micro", "muted"), self.from_hit, on=self._choices, spacing=5,
             margins=FLUSH)
        vbox(theme, self._note, line, self._choices, on=part, spacing=3, margins=(8, 2, 8, 6))  # the names open under the line
        return part

    def _connect(self) -> None:
        rows, field, context = self.rows, self.field, self.context
        rows.chosen.connect(lambda _: self._allow())
        rows.toggled.connect(self._toggle_row)
        rows.opened.connect(lambda _: self._go())
        rows.on_key(Qt.Key.Key_Delete, self.delete)
        rows.on_key(Qt.Key.Key_F2, self.edit)
        field.judged.connect(self._judge)
        field.confirmed.connect(self.confirm)
        field.left.connect(self._leave)
        context.breakpoints.changed.connect(self.redraw)
        context.live_changed.connect(lambda _: self.redraw())

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Shows the snapshot's hits and values. If the past is shown, also the breakpoints that were set then."""
        self._snapshot = snapshot
        if self.has_changed(snapshot):
            self.redraw()
            if self.field.hasFocus():
                self.field.offer(words(snapshot, self.context.watches.index))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Leaves out what has no room: first the choices under the field, then the line about what is typed."""
        super().resizeEvent(event)
        px = self.context.theme.px
        self._choices.setVisible(self.height() >= px(190) and self.width() >= px(230))
        self._note.setVisible(self.height() >= px(150))

    def headline(self) -> str:
        """Returns the number of breakpoints, and how many of them are off."""
        rows = self.rows.items
        off = sum(not row.enabled for row in rows)
        return f"{say.whole(len(rows))} set{f' · {off} off' if off else ''}" if rows else ""

    def offers(self) -> Sequence[Offer]:
        """Returns the actions on the chosen breakpoint. There are none while the past is shown."""
        row = self._live_row()
        if row is None:
            return ()
        return (Offer(f"{self._switch.accessibleName()}: {row.text}", self._toggle, icon="breakpoint"),
                Offer(f"Edit: {row.text}", self.edit, icon="edit"), Offer(f"Delete: {row.text}", self.delete, icon="close"))

    def redraw(self) -> None:
        """Draws the panel again at once."""
        snapshot, operators, index = self._snapshot, self.context.breakpoints, self.context.watches.index
        points, disabled = ((operators.points, operators.disabled) if self.context.live
                            else (snapshot.breakpoints, snapshot.disabled))
        hits = tuple(snapshot.hits)
        self.offer.want(self.context.is_recording() and bool(points))  # the empty page has one
        rows = [PointRow(p, p not in disabled, tuple(h for h in hits if h.point == p),
                         snapshot.stopped is not None and snapshot.stopped.point == p,
                         value_words(p.expression, snapshot, index))
                for p in points]
        self._pages.setCurrentIndex(int(bool(rows)))
        if rows != self.rows.items:
            self.rows.show_items(rows, lambda row: row.point)
            self.headline_changed.emit()
        self._allow()
        self._judge()

    def _allow(self) -> None:
        row, may_change = self.rows.chosen_item, self._live_row() is not None
        for button in (self._switch, self._change, self._delete):
            button.setEnabled(may_change)
        self._switch.dress("Turn off" if row is None or row.enabled else "Turn on", "breakpoint")
        self._row.fit()
        self._last.setEnabled(row is not None and bool(row.hits))

    # --- the field ---------------------------------------------------------
    def _check(self, text: str) -> None:
        """Checks what is typed. What can only be watched is no error."""
        if not is_watch(text):
            condition(text)

    def _judge(self) -> None:
        text, error = self.field.text().strip(), self.field.error
        if not text:
            self._note.say("Changing " + self._edited.title if self._edited is not None else "", "muted")
        elif error is not None:
            self._note.say(str(error).capitalize(), "bad")
        else:
            self._note.say(value_words(text, self._snapshot, self.context.watches.index), "muted")
        may_set = bool(text) and error is None and expression(text).kind == "truth"
        self._add.setEnabled(may_set and self.context.live)
        watched = text in (found.text for found in self.context.watches.watched)
        self._watch.setEnabled(bool(text) and error is None and is_watch(text) and not watched
                               and len(self.context.watches.watched) < MOST)
        self._add.setToolTip(SET if self._edited is None else CHANGE)

    def confirm(self) -> None:
        """Sets the typed breakpoint, in place of the one that is edited. It can be undone."""
        self._judge()
        if not self._add.isEnabled():
            return
        once, log = (self.manner.index == k for k in (1, 2))
        point, before = Breakpoint(self.field.text().strip(), once, log, int(self.from_hit.text() or 1)), self._edited
        if before is None:
            self.context.push_command(SetBreakpoint(point), f"Breakpoint: {point.title}")
        elif point != before:
            self.context.push(f"Change breakpoint: {point.title}", partial(self._replace, before, point),
                              partial(self._replace, point, before))
        self._leave()

    def _replace(self, one: Breakpoint, other: Breakpoint) -> None:
        self.context.post(SetBreakpoint(other))  # first, so that a run that goes on is never without one
        self.context.post(ClearBreakpoint(one))

    def _leave(self) -> None:
        self._edited = None
        self.field.clear()
        self.manner.choose(0)
        self.from_hit.setText("1")
        self._judge()

    def watch(self) -> None:
        """Plots the typed expression under the timeline."""
        self._judge()
        if self._watch.isEnabled():
            self.context.watches.add(self.field.text())
            self._leave()

    def edit(self) -> None:
        """Puts the chosen breakpoint into the field."""
        if (row := self._live_row()) is not None:
            point = self._edited = row.point
            self.manner.choose(2 if point.log else int(point.once))
            self.from_hit.setText(str(point.from_hit))
            self.field.setText(point.expression)
            self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    # --- actions -----------------------------------------------------------
    def _live_row(self) -> PointRow | None:
        """Returns the chosen breakpoint, or None if there is none or the past is shown."""
        return self.rows.chosen_item if self.context.live else None

    def _toggle_row(self, index: int) -> None:
        self.rows.choose(index, tell=True)
        self._toggle()

    def _toggle(self) -> None:
        if (row := self._live_row()) is not None:
            words = f"Turn breakpoint {'off' if row.enabled else 'on'}: {row.text}"
            self.context.push_command(EnableBreakpoint(row.point, not row.enabled), words)

    def delete(self) -> None:
        """Deletes the chosen breakpoint. The deletion can be undone."""
        if (row := self._live_row()) is not None:
            self.context.push_command(ClearBreakpoint(row.point), f"Delete breakpoint: {row.text}")

    def _go(self) -> None:
        row = self.rows.chosen_item
        if row is not None and row.hits:
            self.context.selection.asked_turn.emit(row.hits[-1].branch, row.hits[-1].turn)


class PointRows(ItemRows["PointRow"]):
    """The list of breakpoints. A click on a row's dot turns the breakpoint on or off."""

    toggled = Signal(int)

    def __init__(self, theme: Theme):
        super().__init__(theme, row=40)
        self.setAccessibleName("Breakpoints")
        self.viewport().setCursor(Qt.CursorShape.ArrowCursor)

    def row_words(self, index: int) -> str:
        """Returns the text of a row for assistive tools."""
        row = self.items[index]
        return f"{row.text}, {'on' if row.enabled else 'off'}, {row.where}, {row.now}"

    def row_tip(self, index: int) -> str:
        """Returns the whole text of a row."""
        row = self.items[index]
        return f"{row.text}\n{row.now}\n{row.where}"

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Chooses a row. On its dot, emits `toggled` instead."""
        index = self.row_at(event.position().y())
        if self.can_choose(index) and event.position().x() < self.theme.px(30):
            self.toggled.emit(index)
        else:
            super().mousePressEvent(event)

    def paint_row(self, painter: QPainter, index: int, rect: QRectF) -> None:
        """Paints one breakpoint."""
        theme, px, row = self.theme, self.theme.px, self.items[index]
        self.paint_back(painter, index, rect, block=True)
        side, half = px(13), rect.height() / 2
        upper, lower = rect.adjusted(px(32), px(3), -px(10), -half), rect.adjusted(px(32), half, -px(10), -px(3))
        icon = "log" if row.point.log else "breakpoint_on" if row.enabled else "breakpoint"
        tone = "faint" if not row.enabled else "accent" if row.point.log else "bad"
        painter.drawPixmap(px(11), int(rect.center().y() - side / 2), theme.pixmap(icon, side, tone))
        weight = 600 if row.stops else 400
        wide = text_width(theme, row.where, "micro", weight) + px(8)
        draw_text(painter, theme, upper, row.where, "micro", "warn" if row.stops else "muted", weight, RIGHT)
        draw_text(painter, theme, upper.adjusted(0, 0, -wide, 0), row.text, "small", "text" if row.enabled else "faint",
                  max(500, weight))
        draw_text(painter, theme, lower, row.now, "micro", "muted" if row.enabled else "faint")


@dataclass(frozen=True, slots=True)
class PointRow:
    """A breakpoint as one row of the list.

    Attributes:
        point: the breakpoint.
        enabled: whether it is on.
        hits: its hits in the run displayed, in order.
        stops: whether the run is stopped at it now.
        now: its value at the moment displayed, in words.
    """

    point: Breakpoint
    enabled: bool
    hits: tuple[Hit, ...] = ()
    stops: bool = False
    now: str = ""

    @property
    def text(self) -> str:
        """The expression and what it does."""
        return self.point.title

    @property
    def where(self) -> str:
        """Returns how often it was hit, and the last four turns in which it was."""
        if not self.hits:
            return "no hit"
        turns = list(dict.fromkeys(hit.turn for hit in self.hits))
        last = ", ".join(str(turn) for turn in turns[-4:])
        return f"{count(self.hits[-1].count, 'hit')} · {'turn' if len(turns) == 1 else 'turns'} {'… ' * (len(turns) > 4)}{last}"


def value_words(text: str, snapshot: Snapshot, index: FacetIndex | None = None) -> str:
    """Returns the value of an expression in a snapshot, and of the names in it; or what is wrong with it."""
    try:
        found = expression(text, "truth")
    except ExpressionError as error:
        return str(error).capitalize()
    now, parts = in_words(found.value(snapshot, index=index)), found.readings(snapshot, index=index)
    if now.startswith("unknown") or (len(parts) == 1 and found.text.strip() == parts[0][0]):
        return f"now {now}"
    return f"now {now} · {', '.join(f'{name} {in_words(value)}' for name, value in parts)}"
