"""The interface of a simulator, and the list of actions it offers to an operator.

Each adapter is a package under `sim/`; no other part depends on a specific simulator.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import ClassVar, Literal, Self

from core.common.errors import RendererError, UsageError
from core.goals.contradictions import opposed
from core.goals.literals import Goal
from core.goals.possibility import Possibility, unsupported
from core.planning.facets import Frame, View
from core.simulator.orbit import Extent, Orbit
from core.world.affordances import all_uses
from core.world.vocabulary import (
    ACTS,
    CONTAINER,
    GRABBABLE,
    OPENABLE,
    POSTURES,
    SLICEABLE,
    SURFACE,
    SWITCHABLE,
    WASHABLE,
    Action,
    ActionSchema,
    AgentState,
    Entity,
    FloorPoint,
    Observation,
    Outcome,
    Pose,
    Relation,
    Value,
    Verdict,
    WorldKind,
)

EQUAL = 1e-3
"""Metres and radians by which two equal poses may differ."""
Saved = str
"""A complete world state as JSON text: plain data, comparable, safe to write to a file."""
ChangeKind = Literal["inside", "on", "state"]


@dataclass(frozen=True, slots=True)
class WorldChange(Value):
    """A change of the world that the robot does not make: an object is put elsewhere, or an entity gets a state.

    Attributes:
        thing: id of the entity.
        kind: `inside` or `on`: it is put there, with everything on and in it. `state`: it gets a state.
        to: id of the new holder, or the new state (open, off, clean …), which replaces its opposite.
        point: x and y in metres in the frame of the house: the object comes to lie on the holder as near to it as there is
            room. None: the simulator chooses the spot.
    """

    thing: str
    kind: ChangeKind
    to: str
    point: FloorPoint | None = None

    def words(self, name: Callable[[str], str] = str) -> str:
        """Returns it in words: `apple 2 → inside fridge 1`, `fridge 1 → open`. `name` returns the name of an id."""
        where = self.to if self.kind == "state" else f"{self.kind} {name(self.to)}"
        return f"{name(self.thing)} → {where}"


class Simulator(ABC):
    """A world with one robot. Not thread-safe: only one caller at a time.

    The methods a caller uses, in the order of calls:

    - `missing` and `scenes` before anything else: whether the world can be used, and which scenes it has.
    - `open` to create the world of a scene.
    - `reset` at the start of each episode.
    - `observe`, `verdict` and `admissible` at any time, at no cost; `step` to execute an action.
    - `shot` or `render` for pictures; `save` and `restore` to return to an earlier state.
    - `close` at the end.

    Set in ALL subclasses: `name`, `open`, `scenes`, `schemas`, `reset`, `observe`, `reveal`, `step`, `verdict`, `admissible`,
    `shot`, `save`, `restore`, `close`. Set in SOME subclasses: the other attributes, `missing`, `way`, `view_from`, `extent`,
    `goal`, `expert`, `possible`, `possible_changes` and `change` (both if `changes` is not empty).

    Attributes:
        name: its name in the registry.
        title: its display name; empty: its name.
        slow: True if its calls may take longer than 50 ms or hang. They then run on a separate thread and are abandoned after
            `patience` seconds.
        restores: True if `restore` works; otherwise states are reached by replaying actions from the same seed.
        patience: the time limit of a call in seconds, if `slow`.
        keeps_shots: how many shots may wait to be drawn, about 20 MB in all. They show the moment they were taken, even if
            drawn later. 0: a shot shows the world as it is when it is drawn, so it must be drawn before the next action.
        most_steps: the usual step limit of an episode.
        kind: whether actions concern objects in rooms, are sentences of a text world, or give the answer to a question.
        own_task: True if the scene defines the task and no other task can be evaluated.
        changes: which kinds of change `change` can make; empty: only actions change this world.
        free_view: True if `view_from` draws the world from any side.
    """

    name: ClassVar[str]
    title: ClassVar[str] = ""
    slow: ClassVar[bool] = False
    restores: ClassVar[bool] = True
    patience: ClassVar[float] = 60.0
    keeps_shots: ClassVar[int] = 1000
    most_steps: ClassVar[int] = 30
    kind: ClassVar[WorldKind] = "rooms"
    own_task: ClassVar[bool] = False
    changes: ClassVar[frozenset[ChangeKind]] = frozenset()
    free_view: ClassVar[bool] = False

    @classmethod
    @abstractmethod
    def open(cls, scene: str, options: Mapping[str, str]) -> Self:
        """Returns the world of a scene, ready for its first reset.

        Args:
            scene: one of `scenes()`, or another value this world accepts (a path).
            options: the world's own settings as text, such as `{"seeing": "camera"}`.

        Raises:
            UsageError: the scene or an option does not exist, or an option has an invalid value.
            DataError: the scene's file is damaged.
        """

    @classmethod
    def missing(cls) -> str:
        """Returns in one line what is not installed and the command that installs it; empty if the world can be opened."""
        return ""

    @classmethod
    @abstractmethod
    def scenes(cls) -> tuple[tuple[str, str], ...]:
        """Returns (name, title) of every scene."""

    @property
    @abstractmethod
    def schemas(self) -> tuple[ActionSchema, ...]:
        """The verbs this world understands, as it is currently configured."""

    @abstractmethod
    def reset(self, seed: int) -> Observation:
        """Starts an episode. The same seed gives the same episode on every machine.

        Args:
            seed: seed of the initial state.

        Returns:
            The first observation.
        """

    @abstractmethod
    def observe(self) -> Observation:
        """Returns what the robot can know now. Costs no step."""

    @abstractmethod
    def reveal(self) -> Observation:
        """Returns the complete state, for goal evaluation, the oracle and suites. Never passed to other planners."""

    @abstractmethod
    def step(self, action: Action) -> Outcome:
        """Executes an action. An inadmissible action fails with the reason and changes nothing but the step count.

        Args:
            action: the action.

        Returns:
            The outcome with the next observation.
        """

    @abstractmethod
    def verdict(self, action: Action) -> Verdict:
        """Returns whether an action is admissible, or the failed precondition, as far as the robot can know."""

    @abstractmethod
    def admissible(self) -> tuple[Action, ...]:
        """Returns all admissible actions in a fixed order."""

    @abstractmethod
    def shot(self, view: View, width: int = 640, height: int = 480, *, still: bool = False) -> Callable[[], Frame]:
        """Captures the present state and returns a function that draws it later, on any thread, while the world continues.

        Args:
            view: the camera.
            width: in pixels.
            height: in pixels.
            still: True for the best quality instead of the fastest drawing.

        Returns:
            The function. It raises RendererError if no picture can be drawn.
        """

    def way(self, start: Pose, end: Pose) -> tuple[FloorPoint, ...]:
        """Returns the corners of the robot's path between two poses, both ends included; empty if unknown."""
        del start, end
        return ()

    def render(self, view: View, width: int = 640, height: int = 480, *, still: bool = False) -> Frame:
        """Returns a picture of the present state. Args as in `shot`.

        Raises:
            RendererError: no picture can be drawn.
        """
        return self.shot(view, width, height, still=still)()

    def view_from(self, orbit: Orbit, width: int = 640, height: int = 480, *, still: bool = False) -> Frame:
        """Returns a picture of the present state without its roof, from a free viewpoint.

        Args:
            orbit: the viewpoint.
            width: in pixels.
            height: in pixels.
            still: as in `shot`.

        Raises:
            RendererError: no picture can be drawn.
        """
        raise RendererError(f"{self.title or self.name} draws its house from one side only")

    def extent(self) -> Extent | None:
        """Returns the box around the rooms of the scene; None if the world has no geometry."""
        return None

    def tops(self) -> Mapping[str, float]:
        """Returns at which height above the floor objects lie on entities now, by id, metres: the topmost surface of each.

        With it, a place in a picture becomes the point of a `WorldChange`. Empty if the world chooses where objects lie.
        """
        return {}

    @abstractmethod
    def save(self) -> Saved:
        """Returns the exact state of the episode."""

    @abstractmethod
    def restore(self, saved: Saved) -> Observation:
        """Returns to a saved state of the same scene; afterwards `save()` returns `saved` again.

        Raises:
            DataError: `saved` is not a state of this scene.
        """

    def possible_changes(self, thing: str) -> tuple[WorldChange, ...]:
        """Returns every change of an entity that `change` would make in the present state, without points, in a fixed order.

        Args:
            thing: id of the entity; of an unknown one nothing can be changed.
        """
        del thing
        return ()

    def change(self, change: WorldChange) -> Observation:
        """Changes the world at once. It is no action: it takes no step, and the robot learns of it only by what it sees.

        `save`, `restore` and `reset` treat the changed world like any other state of the episode.

        Returns:
            What the robot sees now.

        Raises:
            UsageError: the change is impossible; the message names the cause and what would help. Nothing has changed.
        """
        raise UsageError(f"the world of {self.title or self.name} cannot be changed, except by the robot's actions "
                         f"({change.words()}): edit what the planner believes instead")

    def goal(self) -> Goal | None:
        """Returns the goal that the scene defines; None if tasks are generated or given as text."""
        return None

    def expert(self, goal: Goal) -> tuple[Action, ...]:
        """Returns a sequence of actions from the start of the episode to the goal; empty if the world knows none."""
        del goal
        return ()

    def possible(self, goal: Goal, *, tidy: bool = False) -> Possibility:
        """Returns whether a goal can hold in this episode, else why not.

        Judged by what the world can tell: the sizes of objects and furniture, and which objects exist. A world that does not
        override this knows only whether the goal contradicts itself, and whether it has the verbs for it.

        Args:
            goal: the goal.
            tidy: True to require that it is possible without moving other objects out of the way.

        Returns:
            A value that is true if the goal is possible.
        """
        del tidy
        return opposed(goal, self.reveal) and unsupported(goal, self.schemas)

    @abstractmethod
    def close(self) -> None:
        """Ends all processes and frees all resources. May be called twice."""

    def schema(self, verb: str) -> ActionSchema:
        """Returns the schema of a verb.

        Raises:
            UsageError: the world has no such verb.
        """
        for schema in self.schemas:
            if schema.verb == verb:
                return schema
        raise UsageError(f"unknown verb '{verb}': this world knows {', '.join(s.verb for s in self.schemas)}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


@dataclass(frozen=True, slots=True)
class WorldState:
    """One state of the world, read from the simulator right after it came about.

    Attributes:
        saved: the exact state, to return to it.
        seen: what the robot can know.
        revealed: everything.
    """

    saved: Saved
    seen: Observation
    revealed: Observation

    @classmethod
    def of(cls, simulator: Simulator) -> Self:
        """Reads the present state of a simulator."""
        return cls(simulator.save(), simulator.observe(), simulator.reveal())


def difference(here: Observation, agent: AgentState, relations: Iterable[Relation], entities: Iterable[Entity] = ()) -> str:
    """Returns in words how a world differs from what was known of it; empty if it does not.

    Args:
        here: the complete state of the world.
        agent: the robot as it was.
        relations: relations that held; others may hold too.
        entities: entities with the states that they had.
    """
    if here.agent.room != agent.room or here.agent.holding != agent.holding:
        return "the robot stands or holds something else"
    if here.agent.pose is not None and agent.pose is not None and any(
            not math.isclose(a, b, abs_tol=EQUAL) for a, b in zip(here.agent.pose, agent.pose, strict=True)):
        return "the robot stands elsewhere"
    known = set(here.relations)
    if (other := next((r for r in relations if r not in known), None)) is not None:
        return f"{other.subject} was {other.kind} {other.object}"
    was = next((e for e in entities if e.id not in here.by_id or here.by_id[e.id].states != e.states), None)
    return "" if was is None else f"{was.id} was {', '.join(sorted(was.states)) or 'there'}"


MADE_FOR = frozenset({
    GRABBABLE, OPENABLE, SLICEABLE, SURFACE, SWITCHABLE, WASHABLE, CONTAINER, "verb", "arguments", "another thing", "a tap",
    *filter(None, ACTS.values()), *POSTURES.values(),
})
"""Preconditions that say the object does not support the verb at all (opening an apple). Such actions are not listed."""
MOST = 600


def options(simulator: Simulator, thing: str = "") -> tuple[tuple[Action, Verdict], ...]:
    """Returns all admissible actions, then inadmissible ones with their verdicts.

    Args:
        simulator: the world.
        thing: id of an entity; only actions with it are listed. Empty: all.
    """
    found: dict[Action, Verdict] = {a: simulator.verdict(a) for a in simulator.admissible()}
    seen = simulator.observe()
    ids = [thing] if thing else [e.id for e in seen.entities]
    for action in (action for schema in simulator.schemas if schema.roles for action in all_uses(schema, seen, ids)):
        if len(found) >= MOST:
            break
        if action not in found:
            verdict = simulator.verdict(action)
            if verdict.ok or verdict.precondition not in MADE_FOR:
                found[action] = verdict
    chosen = [(a, v) for a, v in found.items() if not thing or thing in a.args]
    return tuple(sorted(chosen, key=lambda pair: not pair[1].ok))
