"""A second planner in an episode of a suite, which only thinks. For a run with an operator see `core.session.companion`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from core.common.cancellation import Cancellation
from core.common.errors import BelvedereError
from core.goals.literals import Goal
from core.goals.prohibitions import forbidden
from core.llm.model import LanguageModel
from core.planning.model_requests import ModelReply, ModelRequest
from core.planning.planner import Decision, Planner
from core.planning.thinking import decide, each
from core.simulator.base import Simulator
from core.world.vocabulary import Action, Outcome


class Onlooker:
    """A second planner in an episode: it thinks about each turn after the first planner has chosen, and never acts.

    Args:
        make: returns a new planner; called for each episode.
        name: the planner, as `planner[:preset][+name=value …]`.

    Attributes:
        model: answers the planner's requests; None until it is set before an episode.
    """

    def __init__(self, make: Callable[[], Planner], name: str = ""):
        self._make, self.name = make, name
        self._planner = make()
        self.model: LanguageModel | None = None
        self._turn = self._agreed = self._decisions = self._diverged = self._calls = self._failed = 0

    def begin(self, goal: Goal, simulator: Simulator, seed: int) -> None:
        """Begins an episode."""
        self._planner = self._make()
        self._turn = self._agreed = self._decisions = self._diverged = self._calls = self._failed = 0
        self._planner.begin(goal, simulator.schemas, seed)

    def think(self, goal: Goal, simulator: Simulator, chosen: Action | None) -> Decision | None:
        """Returns its decision about the present state, compared with the first planner's choice; None if it has none."""
        planner, never = self._planner, Cancellation()
        self._turn += 1

        def answer(ask: ModelRequest) -> ModelReply:
            self._calls += ask.compare != "only"
            assert self.model is not None, "set before the episode"
            return self.model.answer(ask, never)

        seen = simulator.reveal() if planner.omniscient else simulator.observe()
        if planner.banned != (banned := forbidden(goal, seen)):
            planner.ban(banned)
        try:
            decision = decide(planner.plan(seen), each(answer))
        except BelvedereError:  # counted: the first planner's episode goes on
            self._failed += 1
            return None
        self._decisions += 1
        self._agreed += decision.action == chosen
        self._diverged = self._diverged or (0 if decision.action == chosen else self._turn)
        return decision

    def update(self, outcome: Outcome) -> None:
        """Tells it the outcome of the executed action."""
        self._planner.update(outcome)

    @property
    def figures(self) -> Mapping[str, float]:
        """The figures of the episode (see `core.evaluation.agreement`)."""
        return {"beside_decisions": self._decisions, "beside_agreed": self._agreed, "beside_diverged": self._diverged,
                "beside_calls": self._calls, "beside_failed": self._failed}
