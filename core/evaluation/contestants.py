"""Contestants of a suite: planners of the registry, each driven without an operator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.common.errors import UsageError
from core.common.parameters import Value
from core.common.registry import NONE
from core.evaluation.episode import EpisodeWatch, drive
from core.evaluation.onlooker import Onlooker
from core.goals.literals import Goal
from core.llm.model import LanguageModel
from core.planners.registry import make_planner, parted, read_choice
from core.planning.planner import Planner
from core.simulator.base import Simulator
from core.suites.contestant import Contestant, Drive, OnFacet, OnOutcome


@dataclass(frozen=True, slots=True)
class RegisteredContestant(Contestant):
    """A planner of the registry as a contestant.

    Attributes:
        beside: a second planner that only thinks; None: there is none.
        log: receives what happens in the episode; None: nothing does.
    """

    text: str
    planner: str
    preset: str
    settings: tuple[tuple[str, str], ...]
    beside: Onlooker | None = None
    log: EpisodeWatch | None = None

    def make(self, settings: Mapping[str, Value] = NONE) -> Planner:
        """Returns a new planner of the registry."""
        return make_planner(self.planner, self.preset, {**dict(self.settings), **settings})

    def drive(self, planner: Planner, simulator: Simulator, goal: Goal, model: LanguageModel | None, seed: int,
              max_steps: int = 30, on_facet: OnFacet = lambda facet: None, on_outcome: OnOutcome = lambda outcome: None,
              world_seed: int | None = None) -> Drive:
        """Plays one episode; the second planner thinks beside, and the log receives what happens."""
        return drive(planner, simulator, goal, model, seed, max_steps, on_facet, on_outcome, self.beside, self.log, world_seed)


def named(text: str) -> str:
    """Returns the planner's name alone."""
    return parted(text).planner


def contestant(text: str) -> RegisteredContestant:
    """Parses `planner[:preset][+name=value …]`, and checks that such a planner can be made.

    Raises:
        UsageError: it cannot.
    """
    choice = read_choice(text)
    found = RegisteredContestant(text, choice.planner, choice.preset, choice.settings)
    found.make()
    return found


def with_settings(text: str, pairs: Sequence[str]) -> str:
    """Returns the text of a contestant with further settings of the form NAME=VALUE.

    Raises:
        UsageError: there are settings, but no contestant.
    """
    if pairs and not text:
        raise UsageError(f"--beside-set {pairs[0]}: name the planner that only thinks, too, with --beside PLANNER")
    return "+".join((text, *pairs))
