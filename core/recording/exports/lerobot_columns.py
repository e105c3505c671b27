"""The columns of a LeRobot dataset without its pictures: what each holds, the values of an episode's steps, and statistics.

LeRobot's training takes every column whose name begins with `observation` or `action` for numbers that a policy reads or
returns, and scales them by the statistics. Texts have other names. Nothing here needs the packages of the extra `export`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from core.recording.exports.episodes import ActionNumbers, Episode, Step

SEPARATOR = "; "
NO_POSE = (0.0, 0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Column:
    """A feature that is not a picture.

    Attributes:
        dtype: as LeRobot names it.
        about: what it holds.
        names: the names of its numbers; empty: it is a single value.
    """

    dtype: str
    about: str
    names: tuple[str, ...] = ()


COLUMNS = {
    "observation.state": Column("float32", "where the robot stood before the action: metres, radians counter-clockwise from "
                                "+y, the camera's tilt; has_pose is 0 where the world tells no pose, and the next four then "
                                "are 0; how many things it held", ("has_pose", "x", "y", "yaw", "pitch", "holding")),
    "action": Column("float32", "what was done, as numbers of `verbs` and `classes`; 0: there is no such argument, 1: it has "
                     "no number", ("verb", "first", "second")),
    "text.action": Column("string", "the action with ids"),
    "text.room": Column("string", "id of the room the robot was in"),
    "text.holding": Column("string", "ids of what it held, oldest first"),
    "text.objects": Column("string", "ids of what was in sight, rooms left out"),
    "text.said": Column("string", "what the world said before the action"),
    "outcome.ok": Column("bool", "whether the world did it"),
    "outcome.reason": Column("string", "why it did not"),
    "operator.corrected": Column("bool", "whether the operator chose the action instead of the planner"),
    "operator.instead_of": Column("string", "what the planner would have done; empty where it was not corrected"),
    "operator.labels": Column("string", "the labels that people gave the step"),
    "operator.notes": Column("string", "the notes of those labels"),
    "operator.better": Column("string", "what people wrote would have been better"),
    "operator.rating": Column("float32", "the mean of the step's ratings, 1 to 5; 0: not rated"),
    "seconds.began": Column("float64", "when the turn began, in seconds since the run began by the clock on the wall"),
    "seconds.ended": Column("float64", "when its action was done"),
    "seconds.work": Column("float64", "how long of that no person was waited for"),
    "next.done": Column("bool", "whether the episode ends with this step"),
    "next.success": Column("bool", "whether it ends with this step, and the goal was reached"),
    "timestamp": Column("float32", "the step's number over the dataset's fps, as LeRobot wants it; no time that passed"),
    "frame_index": Column("int64", "the step's number in its episode"),
    "episode_index": Column("int64", "the episode's number"),
    "index": Column("int64", "the step's number in the dataset"),
    "task_index": Column("int64", "the goal's number in meta/tasks.parquet"),
}


def columns_of(episode: Episode, number: int, first: int, rate: int, numbers: ActionNumbers, tasks: Sequence[str],
               ) -> dict[str, Any]:
    """Returns the values of an episode's steps, in the order of `COLUMNS`.

    Args:
        episode: the episode.
        number: its number in the dataset.
        first: the number of its first step in the dataset.
        rate: steps per second of `timestamp`.
        numbers: the numbers of verbs and classes.
        tasks: all goals in words; the number of a goal is its index.

    Returns:
        Arrays of shape (steps,) or (steps, names), and lists of texts.
    """
    steps, count = episode.steps, len(episode.steps)
    frame = np.arange(count, dtype=np.int64)
    is_last = frame == count - 1
    found: dict[str, Any] = {
        "observation.state": np.array([_state(step) for step in steps], np.float32),
        "text.room": [step.turn.agent.room or "" for step in steps],
        "text.holding": [SEPARATOR.join(step.turn.agent.holding) for step in steps],
        "text.objects": [SEPARATOR.join(step.objects) for step in steps],
        "text.said": [step.text for step in steps],
        "action": np.array([(0, 0, 0) if step.action is None else numbers.of(step.action) for step in steps], np.float32),
        "text.action": [str(step.action or "") for step in steps],
        "outcome.ok": np.array([_is_ok(step) for step in steps], np.bool_),
        "outcome.reason": ["" if step.turn.outcome is None else step.turn.outcome.reason for step in steps],
        "timestamp": (frame / rate).astype(np.float32), "frame_index": frame, "episode_index": np.full(count, number, np.int64),
        "index": frame + first, "next.done": is_last, "next.success": is_last & episode.outcome.success,
        "task_index": np.array([tasks.index(step.task) for step in steps], np.int64),
        **_by_the_operator(steps), **_times(steps),
    }
    return {name: found[name] for name in COLUMNS}


def _by_the_operator(steps: Sequence[Step]) -> dict[str, Any]:
    return {
        "operator.corrected": np.array([step.turn.by == "operator" for step in steps], np.bool_),
        "operator.instead_of": [str(step.turn.instead_of or "") for step in steps],
        "operator.labels": [SEPARATOR.join(dict.fromkeys(a.label for a in step.decision.labels if a.label)) for step in steps],
        "operator.notes": [SEPARATOR.join(a.note for a in step.decision.labels if a.note) for step in steps],
        "operator.better": [SEPARATOR.join(str(a.better) for a in step.decision.labels if a.better) for step in steps],
        "operator.rating": np.array([step.decision.rating or 0.0 for step in steps], np.float32),
    }


def _times(steps: Sequence[Step]) -> dict[str, Any]:
    turns = [step.turn for step in steps]
    return {
        "seconds.began": np.array([turn.began for turn in turns], np.float64),
        "seconds.ended": np.array([turn.began if turn.ended is None else turn.ended for turn in turns], np.float64),
        "seconds.work": np.array([turn.work for turn in turns], np.float64),
    }


def _is_ok(step: Step) -> bool:
    return step.turn.outcome is not None and step.turn.outcome.ok


def _state(step: Step) -> tuple[float, ...]:
    agent = step.turn.agent
    pose = NO_POSE if agent.pose is None else (1.0, *agent.pose)
    return (*pose, float(len(agent.holding)))


QUANTILES = {"q01": 0.01, "q10": 0.10, "q50": 0.50, "q90": 0.90, "q99": 0.99}
LEVELS = 256
Stats = dict[str, Any]
"""Lists of numbers under min, max, mean, std, count and the names of `QUANTILES`."""

def stats_of(columns: Mapping[str, Any]) -> dict[str, Stats]:
    """Returns the statistics of every column of numbers."""
    return {name: _numbers(column) for name, column in columns.items() if isinstance(column, np.ndarray)}


def _numbers(column: npt.NDArray[Any]) -> Stats:
    values = column.reshape(len(column), -1).astype(np.float64)
    found = {"min": values.min(0), "max": values.max(0), "mean": values.mean(0), "std": values.std(0)}
    found |= {name: np.quantile(values, q, axis=0) for name, q in QUANTILES.items()}
    return {name: value.tolist() for name, value in found.items()} | {"count": [len(column)]}


class PictureStats:
    """Statistics of pictures, per colour.

    Attributes:
        count: number of pictures.
        levels: (3, 256) number of pixels with each level of red, green and blue.
    """

    def __init__(self) -> None:
        self.count = 0
        self.levels = np.zeros((3, LEVELS), np.int64)

    def add(self, pixels: npt.NDArray[np.uint8]) -> None:
        """Adds one picture, shape (H, W, 3)."""
        self.count += 1
        for colour in range(3):
            self.levels[colour] += np.bincount(pixels[..., colour].reshape(-1), minlength=LEVELS)

    @classmethod
    def total(cls, parts: Iterable[PictureStats]) -> PictureStats:
        """Returns the statistics of the pictures of all parts."""
        result = cls()
        for part in parts:
            result.count += part.count
            result.levels += part.levels
        return result

    def as_lists(self) -> Stats:
        """Returns the statistics in LeRobot's form: of brightness 0 to 1, each of shape (3, 1, 1)."""
        values, share = np.arange(LEVELS) / (LEVELS - 1), self.levels / self.levels.sum(1, keepdims=True)
        reached, mean = share.cumsum(1), share @ values
        found = {"min": values[np.argmax(share > 0, axis=1)], "max": values[LEVELS - 1 - np.argmax(share[:, ::-1] > 0, axis=1)],
                 "mean": mean, "std": np.sqrt(np.maximum(0.0, share @ values**2 - mean**2))}
        found |= {name: values[np.argmax(reached >= q, axis=1)] for name, q in QUANTILES.items()}
        return {name: value.reshape(3, 1, 1).tolist() for name, value in found.items()} | {"count": [self.count]}
