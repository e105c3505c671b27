"""What a session is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from core.goals.literals import Goal
from core.llm.budget import Budget
from core.llm.model import LanguageModel
from core.planning.planner import Planner
from core.session.script import Scripted
from core.simulator.base import Simulator


def _nothing() -> None:
    """Nothing is held ready."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What a session is made of.

    Attributes:
        make_world: opens the simulator, and opens it again when it died.
        let_go: ends what `make_world` holds ready, where no session ever asked for it.
        models: the providers the operator may choose from; the first answers at the start. Empty for planners that ask nothing.
        names: what recordings call the planner, simulator, scene and provider.
        budget: stands behind the models; its limits can be changed while the run goes on.
        script: turns that are known beforehand.
    """

    planner: Planner
    make_world: Callable[[], Simulator]
    goal: Goal
    seed: int = 0
    most_steps: int = 30
    models: Mapping[str, LanguageModel] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    versions: tuple[tuple[str, str], ...] = ()
    budget: Budget | None = None
    script: tuple[Scripted, ...] = ()
    let_go: Callable[[], None] = _nothing

    @property
    def secrets(self) -> tuple[str, ...]:
        """The keys that its models send: nothing that is written may hold them."""
        return tuple(key for model in self.models.values() if (key := model.secret.reveal()))
