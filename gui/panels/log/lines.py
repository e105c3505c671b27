"""The lines of the log, and which of them are shown.

The log lines that a snapshot alone provides: turns, marks and labels, added as the snapshot grows.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from itertools import pairwise

from core.common.shared_list import SharedList
from core.session.annotation import Annotation
from core.session.live_labels import Labels
from core.session.snapshot import Snapshot
from core.session.turns import Mark, Turn
from gui.control.event_formatter import KINDS, Kind, Line
from gui.control.event_log import MOST
from gui.widgets import Names

CHUNK, STEP = 200, 0.004
"""Lines and seconds searched at a time, so that typing into the search of a long log stays fluent."""
OLDER = "Older lines are not listed here: a recording holds every event of the run"


class Book:
    """The lines in order of arrival, filtered by kind and words as they arrive."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self.shown: list[Line] = []
        self.kinds: frozenset[Kind] = frozenset(KINDS)
        self._words: tuple[str, ...] = ()
        self._left = 0
        """The number of lines not yet searched for the words. The newest are searched first."""
        self._dropped = 0
        """The number of lines dropped. If there are any, the first of `lines` says so."""

    @property
    def total(self) -> int:
        """The number of lines received, including those dropped since."""
        return self._dropped + len(self.lines) - bool(self._dropped)

    def add(self, lines: Iterable[Line]) -> bool:
        """Adds lines. Returns True if any of them is shown."""
        new = list(lines)
        self.lines += new
        fitting = self._sifted(new)
        self.shown += fitting
        if len(self.lines) > MOST:
            gone = MOST // 10 + 1 - bool(self._dropped)  # the oldest tenth
            self.lines[:MOST // 10 + 1] = [_older(self.lines[MOST // 10])]
            self._dropped += gone
            self._sift()
        return bool(fitting)

    def cut(self, count: int) -> None:
        """Keeps only the first `count` of all lines received."""
        keep = max(0, count - self._dropped) + bool(self._dropped)
        gone = len(self._sifted(self.lines[max(keep, self._left):]))
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

        Call `sift_on` until it returns False.
        """
        self.kinds, self._words = kinds, tuple(text.lower().split())
        self._sift()

    @property
    def behind(self) -> bool:
        """True if there are lines not searched yet."""
        return self._left > 0

    def sift_on(self) -> bool:
        """Searches some more lines. Returns False when there is nothing left."""
        until = time.perf_counter() + STEP
        while self._left > 0:
            first = max(0, self._left - CHUNK)
            self.shown[:0] = self._sifted(self.lines[first:self._left])
            self._left = first
            if time.perf_counter() > until:
                break
        return self.behind

    def _sift(self) -> None:
        self.shown, self._left = (self._sifted(self.lines), 0) if not self._words else ([], len(self.lines))
        self.sift_on()

    def _sifted(self, lines: Sequence[Line]) -> list[Line]:
        """Returns the lines that pass the filter."""
        kinds, words = self.kinds, self._words
        if len(kinds) < len(KINDS):
            lines = [line for line in lines if line.kind in kinds]
        if not words:
            return list(lines)
        return [line for line, low in zip(lines, [line.text.lower() for line in lines], strict=True)
                if all(word in low for word in words)]


def _older(first: Line) -> Line:
    """Returns the notice that is shown before the first line that is kept."""
    return Line(first.at, first.turn, "note", OLDER, "info", "muted")


_ICONS = {"edit": "edit", "override": "override", "fault": "fault", "goal": "goal", "rewind": "rewind"}
NOTHING = Line(float("inf"), 0, "note", "", "")


class Remembered:
    """Produces the lines of the newest snapshot in order of time, some at a time. Each line is produced once."""

    def __init__(self) -> None:
        self._turns, self._marks, self._notes = SharedList[Turn](), SharedList[Mark](), tuple[Line, ...]()
        self._labels: Labels | None = None
        self._told = (0, 0, 0)
        """How many turns, marks and labels have been produced."""
        self._last = 0.0

    def follow(self, snapshot: Snapshot) -> int:
        """Continues with a new snapshot. Returns how many of the produced lines are still valid, counted from the first."""
        notes = self._notes if snapshot.labels is self._labels else tuple(
            sorted(map(label_line, snapshot.labels.values()), key=_time))
        goes_on = snapshot.turns.akin(self._turns) and snapshot.marks.akin(self._marks) and self._notes_go_on(notes)
        self._turns, self._marks, self._notes, self._labels = snapshot.turns, snapshot.marks, notes, snapshot.labels
        turns, marks, labels = self._told if goes_on else (0, 0, 0)
        self._told = min(turns, len(self._turns)), min(marks, len(self._marks)), labels
        self._last = min(self._last, snapshot.at)
        return sum(self._told)

    def _notes_go_on(self, notes: tuple[Line, ...]) -> bool:
        """Returns True if labels were only added, and only after the lines produced so far.

        A label can also be added to the past, changed or removed.
        """
        known = len(self._notes)
        if notes[:known] != self._notes:
            return False
        return all(a.at <= b.at for a, b in pairwise((Line(self._last, 0, "note", "", ""), *notes[known:])))

    @property
    def left(self) -> bool:
        """True if there are more lines to produce."""
        return self._told != (len(self._turns), len(self._marks), len(self._notes))

    def more(self, names: Names, most: int) -> list[Line]:
        """Returns the next lines, at most `most`."""
        turns, marks, notes = self._told
        lines: list[Line] = []
        turn, mark, note = self._turn(turns, names), self._mark(marks), self._note(notes)
        while len(lines) < most and (first := min(turn, mark, note, key=_time)) is not NOTHING:
            lines.append(first)
            if first is turn:
                turns += 1
                turn = self._turn(turns, names)
            elif first is mark:
                marks += 1
                mark = self._mark(marks)
            else:
                notes += 1
                note = self._note(notes)
        self._told = turns, marks, notes
        self._last = max(self._last, *map(_time, lines)) if lines else self._last
        return lines

    def _turn(self, k: int, names: Names) -> Line:
        return turn_line(self._turns[k], names) if k < len(self._turns) else NOTHING

    def _mark(self, k: int) -> Line:
        return mark_line(self._marks[k]) if k < len(self._marks) else NOTHING

    def _note(self, k: int) -> Line:
        return self._notes[k] if k < len(self._notes) else NOTHING


def _time(line: Line) -> float:
    return line.at


def turn_line(turn: Turn, names: Names) -> Line:
    """Returns the line of a turn: its action, its outcome and who chose it."""
    action, ok, operator = turn.done, turn.outcome is None or turn.outcome.ok, turn.by == "operator"
    words = names.phrase(action) if action is not None else "nothing"
    why = turn.outcome.reason if turn.outcome is not None else ""
    text = f"Turn {turn.number}: {words}" if ok else f"Turn {turn.number}: could not {words}: {why}"
    icon = "override" if operator else "check" if ok else "fault"
    who = "bad" if not ok else "operator_act" if operator else "good"
    at, tone = turn.ended or turn.began, "text" if ok else "bad"
    return Line(at, turn.number, "action" if ok else "fault", text, icon, tone, who, action)


def mark_line(mark: Mark) -> Line:
    """Returns the line of a mark: an edit, an override, a fault, a goal or a rewind."""
    fault = mark.kind == "fault"
    return Line(mark.at, mark.turn, "fault" if fault else "command", mark.text[:1].upper() + mark.text[1:],
                _ICONS.get(mark.kind, "edit"), "bad" if fault else "text", "bad" if fault else "operator_act")


def label_line(a: Annotation) -> Line:
    """Returns the line of a label of a moment or an interval."""
    words = f"{a.label}{f': {a.note}' if a.note else ''}"
    return Line(a.at, a.turn, "note", words[:1].upper() + words[1:], "note", "text", "operator_act")
