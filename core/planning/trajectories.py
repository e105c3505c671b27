"""Expert trajectories: one episode that reaches its goal, as a frozen value and as a line of JSON.

Each holds what the paper keeps (Zhao et al., appendix B): the goal as predicates, the instruction, the partial observation of
each step, and the expert's actions. A file has one trajectory a line; `.gz` files are decompressed while they are read. The
schema of a line is `resources/expert/trajectory.schema.json`.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from core.common.errors import DataError
from core.common.json_fields import MOST_TRAJECTORIES, MOST_TRAJECTORY_CHARACTERS, MOST_TRAJECTORY_STEPS, Field
from core.goals.literals import Literal
from core.world.vocabulary import Value

FILE = "trajectories.jsonl"
"""The file of the trajectories in the folder of an expert set."""
CURE = "make the file again with `examples expert make`"
LONGEST_TEXT = 20_000
"""The maximum number of characters of an observation."""


class Step(NamedTuple):
    """One step: the observation before the action as text, the action as `verb id id`, and the action as a phrase."""

    observation: str
    action: str
    phrase: str


@dataclass(frozen=True, slots=True)
class Trajectory(Value):
    """One episode of the expert.

    Attributes:
        id: its number in the expert set.
        task: the number of its task there.
        scene: the home.
        seed: the seed of the initial state.
        instruction: the goal as text.
        goal: the goal as predicates.
        steps: (T,) the steps; no action was refused, and the last one reaches the goal.
    """

    id: int
    task: int
    scene: str
    seed: int
    instruction: str
    goal: tuple[Literal, ...]
    steps: tuple[Step, ...]


def line_of(t: Trajectory) -> str:
    """Returns the trajectory as a line of JSON, without the newline."""
    return json.dumps({
        "id": t.id, "task": t.task, "scene": t.scene, "seed": t.seed, "instruction": t.instruction,
        "goal": goal_fields(t.goal), "steps": [s._asdict() for s in t.steps]}, ensure_ascii=False)


def parsed(line: str, where: str) -> Trajectory:
    """Returns the trajectory of a line.

    Args:
        line: the JSON text.
        where: file and line number, for messages.

    Raises:
        DataError: the line is no trajectory; the message names the field in one line.
    """
    item = field_of(line, where)
    steps = tuple(Step(step.field("observation").text(LONGEST_TEXT), step.field("action").text(), step.field("phrase").text())
                  for step in item.field("steps").items(MOST_TRAJECTORY_STEPS))
    if not steps:
        item.field("steps").fail("is empty")
    return Trajectory(item.field("id").whole(0, MOST_TRAJECTORIES), item.field("task").whole(0, MOST_TRAJECTORIES),
                      item.field("scene").text(), item.field("seed").whole(0, 2**63), item.field("instruction").text(1000),
                      literals(item.field("goal")), steps)


def literals(goal: Field) -> tuple[Literal, ...]:
    """Returns the predicates of a goal from their JSON.

    Raises:
        DataError: it has none, or one is damaged.
    """
    found = []
    for part in goal.items(10):
        relation = part.field("relation")
        if relation.text() not in ("inside", "on"):
            relation.fail("is neither inside nor on")
        found.append(Literal("inside" if relation.value == "inside" else "on", part.field("subject").text(),
                             part.field("target").text(), part.field("count").whole(1, 10)))
    if not found:
        goal.fail("is empty")
    return tuple(found)


def goal_fields(goal: Iterable[Literal]) -> list[dict[str, object]]:
    """Returns the predicates of a rearrangement goal for JSON."""
    return [{"relation": x.predicate, "subject": x.subject, "target": x.target, "count": x.count} for x in goal]


def field_of(line: str, where: str) -> Field:
    """Returns the JSON value of a line.

    Raises:
        DataError: it is no JSON.
    """
    try:
        return Field(json.loads(line), where, CURE)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{where} is no JSON ({type(error).__name__}): {CURE}.") from error


def read_trajectories(path: Path) -> Iterator[Trajectory]:
    """Yields the trajectories of a file, each line checked.

    Raises:
        DataError: the file cannot be read, or a line is no trajectory or a second one with the same id.
    """
    known: set[int] = set()
    for line, where in read_lines(path):
        trajectory = parsed(line, where)
        if trajectory.id in known:
            raise DataError(f"{where} repeats trajectory {trajectory.id}: {CURE}.")
        known.add(trajectory.id)
        yield trajectory


def read_lines(path: Path) -> Iterator[tuple[str, str]]:
    """Yields each line of a `.jsonl` or `.jsonl.gz` file with its location for messages.

    Raises:
        DataError: the file cannot be read, or holds too many or too long lines.
    """
    try:
        with gzip.open(path, "rt", encoding="utf-8-sig") if path.suffix == ".gz" else path.open(encoding="utf-8-sig") as file:
            number = 0
            while line := file.readline(MOST_TRAJECTORY_CHARACTERS + 1):
                number += 1
                where = f"{path}, line {number}"
                if len(line) > MOST_TRAJECTORY_CHARACTERS:
                    raise DataError(f"{where} has more than {MOST_TRAJECTORY_CHARACTERS:,} characters: {CURE}.")
                if number > MOST_TRAJECTORIES:
                    raise DataError(f"{path} has more than {MOST_TRAJECTORIES:,} lines: {CURE}.")
                yield line, where
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error.strerror or 'it is no whole gzip file'}): {CURE}.") from error
    except (EOFError, UnicodeDecodeError, zlib.error) as error:
        raise DataError(f"{path} is damaged ({type(error).__name__}): {CURE}.") from error
