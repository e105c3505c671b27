"""The head of one side: which branch it is, how far it has come, and how it ended."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from core.comparing_branches import Side
from core.snapshot import Snapshot
from gui.choices import Choice
from gui.panels.compare.words import end_words, facts, goal_words
from gui.theme import Theme
from gui.turns import branch_name
from gui.widgets import Line, Picker


class BranchHead(QWidget):
    """A picker of the branch over two lines of facts."""

    def __init__(self, theme: Theme, caption: str):
        super().__init__()
        self._theme, self._shown = theme, tuple[object, ...]()
        self.picker = Picker(theme, "fork", caption)
        self.facts = Line(theme, "", "small", "muted")
        self.goal, self.end = Line(theme, "", "small", "muted", shrinks=False), Line(theme, "", "small", "muted", 600)
        self._column, self._foot = QVBoxLayout(self), QHBoxLayout()
        self._foot.addWidget(self.goal)
        self._foot.addWidget(self.end, 1)
        self._column.addWidget(self.picker)
        self._column.addWidget(self.facts)
        self._column.addLayout(self._foot)
        self._restyle()

    def show_side(self, side: Side, branches: Sequence[tuple[int, int | None, int]], now: Snapshot) -> None:
        """Another branch, or news of it."""
        shown = (side.branch, branches)
        if shown != self._shown:
            self._shown = shown
            self.picker.offer(tuple(Choice(str(number), _title(number, leaves)) for number, _, leaves in branches),
                              str(side.branch))
        goal, (end, tone) = goal_words(side), end_words(side, now)
        self.facts.say(facts(side))
        self.goal.say(f"{goal} ·" if goal else "", "good" if tone == "good" else "muted")
        self.goal.setVisible(bool(goal))
        self.end.say(end, tone)
        self.setAccessibleName(f"{_title(side.branch, 0)}: {facts(side)}, {goal}, {end}")

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """The theme changed."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self._restyle()

    def _restyle(self) -> None:
        px = self._theme.px
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(px(2))
        self._foot.setSpacing(px(4))
        self.setMinimumWidth(px(40))


def _title(number: int, leaves: int) -> str:
    name = branch_name(number)
    return name[:1].upper() + name[1:] + (f" · from turn {leaves}" if number and leaves else "")
