"""The runs panel: every run of this window, and what can be done with one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QStackedLayout

from core.session.snapshot import Snapshot
from gui.control.context import Context, RunAction, RunRow
from gui.panels.base import Offer, Panel
from gui.panels.runs.view import RunRows
from gui.widgets import Button, EmptyState
from gui.widgets import numbers as say
from gui.widgets.button_row import ButtonRow, list_over


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
        self._stack = QStackedLayout(self)
        self._stack.addWidget(EmptyState(theme, "runs", "No runs yet",
                                         "Every run of this window stays here when you start another."))
        self._stack.addWidget(list_over(theme, self.rows, ButtonRow(theme, self._buttons.values())))
        rows = self.rows
        rows.chosen.connect(lambda _: self._allow())
        rows.opened.connect(lambda _: self._do("open"))
        rows.on_key(Qt.Key.Key_Delete, partial(self._do, "remove"))
        context.runs.changed.connect(self._draw)
        self._draw()

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
        run = self.rows.run(self.rows.current)
        if run is None:
            return ()
        return [Offer(f"{button.accessibleName()}: run {run.number}", partial(self._do, act))
                for act, button in self._buttons.items() if button.isEnabled()]

    def restyle(self) -> None:
        """Takes the colours and sizes of the theme again."""
        self.rows.refresh()

    def _draw(self) -> None:
        rows = self.context.runs.rows
        self._stack.setCurrentIndex(int(bool(rows)))
        self.rows.show_runs(rows)
        self._allow()
        self.headline_changed.emit()

    def _allow(self) -> None:
        run = self.rows.run(self.rows.current)
        for act, button in self._buttons.items():
            button.setEnabled(run is not None and _may(act, run))

    def _do(self, act: RunAction) -> None:
        run = self.rows.run(self.rows.current)
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
