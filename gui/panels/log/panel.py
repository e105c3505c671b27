"""The painted lines of the log.

The filter of the log: which kinds of lines are shown.

The log panel: every event of a run as a line, with search and filters.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from PySide6.QtCore import QEvent, QRectF, QTimer, Signal
from PySide6.QtGui import QAction, QPainter
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QStackedLayout, QToolButton, QVBoxLayout, QWidget

from core.session.snapshot import Snapshot
from gui.control.context import Context, Selected
from gui.control.event_formatter import KINDS, Kind, Line
from gui.panels.base import Panel
from gui.panels.log.lines import Book, Remembered
from gui.theme import Theme
from gui.widgets import RIGHT, EmptyState, Namer, StateCard, draw_text, text_width, tool_action
from gui.widgets import numbers as say
from gui.widgets.lists import FindField, Rows, SearchStrip
from gui.widgets.numbers import clock
from gui.widgets.state_card import CardState


class LogRows(Rows):
    """A list of lines with time, icon and text. The tooltip shows the whole line."""

    def __init__(self, theme: Theme, book: Book):
        super().__init__(theme, row=20)
        self._book = book
        self.setAccessibleName("Log")
        self.hovered.connect(self._tip)

    def count(self) -> int:
        """Returns the number of lines shown."""
        return len(self._book.shown)

    def row_words(self, index: int) -> str:
        """Returns a line as text."""
        line = self._book.shown[index]
        return f"{clock(line.at)}, {line.text}"

    def paint_row(self, painter: QPainter, index: int, rect: QRectF) -> None:
        """Paints one line, with a hairline above it where a turn begins."""
        theme, px, line = self.theme, self.theme.px, self._book.shown[index]
        if index == self.current:
            painter.fillRect(rect, theme.colour("selection_bg"))
            painter.fillRect(QRectF(0, rect.y(), 3, rect.height()), theme.colour("selection"))
        elif index == self.under:
            painter.fillRect(rect, theme.colour("hover"))
        if index and self._book.shown[index - 1].turn != line.turn:
            painter.fillRect(QRectF(0, rect.y(), rect.width(), 1), theme.colour("line"))
        wide = max(px(44), text_width(theme, clock(line.at), "micro") + px(4))
        draw_text(painter, theme, QRectF(px(6), rect.y(), wide, rect.height()), clock(line.at), "micro", "faint", align=RIGHT)
        x, side = px(14) + wide, px(13)
        painter.drawPixmap(int(x), int(rect.center().y() - side / 2 + 0.5), theme.pixmap(line.icon, side, line.who))
        x += px(19)
        room = QRectF(x, rect.y(), rect.right() - x - px(8), rect.height())
        draw_text(painter, theme, room, line.text, "small", line.tone, 500 if line.kind in ("action", "fault") else 400)

    def line(self, index: int) -> Line | None:
        """Returns the line of a row, or None if there is no such row."""
        return self._book.shown[index] if 0 <= index < self.count() else None

    def at_the_end(self) -> bool:
        """Returns True if the newest line is visible. The list then follows the end."""
        bar = self.verticalScrollBar()
        return bar.value() >= bar.maximum() - self.row_height()

    def to_the_end(self) -> None:
        """Scrolls to the newest line."""
        self.verticalScrollBar().setValue(self.verticalScrollBar().maximum())

    def _tip(self, index: int) -> None:
        line = self.line(index)
        self.viewport().setToolTip("" if line is None else line.text)


WORDS: dict[Kind, str] = {"turn": "Turns", "action": "Actions", "command": "Commands", "call": "Calls", "fault": "Faults",
                          "note": "Notes"}


class KindFilter(QFrame):
    """A row with one button for each kind. While none is pressed, every kind is shown."""

    changed = Signal()

    def __init__(self, theme: Theme):
        super().__init__()
        self._theme = theme
        self.setObjectName("Segment")
        self.setAccessibleName("Kinds of lines")
        row = QHBoxLayout(self)
        row.setContentsMargins(1, 1, 1, 1)
        row.setSpacing(0)
        self.buttons: dict[Kind, QToolButton] = {}
        for kind in KINDS:
            button = QToolButton()
            button.setText(WORDS[kind])
            button.setCheckable(True)
            button.setProperty("look", "segment")
            button.setAccessibleName(WORDS[kind])
            button.clicked.connect(self.changed)
            row.addWidget(button)
            self.buttons[kind] = button
        self._restyle()

    def chosen(self) -> frozenset[Kind]:
        """Returns the kinds to show."""
        on = frozenset(kind for kind, button in self.buttons.items() if button.isChecked())
        return on or frozenset(KINDS)

    def show_all(self) -> None:
        """Clears the filter."""
        for button in self.buttons.values():
            button.setChecked(False)
        self.changed.emit()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Takes the fonts and sizes of the theme again."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self._restyle()

    def _restyle(self) -> None:
        for button in self.buttons.values():
            button.setFont(self._theme.font("small", 500))
            button.setFixedHeight(self._theme.px(18))
            button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)


AT_ONCE = 300
"""How many events and turns are put into words at a time, so that opening a long recording does not block the window."""


class LogPanel(Panel):
    """The log panel, newest line last.

    A live run is shown with every event. A recording is shown with the lines its snapshot holds: turns, marks and labels.

    The list follows the end until the operator scrolls up.
    """

    name: ClassVar[str] = "log"
    title: ClassVar[str] = "Log"
    icon: ClassVar[str] = "log"

    def __init__(self, context: Context):
        super().__init__(context)
        theme = context.theme
        self._book, self._namer = Book(), Namer()
        self._follows, self._live = True, False
        """True if the lines come from the events of a live run."""
        self._remembered = Remembered()
        self.rows = LogRows(theme, self._book)
        self.search = FindField("Search the log")
        self.kinds = KindFilter(theme)
        nothing = CardState("empty", "No matching lines", "No line matches the search and the filters.", "search")
        self._nothing = StateCard(theme, nothing)
        self._find = tool_action(self, theme, "Search the log", "search", lambda: self._strip.toggle(), key="Ctrl+F")
        self._take_on = QTimer(self)
        self._take_on.setInterval(0)
        self._take_on.timeout.connect(self._take)
        context.event_log.begun.connect(self._begin)
        context.event_log.lines_added.connect(self._hear)
        self._strip, self._lists = SearchStrip(theme, self.search, self.rows, self.kinds, under=True), QStackedLayout()
        self._lay_out()
        self._strip.closed.connect(self.kinds.show_all)
        self.search.textChanged.connect(self._filter)
        self.kinds.changed.connect(self._filter)
        self.rows.chosen.connect(self._choose)
        self.rows.verticalScrollBar().valueChanged.connect(lambda _: self._scrolled())
        self._begin()

    def _lay_out(self) -> None:
        theme = self.context.theme
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._strip)
        column.addLayout(self._lists, 1)  # added before its widgets, otherwise they show as windows of their own
        self._lists.addWidget(self.rows)
        self._lists.addWidget(self._nothing)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(EmptyState(theme, "log", "Nothing has happened yet",
                                         "Turns, actions, commands and faults are listed here as they happen."))
        self._stack.addWidget(inside)

    # --- what it shows -----------------------------------------------------
    def _begin(self) -> None:
        """Starts again for another run, or for a recording, which emits no events."""
        chronicle = self.context.event_log
        self._live, self._remembered = chronicle.total > 0, Remembered()
        self._book.begin(chronicle.lines, chronicle.total)
        self._draw()

    def _hear(self, lines: Sequence[Line]) -> None:
        if not self._live:
            self._begin()
        elif self._book.add(lines):
            self._draw()

    def _take(self) -> None:
        """Adds some more lines of the snapshot, and continues the search."""
        if not self._live and self._book.add(self._remembered.more(self._namer.of(None), AT_ONCE)):
            self._draw()
        if self._book.behind:
            self._book.sift_on()
            self._draw()
        more = (self._remembered.left and not self._live) or self._book.behind
        self._take_on.start() if more else self._take_on.stop()

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Adds the lines of the snapshot, if the run emits no events."""
        if self._live:
            return
        self._namer.of(snapshot.seen)
        kept = self._remembered.follow(snapshot)
        if kept < self._book.total:
            self._book.cut(kept)
            self._draw()
        self._take()

    def headline(self) -> str:
        """Returns how many of the lines are shown."""
        total, shown = len(self._book.lines), len(self._book.shown)
        if not total:
            return ""
        return say.count(total, "line") if shown == total else f"{say.whole(shown)} of {say.count(total, 'line')}"

    def tools(self) -> tuple[QAction, ...]:
        """Returns the action that opens search and filter."""
        return (self._find,)

    def restyle(self) -> None:
        """Takes the colours and sizes of the theme again."""
        self.rows.refresh()

    def _draw(self) -> None:
        self._stack.setCurrentIndex(int(bool(self._book.lines)))
        self._lists.setCurrentIndex(int(bool(self._book.lines) and not (self._book.shown or self._book.behind)))
        follows = self._follows
        self.rows.refresh()
        if follows:
            self.rows.to_the_end()

    def _scrolled(self) -> None:
        self._follows = self.rows.at_the_end()

    # --- choosing and searching --------------------------------------------
    def _choose(self, index: int) -> None:
        line = self.rows.line(index)
        if line is None:
            return
        if line.action is not None:
            self.context.selection.select(Selected("action", action=line.action))
        elif line.number >= 0:
            self.context.selection.select(Selected("call", number=line.number))
        else:
            self.context.selection.select(Selected("turn", number=line.turn))

    def _filter(self) -> None:
        kinds: frozenset[Kind] = self.kinds.chosen()
        self._book.filter(kinds, self.search.text())
        self._follows = True
        self._draw()
        self._take()
