"""Keeps a decision as an example for prompts by one click: offered after a correction, and for any turn that is shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from core.planning.belief_facets import Belief
from core.planning.facets import Moment
from core.session import events as e
from core.session.commands import Edit
from gui.control.background import BackgroundJobs
from gui.control.console import Console
from gui.recordings.recorders import Recorders

if TYPE_CHECKING:
    from core.planning.examples import Example


@dataclass(slots=True)
class _Step:
    """One step of the undo stack. Used on the GUI thread only.

    Attributes:
        wanted: whether the example is to be kept.
        number: its number in the set, once it is kept by this step.
    """

    wanted: bool = True
    number: int | None = None


class ExampleKeeper(QObject):
    """Keeps and forgets examples, off the GUI thread, and knows which turns the operator has just corrected."""

    offered = Signal(object)
    """The Moment of a turn that the operator corrected, once its action is executed."""

    def __init__(self, console: Console, recorders: Recorders):
        super().__init__()
        self._console, self._recorders = console, recorders
        self._edited: Moment | None = None
        """The turn in which the operator edited the belief last."""
        self.jobs = BackgroundJobs("examples")
        console.bridge.events_arrived.connect(self._take_events)

    def keep(self, moment: Moment | None = None) -> None:
        """Keeps the decision of a turn, by default of the one shown; can be undone."""
        moment, written = moment or self._console.shown.moment, self._recorders.written_file()
        if moment.turn < 1 or not self._recorders.will_have_file:
            self._console.message.emit("There is no decision yet to keep", "warn")
            return
        step, files = _Step(), self._recorders.files

        def keep() -> None:
            step.wanted = True
            self.jobs.do(lambda: files.keep_example(written(), moment), partial(self._kept, step, moment),
                         self._console.report)

        self._console.context.push(f"Keep turn {moment.turn} as an example", keep, partial(self._undo, step))

    def _kept(self, step: _Step, moment: Moment, new: tuple[Example, ...]) -> None:
        for example in new:
            step.number = example.id
            self._console.message.emit(f"Turn {moment.turn} is kept as example {example.id}", "good")
        if not new:
            self._console.message.emit(f"Turn {moment.turn} is kept already", "muted")
        if not step.wanted:
            self._forget(step)

    def _undo(self, step: _Step) -> None:
        step.wanted = False
        self._forget(step)

    def _forget(self, step: _Step) -> None:
        number, step.number = step.number, None
        if number is not None:
            self.jobs.do(lambda: self._recorders.files.forget_example(number), lambda _: None, self._console.report)

    def _take_events(self, new_run: bool, events: Sequence[e.Event]) -> None:
        if new_run:
            self._edited = None
        for event in events:
            match event.what:
                case e.CommandTaken(ok=True, command=Edit(facet=Belief())):
                    self._edited = event.moment
                case e.Rewound(turn=turn, branch=branch, present=True) if self._edited == event.moment:
                    self._edited = Moment(branch, turn)
                case e.Acted(outcome=outcome, by=by) if outcome.ok and (by == "operator" or self._edited == event.moment):
                    self.offered.emit(event.moment)
