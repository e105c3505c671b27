"""The interface of a planner.

A planner is a generator: it yields facets (what it shows) and model requests (what it asks a language model), and returns a
decision. It uses no threads, callbacks or network. Its caller can pause, inspect or edit it at every `yield`; a test drives it
by hand with `send()`.

A what-if question asks what it would decide if a belief, a parameter or the bans were different. Questions and answers are not
events: they are not recorded, and the run does not depend on them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from core.common.parameters import Parameters, Value
from core.goals.literals import Goal
from core.planning.examples import Example
from core.planning.explanation import DecisionEvidence, Sentence
from core.planning.facets import Facet, Plan
from core.planning.model_requests import ModelReply, ModelRequest
from core.world.vocabulary import Action, ActionSchema, Observation, Outcome, WorldKind

SIMULATIONS = 1000
"""Simulations for one answer."""


@dataclass(frozen=True, slots=True)
class WhatIf:
    """A what-if question.

    Attributes:
        number: the number of the question; later ones have higher numbers.
        edit: a facet as the operator would edit it, such as a belief; None: unchanged.
        parameters: (name, value) of the changed parameters.
        banned: the banned actions; None: unchanged.
        simulations: the number of simulations of the final answer.
        repeat: the number of a simulation of the present decision, to be repeated step by step; -1: none.
        margins: True to ask how far beliefs, priors and parameters can change before the present decision does.
    """

    number: int
    edit: Facet | None = None
    parameters: tuple[tuple[str, Value], ...] = ()
    banned: frozenset[Action] | None = None
    simulations: int = SIMULATIONS
    repeat: int = -1
    margins: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a what-if question. A question may get several answers, each from more simulations.

    An answer with neither facets nor trouble reports that the question is still being computed.

    Attributes:
        number: the number of the question.
        facets: at most one of each class.
        trouble: why there is no answer, as text for the operator; empty if there is one.
    """

    number: int
    facets: tuple[Facet, ...] = ()
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """The chosen action and the reason for it.

    Attributes:
        action: the action to execute; None if the planner finds no useful action left.
        because: the reason in one sentence.
    """

    action: Action | None
    because: str = ""


Yielded = Facet | ModelRequest | tuple[ModelRequest, ...]
"""What a planner may yield: a facet to show, one model request, or several requests that may be answered in parallel.

No request, (), is only a checkpoint: the caller takes commands there. A planner that computes for long yields it in between.
"""
Sent = ModelReply | tuple[ModelReply, ...] | None
"""What `yield` returns: None after a facet, a reply after a request, replies in the same order after several requests."""
Thought = Generator[Yielded, Sent, Decision]
Turn = Generator[Yielded, Sent, Decision | None]
"""One attempt at a decision. It returns None if there is none yet: `RestartingPlanner` then makes another attempt."""


def as_replies(sent: Sent) -> tuple[ModelReply, ...]:
    """Returns what was sent back for one request or several, as a tuple."""
    replies = (sent,) if isinstance(sent, ModelReply) else sent
    assert replies is not None, "questions are answered by replies"
    return replies


