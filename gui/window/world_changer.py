"""The list of changes of an object in the simulator's world. A chosen change is made in a fork at the turn shown."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QWidget

from core.planning.facets import Moment
from core.session import commands as c
from core.session.events import ChangesListed
from core.session.snapshot import Snapshot
from core.simulator.base import WorldChange
from gui.control.console import Console
from gui.widgets.chooser import Chooser, Option

WIDTH = 380
IN_A_FORK = "in the simulator, in a fork; the planner is not told"
TITLES = {"open": "Open", "closed": "Close", "on": "Switch on", "off": "Switch off", "clean": "Make clean",
          "dirty": "Make dirty", "sliced": "Slice", "cooked": "Cook", "filled": "Fill", "plugged in": "Plug in",
          "unplugged": "Unplug"}
"""State -> the change that leads to it."""


class WorldChanger(QObject):
    """Opens the list at the pointer. While it is open, the run is held."""

    def __init__(self, console: Console, window: QWidget):
        super().__init__(window)
        self._console = console
        self.chooser = Chooser(console.context.theme, "Change the world", window)
        self.chooser.installEventFilter(self)
        self._thing = ""
        self._moment: Moment | None = None
        self._listed_before: ChangesListed | None = None
        console.live_snapshot.connect(self._take_snapshot)

    def ask(self, thing: str = "") -> None:
        """Opens the list of changes of an object, by default of the selected one, at the turn shown."""
        console, thing = self._console, thing or self._console.context.selection.thing()
        if not thing:
            console.message.emit("Select an object first, in a picture or in the scene", "warn")
        elif console.replaying:
            self._open(Option("Take over from here to change the world", tip="A recording is read-only",
                              act=partial(console.asked_take_over.emit, None, None)))
        elif console.runner.phase != "live" or console.snapshot.turn < 1:
            console.message.emit("There is no turn yet in which the world could be changed", "warn")
        else:
            self._thing, self._moment, self._listed_before = thing, self._shown_moment(), console.snapshot.changes
            console.runner.post(c.Hold())
            turn, branch = (None, None) if self._moment is None else (self._moment.turn, self._moment.branch)
            console.runner.post(c.ListChanges(thing, turn, branch))
            self._open(Option("Listing the changes …", enabled=False))

    def _shown_moment(self) -> Moment | None:
        """Returns the turn that is shown, in its branch; None for the turn under way."""
        live = self._console.snapshot
        return self._console.moment or (Moment(live.branch, live.turn) if live.current is None else None)

    def _open(self, *options: Option) -> None:
        self.chooser.offer(options)
        self.chooser.open_at(QCursor.pos(), self._console.context.theme.px(WIDTH))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Lets the run go on when the list is closed."""
        if event.type() == QEvent.Type.Hide and self._thing:
            self._thing = ""
            QTimer.singleShot(0, self, lambda: self._console.runner.post(c.Release()))  # after the chosen change is posted
        return super().eventFilter(watched, event)

    def _take_snapshot(self, snapshot: Snapshot) -> None:
        listed = snapshot.changes
        if self._thing and listed is not None and listed is not self._listed_before and listed.thing == self._thing:
            self._listed_before = listed
            self._list(listed)

    def _list(self, listed: ChangesListed) -> None:
        names = self._console.context.names.of(self._console.shown)
        group = f"{names.display(listed.thing)} · {IN_A_FORK}"
        options = [self._option(change, names.display(change.to), group) for change in listed.changes]
        self.chooser.offer(options or (Option(listed.why, group=group, enabled=False),))
        self.chooser.take_focus()

    def _option(self, change: WorldChange, holder: str, group: str) -> Option:
        title = TITLES.get(change.to, change.to) if change.kind == "state" else f"Move {change.kind} {holder}"
        return Option(title, group=group, act=partial(self._console.fork, self._moment, c.ChangeWorld(change)))
