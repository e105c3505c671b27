"""The log lines that a snapshot alone provides: turns, marks and labels, added as the snapshot grows."""

from __future__ import annotations

from itertools import pairwise

from core.common.shared_list import SharedList
from core.session.annotation import Annotation
from core.session.snapshot import Labels, Snapshot
from core.session.turns import Mark, Turn
from gui.control.event_log import Line
from gui.widgets import Names

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
