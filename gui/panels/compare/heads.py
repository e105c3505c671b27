"""The header of one side: the branch, its progress, and how it ended."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from core.session.branch_comparison import Side
from core.session.snapshot import Snapshot
from gui.control.turn_lookup import branch_name
from gui.panels.compare.texts import end_words, facts
from gui.theme import Theme
from gui.widgets import Line, Picker
from gui.widgets.chooser import Choice


class BranchHead(QWidget):
    """A picker of the branch, above two lines of facts about it."""

    def __init__(self, theme: Theme, caption: str):
        super().__init__()
        self._theme, self._shown = theme, tuple[object, ...]()
        self.picker = Picker(theme, "fork", caption)
        self.facts = Line(theme, "", "small", "muted")
        self.end = Line(theme, "", "small", "muted", 600)
        self._column = QVBoxLayout(self)
        for part in (self.picker, self.facts, self.end):
            self._column.addWidget(part)
        self._restyle()

    def show_side(self, side: Side, branches: Sequence[tuple[int, int | None, int]], now: Snapshot) -> None:
        """Shows a branch.

        Args:
            side: the branch of this side of the comparison.
            branches: all branches to pick from: number, parent, and the turn at which it was forked.
            now: the newest snapshot of the run or the recording.
        """
        shown = (side.branch, branches)
        if shown != self._shown:
            self._shown = shown
            self.picker.offer(tuple(Choice(str(number), _title(number, leaves)) for number, _, leaves in branches),
                              str(side.branch))
        end, tone = end_words(side, now)
        self.facts.say(facts(side))
        self.end.say(end, tone)
        self.setAccessibleName(f"{_title(side.branch, 0)}: {facts(side)}, {end}")

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Applies the new sizes after a theme change."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self._restyle()

    def _restyle(self) -> None:
        px = self._theme.px
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(px(2))
        self.setMinimumWidth(px(40))


def _title(number: int, leaves: int) -> str:
    name = branch_name(number)
    return name[:1].upper() + name[1:] + (f" · from turn {leaves}" if number and leaves else "")
