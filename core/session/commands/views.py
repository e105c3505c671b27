"""Commands for pictures, lists and labels. Nothing of the run changes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from core.common.recorded import ADDED
from core.planning.facets import View
from core.session.annotation import Change
from core.session.command import Command, Phase, Wording

if TYPE_CHECKING:
    from core.session.run import Run


@dataclass(frozen=True, slots=True)
class Look(Command):
    """Draws these views, in this size (pixels), from now on. Without views nothing is drawn."""

    log = ""
    views: tuple[View, ...]
    width: int = 640
    height: int = 480

    def execute(self, run: Run) -> None:
        run.world.draw(self.views, (self.width, self.height))


@dataclass(frozen=True, slots=True)
class KeepPictures(Command):
    """Draws these views of every turn for a recording, also when no panel shows them. Without views: the recording ended."""

    log = ""
    views: tuple[View, ...] = ("first person", "dollhouse")

    def execute(self, run: Run) -> None:
        run.world.keep_pictures(self.views)


@dataclass(frozen=True, slots=True)
class ListActions(Command):
    """Lists the actions that are possible now, and those that are not yet possible with the reasons.

    Attributes:
        thing: list only actions that involve this entity; empty: all.
    """

    log = ""
    thing: str = ""

    def execute(self, run: Run) -> None:
        run.list_actions(self.thing)


@dataclass(frozen=True, slots=True)
class ListChanges(Command):
    """Lists how the simulator's world could be changed at the beginning of a turn.

    Attributes:
        thing: what is changed.
        turn: None: the turn under way.
        branch: the branch of the turn; None: the present one.
    """

    log = ""
    thing: str
    turn: int | None = None
    branch: int | None = None

    def execute(self, run: Run) -> None:
        run.world.list_changes(self.thing, self.turn, self.branch)


@dataclass(frozen=True, slots=True)
class Annotate(Command):
    """Puts a label or a note of the operator on this moment. `id` is that of the new label, as made by `new_id`."""

    label: str
    note: str = ""
    phase: Phase = "point"
    annotator: str = ""
    id: str = field(default="", metadata=ADDED)

    def follow_up(self, run: Run) -> None:
        run.annotate(self.label, self.note, self.phase, self.annotator, self.id)

    def line(self, wording: Wording) -> str:
        return ""  # the label is logged


@dataclass(frozen=True, slots=True)
class Relabel(Command):
    """Changes, adds or removes a label: its times, its text, or its existence."""

    change: Change

    def follow_up(self, run: Run) -> None:
        run.relabel(self.change)
