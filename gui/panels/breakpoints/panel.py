"""The breakpoints panel: lists breakpoints with their hits, and turns them on and off or deletes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QStackedLayout

from core.session.breakpoint_hits import title
from core.session.commands import ClearBreakpoint, EnableBreakpoint, SetBreakpoint
from core.session.snapshot import Snapshot
from gui.control.context import Context
from gui.control.undo_commands import CommandStep
from gui.panels.base import Offer, Panel
from gui.panels.breakpoints.view import PointRow, PointRows
from gui.widgets import Button, EmptyState, Namer
from gui.widgets import numbers as say
from gui.widgets.buttons import ButtonRow, list_over


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
        self._snapshot, self._shown, self._namer = Snapshot(), tuple[object, ...](), Namer()
        self._points: tuple[PointRow, ...] = ()
        self.rows = PointRows(theme)
        self._switch = Button(theme, "Turn off", "breakpoint", act=self._toggle)
        self._last = Button(theme, "Last hit", "prev", act=self._go)
        self._delete = Button(theme, "Delete", "close", act=self.delete)
        self._row = ButtonRow(theme, (self._switch, self._last, self._delete))
        self._stack = QStackedLayout(self)
        self._stack.addWidget(EmptyState(theme, "breakpoint", "No breakpoints",
                                         "Open the palette and type “break”: before an action, at a turn, on a value."))
        self._stack.addWidget(list_over(theme, self.rows, self._row))
        rows = self.rows
        rows.chosen.connect(lambda _: self._allow())
        rows.toggled.connect(self._toggle_row)
        rows.opened.connect(lambda _: self._go())
        rows.on_key(Qt.Key.Key_Delete, self.delete)
        context.standing.changed.connect(self._draw)
        context.live_changed.connect(lambda _: self._draw())
        self._draw()

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Shows the snapshot's hits. If the past is shown, also the breakpoints that were set then."""
        self._snapshot = snapshot
        shown = (snapshot.hits, snapshot.stopped, snapshot.breakpoints, snapshot.disabled, self._namer.of(snapshot.seen))
        if len(shown) != len(self._shown) or any(a is not b for a, b in zip(shown, self._shown, strict=True)):
            self._shown = shown
            self._draw()

    def headline(self) -> str:
        """Returns the number of breakpoints, and how many of them are off."""
        off = sum(not row.enabled for row in self._points)
        return f"{say.whole(len(self._points))} set{f' · {off} off' if off else ''}" if self._points else ""

    def offers(self) -> Sequence[Offer]:
        """Returns the actions on the chosen breakpoint. There are none while the past is shown."""
        row = self.rows.row(self.rows.current)
        if row is None or not self.context.live:
            return ()
        return (Offer(f"{self._switch.accessibleName()}: {row.text}", self._toggle, icon="breakpoint"),
                Offer(f"Delete: {row.text}", self.delete, icon="close"))

    def restyle(self) -> None:
        """Paints the rows again in the new theme."""
        self.rows.refresh()

    def _draw(self) -> None:
        snapshot, names, standing = self._snapshot, self._namer.of(None), self.context.standing
        points, disabled = ((standing.points, standing.disabled) if self.context.live
                            else (snapshot.breakpoints, snapshot.disabled))
        hits = tuple(snapshot.hits)
        self._points = tuple(PointRow(p, names.told(title(p)), p not in disabled, tuple(h for h in hits if h.point == p),
                                      snapshot.stopped is not None and snapshot.stopped.point == p) for p in points)
        self._stack.setCurrentIndex(int(bool(self._points)))
        self.rows.show_points(self._points)
        self._allow()
        self.headline_changed.emit()

    def _allow(self) -> None:
        row, free = self.rows.row(self.rows.current), self.context.live
        self._switch.setEnabled(row is not None and free)
        self._switch.dress("Turn off" if row is None or row.enabled else "Turn on", "breakpoint")
        self._row.fit()
        self._delete.setEnabled(row is not None and free)
        self._last.setEnabled(row is not None and bool(row.hits))

    # --- actions -----------------------------------------------------------
    def _toggle_row(self, index: int) -> None:
        self.rows.choose(index, tell=True)
        self._toggle()

    def _toggle(self) -> None:
        row = self.rows.row(self.rows.current)
        if row is not None and self.context.live:
            words = f"Turn breakpoint {'off' if row.enabled else 'on'}: {row.text}"
            self.context.undo.push(CommandStep(self.context, words, EnableBreakpoint(row.point, not row.enabled),
                                        EnableBreakpoint(row.point, row.enabled)))

    def delete(self) -> None:
        """Deletes the chosen breakpoint. The deletion can be undone."""
        row = self.rows.row(self.rows.current)
        if row is not None and self.context.live:
            self.context.undo.push(CommandStep(self.context, f"Delete breakpoint: {row.text}", ClearBreakpoint(row.point),
                                        SetBreakpoint(row.point)))

    def _go(self) -> None:
        row = self.rows.row(self.rows.current)
        if row is not None and row.hits:
            self.context.selection.asked_turn.emit(row.hits[-1].branch, row.hits[-1].turn)
