"""What a command is: how it is executed on a run, what it changes, how it is undone, and its line in the log."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeVar

from core.common.errors import UsageError
from core.common.parameters import Parameters
from core.goals.literals import Goal
from core.llm.budget import Limits
from core.llm.sources import Source
from core.planning.facets import Facet
from core.session.breakpoints import Breakpoint
from core.session.pace import DEFAULT_PACE, Pace
from core.world.vocabulary import Action, in_words

if TYPE_CHECKING:
    from core.session.run import Run

S = TypeVar("S", bound="Settings")
MarkKind = Literal["edit", "goal", "world"]
Phase = Literal["point", "start", "stop"]
"""Of a label: of a moment, or the start or end of an interval."""
MOST_SHOWN = 160
"""Characters of a reason or an answer in a line."""


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
        outlives_run: the next run of the window begins with what it sets.
        resolves_failure: the run does not wait for the operator any longer; commands other than Retry resolve only a model's.
    """

    __slots__ = ()
    log, undo_name, icon = "{0.words}", "", "edit"
    alters_choice = is_intervention = is_replayed = is_final = outlives_run = resolves_failure = False

    def execute(self, run: Run) -> None:
        """Executes the command.

        Raises:
            BelvedereError: it is refused, for this reason.
            NotImplementedError: the planner cannot do it.
        """
        if type(self).follow_up is Command.follow_up:
            raise UsageError(f"a session knows no command {type(self).__name__}")

    def follow_up(self, run: Run) -> None:
        """Does what follows from the command, after the session has emitted that it is executed."""

    def settings_after(self, settings: S) -> S:
        """Returns the settings after the command."""
        return settings

    def mark(self) -> tuple[MarkKind, str] | None:
        """Returns the kind and text of its mark on the timeline; None: it leaves no mark."""
        return None

    def opposite(self, before: Settings) -> Command | None:
        """Returns the command that undoes it, given the settings before it; None if no single command does."""
        return None

    def line(self, wording: Wording) -> str:
        """Returns its line in the log; empty for commands that are not logged."""
        return self.log.format(self)

    def title(self, wording: Wording) -> str:
        """Returns its name on the undo stack."""
        return self.undo_name.format(self) or self.line(wording)

    @property
    def words(self) -> str:
        """The name of its class as words: `Switch`, `ModelRequest again`."""
        return spaced(type(self).__name__).capitalize()


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
