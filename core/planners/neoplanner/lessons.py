"""Lessons: what NeoPlanner learned in earlier tasks, with which it begins the next one. Paul (2023), sections VI and VI-B.

The first task begins with a blank memory, and each later task of the table with the learnings of the one before. Boil and
freeze begin with those of chemistry-mix, after a few episodes of both in turn. Only learnings pass on, because the states of
tasks differ. The interactions of lessons are not counted in a run.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from core.common.cancellation import Cancellation
from core.goals.literals import Goal
from core.goals.progress import reached
from core.llm.model import LanguageModel
from core.planners.neoplanner import memory
from core.planners.neoplanner.planner import NeoPlanner
from core.planners.neoplanner.prompts import RESTART
from core.planners.neoplanner.recorded_types import Learnings
from core.planners.neoplanner.state_space import StateSpace
from core.planning.planner import Planner
from core.planning.thinking import decide, each
from core.simulator.base import Simulator
from core.suites.contestant import Contestant

ALTERNATED = ("boil", "freeze")
"""The tasks that share a memory, in the order of their episodes (section VI-B)."""
BEFORE_ALTERNATED = "chemistry-mix"
"""The task whose memory they begin with."""
ALTERNATIONS = 3
"""Episodes of each of them in turn; the paper writes "few"."""
BLANK = Learnings(())
Opened = Callable[[str], tuple[Simulator, LanguageModel]]
"""Returns the simulator of a task, just reset, and the model for it."""


class Lessons:
    """Gives planners their lessons, and keeps them by contestant, task, seed and limit, so that each is played once.

    Equal arguments give equal learnings if the model gives equal replies.
    """

    def __init__(self, interactions: Mapping[str, int]):
        """Takes the tasks in the order in which they are learned, each with its interactions."""
        self._interactions = interactions
        self._kept: dict[tuple[str, str, int, int], Learnings] = {}

    @contextmanager
    def taught(self, contestant: Contestant, task: str, seed: int, opened: Opened, planner_seed: int,
               max_steps: int) -> Iterator[Planner]:
        """Context with a planner for a task. It has lessons if it is a NeoPlanner with `lessons` and without a memory file.

        Args:
            contestant: the planner.
            task: the task that is played next; a task that is not in the table has no lessons.
            seed: the seed of the episode.
            opened: opens the worlds of the lessons.
            planner_seed: the planner's own seed.
            max_steps: the limit of interactions in a lesson, besides that of its task.

        Raises:
            DataError: no temporary file can be written.
        """
        planner = contestant.make()
        if not (isinstance(planner, NeoPlanner) and planner.parameters.lessons) or planner.parameters.memory:
            yield planner
            return
        with tempfile.TemporaryDirectory() as folder:
            course = Course(contestant, seed, opened, planner_seed, max_steps, Path(folder) / "memory.json")
            yield course.planner(self.before(task, course))

    def before(self, task: str, course: Course) -> Learnings:
        """Returns the learnings with which a task begins."""
        if task not in self._interactions:
            return BLANK
        if task in ALTERNATED:
            return self._once("alternation", course, lambda: self._alternated(course))
        order = list(self._interactions)
        place = order.index(task)
        return self._after(order[place - 1], course) if place else BLANK

    def _after(self, task: str, course: Course) -> Learnings:
        return self._once(task, course, lambda: course.play(task, self.before(task, course), self._interactions[task]))

    def _alternated(self, course: Course) -> Learnings:
        learnings = self._after(BEFORE_ALTERNATED, course) if BEFORE_ALTERNATED in self._interactions else BLANK
        for _ in range(ALTERNATIONS):
            for task in ALTERNATED:
                learnings = course.play(task, learnings, self._interactions[task], one_episode=True)
        return learnings

    def _once(self, lesson: str, course: Course, play: Callable[[], Learnings]) -> Learnings:
        key = (course.contestant.text, lesson, course.seed, course.max_steps)
        if key not in self._kept:
            self._kept[key] = play()
        return self._kept[key]


class Course:
    """The lessons of one episode of the suite: which planner takes them, and in which worlds."""

    def __init__(self, contestant: Contestant, seed: int, opened: Opened, planner_seed: int, max_steps: int, file: Path):
        self.contestant, self.seed, self.max_steps = contestant, seed, max_steps
        self._opened, self._planner_seed, self._file = opened, planner_seed, file

    def planner(self, learnings: Learnings) -> NeoPlanner:
        """Returns a planner that begins with these learnings and an empty graph."""
        memory.keep(str(self._file), memory.written(StateSpace(), learnings, ""))
        planner = self.contestant.make({"memory": str(self._file)})
        assert isinstance(planner, NeoPlanner), "only NeoPlanner has lessons"
        return planner

    def play(self, task: str, learnings: Learnings, interactions: int, *, one_episode: bool = False) -> Learnings:
        """Plays a lesson: until the goal is reached, the planner gives up, or the interactions are used up.

        Args:
            task: the task.
            learnings: what is known before.
            interactions: the limit, besides that of the course.
            one_episode: end the lesson with its first episode.
        """
        planner = self.planner(learnings)
        simulator, model = self._opened(task)
        goal, seen = goal_of(simulator), simulator.observe()
        planner.begin(goal, simulator.schemas, self._planner_seed)
        left, never = min(interactions, self.max_steps), Cancellation()
        while left > 0 or reached(goal, seen):  # the learner also takes its turn after a success
            decision = decide(planner.plan(seen), each(lambda ask: model.answer(ask, never)))
            if decision.action is None or (one_episode and decision.action.verb == RESTART):
                break
            outcome = simulator.step(decision.action)
            planner.update(outcome)
            left -= max(1, outcome.observation.step - seen.step)
            seen = simulator.observe()
        return memory.read(planner.memory(), "")[1]


def goal_of(simulator: Simulator) -> Goal:
    """Returns the goal that a task of ScienceWorld brings along."""
    goal = simulator.goal()
    assert goal is not None, "every task of ScienceWorld brings its goal along"
    return goal
