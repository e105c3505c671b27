"""What a command is: how it is executed on a run, what it changes, how it is undone, and its line in the log."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeVar

from core.common.errors import UsageError
from core.common.parameters import Parameters
from core.goals.literals import Goal
from core.llm.budget import Budget, Limits
from core.llm.sources import Source
from core.planning.facets import Facet, View
from core.planning.model_requests import ModelReply, ModelRequest
from core.planning.planner import Planner
from core.session.annotation import Change
from core.session.breakpoints import Breakpoint, Breakpoints
from core.session.pace import DEFAULT_PACE, Pace
from core.simulator.base import WorldChange
from core.world.vocabulary import Action, in_words

S = TypeVar("S", bound="Settings")
MarkKind = Literal["edit", "goal", "world"]
Phase = Literal["point", "start", "stop"]
"""Of a label: of a moment, or the start or end of an interval."""
MOST_SHOWN = 160
"""Characters of a reason or an answer in a line."""


class Run(Protocol):
    """A running session as commands see it: what it plays with, and the operations that commands are made of.

    The command handler is the only one. Its interface stands here because events, which it emits, hold commands.

    Attributes:
        planner: the planner; it is called on the session's thread, between its yields.
        goal: the present goal.
        most_steps: the number of steps after which the run ends.
        banned: actions that the planner must not choose.
        breakpoints: the breakpoints that are set.
        budget: the budget of all models; None if nothing is asked in this run.
    """

    planner: Planner
    goal: Goal
    most_steps: int
    banned: frozenset[Action]
    breakpoints: Breakpoints
    budget: Budget | None

    def check_playing(self) -> None:
        """Raises UsageError if the run has not begun, or has ended."""

    def ban(self, banned: frozenset[Action]) -> None:
        """Forbids the planner these actions and no others."""

    def pause(self, reason: str, *, drop_step: bool = False) -> None:
        """Pauses the run at the next yield and emits the reason; with `drop_step` also ends a step under way."""

    def resume(self, to: str = "") -> None:
        """Ends a pause, until the next `checkpoint` or `action` if `to` names one."""

    def keep_pace(self, pace: Pace) -> None:
        """Changes when the run stops by itself."""

    def hold(self) -> None:
        """Pauses the run while the operator chooses something."""

    def release(self) -> None:
        """Undoes the last `hold`."""

    def choose_again(self) -> None:
        """Lets a paused planner choose again, because what its choice depends on has changed."""

    def edit_companion(self, facet: Facet) -> None:
        """Replaces a facet of the companion's state and lets it think again. Raises UsageError if that is impossible now."""

    def emit_standing(self) -> None:
        """Emits what holds now, with the progress towards the present goal."""

    def stop(self, reason: str) -> None:
        """Ends the run; an empty reason means that the operator stopped it."""

    def override(self, command: Command, action: Action, why: str, *, told: bool) -> None:
        """Leaves the decision under way and executes the operator's action. Raises UsageError if it is not admissible."""

    def go_back(self, turn: int | None, branch: int | None, *, resample: bool, forks: bool, then: Command | None) -> None:
        """Continues from the beginning of a turn, on a new branch, and executes `then` there.

        Raises UsageError if there is no such turn.
        """

    def check_change(self, change: WorldChange, turn: int | None, branch: int | None) -> None:
        """Raises UsageError if the world cannot be changed so at the beginning of a turn, as far as that can be tried."""

    def change_world(self, change: WorldChange) -> None:
        """Changes the simulator's world. Raises UsageError if that is impossible, or a turn is under way."""

    def list_changes(self, thing: str, turn: int | None, branch: int | None) -> None:
        """Emits the changes of an entity that are possible at the beginning of a turn. Raises UsageError if unknown."""

    def switch(self, branch: int) -> None:
        """Continues another branch where it was left. Raises UsageError if there is none."""

    def answer(self, ask: int, text: str) -> None:
        """Answers a waiting model request. Raises UsageError if it is not waiting."""

    def give_reply(self, ask: ModelRequest, reply: ModelReply) -> None:
        """Answers a model request with this reply whenever it is made on this branch."""

    def ask_again(self, ask: int) -> None:
        """Sends a waiting or failed model request again. Raises UsageError if it is not waiting."""

    def ask_aside(self, ask: ModelRequest) -> None:
        """Sends the operator's own request. Raises UsageError if there is no model."""

    def use_model(self, name: str) -> None:
        """Lets another provider answer. Raises UsageError if there is no such provider."""

    def retry(self) -> None:
        """Tries again what failed."""

    def draw(self, views: tuple[View, ...], size: tuple[int, int]) -> None:
        """Changes the views to draw, and their width and height in pixels."""

    def keep_pictures(self, views: tuple[View, ...]) -> None:
        """Draws these views of every turn, also those that no panel shows."""

    def list_actions(self, entity: str) -> None:
        """Emits the actions that involve an entity (all if empty), each with its verdict."""

    def annotate(self, label: str, note: str, phase: Phase, annotator: str, key: str) -> None:
        """Emits a label of this moment."""

    def relabel(self, change: Change) -> None:
        """Emits the change of a label."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What the operator has set in a run. Commands change it; the snapshot and the window's undo read it.

    Attributes:
        disabled: breakpoints that are set but do not pause the run.
        sources: who answered the planner's requests so far, in order; the last one answers now. Empty: it asks nobody.
    """

    goal: Goal | None = None
    parameters: Parameters = field(default_factory=Parameters)
    banned: frozenset[Action] = frozenset()
    breakpoints: tuple[Breakpoint, ...] = ()
    disabled: frozenset[Breakpoint] = frozenset()
    most_steps: int = 0
    limits: Limits = field(default_factory=Limits)
    pace: Pace = DEFAULT_PACE
    sources: tuple[Source, ...] = ()

    @property
    def source(self) -> Source | None:
        """Who answers the planner's requests; None: it asks nobody."""
        return self.sources[-1] if self.sources else None


