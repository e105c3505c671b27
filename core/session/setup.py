"""The parts a session is made of, and a simulator that was opened before the session."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from core.goals.literals import Goal
from core.llm.budget import Budget
from core.llm.model import LanguageModel
from core.planning.planner import Planner
from core.session.script import Scripted
from core.simulator.base import Simulator


def _do_nothing() -> None:
    """Does nothing: the default of `Setup.close_unused`."""


@dataclass(frozen=True, slots=True)
class Setup:
    """The parts a session is made of.

    Attributes:
        make_world: opens the simulator, and opens another if it died.
        close_unused: closes what `make_world` keeps open, in case no session ever called it.
        models: the providers the operator may choose from; the first one answers at the start. Empty for planners without
            requests.
        names: what recordings call the planner, simulator, scene and provider.
        budget: the budget of all models; its limits can be changed during the run.
        script: past turns that are replayed before the run goes on.
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
    close_unused: Callable[[], None] = _do_nothing

    @property
    def secrets(self) -> tuple[str, ...]:
        """The API keys that its models send. Nothing that is written to disk may contain them."""
        return tuple(key for model in self.models.values() if (key := model.secret.reveal()))


class OpenWorld:
    """Makes a session's simulator: returns the open one at first, then new ones.

    A simulator is opened to parse the goal. The session uses the same one, because opening one may take many seconds.

    Args:
        world: the open simulator.
        again: opens another one, such as when the first has died.
    """

    def __init__(self, world: Simulator, again: Callable[[], Simulator]):
        self._world: Simulator | None = world
        self._again = again

    def __call__(self) -> Simulator:
        """Returns a simulator. The caller must reset and close it."""
        world, self._world = self._world, None
        return self._again() if world is None else world

    def close(self) -> None:
        """Closes the open simulator, if it was not taken."""
        world, self._world = self._world, None
        if world is not None:
            world.close()
