"""UCT: tree search without commonsense, the paper's L-Model baseline: uniform belief, uniform policy, uniform rollouts."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import ClassVar

from core.common.parameters import Parameters
from core.planners.shared.search_planner import SearchParameters, SearchPlanner
from core.planning.planner import Sent, Yielded
from core.search.search import Policy, Request


class Uct(SearchPlanner):
    """Monte Carlo tree search without a language model."""

    name: ClassVar[str] = "uct"
    title: ClassVar[str] = "UCT"
    presets: ClassVar[Mapping[str, Parameters]] = {
        "paper": SearchParameters(
            exploration=24.0, depth=20, actions="admissible", rollout="uniform", reward="goal", urgency=False,
            worlds="each", loop_guard=False, ban_goal_places=False, final="value"),
        "macros": SearchParameters(),
    }
    parameters: SearchParameters

    def settings(self) -> SearchParameters:
        """Returns the current parameters."""
        return self.parameters

    def prepare(self) -> Generator[Yielded, Sent, None]:
        """Does nothing: the belief is uniform."""
        yield from ()

    def policy(self) -> Policy | None:
        """Returns None: the priors are uniform."""
        return None

    def consult(self, requests: tuple[Request, ...]) -> Generator[Yielded, Sent, None]:
        """Does nothing: without a policy there are no requests."""
        del requests
        yield from ()
