"""What the state is estimated from: the action history, and the retrospective summary with those before it."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from core.planners.llm_state.recorded_types import Deed, PastSummary, StateDictionary
from gui.theme import Theme
from gui.theme.boxes import hbox, vbox
from gui.widgets import RIGHT, Line, TextField, Tool, draw_mark, draw_text, tool_action
from gui.widgets.lists import ItemRows

SUMMARY_HIGH = 108
"""The height of the summary, in pixels at text size 100 %."""
NO_SUMMARY = "No summary is kept."


class HistoryRows(ItemRows[Deed]):
    """The action history, one call a row: its number, success or failure, the function, its objects, what the world said."""

    def __init__(self, theme: Theme):
        super().__init__(theme, row=21)
        self._names: Mapping[str, str] = {}
        self.setAccessibleName("Action history")

    def show_deeds(self, deeds: tuple[Deed, ...], names: Mapping[str, str]) -> None:
        """Shows calls, oldest first. A list that was at its end stays there. `names` are display names by id."""
        ends = self.at_the_end()
        self._names = names
        self.show_items(deeds)
        if ends and deeds:
            self.show_row(len(deeds) - 1)

    def row_words(self, index: int) -> str:
        """Returns a call with its result as text."""
        deed = self.items[index]
        parts = (f"{deed.call} {self._things(deed)}".strip(), "success" if deed.ok else "failure", self._note(deed))
        return f"{index + 1} · {' · '.join(part for part in parts if part)}"

    def row_tip(self, index: int) -> str:
        """Returns the same; the notes can be long."""
        return self.row_words(index)

    def _things(self, deed: Deed) -> str:
        return ", ".join(self._names.get(arg, arg) for arg in deed.args)

    def _note(self, deed: Deed) -> str:
        return f"from {self._names.get(deed.source, deed.source)}" if deed.source and deed.ok else deed.note

    def paint_row(self, painter: QPainter, index: int, rect: QRectF) -> None:
        """Paints one call."""
        theme, px, deed = self.theme, self.theme.px, self.items[index]
        self.paint_back(painter, index, rect)
        number = QRectF(rect.x(), rect.y(), px(30), rect.height())
        draw_text(painter, theme, number, str(index + 1), "micro", "faint", 400, RIGHT)
        tone = "good" if deed.ok else "bad"
        draw_mark(painter, "circle" if deed.ok else "octagon", rect.x() + px(41), rect.center().y(), px(4), theme.colour(tone))
        room = rect.adjusted(px(52), 0, -px(10), 0)
        took = draw_text(painter, theme, room, deed.call, "small", "muted")
        room.setLeft(room.x() + took + px(5))
        took = draw_text(painter, theme, room, self._things(deed), "small", "text" if deed.ok else "bad", 500)
        room.setLeft(min(room.right(), room.x() + took + px(8)))
        if room.width() > px(24):
            draw_text(painter, theme, room, self._note(deed), "micro", "faint")


class SummaryBox(QWidget):
    """Shows the summary under a heading that says why the state was estimated again, and leads to earlier summaries."""

    written = Signal(str)
    """Emitted with the operator's summary. Empty text lets the model write it again."""

    def __init__(self, theme: Theme):
        super().__init__()
        self._theme = theme
        self._written = ""
        self.heading, self.text = Line(theme, "", "small", "muted", 600), TextField(may_cancel=True)
        self.text.setReadOnly(True)
        self.text.setAccessibleName("Retrospective summary")
        self.edit = tool_action(self, theme, "Write the summary yourself (Ctrl Enter saves it, Escape discards it)", "edit",
                                self._turn, checkable=True)
        self._present, self._past, self._back, self._editable = StateDictionary(), tuple[PastSummary, ...](), 0, False
        self.earlier = tool_action(self, theme, "Earlier summary", "left", lambda: self._leaf(1))
        self.later = tool_action(self, theme, "Later summary", "right", lambda: self._leaf(-1))
        self.text.finished.connect(self._finish)
        self.text.cancelled.connect(self._cancel)
        head = hbox(theme, (self.heading, 1), Tool(theme, self.earlier), Tool(theme, self.later), Tool(theme, self.edit))
        vbox(theme, head, self.text, on=self, spacing=2, margins=(10, 4, 6, 6))
        self.restyle()

    def show_summary(self, state: StateDictionary, past: tuple[PastSummary, ...] = (), *, editable: bool) -> None:
        """Shows the summary of a dictionary. Text that the operator is writing is not replaced.

        Args:
            state: the dictionary.
            past: all summaries of the episode, oldest first. When one is added, the newest is shown again.
            editable: whether the operator can rewrite the summary now.
        """
        self._back = self._back if past == self._past else 0
        self._present, self._past, self._editable = state, past, editable
        self._written = state.summary
        self._show()

    def _leaf(self, steps: int) -> None:
        """Goes back to earlier summaries, or forth."""
        self._back = min(max(0, self._back + steps), max(0, len(self._past) - 1))
        self._show()

    def _show(self) -> None:
        state, past, count = self._present, self._past, len(self._past)
        self.earlier.setEnabled(self.text.isReadOnly() and self._back < count - 1)
        self.later.setEnabled(self._back > 0)
        self.edit.setEnabled(self._editable and not self._back)
        if self._back:
            one = past[count - 1 - self._back]
            because = f" · {one.because}" if one.because else " · yours"
            self.heading.say(f"Summary {count - self._back} of {count} · turn {one.turn}{because}")
        else:
            whose = "Your summary" if state.summary_given else "Summary"
            self.heading.say(whose + (f" · estimated because {state.because}" if state.because else ""))
        summary = (past[count - 1 - self._back].text if self._back else state.summary) or NO_SUMMARY
        if self.text.isReadOnly() and self.text.toPlainText() != summary:
            self.text.setPlainText(summary)

    def restyle(self) -> None:
        """Applies the theme's fonts and sizes."""
        self.setFixedHeight(self._theme.px(SUMMARY_HIGH))
        self.text.setFont(self._theme.font("small", 400))

    def _turn(self) -> None:
        """Begins or ends the writing. At the end, emits `written` if the text has changed."""
        writing = self.edit.isChecked()
        self.text.setReadOnly(not writing)
        self.earlier.setEnabled(not writing and len(self._past) > 1)
        words = " ".join(self.text.toPlainText().split())
        if writing:
            self.text.setPlainText(self._written)
            self.text.setFocus(Qt.FocusReason.OtherFocusReason)
        elif words != self._written:
            self.written.emit(words)

    def _finish(self) -> None:
        if self.edit.isChecked():
            self.edit.trigger()

    def _cancel(self) -> None:
        if self.edit.isChecked():
            self.text.setPlainText(self._written)
            self.edit.trigger()