class Planner(ABC):
    """Chooses the actions of an episode.

    The methods a caller uses, in the order of calls:

    - `missing` before anything else: whether the planner can be used on this machine.
    - `why` at any time after a decision, also of a recording: sentences that explain it.
    - `study` once, before the first episode, with few-shot examples.
    - `begin` at the start of each episode, with the goal and the action schemas. `guide` follows it if the planner is
      omniscient.
    - `plan` once a turn, with the newest observation. It returns a generator, which the caller runs to its `Decision`.
    - `update` once a turn, with the outcome of the executed action. The operator may have chosen another action than the
      planner.
    - `last_look` on a copy, when a run ends.

    And what an operator may do between two yields or two turns:

    - `ban` actions, `reseed` the random numbers.
    - `accept` an edited facet, `set_goal`, `deepen` the search, ask `what_if`: only if the planner supports it.

    Set in ALL subclasses: `name`, `begin`, `plan`. Set in SOME subclasses: the other attributes and methods.

    The caller deep-copies planners between turns, so that it can return to each turn. Keep state in values that copy cheaply.

    Attributes:
        name: its name in the registry.
        title: its display name; empty: its name.
        layout: the panels around the frames, by side ("left", "right", "bottom"): groups of names of panels, each group in
            one place as tabs. Empty: the layout follows from the facets it shows.
        shows: the classes of facets it yields.
        edits: the classes of facets it accepts back from an operator (see `accept`).
        presets: named parameter sets; the first is the default.
        asks: True if it sends model requests.
        is_trained: True if it has weights of its own; `origin` says what they were trained on.
        searches: True if it calls the compiled search; the session then prepares its machine code before the first turn.
        plays: the kinds of world it can act in.
        omniscient: True if it gets `Simulator.reveal()` instead of `observe()`: only for the oracle and ablations.
        parameters: the parameters in force. The caller may replace them between two yields.
        banned: the actions it must not choose, as set by `ban`.
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
    is_trained: ClassVar[bool] = False
    plays: ClassVar[frozenset[WorldKind]] = frozenset({"rooms", "sentences"})

    def __init__(self, parameters: Parameters | None = None):
        self.parameters = next(iter(self.presets.values())) if parameters is None else parameters
        self.banned: frozenset[Action] = frozenset()

    @property
    def origin(self) -> str:
        """What its weights were trained on, as a clause; empty: it has none of its own."""
        return ""

    @classmethod
    def missing(cls) -> str:
        """Returns in one line what is not installed and the command that installs it; empty if the planner can be used."""
        return ""

    @classmethod
    def why(cls, decision: DecisionEvidence, other: Action) -> tuple[Sentence, ...]:
        """Returns why an action was chosen and not another one, from what this planner showed and asked in that turn.

        Works without an instance, so that recordings are explained, too. Empty: this planner shows no evidence about it.

        Args:
            decision: the decision.
            other: the action it is compared with; never the chosen one.
        """
        del decision, other
        return ()

    @classmethod
    def reasons(cls, decision: DecisionEvidence) -> tuple[Sentence, ...]:
        """Returns why an action was chosen, if there is no other one to compare it with. Empty: this planner shows no evidence.

        Args:
            decision: the decision.
        """
        del decision
        return ()

    @abstractmethod
    def begin(self, goal: Goal, schemas: tuple[ActionSchema, ...], seed: int) -> None:
        """Starts a new episode and discards the state of the last one.

        Args:
            goal: the goal to reach.
            schemas: the verbs of the world.
            seed: seed of all random numbers of the episode.
        """

    def study(self, examples: tuple[Example, ...]) -> None:
        """Receives few-shot examples before the first episode. Planners that put them into prompts override this."""
        del examples

    def guide(self, way: tuple[Action, ...]) -> None:
        """Receives a sequence of actions to the goal that the world provides (a gold path). Only for omniscient planners."""
        del way

    @abstractmethod
    def plan(self, observation: Observation) -> Thought:
        """Plans the next action.

        Args:
            observation: what the robot observes now.

        Returns:
            A generator that yields facets and model requests and returns the decision. Each yield is a checkpoint: the
            parameters may change there.
        """

    def update(self, outcome: Outcome) -> None:
        """Receives the outcome of the executed action, no matter whether the planner or the operator chose it."""
        del outcome

    def last_look(self, observation: Observation) -> Iterable[Facet]:
        """Returns the final facets of a run, given the observation after the last action. Called on a copy when a run ends.

        It must not send model requests or search. A facet that would need either is left out and stays as it was.
        """
        del observation
        return ()

    def what_if(self, question: WhatIf, observation: Observation) -> Iterator[tuple[Facet, ...]]:
        """Yields the facets the planner would show if something were different.

        Called on a copy while the run is paused; the answer is never recorded. It must not call a language model. Each yield is
        a checkpoint at which the caller may drop the copy. A yield that is not empty is an answer, more precise than the one
        before. A planner without an answer yields nothing.

        Raises:
            UsageError: the question does not fit what the planner knows.
        """
        del question, observation
        yield from ()

    def accept(self, facet: Facet) -> None:
        """Applies an operator's edit of a facet whose class is in `edits`. Called only between yields."""
        raise NotImplementedError(f"{self.name} takes no {type(facet).__name__}")

    def set_goal(self, goal: Goal) -> None:
        """Replaces the goal within an episode and keeps what is known of the world."""
        raise NotImplementedError(f"{self.name} cannot change its goal in mid-episode")

    def deepen(self, action: Action | None, visits: int) -> None:
        """Runs additional simulations.

        Args:
            action: the root action to simulate; None: all root actions, until all have equally many visits.
            visits: the number of additional simulations.

        Raises:
            UsageError: the action is not in the current ranking.
        """
        raise NotImplementedError(f"{self.name} does not search")

    def ban(self, actions: frozenset[Action]) -> None:
        """Sets the actions the planner must not choose. A planner that ranks actions leaves them out of its ranking."""
        self.banned = actions

    def reseed(self, round_: int) -> None:
        """Switches to another stream of random numbers. Equal rounds give equal numbers."""
        del round_


class RestartingPlanner(Planner):
    """Base class of planners that start a decision again when an operator changes something during it.

    A subclass implements `look` and `attempt`, calls `restart` after each edit, and returns None from an attempt that was
    `interrupted` at one of its yields.
    """

    _stale = False

    @abstractmethod
    def look(self, observation: Observation) -> None:
        """Processes the observation of a turn."""

    @abstractmethod
    def attempt(self) -> Turn:
        """Makes one attempt at a decision from what is known."""

    def plan(self, observation: Observation) -> Thought:
        """Makes attempts until there is a decision that no edit has made outdated."""
        self.look(observation)
        while True:
            self._stale = False
            decision = yield from self.attempt()
            if decision is not None and not self._stale:
                return decision

    def decide(self, actions: tuple[Action, ...], because: str, *, continues: bool = False) -> Turn:
        """Shows a plan, which may have been made in an earlier turn (`continues`), and decides for its first action."""
        yield Plan(actions, because, continues)
        return None if self._stale else Decision(actions[0], because)

    def restart(self) -> None:
        """Marks the decision in progress as outdated."""
        self._stale = True

    def interrupted(self) -> bool:
        """Returns True if an operator changed something during this decision."""
        return self._stale

    def ban(self, actions: frozenset[Action]) -> None:
        """Bans actions and starts the decision in progress again."""
        super().ban(actions)
        self.restart()
