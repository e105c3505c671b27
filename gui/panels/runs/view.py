"""The painted list of runs, two lines each."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter

from gui.control.context import RunRow, RunState
from gui.theme import Theme
from gui.widgets import RIGHT, draw_block, draw_text, text_width
from gui.widgets.lists import Rows
from gui.widgets.numbers import clock, count

_STATES: dict[RunState, tuple[str, str]] = {
    "now": ("now", "accent"), "shown": ("shown", "selection"), "kept": ("not saved", "faint"), "recorded": ("recorded", "good"),
}


class RunRows(Rows):
    """The list of runs. First line: planner, goal, state. Second line: outcome, turns, work time, branches, labels."""

    def __init__(self, theme: Theme):
        super().__init__(theme, row=42)
        self._runs: tuple[RunRow, ...] = ()
        self.setAccessibleName("Runs")
        self.viewport().setCursor(Qt.CursorShape.ArrowCursor)
        self.hovered.connect(self._tip)

    def show_runs(self, runs: tuple[RunRow, ...]) -> None:
        """Shows runs. The selected run stays selected."""
        chosen = self.run(self.current)
        self._runs = runs
        numbers = [run.number for run in runs]
        self.current = numbers.index(chosen.number) if chosen is not None and chosen.number in numbers else -1
        self.refresh()
        self.redraw()

    def run(self, index: int) -> RunRow | None:
        """Returns the run of a row, or None if there is no such row."""
        return self._runs[index] if 0 <= index < len(self._runs) else None

    def count(self) -> int:
        """Returns the number of runs."""
        return len(self._runs)

    def row_words(self, index: int) -> str:
        """Returns a run as text."""
        run = self._runs[index]
        return f"Run {run.number}, {run.planner}, {run.goal}, {facts(run)}, {_STATES[run.state][0]}"

    def paint_row(self, painter: QPainter, index: int, rect: QRectF) -> None:
        """Paints one run."""
        theme, px, run = self.theme, self.theme.px, self._runs[index]
        if index == self.current:
            draw_block(painter, theme, rect.adjusted(px(3), 1, -px(3), -1), "selection_bg", "selection", 4)
        elif index == self.under:
            draw_block(painter, theme, rect.adjusted(px(3), 1, -px(3), -1), "hover", radius=4)
        state, tone = _STATES[run.state]
        if run.state == "shown" and not run.saved:
            state = "shown · not saved"
        line, left, right = px(19), px(38), rect.right() - px(10)
        top = QRectF(left, rect.y() + px(2), right - left, line)
        number = QRectF(px(8), rect.y() + px(2), px(24), line)
        draw_text(painter, theme, number, str(run.number), "small", "muted", 600, RIGHT)
        wide = text_width(theme, state, "micro", 600) + px(8)
        draw_text(painter, theme, top, state, "micro", tone, 600, RIGHT)
        name = min(text_width(theme, run.planner, "small", 650) + px(8), top.width() * 0.45)
        draw_text(painter, theme, QRectF(left, top.y(), name, line), run.planner, "small", "text", 650)
        room = QRectF(left + name, top.y(), max(0.0, top.width() - name - wide), line)
        draw_text(painter, theme, room, run.goal, "small", "text")
        icon = "goal" if run.reached else "run" if run.state == "now" else "stop"
        side = px(12)
        low = QRectF(left, rect.y() + px(20), right - left, line)
        picture = theme.pixmap(icon, side, "good" if run.reached else "muted")
        painter.drawPixmap(int(number.right() - side), int(low.center().y() - side / 2), picture)
        draw_text(painter, theme, low, facts(run), "micro", "muted")

    def _tip(self, index: int) -> None:
        run = self.run(index)
        head = "" if run is None else f"Run {run.number}: {run.planner} in {run.scene}"
        self.viewport().setToolTip("" if run is None else f"{head}\n{run.goal}\n{facts(run)}")


def facts(run: RunRow) -> str:
    """Returns the numbers of a run in one line."""
    parts = [run.outcome, count(run.turns, "turn"), clock(run.seconds)]
    if run.branches > 1:
        parts.append(f"{run.branches} branches")
    if run.changes:
        parts.append(count(run.changes, "change"))
    if run.labels:
        parts.append(count(run.labels, "label"))
    return " · ".join((*parts, f"seed {run.seed}"))
