"""The lines of the log, and which of them are shown."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from heapq import merge

from core.annotation import Annotation
from core.snapshot import Mark, Snapshot, Turn
from gui.panels.log.telling import KINDS, Kind, Line
from gui.widgets import Names

MOST = 50_000
"""Lines kept: nobody scrolls through more. The oldest tenth is dropped beyond it."""
CHUNK, STEP = 200, 0.004
"""Lines, and seconds, that are looked through for words at a time: typing into a long log must not be felt."""
OLDER = "Older lines are not listed here: a recording holds every event of the run"
ICONS = {"edit": "edit", "override": "override", "fault": "fault", "goal": "goal", "rewind": "rewind"}


class Book:
    """Lines in the order they came, filtered by kind and words as they come."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self.shown: list[Line] = []
        self.kinds: frozenset[Kind] = frozenset(KINDS)
        self._words: tuple[str, ...] = ()
        self._left = 0
        """Lines that are still to be looked through for the words, the newest first."""

    def add(self, lines: Iterable[Line]) -> bool:
        """More lines; whether any of them is shown."""
        new = list(lines)
        self.lines += new
        fitting = self._sifted(new)
        self.shown += fitting
        if len(self.lines) > MOST:
            first = self.lines[MOST // 10]
            self.lines[:MOST // 10 + 1] = [Line(first.at, first.turn, "note", OLDER, "info", "muted")]
            self._sift()
        return bool(fitting)

    def clear(self) -> None:
        """Another run begins."""
        self.lines, self.shown, self._left = [], [], 0

    def filter(self, kinds: frozenset[Kind], text: str) -> None:
        """Show only these kinds, and lines that hold every word; call `sift_on` until it says it is done."""
        self.kinds, self._words = kinds, tuple(text.lower().split())
        self._sift()

    @property
    def behind(self) -> bool:
        """Whether there are lines to look through."""
        return self._left > 0

    def sift_on(self) -> bool:
        """Look through some more lines; False when there is nothing left."""
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
        """Those that are shown."""
        kinds, words = self.kinds, self._words
        if len(kinds) < len(KINDS):
            lines = [line for line in lines if line.kind in kinds]
        if not words:
            return list(lines)
        return [line for line, low in zip(lines, [line.text.lower() for line in lines], strict=True)
                if all(word in low for word in words)]


def lines_of(snapshot: Snapshot, names: Names, turn: int = 0, mark: int = 0, *, labels: bool = True) -> Iterator[Line]:
    """What a snapshot alone remembers, for when nobody tells the events: turns, marks and labels, oldest first.

    Args:
        snapshot: tells it.
        names: what things are called.
        turn: the first of its turns that is told, by its place in the log.
        mark: the same of its marks.
        labels: whether what people said is told, too.
    """
    turns, marks = snapshot.turns, snapshot.marks
    acted = (line for k in range(turn, len(turns)) if (line := _turn_line(turns[k], names)) is not None)
    said = sorted(snapshot.labels.values(), key=lambda a: a.at) if labels else []
    return merge(acted, (_mark_line(marks[k]) for k in range(mark, len(marks))), map(_label_line, said),
                 key=lambda line: line.at)


def _turn_line(turn: Turn, names: Names) -> Line | None:
    action, outcome = turn.action, turn.outcome
    if action is None or outcome is None:
        return None
    words, operator = names.phrase(action), turn.by == "operator"
    text = f"Turn {turn.number}: {words}" if outcome.ok else f"Turn {turn.number}: could not {words}: {outcome.reason}"
    icon = "override" if operator else "check" if outcome.ok else "fault"
    who = "bad" if not outcome.ok else "operator_act" if operator else "good"
    return Line(turn.ended or turn.began, turn.number, "action" if outcome.ok else "fault", text, icon,
                "text" if outcome.ok else "bad", who, action)


def _mark_line(mark: Mark) -> Line:
    fault = mark.kind == "fault"
    return Line(mark.at, mark.turn, "fault" if fault else "command", mark.text[:1].upper() + mark.text[1:],
                ICONS.get(mark.kind, "edit"), "bad" if fault else "text", "bad" if fault else "operator_act")


def _label_line(a: Annotation) -> Line:
    words = f"{a.label}{f': {a.note}' if a.note else ''}"
    return Line(a.at, a.turn, "note", words[:1].upper() + words[1:], "note", "text", "operator_act")
