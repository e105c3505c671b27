"""The log panel: every event of a run as a line of text, with search and filters."""

from __future__ import annotations

import time
from bisect import bisect_right, insort
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import ClassVar

from PySide6.QtCore import QRectF, QTimer, Signal
from PySide6.QtGui import QAction, QPainter
from PySide6.QtWidgets import QFrame, QSizePolicy, QStackedLayout, QWidget

from core.session.annotation import Annotation
from core.session.event_lines import KINDS, Kind, Line
from core.session.snapshot import Labels, Snapshot
from gui.control.context import Context, Selected
from gui.control.event_log import MOST
from gui.panels.base import Panel
from gui.theme import Theme
from gui.theme.boxes import FLUSH, hbox, vbox
from gui.widgets import RIGHT, Names, StateCard, draw_text, text_width, tool_action
from gui.widgets import numbers as say
from gui.widgets.buttons import SegmentButton
from gui.widgets.lists import Rows
from gui.widgets.numbers import clock
from gui.widgets.search import FindField, SearchStrip
from gui.widgets.state_card import CardState

CHUNK, STEP = 200, 0.004
"""Lines and seconds searched at a time, so that typing into the search of a long log stays fluent."""
OLDER = "Older lines are not listed here: a recording holds every event of the run"


class LogLines:
    """The lines in order of arrival, filtered by kind and words as they arrive."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self.shown: list[Line] = []
        self.kinds: frozenset[Kind] = frozenset(KINDS)
        self.passes: Callable[[str | None], bool] = lambda annotator: True
        """Returns whether a line about a label of this annotator may be shown; None: it is about no label."""
        self._words: tuple[str, ...] = ()
        self._left = 0
        """The number of lines not yet searched for the words. The newest are searched first."""
        self._dropped = 0
        """The number of lines dropped. If there are any, the first of `lines` says so."""

    @property
    def total(self) -> int:
        """The number of lines received, including those dropped since."""
        return self._dropped + len(self.lines) - bool(self._dropped)

    @property
    def allowed(self) -> int:
        """The number of kept lines that may be shown."""
        return len(self.lines) - sum(not self.passes(line.annotator) for line in self.lines if line.annotator is not None)

    def add(self, lines: Iterable[Line]) -> bool:
        """Adds lines. Returns True if any of them is shown."""
        new = list(lines)
        self.lines += new
        fitting = self._matching(new)
        self.shown += fitting
        if len(self.lines) > MOST:
            gone = MOST // 10 + 1 - bool(self._dropped)  # the oldest tenth
            self.lines[:MOST // 10 + 1] = [_older(self.lines[MOST // 10])]
            self._dropped += gone
            self._filter_again()
        return bool(fitting)

    def cut(self, count: int) -> None:
        """Keeps only the first `count` of all lines received."""
        keep = max(0, count - self._dropped) + bool(self._dropped)
        gone = len(self._matching(self.lines[max(keep, self._left):]))
        del self.lines[keep:], self.shown[len(self.shown) - gone:]
        self._left = min(self._left, keep)

    def begin(self, lines: Sequence[Line] = (), total: int = 0) -> None:
        """Starts with the lines of another run: the lines that are kept, and the total number that was emitted."""
        self.lines, self.shown, self._left, self._dropped = [], [], 0, max(0, total - len(lines))
        if self._dropped:
            self.lines = [_older(lines[0])]
        self.add(lines)

    def filter(self, kinds: frozenset[Kind], text: str) -> None:
        """Shows only lines of these kinds that contain every word.

        Call `search_on` until it returns False.
        """
        self.kinds, self._words = kinds, tuple(text.lower().split())
        self._filter_again()

    @property
    def behind(self) -> bool:
        """True if there are lines not searched yet."""
        return self._left > 0

    def search_on(self) -> bool:
        """Searches some more lines. Returns False when there is nothing left."""
        until = time.perf_counter() + STEP
        while self._left > 0:
            first = max(0, self._left - CHUNK)
            self.shown[:0] = self._matching(self.lines[first:self._left])
            self._left = first
            if time.perf_counter() > until:
                break
        return self.behind

    def _filter_again(self) -> None:
        self.shown, self._left = (self._matching(self.lines), 0) if not self._words else ([], len(self.lines))
        self.search_on()

    def _matching(self, arrived: Sequence[Line]) -> list[Line]:
        """Returns the lines that pass the filter."""
        kinds, words = self.kinds, self._words
        lines = [line for line in arrived if self.passes(line.annotator)]
        if len(kinds) < len(KINDS):
            lines = [line for line in lines if line.kind in kinds]
        if not words:
            return lines
        return [line for line, low in zip(lines, [line.text.lower() for line in lines], strict=True)
                if all(word in low for word in words)]


def _older(first: Line) -> Line:
    """Returns the notice that is shown before the first line that is kept."""
    return Line(first.at, first.turn, "note", OLDER, "info", "muted")



class RecordedLines:
    """The lines of a recording up to the moment that is shown: those of its events and of its labels, in order of time.

    Args:
        events: the lines of its events as far as they were read; more are added at its end.
    """

    def __init__(self, events: list[Line]) -> None:
        self._events = self._lines = events
        self._merged, self._told, self._end = 0, 0, 0
        """How many events are among the lines; how many lines were shown, and how many there are up to the moment."""
        self._labels: Labels | None = None

    @property
    def behind(self) -> bool:
        """Whether there are lines up to the moment that were not shown yet."""
        return self._told < self._end

    def show(self, shown: LogLines, snapshot: Snapshot, names: Names) -> bool:
        """Shows the lines up to a snapshot; of those that are new at most `AT_ONCE`. Returns whether anything changed.

        Args:
            shown: what is shown; changed here.
            snapshot: the moment, with all labels.
            names: the names of things in the notes of labels.
        """
        self._merge(snapshot.labels, names)
        self._end = bisect_right(self._lines, (snapshot.at, snapshot.event), key=_place)
        is_cut = (kept := min(self._told, self._end)) < shown.total
        if is_cut:
            shown.cut(kept)
        self._told = min(self._end, kept + AT_ONCE)
        return shown.add(self._lines[kept:self._told]) or is_cut

    def _merge(self, labels: Labels, names: Names) -> None:
        """Puts the lines of labels among those of events. Lines that were shown are shown again if others come between them."""
        if labels is self._labels and len(self._events) == self._merged:
            return
        if labels:
            self._lines, self._told = [*self._events], 0
            for line in map(label_line, labels.values()):  # few among many lines that are in order
                insort(self._lines, replace(line, text=names.with_names(line.text)), key=_place)
        elif self._lines is not self._events:
            self._lines, self._told = self._events, 0
        self._labels, self._merged = labels, len(self._events)


def _place(line: Line) -> tuple[float, int]:
    return line.at, line.event


def label_line(a: Annotation) -> Line:
    """Returns the line of a label of a moment or an interval."""
    words = f"{'' if a.holds else f'{a.role}: '}{a.label}{f': {a.note}' if a.note else ''}"
    return Line(a.at, a.turn, "note", words[:1].upper() + words[1:], "note", "text", "operator_act", annotator=a.annotator)


class LogRows(Rows):
    """A list of lines with time, icon and text. The tooltip shows the whole line."""

    def __init__(self, theme: Theme, lines: LogLines, worked_at: Callable[[float], float]):
        super().__init__(theme, row=20)
        self._lines, self._worked_at = lines, worked_at
        self.setAccessibleName("Log")

    def _time(self, line: Line) -> str:
        """Returns when it happened, on the clock of the timeline."""
        return clock(self._worked_at(line.at) if line.worked is None else line.worked)

    def count(self) -> int:
        """Returns the number of lines shown."""
        return len(self._lines.shown)

    def row_words(self, index: int) -> str:
        """Returns a line as text."""
        line = self._lines.shown[index]
        return f"{self._time(line)}, {line.text}"

    def paint_row(self, painter: QPainter, index: int, rect: QRectF) -> None:
        """Paints one line, with a hairline above it where a turn begins."""
        theme, px, line = self.theme, self.theme.px, self._lines.shown[index]
        self.paint_back(painter, index, rect)
        if index and self._lines.shown[index - 1].turn != line.turn:
            painter.fillRect(QRectF(0, rect.y(), rect.width(), 1), theme.colour("line"))
        when = self._time(line)
        wide = max(px(44), text_width(theme, when, "micro") + px(4))
        draw_text(painter, theme, QRectF(px(6), rect.y(), wide, rect.height()), when, "micro", "faint", align=RIGHT)
        x, side = px(14) + wide, px(13)
        painter.drawPixmap(int(x), int(rect.center().y() - side / 2 + 0.5), theme.pixmap(line.icon, side, line.who))
        x += px(19)
        room = QRectF(x, rect.y(), rect.right() - x - px(8), rect.height())
        draw_text(painter, theme, room, line.text, "small", line.tone, 500 if line.kind in ("action", "fault") else 400)

    def line(self, index: int) -> Line | None:
        """Returns the line of a row, or None if there is no such row."""
        return self._lines.shown[index] if 0 <= index < self.count() else None

    def row_tip(self, index: int) -> str:
        """Returns the whole text of a line."""
        return self._lines.shown[index].text


WORDS: dict[Kind, str] = {"turn": "Turns", "action": "Actions", "command": "Commands", "call": "Calls", "fault": "Faults",
                          "note": "Notes"}


class KindFilter(QFrame):
    """A row with one button for each kind. While none is pressed, every kind is shown."""

    changed = Signal()

    def __init__(self, theme: Theme):
        super().__init__()
        self.setObjectName("Segment")
        self.setAccessibleName("Kinds of lines")
        self.buttons = {kind: SegmentButton(theme, WORDS[kind]) for kind in KINDS}
        for button in self.buttons.values():
            button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            button.clicked.connect(self.changed)
        hbox(theme, *self.buttons.values(), on=self, spacing=0, margins=(1, 1, 1, 1))

    def chosen(self) -> frozenset[Kind]:
        """Returns the kinds to show."""
        on = frozenset(kind for kind, button in self.buttons.items() if button.isChecked())
        return on or frozenset(KINDS)

    def show_all(self) -> None:
        """Clears the filter."""
        for button in self.buttons.values():
            button.setChecked(False)
        self.changed.emit()


AT_ONCE = 2000
"""How many lines of a recording are added at a time, so that going to its end does not block the window."""


class LogPanel(Panel):
    """The log panel, newest line last.

    A live run is shown with every event, and a recording with those up to the moment that is shown.

    The list follows the end until the operator scrolls up.
    """

    name: ClassVar[str] = "log"
    title: ClassVar[str] = "Log"
    icon: ClassVar[str] = "log"

    def __init__(self, context: Context):
        super().__init__(context)
        theme = context.theme
        self._lines = LogLines()
        self._follows, self._live = True, False
        """True if the lines come from the events of a live run."""
        self._recorded, self._snapshot = RecordedLines([]), Snapshot()
        self.rows = LogRows(theme, self._lines, lambda seconds: self.context.worked_at(seconds))
        self.search = FindField("Search the log")
        self.kinds = KindFilter(theme)
        nothing = CardState("empty", "No matching lines", "No line matches the search and the filters.", "search")
        self._nothing = StateCard(theme, nothing)
        self._find = tool_action(self, theme, "Search the log", "search", lambda: self._strip.toggle(), key="Ctrl+F")
        self._continue = QTimer(self)
        self._continue.setInterval(0)
        self._continue.timeout.connect(self._take)
        context.event_log.begun.connect(self._begin)
        context.event_log.lines_added.connect(self._add)
        context.event_log.read_on.connect(lambda: self.show_snapshot(self._snapshot))
        self._lines.passes = context.label_filter.passes
        context.label_filter.changed.connect(self._filter)
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
        vbox(theme, self._strip, (self._lists, 1), on=inside, spacing=0, margins=FLUSH)
        self._lists.addWidget(self.rows)  # not before, otherwise the pages show as windows of their own
        self._lists.addWidget(self._nothing)
        self._pages = self.stack(self.nothing(
            "log", "events", "Turns, actions, commands and faults are listed here as they happen.",
            lambda snapshot: "No turn, action, command or fault is listed up to here."), inside)

    # --- what it shows -----------------------------------------------------
    def _begin(self) -> None:
        """Starts again for another run, or for a recording, which emits no events."""
        event_log = self.context.event_log
        self._live, self._recorded = event_log.total > 0, RecordedLines(event_log.recorded)
        self._lines.begin(event_log.lines, event_log.total)
        self.redraw()

    def _add(self, lines: Sequence[Line]) -> None:
        if not self._live:
            self._begin()
        elif self._lines.add(lines):
            self.redraw()

    def _take(self) -> None:
        """Adds some more lines of the recording, and continues the search."""
        if not self._live and self._recorded.show(self._lines, self._snapshot, self.context.names.of(self._snapshot)):
            self.redraw()
        if self._lines.behind:
            self._lines.search_on()
            self.redraw()
        more = (not self._live and self._recorded.behind) or self._lines.behind
        self._continue.start() if more else self._continue.stop()

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Shows the lines of a recording up to the snapshot. A live run shows its events as they come."""
        if self._live:
            return
        self._snapshot = snapshot
        self.context.event_log.want()
        self._take()

    def headline(self) -> str:
        """Returns how many of the lines are shown."""
        total, shown = len(self._lines.lines), len(self._lines.shown)
        if self.context.label_filter.only is not None:
            total = self._lines.allowed
        if not total:
            return ""
        return say.count(total, "line") if shown == total else f"{say.whole(shown)} of {say.count(total, 'line')}"

    def tools(self) -> tuple[QAction, ...]:
        """Returns the action that opens search and filter."""
        return (self._find,)

    def redraw(self) -> None:
        """Draws the panel again at once."""
        self._pages.setCurrentIndex(int(bool(self._lines.lines)))
        self._lists.setCurrentIndex(int(bool(self._lines.lines) and not (self._lines.shown or self._lines.behind)))
        follows = self._follows
        self.rows.refresh()
        if follows:
            self.rows.scrollToBottom()

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
        self._lines.filter(kinds, self.search.text())
        self._follows = True
        self.redraw()
        self._take()
