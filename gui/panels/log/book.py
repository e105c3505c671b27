"""The lines of the log, and which of them are shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.snapshot import Snapshot
from gui.panels.log.telling import KINDS, Kind, Line
from gui.widgets import Names

MOST = 200_000
"""Lines kept; the oldest tenth is dropped beyond it."""


class Book:
    """Lines in the order they came, filtered by kind and words as they come."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self.shown: list[Line] = []
        self._low: list[str] = []
        self.kinds: frozenset[Kind] = frozenset(KINDS)
        self._words: tuple[str, ...] = ()

    def add(self, lines: Iterable[Line]) -> bool:
        """More lines; whether any of them is shown."""
        new = list(lines)
        low = [line.text.lower() for line in new]
        self.lines += new
        self._low += low
        fitting = [line for line, text in zip(new, low, strict=True) if self._fits(line, text)]
        self.shown += fitting
        if len(self.lines) > MOST:
            del self.lines[:MOST // 10], self._low[:MOST // 10]
            self._sift()
        return bool(fitting)

    def clear(self) -> None:
        """Another run begins."""
        self.lines, self.shown, self._low = [], [], []

    def filter(self, kinds: frozenset[Kind], text: str) -> None:
        """Show only these kinds, and lines that hold every word."""
        self.kinds, self._words = kinds, tuple(text.lower().split())
        self._sift()

    def _sift(self) -> None:
        # By numbers, one word after the other: typing into a long log must not be felt.
        fitting: Sequence[int] = range(len(self.lines))
        if len(self.kinds) < len(KINDS):
            fitting = [k for k in fitting if self.lines[k].kind in self.kinds]
        for word in self._words:
            fitting = [k for k in fitting if word in self._low[k]]
        self.shown = [self.lines[k] for k in fitting]

    def _fits(self, line: Line, text: str) -> bool:
        return line.kind in self.kinds and all(word in text for word in self._words)


def lines_of(snapshot: Snapshot, names: Names) -> list[Line]:
    """What a snapshot alone remembers, for when nobody tells the events: turns and marks, oldest first."""
    lines: list[Line] = []
    for turn in snapshot.turns:
        action, outcome = turn.action, turn.outcome
        if action is None or outcome is None:
            continue
        words, operator = names.phrase(action), turn.by == "operator"
        text = f"Turn {turn.number}: {words}" if outcome.ok else f"Turn {turn.number}: could not {words}: {outcome.reason}"
        icon = "override" if operator else "check" if outcome.ok else "fault"
        who = "bad" if not outcome.ok else "operator_act" if operator else "good"
        lines.append(Line(turn.ended or turn.began, turn.number, "action" if outcome.ok else "fault", text, icon,
                          "text" if outcome.ok else "bad", who, action))
    icons = {"edit": "edit", "override": "override", "fault": "fault", "goal": "goal", "rewind": "rewind"}
    for mark in snapshot.marks:
        fault = mark.kind == "fault"
        kind: Kind = "fault" if fault else "command"
        lines.append(Line(mark.at, mark.turn, kind, mark.text[:1].upper() + mark.text[1:], icons.get(mark.kind, "edit"),
                          "bad" if fault else "text", "bad" if fault else "operator_act"))
    for a in snapshot.labels.values():
        words = f"{a.label}{f': {a.note}' if a.note else ''}"
        lines.append(Line(a.at, a.turn, "note", words[:1].upper() + words[1:], "note", "text", "operator_act"))
    return sorted(lines, key=lambda line: line.at)
