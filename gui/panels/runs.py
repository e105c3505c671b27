"""The runs panel: every run of this window, and what can be done with one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter

from core.session.snapshot import Snapshot
from gui.control.context import Context, RunAction, RunRow, RunState
from gui.panels.base import Offer, Panel
from gui.theme import Theme
from gui.widgets import RIGHT, Button, draw_text, text_width
from gui.widgets import numbers as say
from gui.widgets.buttons import ButtonRow, list_over
from gui.widgets.lists import ItemRows
from gui.widgets.numbers import clock, count

_STATES: dict[RunState, tuple[str, str]] = {
    "now": ("now", "accent"), "shown": ("shown", "selection"), "kept": ("not saved", "faint"), "recorded": ("recorded", "good"),
}


class RunRows(ItemRows[RunRow]):
    """The list of runs. First line: planner, goal, state. Second line: outcome, turns, work time, branches, labels."""

    def __init__(self, theme: Theme):
        super().__init__(theme, row=42)
        self.setAccessibleName("Runs")

    def row_words(self, index: int) -> str:
        """Returns a run as text."""
        run = self.items[index]
        return f"Run {run.number}, {run.planner}, {run.goal}, {facts(run)}, {_STATES[run.state][0]}"

    def paint_row(self, painter: QPainter, index: int, rect: QRectF) -> None:
        """Paints one run."""
        theme, px, run = self.theme, self.theme.px, self.items[index]
        self.paint_back(painter, index, rect, block=True)
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

    def row_tip(self, index: int) -> str:
        """Returns what a run was and how it went."""
        run = self.items[index]
        return f"Run {run.number}: {run.planner} in {run.scene}\n{run.goal}\n{facts(run)}"


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


class RunsPanel(Panel):
    """The runs panel, newest first. Enter or a double click opens a run as it was; Delete removes it from the list."""

    name: ClassVar[str] = "runs"
    title: ClassVar[str] = "Runs"
    icon: ClassVar[str] = "runs"

    def __init__(self, context: Context):
        super().__init__(context)
        theme = context.theme
        self.rows = RunRows(theme)
        self._buttons: dict[RunAction, Button] = {
            "open": Button(theme, "Open", "folder", act=partial(self._do, "open")),
            "go on": Button(theme, "Go on", "fork", act=partial(self._do, "go on")),
            "save": Button(theme, "Save", "save", act=partial(self._do, "save")),
            "remove": Button(theme, "Remove", "close", act=partial(self._do, "remove")),
        }
        self._buttons["save"].setToolTip("Save as a recording")
        self._buttons["go on"].setToolTip("Go on from here: a live run that begins with this run's past")
        self._buttons["remove"].setToolTip("Take it off this list; a saved recording stays where it is")
        empty = self.nothing(
            "runs", "runs", "Every run of this window stays here when you start another.",
            lambda snapshot: "No run was started in this window.")
        self._pages = self.stack(empty, list_over(theme, self.rows, ButtonRow(theme, self._buttons.values())))
        rows = self.rows
        rows.chosen.connect(lambda _: self._allow())
        rows.opened.connect(lambda _: self._do("open"))
        rows.on_key(Qt.Key.Key_Delete, partial(self._do, "remove"))
        context.runs.changed.connect(self.redraw)
        self.redraw()

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Does nothing, because the list depends on the runs and not on the moment shown."""
        del snapshot

    def headline(self) -> str:
        """Returns how many runs there are, and how many of them are not saved."""
        rows = self.context.runs.rows
        unsaved = sum(not run.saved and bool(run.turns or run.changes or run.labels) for run in rows)
        return f"{say.count(len(rows), 'run')}{f' · {unsaved} not saved' if unsaved else ''}" if rows else ""

    def offers(self) -> Sequence[Offer]:
        """Returns what can be done with the selected run."""
        run = self.rows.chosen_item
        if run is None:
            return ()
        return [Offer(f"{button.accessibleName()}: run {run.number}", partial(self._do, act))
                for act, button in self._buttons.items() if button.isEnabled()]

    def redraw(self) -> None:
        """Draws the panel again at once."""
        rows = self.context.runs.rows
        self._pages.setCurrentIndex(int(bool(rows)))
        self.rows.show_items(rows, lambda run: run.number)
        self._allow()
        self.headline_changed.emit()

    def _allow(self) -> None:
        run = self.rows.chosen_item
        for act, button in self._buttons.items():
            button.setEnabled(run is not None and _may(act, run))

    def _do(self, act: RunAction) -> None:
        run = self.rows.chosen_item
        if run is not None and _may(act, run):
            self.context.runs.ask(act, run.number)


def _may(act: RunAction, run: RunRow) -> bool:
    match act:
        case "open":
            return run.state != "shown"
        case "save":
            return not run.saved
        case "go on":
            return True
        case "remove":
            return run.state != "now"
