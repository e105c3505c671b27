"""The log panel."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import ClassVar

from PySide6.QtCore import QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QStackedLayout, QVBoxLayout, QWidget

from core.events import Began, Event, TurnBegan
from core.snapshot import Snapshot
from core.world import Action
from gui.context import Context, Selected
from gui.lists import FindField, SearchStrip, Throttle
from gui.panel import Panel
from gui.panels.log.book import Book
from gui.panels.log.filters import KindFilter
from gui.panels.log.remembered import Remembered
from gui.panels.log.telling import Kind, Line, Teller
from gui.panels.log.view import LogRows
from gui.widgets import EmptyState, Namer, StateCard, tool_action
from gui.widgets import numbers as say
from gui.widgets.state_card import CardState

AT_ONCE = 300
"""Events and turns put into words at a time, so that opening a long recording never holds up the window."""


class LogPanel(Panel):
    """Every event in words, newest last. Follows the end until one scrolls up.

    Whoever bridges session and window tells it the events with `show_events`, in order and each once, while the panel is hidden
    as well; a run that begins anew clears it. Where nobody does, it shows what the snapshot remembers: turns and marks.
    """

    name: ClassVar[str] = "log"
    title: ClassVar[str] = "Log"
    icon: ClassVar[str] = "log"

    def __init__(self, context: Context):
        super().__init__(context)
        theme = context.theme
        self._book, self._namer = Book(), Namer()
        self._teller = Teller(lambda action: self._words(action), lambda thing: self._namer.of(None).display(thing))
        self._told, self._follows = False, True
        self._remembered = Remembered()
        self.rows = LogRows(theme, self._book)
        self.search = FindField("Search the log")
        self.kinds = KindFilter(theme)
        nothing = CardState("empty", "Nothing like this", "No line has these words and kinds.", "search")
        self._nothing = StateCard(theme, nothing)
        self._find = tool_action(self, theme, "Search the log (Ctrl F)", "search", lambda: self._strip.toggle())
        self._throttle = Throttle(self, context.theme.way, self._draw)
        self._waiting: deque[Event] = deque()
        self._take_on = QTimer(self)
        self._take_on.setInterval(0)
        self._take_on.timeout.connect(self._take)
        self._strip, self._lists = SearchStrip(theme, self.search, self.rows, self.kinds, under=True), QStackedLayout()
        self._lay_out()
        self._strip.closed.connect(self.kinds.show_all)
        self.search.textChanged.connect(self._filter)
        self.kinds.changed.connect(self._filter)
        self.rows.chosen.connect(self._choose)
        self.rows.verticalScrollBar().valueChanged.connect(lambda _: self._scrolled())

    def _lay_out(self) -> None:
        theme = self.context.theme
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._strip)
        column.addLayout(self._lists, 1)  # before its widgets, or they show as windows of their own
        self._lists.addWidget(self.rows)
        self._lists.addWidget(self._nothing)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(EmptyState(theme, "log", "Nothing happened yet",
                                         "Turns, actions, commands and faults are written down here as they happen."))
        self._stack.addWidget(inside)

    # --- what it shows -----------------------------------------------------
    def show_events(self, events: Sequence[Event]) -> None:
        """More events, in order; a `Began` clears what was there. Many at once are taken a piece at a time."""
        self._waiting.extend(events)
        self._take()

    def _take(self) -> None:
        told = bool(self._waiting) or self._told
        lines = self._tell_events() if told else self._remembered.more(self._namer.of(None), AT_ONCE)
        if self._book.add(lines):
            self._throttle.call()
        if self._book.behind:
            self._book.sift_on()
            self._throttle.call()
        more = bool(self._waiting) or (self._remembered.left and not told) or self._book.behind
        self._take_on.start() if more else self._take_on.stop()

    def _tell_events(self) -> list[Line]:
        """Some of those that wait, in words."""
        events = [self._waiting.popleft() for _ in range(min(AT_ONCE, len(self._waiting)))]
        lines: list[Line] = []
        for event in events:
            if isinstance(event.what, Began) or not self._told:
                self._book.clear()
                self._told = True
                lines.clear()
            if isinstance(event.what, TurnBegan):
                self._namer.of(event.what.seen)
            line = self._teller.tell(event)
            if line is not None:
                lines.append(line)
        return lines

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Names; and the lines, where nobody tells the events."""
        self._namer.of(snapshot.seen)
        if self._told:
            return
        kept = self._remembered.follow(snapshot)
        if kept < self._book.total:
            self._book.cut(kept)
            self._throttle.call()
        self._take()

    def headline(self) -> str:
        """How much of it is shown."""
        total, shown = len(self._book.lines), len(self._book.shown)
        if not total:
            return ""
        return say.count(total, "line") if shown == total else f"{say.whole(shown)} of {say.count(total, 'line')}"

    def tools(self) -> tuple[QAction, ...]:
        """Search and filter."""
        return (self._find,)

    def restyle(self) -> None:
        """Other colours and sizes."""
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

    def _words(self, action: Action) -> str:
        return self._namer.of(None).phrase(action)

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
        self._throttle.now()
        self._take()
