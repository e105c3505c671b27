"""The breakpoints panel: lists breakpoints with their hits and present values, and edits them as expressions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import ClassVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QIntValidator, QResizeEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from core.session import breakpoint_view as bv
from core.session.breakpoints import Breakpoint
from core.session.checked_expressions import condition, expression
from core.session.commands import ClearBreakpoint, EnableBreakpoint, SetBreakpoint
from core.session.snapshot import Snapshot
from core.views.values import Edit, EditValue
from gui.control.context import Context
from gui.control.watches import MOST, is_watch
from gui.panels.empty import EmptyPage
from gui.panels.view_panel import ViewPanel
from gui.theme.boxes import FLUSH, hbox, vbox
from gui.views.source import MadeSource
from gui.views.widget import Choice
from gui.widgets import Line, Prose, Segment, Tool, tool_action
from gui.widgets.expression_field import ExpressionField, words

MANNERS = ("Stop", "Once", "Log")
SET, CHANGE = "Set this breakpoint", "Change the breakpoint"
MOST_HITS = 9999


class BreakpointsPanel(ViewPanel):
    """Lists the breakpoints set now, which apply to every later run. For a recording, lists those set at that time.

    Enter or a double click goes to the last hit. Delete deletes a breakpoint, F2 edits it. Enter in the field sets one.
    """

    name: ClassVar[str] = "breakpoints"
    title: ClassVar[str] = "Breakpoints"
    icon: ClassVar[str] = "breakpoint"
    needs_live: ClassVar[str] = "A breakpoint"
    interval: ClassVar[int] = 300

    def __init__(self, context: Context):
        super().__init__(context)
        field = self.field
        field.judged.connect(self._judge)
        field.confirmed.connect(self.confirm)
        field.left.connect(self._leave)
        context.breakpoints.changed.connect(self.redraw)
        context.live_changed.connect(lambda _: self.redraw())
        self.redraw()

    def make_sources(self) -> tuple[MadeSource]:
        """Returns the breakpoints."""
        return (MadeSource(self.context, self.title, lambda now: (now, *self._points(now)) if self._points(now)[0] else None,
                           lambda now: bv.breakpoint_view(*self._points(now), now, self.context.watches.index), self._edit),)

    def _points(self, now: Snapshot) -> tuple[Sequence[Breakpoint], Collection[Breakpoint]]:
        """Returns the breakpoints and those that are off: the operator's; in the past those that were set then."""
        operators = self.context.breakpoints
        return (operators.points, operators.disabled) if self.context.live else (now.breakpoints, now.disabled)

    def naming(self) -> Callable[[str], str]:
        """Returns what leaves ids as they are: expressions are written with them."""
        return str

    def empty_page(self) -> EmptyPage:
        """Returns the page to show without a breakpoint."""
        return self.nothing("breakpoint", "breakpoints",
                            "Type a condition below. The palette has ready-made ones under “break”.",
                            lambda snapshot: f"Until turn {snapshot.turn} none was set.")

    def footer(self) -> Sequence[QWidget]:
        """Returns the field in which a breakpoint is typed, with what it does."""
        theme = self.context.theme
        self._edited: Breakpoint | None = None
        """The breakpoint that the field replaces; None: it sets another one."""
        self.field = ExpressionField(theme, "gap < 0.2 and turn > 3", self._check)
        self.manner = Segment(theme, MANNERS, what="What it does when it is true")
        self.from_hit = QLineEdit("1")
        self.from_hit.setAccessibleName("From which hit on")
        self.from_hit.setValidator(QIntValidator(1, MOST_HITS, self))
        self.from_hit.setFixedWidth(theme.px(52))
        self._typed, self._choices = Prose(theme, "", "micro", "muted"), QWidget()
        self._add = tool_action(self, theme, SET, "check", self.confirm)
        self._watch = tool_action(self, theme, "Watch: plot it under the timeline", "scatter", self.watch)
        part = QWidget()
        line = hbox(theme, (self.field, 1), Tool(theme, self._add), Tool(theme, self._watch), spacing=4)
        hbox(theme, self.manner, 0, Line(theme, "from hit", "micro", "muted"), self.from_hit, on=self._choices, spacing=5,
             margins=FLUSH)
        vbox(theme, self._typed, line, self._choices, on=part, spacing=3, margins=(8, 2, 8, 6))  # names open under the line
        return (part,)

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Shows the snapshot's hits and values. If the past is shown, also the breakpoints that were set then."""
        is_other = snapshot is not self._snapshot
        super().show_snapshot(snapshot)
        if is_other and self.field.hasFocus():
            self.field.offer(words(snapshot, self.context.watches.index))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Leaves out what has no room: first the choices under the field, then the line about what is typed."""
        super().resizeEvent(event)
        px = self.context.theme.px
        self._choices.setVisible(self.height() >= px(190) and self.width() >= px(230))
        self._typed.setVisible(self.height() >= px(150))

    def redraw(self) -> None:
        """Draws the panel again at once."""
        super().redraw()
        self._judge()

    # --- the field ---------------------------------------------------------
    def _check(self, text: str) -> None:
        """Checks what is typed. What can only be watched is no error."""
        if not is_watch(text):
            condition(text)

    def _judge(self) -> None:
        text, error = self.field.text().strip(), self.field.error
        if not text:
            self._typed.say("Changing " + self._edited.title if self._edited is not None else "", "muted")
        elif error is not None:
            self._typed.say(str(error).capitalize(), "bad")
        else:
            self._typed.say(bv.value_words(text, self._snapshot, self.context.watches.index), "muted")
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

    # --- edits -------------------------------------------------------------
    def _edit(self, choice: Choice, edit: Edit, value: EditValue) -> str:
        """Does what the operator wants with a breakpoint. Returns why it cannot be done; else an empty text."""
        del value
        points, disabled = self._points(self._snapshot)
        point = next((point for point in points if point.title == choice.address[0]), None)
        if point is None:
            return f"the breakpoint “{choice.address[0]}” is not set any more"
        match edit.name:
            case bv.TICK:
                is_off = point in disabled
                name = f"Turn breakpoint {'on' if is_off else 'off'}: {point.title}"
                self.context.push_command(EnableBreakpoint(point, is_off), name)
            case bv.DELETE:
                self.context.push_command(ClearBreakpoint(point), f"Delete breakpoint: {point.title}")
            case bv.CHANGE:
                self._begin(point)
            case bv.LAST:
                hit = next(hit for hit in reversed(self._snapshot.hits) if hit.point == point)
                self.context.selection.asked_turn.emit(hit.branch, hit.turn)
        return ""

    def _begin(self, point: Breakpoint) -> None:
        """Puts a breakpoint into the field."""
        self._edited = point
        self.manner.choose(2 if point.log else int(point.once))
        self.from_hit.setText(str(point.from_hit))
        self.field.setText(point.expression)
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
