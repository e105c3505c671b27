"""The decisions with the greatest loss so far (M)."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QStackedLayout, QWidget

from core.common.shared_list import SharedList
from core.planning.facets import Moment
from core.session.snapshot import Snapshot
from core.session.turns import Turn
from core.views.values import About, Column, Item, Mark
from core.world.vocabulary import in_words
from gui.control.console import Console
from gui.theme.boxes import DIALOG, vbox
from gui.theme.screens import fit
from gui.views.object_list import ObjectList
from gui.widgets import EmptyState, Line
from gui.widgets.numbers import count

MOST = 50
BELOW_BEST = "by how much its value is below that of the best action"
COLUMNS = (Column("turn", "count"), Column("best action"), Column("loss", "loss", BELOW_BEST))
BY_OPERATOR = Mark("by the operator", "operator")
LEAST_LOSS = 0.05
"""Smaller losses, which would read 0.0, are ignored."""


def worst(turns: Iterable[Turn], most: int = MOST) -> tuple[Turn, ...]:
    """Returns the turns whose action lost most against the best of its ranking, worst first."""
    lost = [turn for turn in turns if turn.loss is not None and turn.loss >= LEAST_LOSS]
    return tuple(sorted(lost, key=lambda turn: (-(turn.loss or 0.0), turn.number))[:most])


def worst_item(turn: Turn) -> Item:
    """Returns the row of a turn: what was done and by whom, the best action, and the loss."""
    done, best = (None if action is None else in_words(action) for action in (turn.done, turn.best))
    return Item(f"{turn.branch} {turn.number}", done or "–", (turn.number, best, turn.loss),
                (BY_OPERATOR,) if turn.by == "operator" else (), About(action=turn.done))


class WorstDialog(QDialog):
    """A dialog beside the running window. A click goes to the turn; Enter goes there and closes the dialog."""

    def __init__(self, console: Console, parent: QWidget):
        super().__init__(parent)
        theme = console.context.theme
        self._console = console
        self._line, self._found, self._judged = SharedList[Turn](), tuple[Turn, ...](), 0
        self.setWindowTitle("Worst decisions")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.line = Line(theme, "", "small", "muted")
        self.list = ObjectList[Turn](theme, "Worst decisions", worst_item, COLUMNS)
        self._empty = EmptyState(theme, "ranking", "No losses so far",
                                 "Turns whose action was not the top-ranked one appear here.")
        body = QWidget()
        self._stack = QStackedLayout(body)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.list)
        vbox(theme, Line(theme, "Worst decisions", "heading", "text", 650), self.line, (body, 1), on=self, spacing=8,
             margins=DIALOG)
        fit(self, theme, 620, 360)
        self.list.chosen.connect(self._go)
        self.list.opened.connect(self.accept)  # it was chosen before, so the window is already there
        console.live_snapshot.connect(self._show)
        console.shown_changed.connect(self._show)
        self._show(console.snapshot)
        self.list.setFocus()

    def _show(self, _: Snapshot) -> None:
        story = self._console.story
        if story.line is self._line:
            return
        self._take(story.line)
        found, judged = self._found, self._judged
        self._stack.setCurrentWidget(self.list if found else self._empty)
        self.line.say(f"{len(found)} of {count(judged, 'decision')} not the top-ranked action · click one to go there"
                       if judged else "No turn has been ranked yet")
        actions = (action for turn in found for action in (turn.done, turn.best))
        self.list.named = self._console.context.names.meet(story, actions).label
        self.list.show_objects(found)

    def _take(self, line: SharedList[Turn]) -> None:
        """Takes only the new turns of a line that has grown."""
        new, self._line = line.since(self._line), line
        if new is None:
            new, self._found, self._judged = line, (), 0
        self._found = worst((*self._found, *new))
        self._judged += sum(turn.loss is not None for turn in new)

    def _go(self) -> None:
        turn = self.list.chosen_object
        if turn is not None:
            self._console.go_to(Moment(turn.branch, turn.number))
