"""What a request's scene contains, and tasks that can be done in it: for people who choose, not for planners."""

from __future__ import annotations

from dataclasses import dataclass

from core.app.everyday_tasks import everyday_robot_tasks, everyday_task
from core.app.goal_reading import reads_back
from core.app.launch import SimulatorClass, placed
from core.app.run_request import Request
from core.goals.literals import Goal
from core.world.vocabulary import Entity

MOST_DRAWN, MOST_ALIKE = 24, 4
"""Number of draws for one list of tasks, and of tasks of the same kind and difficulty in it."""


def scene_entities(request: Request, simulator_class: SimulatorClass) -> tuple[Entity, ...]:
    """Returns everything in the request's scene at its seed.

    Raises:
        UsageError: there is no such scene.
        DataError: the scene's file is damaged.
        MissingPart: the simulator is not installed.
    """
    request = placed(request, simulator_class)
    with simulator_class(request.simulator).open(request.scene, request.world) as world:
        world.reset(request.seed)
        return world.reveal().entities


@dataclass(frozen=True, slots=True)
class SampleTask:
    """A task that can be done in a scene.

    Attributes:
        text: the task in words.
        kind: what it is about, for a heading: `Put things in place`.
        difficulty: how much there is to do: `2 objects`.
    """

    text: str
    kind: str
    difficulty: str


def sample_tasks(request: Request, number: int, simulator_class: SimulatorClass) -> tuple[SampleTask, ...]:
    """Returns tasks that can be reached in the request's scene at its seed, by kind, the easy ones first.

    Each `number` gives others. A scene with a task of its own has only that one.

    Raises:
        UsageError: there is no such scene.
        DataError: no task can be drawn for it, or the scene's file is damaged.
        MissingPart: the simulator is not installed.
    """
    request = placed(request, simulator_class)
    with simulator_class(request.simulator).open(request.scene, request.world) as world:
        world.reset(request.seed)
        own = world.goal()
        if own is not None:
            return (SampleTask(own.text, "The task of this scene", ""),)
        found: dict[tuple[str, int], dict[str, SampleTask]] = {}
        drawn = (everyday_task(world, number * MOST_DRAWN + k) for k in range(MOST_DRAWN))
        for goal in (goal for goal in (*drawn, *everyday_robot_tasks(world, number)) if reads_back(world, goal)):
            kind = _kind(goal)
            same = found.setdefault((kind, goal.size), {})
            if len(same) < MOST_ALIKE:
                things = f"{goal.size} object{'s' * (goal.size > 1)}"
                same[goal.text] = SampleTask(goal.text, kind, "" if goal.literals[0].is_about_robot else things)
    return tuple(task for key in sorted(found) for task in found[key].values())


def _kind(goal: Goal) -> str:
    if any(literal.is_about_robot for literal in goal.literals):
        return "The robot itself"
    if any(literal.states for literal in goal.literals):
        return "Open, switch, cook, clean"
    return "Put things in place"
