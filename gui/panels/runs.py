"""The runs panel: every run of this window, and what can be done with one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar, cast

from core.views.values import NOW, REACHED, Edit, EditValue, Item, Mark, Table
from core.views.wording import clock, count
from gui.control.context import Context, RunAction, RunRow, RunState
from gui.panels.empty import EmptyPage
from gui.panels.view_panel import ViewPanel
from gui.views.source import MadeSource
from gui.views.widget import Choice

UNSAVED = Mark("not saved")
STATES: Mapping[RunState, Mark] = MappingProxyType({
    "now": NOW, "shown": Mark("shown", "operator"), "kept": UNSAVED, "recorded": Mark("recorded", "good")})
OPEN = Edit("open", "Open", key="Return", icon="folder", any_time=True)
GO_ON = Edit("go on", "Go on", icon="fork", about="Go on from here: a live run that begins with this run's past", any_time=True)
SAVE = Edit("save", "Save", icon="save", about="Save as a recording", any_time=True)
REMOVE = Edit("remove", "Remove", key="Delete", icon="close", any_time=True,
              about="Take it off this list; a saved recording stays where it is")


def runs_view(runs: Sequence[RunRow]) -> Table:
    """Returns a row for each run: planner, goal and state, and below them how it went."""
    unsaved = sum(not run.saved and bool(run.turns or run.changes or run.labels) for run in runs)
    headline = f"{count(len(runs), 'run')}{f' · {unsaved} not saved' if unsaved else ''}" if runs else ""
    return Table(tuple(map(_item, runs)), headline=headline, notes="below")


def _item(run: RunRow) -> Item:
    marks = (STATES[run.state], *((UNSAVED,) if run.state == "shown" and not run.saved else ()),
             *((REACHED,) if run.reached else ()))
    edits = (*((OPEN,) if run.state != "shown" else ()), GO_ON, *(() if run.saved else (SAVE,)),
             *((REMOVE,) if run.state != "now" else ()))
    return Item(str(run.number), f"{run.number} · {run.planner}: {run.goal}", (), marks, edits=edits, note=facts(run))


def facts(run: RunRow) -> str:
    """Returns the outcome and the numbers of a run in one line."""
    parts = [run.outcome, count(run.turns, "turn"), clock(run.seconds)]
    if run.branches > 1:
        parts.append(f"{run.branches} branches")
    if run.changes:
        parts.append(count(run.changes, "change"))
    if run.labels:
        parts.append(count(run.labels, "label"))
    return " · ".join((*parts, f"seed {run.seed}", run.scene))


class RunsPanel(ViewPanel):
    """The runs panel, newest first. Enter or a double click opens a run as it was; Delete removes it from the list."""

    name: ClassVar[str] = "runs"
    title: ClassVar[str] = "Runs"
    icon: ClassVar[str] = "runs"
    needs_live: ClassVar[str] = ""

    def __init__(self, context: Context):
        super().__init__(context)
        context.runs.changed.connect(self.redraw)

    def make_sources(self) -> tuple[MadeSource]:
        """Returns the runs of this window."""
        runs = self.context.runs
        return (MadeSource(self.context, self.title, lambda _: (runs.rows,) if runs.rows else None,
                           lambda _: runs_view(runs.rows), self._edit),)

    def empty_page(self) -> EmptyPage:
        """Returns the page to show before the first run."""
        return self.nothing("runs", "runs", "Every run of this window stays here when you start another.",
                            lambda snapshot: "No run was started in this window.")

    def _edit(self, choice: Choice, edit: Edit, value: EditValue) -> str:
        del value
        self.context.runs.ask(cast(RunAction, edit.name), int(choice.address[0]))
        return ""
