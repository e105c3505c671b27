"""What plays a suite: a planner by name, which the suite lets play episodes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from core.common.parameters import Value
from core.common.registry import NONE
from core.goals.literals import Goal
from core.llm.model import LanguageModel
from core.planning.facets import Facet
from core.planning.planner import Planner
from core.simulator.base import Simulator
from core.world.vocabulary import Action, Outcome

OnFacet = Callable[[Facet], None]
OnOutcome = Callable[[Outcome], None]


@dataclass(frozen=True, slots=True)
class Drive:
    """The result of an episode.

    Attributes:
        steps: number of actions sent; an action that the simulator counts as several counts as that many.
        asks: number of model requests, by purpose.
        searches: number of turns in which the planner searched, without those that continued a macro.
        calls: number of requests to the model: all but those that only compare texts.
        seconds: time in the planner; `waiting`: time for replies.
        ended: why it ended, if not by reaching the goal or using up the steps.
    """

    success: bool
    steps: int
    asks: tuple[tuple[str, int], ...]
    seconds: float
    waiting: float
    actions: tuple[tuple[Action, bool], ...]
    ended: str = ""
    searches: int = 0
    calls: int = 0

    def asked(self, purpose: str) -> int:
        """Returns the number of model requests for a purpose."""
        return dict(self.asks).get(purpose, 0)


class Contestant(ABC):
    """A planner with its preset and parameters, which can play episodes.

    A suite chooses the planner and the task. How an episode is played, counted and logged is up to the subclass.

    Attributes:
        text: `planner[:preset][+name=value …]`, as in `llm-mcts:paper` and `llm-mcts+wrong_answers=0.4`.
        settings: (parameter, value) pairs.
    """

    text: str
    planner: str
    preset: str
    settings: tuple[tuple[str, str], ...]

    @abstractmethod
    def make(self, settings: Mapping[str, Value] = NONE) -> Planner:
        """Returns a new planner.

        Args:
            settings: parameter -> value; they override those of the contestant.

        Raises:
            UsageError: there is no such planner, preset or parameter.
        """

    @abstractmethod
    def drive(self, planner: Planner, simulator: Simulator, goal: Goal, model: LanguageModel | None, seed: int,
              max_steps: int = 30, on_facet: OnFacet = lambda facet: None, on_outcome: OnOutcome = lambda outcome: None,
              world_seed: int | None = None) -> Drive:
        """Plays one episode from the simulator's present state.

        Args:
            planner: one that `make` returned.
            simulator: the world, reset.
            goal: what is to be reached.
            model: answers the planner's requests; None for a planner that asks nothing.
            seed: the planner's seed.
            max_steps: number of actions before the episode is given up.
            on_facet: receives every facet that the planner shows.
            on_outcome: receives the outcome of every action.
            world_seed: what the simulator was reset with; None: `seed`.
        """
