"""What a planner is: a generator that shows its mind as it thinks, asks what it wants to know, and returns a decision.

It knows no threads, no callbacks, no operator and no network. Whoever drives it can pause, look and let a person in at every
`yield`; a test drives it by hand with `send()`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from core.common.parameters import Parameters
from core.goals.literals import Goal
from core.planning.examples import Example
from core.planning.facets import Facet
from core.planning.model_requests import Ask, Reply
from core.planning.what_if import WhatIf
from core.world.vocabulary import Action, ActionSchema, Observation, Outcome, WorldKind


@dataclass(frozen=True, slots=True)
class Decision:
    """The action chosen and why. No action: the planner sees nothing left worth doing, and says so in `because`."""

    action: Action | None
    because: str = ""


Yielded = Facet | Ask | tuple[Ask, ...]
"""A checkpoint that shows something, one question, or several that may be answered at the same time."""
Sent = Reply | tuple[Reply, ...] | None
"""What comes back: nothing after a facet, a reply after a question, replies in the same order after several."""
Thought = Generator[Yielded, Sent, Decision]


class Planner(ABC):
    """Chooses actions for one episode.

    Planners are deep-copyable between turns, so that every turn can be returned to.

    Attributes:
        name: its name in the registry.
        title: what people call it; empty: its name.
        layout: the panels around the frames, by side ("left", "right", "bottom"): groups of names of panels, each group in
            one place as tabs. Empty: the layout follows from the facets it shows.
        shows: the kinds of facet it yields.
        edits: the kinds of facet it accepts back from an operator.
        presets: named parameter sets; the first is the default.
        asks: it puts questions to a language model.
        searches: it calls the compiled search, which a session makes ready before the first thought.
        plays: the kinds of world it can act in.
        omniscient: it is given `Simulator.reveal()` instead of `observe()`: only for the oracle and ablations.
    """

    name: ClassVar[str]
    title: ClassVar[str] = ""
    layout: ClassVar[Mapping[str, tuple[tuple[str, ...], ...]]] = MappingProxyType({})
    shows: ClassVar[frozenset[type[Facet]]] = frozenset()
    edits: ClassVar[frozenset[type[Facet]]] = frozenset()
    presets: ClassVar[Mapping[str, Parameters]] = {"default": Parameters()}
    omniscient: ClassVar[bool] = False
    asks: ClassVar[bool] = False
    searches: ClassVar[bool] = False
    plays: ClassVar[frozenset[WorldKind]] = frozenset({"rooms", "sentences"})

    def __init__(self, parameters: Parameters | None = None):
        self.parameters = next(iter(self.presets.values())) if parameters is None else parameters
        self.banned: frozenset[Action] = frozenset()

    @classmethod
    def missing(cls) -> str:
        """What is not installed and the command that installs it, in one line; empty when the planner can be used."""
        return ""

    @abstractmethod
    def begin(self, goal: Goal, schemas: tuple[ActionSchema, ...], seed: int) -> None:
        """A new episode: forget the last one."""

    def study(self, examples: tuple[Example, ...]) -> None:
        """Hear, before the first episode, of decisions worth imitating; those that tell a model about them keep them."""
        del examples

    def guide(self, way: tuple[Action, ...]) -> None:
        """Hear a way to the goal that the world itself knows (a gold path); only omniscient planners are told."""
        del way

    @abstractmethod
    def plan(self, observation: Observation) -> Thought:
        """Think about the next action; each yield is a checkpoint. The parameters may change between yields."""

    def update(self, outcome: Outcome) -> None:
        """Hear what happened, whoever chose the action."""
        del outcome

    def last_look(self, observation: Observation) -> Iterable[Facet]:
        """What it knows once it has seen what came of the last action; asked for when the run ends, of a copy.

        It asks nothing and decides nothing: a facet that would take a question, or a search, is left as it was.
        """
        del observation
        return ()

    def what_if(self, question: WhatIf, observation: Observation) -> Iterator[tuple[Facet, ...]]:
        """What it would show if something stood otherwise: asked of a copy while the run stands still, and never recorded.

        It calls no language model. Each yield is a checkpoint at which the caller may drop the copy. A yield that is not empty
        is an answer, more precise than the one before. A planner without an answer yields nothing.

        Raises:
            UsageError: the question does not fit what is known.
        """
        del question, observation
        yield from ()

    def accept(self, facet: Facet) -> None:
        """Take an operator's edit of something this planner shows (`edits`); called only between yields."""
        raise NotImplementedError(f"{self.name} takes no {type(facet).__name__}")

    def set_goal(self, goal: Goal) -> None:
        """Take another goal in mid-episode, keeping what is known of the world."""
        raise NotImplementedError(f"{self.name} cannot change its goal in mid-episode")

    def deepen(self, action: Action | None, visits: int) -> None:
        """Search one action with so many more simulations; None: every action until all have equally many.

        Raises:
            UsageError: it is not among those ranked now.
        """
        raise NotImplementedError(f"{self.name} does not search")

    def ban(self, actions: frozenset[Action]) -> None:
        """Never choose these until told otherwise; a planner that ranks actions leaves them out of its ranking."""
        self.banned = actions

    def reseed(self, round_: int) -> None:
        """Draw other random numbers from now on; equal rounds draw equal ones."""
        del round_
