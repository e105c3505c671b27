"""The breakpoints panel: lists breakpoints with their hits, and turns them on and off or deletes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter

from core.session.breakpoints import Breakpoint, Hit
from core.session.commands import ClearBreakpoint, EnableBreakpoint
from core.session.snapshot import Snapshot
from gui.control.context import Context
from gui.panels.base import Offer, Panel
from gui.theme import Theme
from gui.widgets import RIGHT, Button, EmptyState, Namer, draw_text, text_width
from gui.widgets import numbers as say
from gui.widgets.buttons import ButtonRow, list_over
from gui.widgets.lists import ItemRows
from gui.widgets.numbers import count


class BreakpointsPanel(Panel):
    """Lists the breakpoints set now, which apply to every later run. For a recording, lists those set at that time.

    Enter or a double click goes to the last hit. Delete deletes a breakpoint.
    """

    name: ClassVar[str] = "breakpoints"
    title: ClassVar[str] = "Breakpoints"
    icon: ClassVar[str] = "breakpoint"

    def __init__(self, context: Context):
        super().__init__(context)
        theme = context.theme
        self._snapshot, self._namer = Snapshot(), Namer()
        self.rows = PointRows(theme)
        self._switch = Button(theme, "Turn off", "breakpoint", act=self._toggle)
        self._last = Button(theme, "Last hit", "prev", act=self._go)
        self._delete = Button(theme, "Delete", "close", act=self.delete)
        self._row = ButtonRow(theme, (self._switch, self._last, self._delete))
        empty = EmptyState(theme, "breakpoint", "No breakpoints",
                           "Open the palette and type “break”: before an action, at a turn, on a value.")
        self._pages = self.stack(empty, list_over(theme, self.rows, self._row))
        rows = self.rows
        rows.chosen.connect(lambda _: self._allow())
        rows.toggled.connect(self._toggle_row)
        rows.opened.connect(lambda _: self._go())
        rows.on_key(Qt.Key.Key_Delete, self.delete)
        context.breakpoints.changed.connect(self.redraw)
        context.live_changed.connect(lambda _: self.redraw())
        self.redraw()

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Shows the snapshot's hits. If the past is shown, also the breakpoints that were set then."""
        self._snapshot = snapshot
        if self.has_changed(snapshot.hits, snapshot.stopped, snapshot.breakpoints, snapshot.disabled,
                            self._namer.of(snapshot.seen)):
            self.redraw()

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
                Offer(f"Delete: {row.text}", self.delete, icon="close"))

    def redraw(self) -> None:
        """Draws the panel again at once."""
        snapshot, names, operators = self._snapshot, self._namer.of(None), self.context.breakpoints
        points, disabled = ((operators.points, operators.disabled) if self.context.live
                            else (snapshot.breakpoints, snapshot.disabled))
        hits = tuple(snapshot.hits)
        rows = [PointRow(p, names.with_names(p.title), p not in disabled, tuple(h for h in hits if h.point == p),
                         snapshot.stopped is not None and snapshot.stopped.point == p) for p in points]
        self._pages.setCurrentIndex(int(bool(rows)))
        self.rows.show_items(rows, lambda row: row.point)
        self._allow()
        self.headline_changed.emit()

    def _allow(self) -> None:
        row, may_change = self.rows.chosen_item, self._live_row() is not None
        self._switch.setEnabled(may_change)
        self._switch.dress("Turn off" if row is None or row.enabled else "Turn on", "breakpoint")
        self._row.fit()
        self._delete.setEnabled(may_change)
        self._last.setEnabled(row is not None and bool(row.hits))

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
        super().__init__(theme, row=26)
        self.setAccessibleName("Breakpoints")
        self.viewport().setCursor(Qt.CursorShape.ArrowCursor)

    def row_words(self, index: int) -> str:
        """Returns the text of a row for assistive tools."""
        row = self.items[index]
        return f"{row.text}, {'on' if row.enabled else 'off'}, {row.where}"

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
        side = px(13)
        icon, tone = ("breakpoint_on", "bad") if row.enabled else ("breakpoint", "faint")
        painter.drawPixmap(px(11), int(rect.center().y() - side / 2), theme.pixmap(icon, side, tone))
        wide = text_width(theme, row.where, "micro") + px(10)
        end = rect.adjusted(0, 0, -px(10), 0)
        weight = 600 if row.stops else 400
        draw_text(painter, theme, end, row.where, "micro", "warn" if row.stops else "muted", weight, RIGHT)
        room = rect.adjusted(px(32), 0, -px(10) - wide, 0)
        draw_text(painter, theme, room, row.text, "small", "text" if row.enabled else "faint", max(500, weight))


@dataclass(frozen=True, slots=True)
class PointRow:
    """A breakpoint as one row of the list.

    Attributes:
        point: the breakpoint.
        text: its condition in words, with display names instead of ids.
        enabled: whether it is on.
        hits: its hits in the run displayed, in order.
        stops: whether the run is stopped at it now.
    """

    point: Breakpoint
    text: str
    enabled: bool
    hits: tuple[Hit, ...] = ()
    stops: bool = False

    @property
    def where(self) -> str:
        """Returns how often it stopped the run, and the last four turns in which it did."""
        if not self.hits:
            return "for one stop" if self.point.once else "no hit yet"
        turns = list(dict.fromkeys(hit.turn for hit in self.hits))
        last = ", ".join(str(turn) for turn in turns[-4:])
        return f"{count(len(self.hits), 'hit')} · {'turn' if len(turns) == 1 else 'turns'} {'… ' * (len(turns) > 4)}{last}"
