"""The engine: it drives one planner in one world, turn after turn, and yields what happens.

It knows no threads, clocks or operator. Whoever owns a run is its host, which answers model requests, executes actions and may
have a say at every step. The host of a session lets an operator in (`core.session.operated`); that of an episode of a suite
does not (`core.evaluation.episode`).
"""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Generator
from contextlib import AbstractContextManager
from dataclasses import dataclass

from core.goals.literals import Goal, LiteralProgress
from core.goals.prohibitions import forbidden
from core.planning.facets import Facet
from core.planning.planner import Decision, Planner, Thought
from core.planning.thinking import NO_CLOCK, Asks, Replies, steps
from core.session.events import Acted, Decided, TurnBegan, Who
from core.session.interrupts import Interrupt, Overridden
from core.world.vocabulary import Action, Observation

USED_UP, REACHED = "steps used up", "goal reached"
NOTHING_LEFT = "the planner sees nothing left to do"
MOST_BANNED_CHOICES = 3

Happening = TurnBegan | Facet | Decided | Acted
"""What the engine yields. A facet is one that the planner shows."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The action of a turn.

    Attributes:
        action: None if the planner gives up.
        because: the reason in one sentence.
        by: who chose it.
        told: whether the planner is updated with its outcome.
    """

    action: Action | None
    because: str = ""
    by: Who = "planner"
    told: bool = True


class Host(ABC):
    """What an engine needs of the run that it drives. What is not abstract does what a run without an operator needs.

    Attributes:
        thinking: the context in which the planner computes.
    """

    thinking: AbstractContextManager[None] = NO_CLOCK

    @property
    @abstractmethod
    def planner(self) -> Planner:
        """The planner; another one after the run has gone back."""

    @property
    @abstractmethod
    def goal(self) -> Goal:
        """The present goal."""

    @property
    @abstractmethod
    def is_used_up(self) -> bool:
        """Whether no further action may be executed."""

    @abstractmethod
    def progress(self) -> tuple[LiteralProgress, ...]:
        """Returns the progress towards the goal."""

    @abstractmethod
    def seen(self) -> Observation:
        """Returns what is seen of the world."""

    @abstractmethod
    def revealed(self) -> Observation:
        """Returns all that is true of the world."""

    @abstractmethod
    def fetch(self, asks: Asks) -> Replies:
        """Returns the replies to model requests."""

    @abstractmethod
    def act(self, choice: Choice, action: Action) -> Acted:
        """Executes the action that was chosen."""

    def before_turn(self) -> None:  # noqa: B027 - nothing without an operator
        """Called before a turn begins: the world may be changed here."""

    def past_choice(self) -> Choice | None:
        """Returns what was chosen in this turn when it was played before; None if the planner must choose."""
        return None

    def forbid(self, actions: frozenset[Action]) -> None:
        """Bans the actions that the goal forbids at this moment."""
        if self.planner.banned != actions:
            self.planner.ban(actions)

    def allows(self, action: Action) -> bool:
        """Returns False if the planner must choose again."""
        del action
        return True

    def insists(self, action: Action) -> None:  # noqa: B027 - nothing without an operator
        """Called when the planner has chosen what is not allowed `MOST_BANNED_CHOICES` times more."""

    def stands(self, decision: Decision) -> bool:
        """Returns False if what the planner's decision depends on has changed meanwhile."""
        del decision
        return True

    def checkpoint(self) -> None:  # noqa: B027 - nothing without an operator
        """Called where the run can be left.

        Raises:
            Interrupt: it is left.
        """

    def yielded(self) -> None:  # noqa: B027 - nothing without an operator
        """Called after each yield of the planner; otherwise as `checkpoint`."""

    def broke(self, error: Exception) -> None:
        """Called when the planner broke. If it returns, the planner tries again."""
        raise error

    def first_choice(self) -> Action | None:
        """Returns the action that the planner would have chosen so far, for an override; None if that is not known."""
        return None

    def heard(self, acted: Acted) -> None:  # noqa: B027 - nothing without an operator
        """Called after the planner was updated with an outcome."""


def play(host: Host) -> Generator[Happening, None, str]:
    """Plays until the goal is reached, the actions are used up or the planner gives up. Returns which, or why it gives up.

    Raises:
        Interrupt: the host leaves the run.
    """
    while True:
        host.before_turn()
        report = host.progress()
        if all(p.reached for p in report):
            return REACHED
        if host.is_used_up:
            return USED_UP
        yield TurnBegan(host.seen(), report)
        choice = host.past_choice() or (yield from _choose(host))
        if choice.action is None:
            return choice.because or NOTHING_LEFT
        acted = host.act(choice, choice.action)
        if choice.told:
            host.planner.update(acted.outcome)
            host.heard(acted)
        yield acted


def start(host: Host) -> Thought:
    """Returns the planner's generator for the present moment, not started, with the actions banned that the goal forbids."""
    seen = host.revealed() if host.planner.omniscient else host.seen()
    host.forbid(forbidden(host.goal, seen))
    return host.planner.plan(seen)


def overruled(host: Host, override: Overridden) -> tuple[Decided, Choice]:
    """Returns the operator's choice in place of the planner's, and the event that says so."""
    return (Decided(override.action, "operator", override.why, host.first_choice()),
            Choice(override.action, override.why, "operator", override.told))


def _choose(host: Host) -> Generator[Happening, None, Choice]:
    try:
        host.checkpoint()
        while True:
            decision = yield from _allowed_decision(host)
            if host.stands(decision):
                break
        yield Decided(decision.action, "planner", decision.because)
        return Choice(decision.action, decision.because)
    except Overridden as override:
        decided, choice = overruled(host, override)
        yield decided
        return choice


def _allowed_decision(host: Host) -> Generator[Happening, None, Decision]:
    """Lets the planner decide until its choice is not banned."""
    tries = 0
    while True:
        decision = yield from _decision(host)
        if decision.action is None or host.allows(decision.action):
            return decision
        tries += 1
        if tries % MOST_BANNED_CHOICES == 0:
            host.insists(decision.action)
        host.checkpoint()


def _decision(host: Host) -> Generator[Happening, None, Decision]:
    """Yields what the planner shows until it decides. Where it breaks, the host decides whether it tries again."""
    while True:
        try:
            with contextlib.closing(start(host)) as thought:
                for step in steps(thought, host.fetch, host.yielded, host.thinking):
                    if isinstance(step, Decision):
                        return step
                    yield step
        except Interrupt:
            raise
        except Exception as error:  # noqa: BLE001 - a planner's bug must not lose the episode
            host.broke(error)
