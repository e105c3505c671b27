"""The decisions with the greatest loss so far (M)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QDialog, QStackedLayout, QWidget

from core.common.shared_list import SharedList
from core.planning.facets import Moment
from core.session.snapshot import Snapshot
from core.session.turns import Turn
from core.world.vocabulary import Action
from gui.control.console import Console
from gui.theme import Theme
from gui.theme.boxes import DIALOG, vbox
from gui.theme.screens import fit
from gui.widgets import LEFT, RIGHT, EmptyState, Line, Namer, Names, draw_loss, draw_text, glyph, loss_mark
from gui.widgets.lists import ItemRows
from gui.widgets.numbers import count, loss

MOST = 50
LEAST_LOSS = 0.05
"""Smaller losses, which would read 0.0, are ignored."""


def worst(turns: Iterable[Turn], most: int = MOST) -> tuple[Turn, ...]:
    """Returns the turns whose action lost most against the best of its ranking, worst first."""
    lost = [turn for turn in turns if turn.loss is not None and turn.loss >= LEAST_LOSS]
    return tuple(sorted(lost, key=lambda turn: (-(turn.loss or 0.0), turn.number))[:most])


class WorstRows(ItemRows[Turn]):
    """The rows: turn, action and by whom, best action, loss with its mark."""

    def __init__(self, theme: Theme):
        super().__init__(theme, row=24, head=22)
        self._names = Names()
        self.setAccessibleName("Worst decisions")

    def show_turns(self, turns: Sequence[Turn], names: Names) -> None:
        """Replaces the rows."""
        self._names = names
        self.show_items(turns)

    def row_words(self, index: int) -> str:
        """Describes a decision."""
        turn = self.items[index]
        return f"turn {turn.number}: {self._phrase(turn.done)} by the {turn.by}, best was {self._phrase(turn.best)}, " \
               f"loss {loss(turn.loss)}"

    def paint_head(self, painter: QPainter, rect: QRectF) -> None:
        """Paints the column titles."""
        at, y, high = self._columns(rect.width()), rect.y(), rect.height()
        for text, (x, wide), right in (("Turn", at[0], True), ("Done", at[1], False), ("Best action", at[2], False),
                                       ("Loss", at[3], True)):
            draw_text(painter, self.theme, QRectF(x, y, wide, high), text, "small", "faint", align=RIGHT if right else LEFT)

    def paint_row(self, painter: QPainter, index: int, rect: QRectF) -> None:
        """Paints one decision; the operator's in orchid with the palm icon."""
        theme, px, turn = self.theme, self.theme.px, self.items[index]
        self.paint_back(painter, index, rect)
        number, mine, best, lost = (QRectF(x, rect.y(), wide, rect.height()) for x, wide in self._columns(rect.width()))
        draw_text(painter, theme, number, str(turn.number), "body", "text", 600, RIGHT)
        operator, action = turn.by == "operator", turn.done
        tone = "operator_act" if operator else "text"
        self._icon(painter, mine, "override" if operator else glyph(action.verb if action is not None else ""), tone)
        mine.setLeft(mine.left() + px(20))
        draw_text(painter, theme, mine, self._phrase(action), "body", tone, 500)
        if turn.best is not None:
            self._icon(painter, best, glyph(turn.best.verb), "muted")
        best.setLeft(best.left() + px(20))
        draw_text(painter, theme, best, self._phrase(turn.best), "body", "muted")
        draw_text(painter, theme, lost.adjusted(0, 0, -px(14), 0), loss(turn.loss), "body", loss_mark(turn.loss)[0], 600, RIGHT)
        draw_loss(painter, theme, lost.right() - px(4), rect.center().y(), px(4.5), turn.loss)

    def _icon(self, painter: QPainter, room: QRectF, name: str, tone: str) -> None:
        side = self.theme.px(14)
        painter.drawPixmap(int(room.x()), int(room.center().y() - side / 2 + 0.5), self.theme.pixmap(name, side, tone))

    def _columns(self, width: float) -> tuple[tuple[float, float], ...]:
        """Left edge and width of turn, action, best action, loss, in pixels."""
        px = self.theme.px
        free = width - px(34) - px(60) - px(44)
        return ((px(8), px(26)), (px(46), free / 2), (px(54) + free / 2, free / 2 - px(8)), (width - px(72), px(60)))

    def _phrase(self, action: Action | None) -> str:
        return self._names.phrase(action) if action is not None else "–"


class WorstDialog(QDialog):
    """A dialog beside the running window. A click goes to the turn; Enter goes there and closes the dialog."""

    def __init__(self, console: Console, parent: QWidget):
        super().__init__(parent)
        theme = console.context.theme
        self._console, self._namer = console, Namer()
        self._line, self._found, self._judged = SharedList[Turn](), tuple[Turn, ...](), 0
        self.setWindowTitle("Worst decisions")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.line = Line(theme, "", "small", "muted")
        self.rows = WorstRows(theme)
        self._empty = EmptyState(theme, "ranking", "No losses so far",
                                 "Turns whose action was not the top-ranked one appear here.")
        body = QWidget()
        self._stack = QStackedLayout(body)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.rows)
        vbox(theme, Line(theme, "Worst decisions", "heading", "text", 650), self.line, (body, 1), on=self, spacing=8,
             margins=DIALOG)
        fit(self, theme, 620, 360)
        self.rows.chosen.connect(self._go)
        self.rows.opened.connect(lambda _: self.accept())  # it was chosen before, so the window is already there
        console.live_snapshot.connect(self._show)
        console.shown_changed.connect(self._show)
        self._show(console.snapshot)
        self.rows.setFocus()

    def _show(self, _: Snapshot) -> None:
        story = self._console.story
        if story.line is self._line:
            return
        self._take(story.line)
        found, judged = self._found, self._judged
        self._stack.setCurrentWidget(self.rows if found else self._empty)
        self.line.say(f"{len(found)} of {count(judged, 'decision')} not the top-ranked action · click one to go there"
                       if judged else "No turn has been ranked yet")
        self._namer.meet(action for turn in found for action in (turn.done, turn.best))
        self.rows.show_turns(found, self._namer.of(story.seen))

    def _take(self, line: SharedList[Turn]) -> None:
        """Takes only the new turns of a line that has grown."""
        new, self._line = line.since(self._line), line
        if new is None:
            new, self._found, self._judged = line, (), 0
        self._found = worst((*self._found, *new))
        self._judged += sum(turn.loss is not None for turn in new)

    def _go(self, index: int) -> None:
        turn = self.rows.item(index)
        if turn is not None:
            self._console.go_to(Moment(turn.branch, turn.number))
