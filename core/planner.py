"""What a planner is: a generator that shows its mind as it thinks, and returns a decision.

It knows no threads, no callbacks, no operator and no network. Whoever drives it can pause, look and let a person in at every
`yield`; a test drives it by hand with `send()`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator
from dataclasses import dataclass
from typing import ClassVar

from core.facets import Facet
from core.goals import Goal
from core.world import Action, ActionSchema, Observation, Outcome


@dataclass(frozen=True, slots=True)
class Decision:
    """The action chosen and why. No action: the planner sees nothing left worth doing, and says so in `because`."""

    action: Action | None
    because: str = ""


Thought = Generator[Facet, None, Decision]


class Planner(ABC):
    """Chooses actions for one episode.

    Attributes:
        name: its name in the registry.
        shows: the kinds of facet it yields.
        omniscient: it is given `Simulator.reveal()` instead of `observe()`: only for the oracle and ablations.
    """

    name: ClassVar[str]
    shows: ClassVar[frozenset[type[Facet]]] = frozenset()
    omniscient: ClassVar[bool] = False

    @abstractmethod
    def begin(self, goal: Goal, schemas: tuple[ActionSchema, ...], seed: int) -> None:
        """A new episode: forget the last one."""

    @abstractmethod
    def plan(self, observation: Observation) -> Thought:
        """Think about the next action; each yield is a checkpoint."""

    def update(self, outcome: Outcome) -> None:
        """Hear what happened, whoever chose the action."""
        del outcome