NOTHING_SET = Settings()


@dataclass(frozen=True, slots=True)
class Wording:
    """What a command's line in the log needs besides the command.

    Attributes:
        phrase: formats an action: `walk to the fridge`.
        name: formats an entity.
        parameters: the planner's parameters before the command.
        before: the facet that an edit replaced.
    """

    phrase: Callable[[Action], str] = in_words
    name: Callable[[str], str] = str
    parameters: Parameters = field(default_factory=Parameters)
    before: Facet | None = None


class Command:
    """Base class of all commands.

    Attributes:
        log: its line in the log, in which `{0.field}` stands for a field; empty: it is not logged.
        undo_name: its name on the undo stack, in the same form; empty: as in the log.
        icon: the name of the icon of its line in the log.
        alters_choice: a paused planner chooses again after it.
        is_intervention: the operator changes the course of the run; going back to its turn undoes it.
        is_replayed: it is executed again when a run goes on from a recording.
        is_final: it cannot be undone.
        resolves_failure: the run does not wait for the operator any longer; commands other than Retry resolve only a model's.
    """

    __slots__ = ()
    log, undo_name, icon = "{0.words}", "", "edit"
    alters_choice = is_intervention = is_replayed = is_final = resolves_failure = False

    def execute(self, run: Run) -> None:
        """Executes the command.

        Raises:
            BelvedereError: it is refused, for this reason.
            NotImplementedError: the planner cannot do it.
        """
        if type(self)._execute is Command._execute and type(self)._follow_up is Command._follow_up:
            raise UsageError(f"a session knows no command {type(self).__name__}")
        self._execute(run)

    def follow_up(self, run: Run) -> None:
        """Does what follows from the command, after the session has emitted that it is executed."""
        self._follow_up(run)
        if self.alters_choice:
            run.choose_again()

    def settings_after(self, settings: S) -> S:
        """Returns the settings after the command."""
        return self._change(settings)

    def mark(self) -> tuple[MarkKind, str] | None:
        """Returns the kind and text of its mark on the timeline; None: it leaves no mark."""
        return self._mark()

    def opposite(self, before: Settings = NOTHING_SET) -> Command | None:
        """Returns the command that undoes it, given the settings before it; None if no single command does."""
        return self._opposite(before)

    def line(self, wording: Wording) -> str:
        """Returns its line in the log; empty for commands that are not logged."""
        return self._line(wording)

    def title(self, wording: Wording) -> str:
        """Returns its name on the undo stack."""
        return self._title(wording)

    @property
    def words(self) -> str:
        """The name of its class as words: `Switch`, `ModelRequest again`."""
        return spaced(type(self).__name__).capitalize()

    @classmethod
    def lasts(cls) -> bool:
        """Returns True if it changes settings or leaves a mark. All else that a command does is in other events."""
        return cls._change is not Command._change or cls._mark is not Command._mark

    # --- for the classes of commands ----------------------------------------
    def _execute(self, run: Run) -> None:
        pass

    def _follow_up(self, run: Run) -> None:
        pass

    def _change(self, settings: S) -> S:
        return settings

    def _mark(self) -> tuple[MarkKind, str] | None:
        return None

    def _opposite(self, before: Settings) -> Command | None:
        return None

    def _line(self, wording: Wording) -> str:
        return self.log.format(self)

    def _title(self, wording: Wording) -> str:
        return self.undo_name.format(self) or self.line(wording)


# --- texts ---------------------------------------------------------------------
def because(why: str) -> str:
    """Returns a reason as the end of a line; empty if there is none."""
    return f" – {shortened(why)}" if why else ""


def shortened(text: str, most: int = MOST_SHOWN) -> str:
    """Returns a text in one line of at most `most` characters."""
    flat = " ".join(text.split())
    return flat if len(flat) <= most else flat[:most - 1] + "…"


def spaced(name: str) -> str:
    """Returns the name of a class as words in lower case."""
    return re.sub(r"(?=[A-Z])", " ", name).strip().lower()
