"""The parts a session is made of: planner, simulator, providers, and recorded turns that are replayed first."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from core.goals.literals import Goal
from core.goals.reading import GoalReading
from core.llm.budget import Budget, Limits, Price
from core.llm.model import LanguageModel
from core.planning.model_requests import ModelReply, ModelRequest
from core.planning.planner import Planner
from core.session.commands import ChangeWorld, Command, SetLimits
from core.session.events import NOBODY, Began, Who
from core.simulator.base import Simulator
from core.world.vocabulary import Action, Outcome, in_words


@dataclass(frozen=True, slots=True)
class Beside:
    """A companion: a second planner that only thinks.

    Attributes:
        model: answers its requests; None for a planner without requests. Nobody else may use it, nor its cache or budget.
        name: the planner as `planner[:preset][+name=value …]`; empty: the planner's own name.
        provider: what recordings call its provider; empty: none.
    """

    planner: Planner
    model: LanguageModel | None = None
    name: str = ""
    provider: str = ""


@dataclass(frozen=True, slots=True)
class Setup:
    """The parts a session is made of.

    Attributes:
        make_world: opens the simulator, and opens another if it died.
        close_unused: closes what `make_world` keeps open, in case no session ever called it.
        models: the providers the operator may choose from; the first one answers at the start. Empty for planners without
            requests.
        names: what recordings call the planner, simulator, scene, provider, and the provider's model (`answerer`).
        seed: resets the simulator.
        planner_seed: begins the planners; None: `seed` does.
        world: the simulator's settings, for the recording.
        budget: the budget of all models; its limits can be changed during the run.
        script: past turns that are replayed before the run goes on.
        reading: how the goal was read; None: it was not read for this run.
        beside: a second planner that only thinks; None: there is none.
        calls: the model requests that read the goal before the run, with their replies. The run records them as its own.
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
    close_unused: Callable[[], None] = lambda: None
    reading: GoalReading | None = None
    calls: tuple[tuple[ModelRequest, ModelReply], ...] = ()
    beside: Beside | None = None
    world: Mapping[str, str] = field(default_factory=dict)
    planner_seed: int | None = None

    @property
    def seed_of_planner(self) -> int:
        """The seed that planners begin with."""
        return self.seed if self.planner_seed is None else self.planner_seed

    def began(self, simulator: str) -> Began:
        """Returns the event with which the run begins: what it is, and all that is needed to run it again.

        Args:
            simulator: the simulator's own name, if `names` has none.
        """
        name, limits = self.names.get, Limits() if self.budget is None else self.budget.limits
        provider, answerer = next(iter(self.models.items()), (NOBODY, None))
        beside = ("", "") if self.beside is None else (self.beside.name or self.beside.planner.name, self.beside.provider)
        prices = {} if self.budget is None else self.budget.prices
        return Began(name("planner", self.planner.name), name("simulator", simulator), name("scene", ""),
                     name("provider") or provider, self.seed, self.goal, self.planner.parameters, self.most_steps,
                     self.versions, SetLimits(limits.calls, limits.tokens, limits.cost), *beside,
                     tuple((model, price.tokens_in, price.tokens_out) for model, price in prices.items()),
                     tuple(sorted(self.world.items())), self.planner_seed,
                     "" if answerer is None else answerer.source, name("answerer", ""))

    def price(self, source: str) -> Price | None:
        """Returns the price of a million tokens of a source of replies; None if it is unknown. Safe from any thread."""
        return None if self.budget is None else self.budget.price(source)

    @property
    def secrets(self) -> tuple[str, ...]:
        """The API keys that its models send. Nothing that is written to disk may contain them."""
        return tuple(key for model in self.all_models if (key := model.secret.reveal()))

    @property
    def all_models(self) -> tuple[LanguageModel, ...]:
        """Its models, and the companion's."""
        beside = self.beside
        return (*self.models.values(), *(() if beside is None or beside.model is None else (beside.model,)))


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


@dataclass(frozen=True, slots=True)
class Scripted:
    """One past turn that is replayed without planning.

    Attributes:
        commands: what the operator changed in this turn, executed before its action.
        action: the executed action; None: the turn under way, in which the planner decides as usual.
        told: whether the planner is updated with the outcome.
        ok: whether the action succeeded. If it now comes out differently, the rest of the script is dropped.
    """

    commands: tuple[Command, ...] = ()
    action: Action | None = None
    by: Who = "planner"
    because: str = ""
    instead_of: Action | None = None
    told: bool = True
    ok: bool = True


class Script:
    """The recorded turns that are still to be replayed."""

    def __init__(self, steps: Iterable[Scripted]):
        self._steps = deque(steps)
        self._expected = True

    def __bool__(self) -> bool:
        return bool(self._steps)

    def take_changes(self) -> tuple[ChangeWorld, ...]:
        """Removes and returns the changes of the world in the next turn, which are made before it begins."""
        commands = self._steps[0].commands if self._steps else ()
        changes = tuple(command for command in commands if isinstance(command, ChangeWorld))
        if changes:
            self._steps[0] = replace(self._steps[0], commands=tuple(x for x in commands if not isinstance(x, ChangeWorld)))
        return changes

    def next(self) -> Scripted:
        """Removes and returns the next turn."""
        step = self._steps.popleft()
        self._expected = step.ok
        return step

    def check_outcome(self, outcome: Outcome) -> str:
        """Takes the outcome of a replayed turn.

        If it differs from the record, drops the rest and returns why; else returns "".
        """
        if outcome.ok == self._expected:
            return ""
        self.forget()
        how = "was done" if outcome.ok else f"was refused: {outcome.reason}"
        return f"this turn went differently when played again: “{in_words(outcome.action)}” {how}; the run goes on from here"

    def forget(self) -> None:
        """Drops the remaining turns."""
        self._steps.clear()
