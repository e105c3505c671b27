"""What a world must offer. One adapter a file under `sim/`; nothing else in Belvedere knows which one it is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import ClassVar, Self

from core.common.errors import UsageError
from core.goals.literals import Goal
from core.goals.possibility import POSSIBLE, Possibility
from core.planning.facets import Frame, View
from core.world.vocabulary import Action, ActionSchema, Observation, Outcome, Pose, Spot, Verdict, WorldKind

Saved = str
"""A whole world state as JSON text: plain data, comparable, and safe to write to a file."""


class Simulator(ABC):
    """A world with one robot in it. Not thread-safe: one caller at a time.

    Attributes:
        name: its name in the registry.
        title: what people call it; empty: its name.
        restores: `restore` works; otherwise states are reached by replaying actions from the same seed.
        slow: its calls may take longer than 50 ms or hang: they are made on a thread of their own, and abandoned after
            `patience` seconds.
        keeps_shots: how many shots may wait to be drawn, about 20 MB in all. Drawn later they still show their own moment. 0: a
            shot shows the world as it is when it is drawn, so that it must be drawn before the next action.
        most_steps: steps an episode here usually gets.
        kind: what actions are about: things in rooms, or sentences to a world of texts.
        own_task: the world brings its task along with the scene; no other can be judged.
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

    @classmethod
    @abstractmethod
    def open(cls, scene: str, options: Mapping[str, str]) -> Self:
        """The world of a scene, ready for its first reset.

        Args:
            scene: one of `scenes()`, or what else this world takes (a path).
            options: the world's own settings as text, such as `{"seeing": "camera"}`.

        Raises:
            UsageError: no such scene or option, or an option's value makes no sense.
            DataError: the scene's file is damaged.
        """

    @classmethod
    def missing(cls) -> str:
        """What is not installed and the command that installs it, in one line; empty when the world can be opened."""
        return ""

    @classmethod
    @abstractmethod
    def scenes(cls) -> tuple[tuple[str, str], ...]:
        """(name, title) of every scene."""

    @property
    @abstractmethod
    def schemas(self) -> tuple[ActionSchema, ...]:
        """The verbs this world understands, as it is set up now."""

    @abstractmethod
    def reset(self, seed: int) -> Observation:
        """Begin an episode. The same seed gives the same episode on any machine."""

    @abstractmethod
    def observe(self) -> Observation:
        """What the robot can know now. Costs no step."""

    @abstractmethod
    def reveal(self) -> Observation:
        """Everything there is, for judging goals, for the oracle and for suites. Never shown to an honest planner."""

    @abstractmethod
    def step(self, action: Action) -> Outcome:
        """Do one action. What is not admissible fails with its reason and changes nothing but the step count."""

    @abstractmethod
    def verdict(self, action: Action) -> Verdict:
        """Whether an action is admissible, or the failed precondition, as far as the robot can know."""

    @abstractmethod
    def admissible(self) -> tuple[Action, ...]:
        """All admissible actions, in a fixed order."""

    @abstractmethod
    def shot(self, view: View, width: int = 640, height: int = 480, *, still: bool = False) -> Callable[[], Frame]:
        """Aim now, draw later: a function that draws the present moment on any thread, while the world goes on.

        `still` asks for the best quality instead of the fastest. The function raises RendererError when nothing can be drawn.
        """

    def way(self, start: Pose, end: Pose) -> tuple[Spot, ...]:
        """The corners of the way a robot goes from one place to another, both ends included; empty where nobody knows."""
        del start, end
        return ()

    def render(self, view: View, width: int = 640, height: int = 480, *, still: bool = False) -> Frame:
        """A picture of this moment.

        Raises:
            RendererError: no picture can be drawn at all.
        """
        return self.shot(view, width, height, still=still)()

    @abstractmethod
    def save(self) -> Saved:
        """The exact state of the episode."""

    @abstractmethod
    def restore(self, saved: Saved) -> Observation:
        """Go back to a saved state of the same scene; afterwards `save()` returns `saved` again.

        Raises:
            DataError: `saved` is not a state of this scene.
        """

    def goal(self) -> Goal | None:
        """The goal a world brings along with its scene; None where tasks are drawn or said."""
        return None

    def expert(self, goal: Goal) -> tuple[Action, ...]:
        """A way to the goal that the world itself knows, from the beginning of the episode; empty where it knows none."""
        del goal
        return ()

    def possible(self, goal: Goal, *, tidy: bool = False) -> Possibility:
        """Whether a goal could hold in this episode at all, as far as the world can tell (sizes, what there is); else why not.

        With `tidy`, also without carrying anything else out of the way first. The result is true if the goal is possible.
        """
        del goal, tidy
        return POSSIBLE

    @abstractmethod
    def close(self) -> None:
        """End every process and free every resource. May be called twice."""

    def schema(self, verb: str) -> ActionSchema:
        """The schema of a verb.

        Raises:
            UsageError: no such verb here.
        """
        for schema in self.schemas:
            if schema.verb == verb:
                return schema
        raise UsageError(f"unknown verb '{verb}': this world knows {', '.join(s.verb for s in self.schemas)}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()
