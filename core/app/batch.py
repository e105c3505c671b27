"""A batch: the episodes of planners × scenes × tasks × seeds, recorded to one folder, and the plan that is kept there."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any, Final

from core.app.run_request import Request
from core.common.errors import BelvedereError, DataError, UsageError
from core.common.files import replacing
from core.common.json_fields import Field, read_json
from core.common.redaction import Redactor
from core.llm.budget import Limits, Price
from core.llm.keys import keys_in_environment
from core.planners.registry import read_choice
from core.recording.files import ODD, free_name, is_being_written, move_recording, sidecar
from core.session.events import CUT_SHORT
from core.session.outcome import CUT_OFF, LEFT
from core.session.pace import DEFAULT_PACE, Pace, pace_of

PLAN: Final = "batch.json"
"""The name of the plan in the folder of a batch."""
FORMAT: Final = "belvedere batch 1"
MOST_EPISODES: Final = 10_000
MOST_PLAN_BYTES: Final = 2**20
MOST_TASK: Final = 2_000
"""Characters of a task, a scene or a setting."""
SEEDS: Final = re.compile(r"(\d{1,9})(?:\s*[-–]\s*(\d{1,9}))?")
CURE: Final = "choose another folder, or record the batch again"


@dataclass(frozen=True, slots=True)
class Episode:
    """One episode of a batch.

    Attributes:
        number: from 1, in the order in which they are played.
        name: of its recording, without the ending.
    """

    number: int
    name: str
    request: Request

    def file(self, folder: Path) -> Path:
        """Returns its recording in the batch's folder."""
        return folder / f"{self.name}.mcap"


@dataclass(frozen=True, slots=True)
class BatchPlan:
    """What a batch plays.

    Attributes:
        planners: as `planner[:preset][+name=value …]`.
        scenes: scenes of the simulator of `base`.
        tasks: in words; an empty one is the simulator's own, or one drawn by the seed.
        base: the rest of each request.
        pace: when the runs stop by themselves.
    """

    planners: tuple[str, ...]
    scenes: tuple[str, ...]
    tasks: tuple[str, ...]
    seeds: tuple[int, ...]
    base: Request = field(default_factory=Request)
    pace: Pace = DEFAULT_PACE

    @property
    def count(self) -> int:
        """The number of episodes."""
        return len(self.planners) * len(self.scenes) * len(self.tasks) * len(self.seeds)

    @property
    def episodes(self) -> tuple[Episode, ...]:
        """The episodes: seed after seed of each planner, scene and task, so that alike ones follow each other."""
        found = []
        for number, (task, scene, seed, planner) in enumerate(product(self.tasks, self.scenes, self.seeds, self.planners), 1):
            choice = read_choice(planner)
            name, preset = choice.planner, choice.preset
            chosen = self.base.parameters if (name, preset) == (self.base.planner, self.base.preset) else {}
            parameters = {**chosen, **dict(choice.settings)}
            request = replace(self.base, planner=name, preset=preset, parameters=parameters, scene=scene, task=task,
                              goal=self.base.goal if task == self.base.task else "", seed=seed)
            words = (f"{number:03}", f"{name} {preset}".strip(), Path(scene).stem, task[:60] or "drawn task", f"seed {seed}")
            found.append(Episode(number, " ".join(ODD.sub("-", word).strip("-") for word in words), request))
        return tuple(found)

    def check(self) -> None:
        """Raises UsageError if there is nothing to play, too much, or a planner is written in another form."""
        for what, values in (("planner", self.planners), ("scene", self.scenes), ("seed", self.seeds)):
            if not values:
                raise UsageError(f"a batch needs at least one {what}")
        for planner in self.planners:
            read_choice(planner)
        if self.count > MOST_EPISODES:
            raise UsageError(f"{self.count:,} episodes: a batch has at most {MOST_EPISODES:,}")
        self.pace.check()


def seeds_of(text: str) -> tuple[int, ...]:
    """Returns the seeds of a text such as `0-4, 7`, in order, each once.

    Raises:
        UsageError: it is no list of seeds.
    """
    seeds: dict[int, None] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        found = SEEDS.fullmatch(part)
        if found is None:
            raise UsageError(f"“{part}” is no seed: write numbers and ranges, such as 0-4, 7")
        first, last = int(found[1]), int(found[2] or found[1])
        if not first <= last < first + MOST_EPISODES:
            raise UsageError(f"“{part}” is no range of at most {MOST_EPISODES:,} seeds")
        seeds |= dict.fromkeys(range(first, last + 1))
    return tuple(seeds)


# --- the file ----------------------------------------------------------------
_BASE = ("simulator", "provider", "max_steps", "cache", "beside", "beside_provider", "planner", "preset", "scene", "task",
         "goal")
_SETTINGS = ("parameters", "world", "model", "beside_model")


def write_plan(plan: BatchPlan, folder: Path) -> None:
    """Writes a plan to a folder, which is made if it is missing.

    Raises:
        DataError: the folder holds another plan, or it cannot be written.
    """
    base = plan.base
    content = {"format": FORMAT, "planners": plan.planners, "scenes": plan.scenes, "tasks": plan.tasks, "seeds": plan.seeds,
               "pace": plan.pace.words, **{name: getattr(base, name) for name in _BASE},
               **{name: dict(getattr(base, name)) for name in _SETTINGS}, "limits": asdict(base.limits),
               "prices": {name: [price.tokens_in, price.tokens_out] for name, price in base.prices.items()}}
    clean = Redactor(keys_in_environment()).json(json.dumps(content, ensure_ascii=False, indent=1).encode())
    with replacing(folder / PLAN, makes_folder=True) as draft:
        if (folder / PLAN).exists():
            raise DataError(f"{folder} holds a batch already: continue it, or choose another folder")
        draft.write_bytes(clean + b"\n")


def read_plan(folder: Path) -> BatchPlan:
    """Returns the plan of a folder.

    Raises:
        DataError: it has none, or the file is damaged.
    """
    path = folder / PLAN
    found = Field(read_json(path, CURE, most_bytes=MOST_PLAN_BYTES), path.name, CURE)
    if found.field("format").text() != FORMAT:
        found.fail(f"is no {FORMAT}")
    limits = found.field("limits")
    texts: dict[str, Any] = {name: _text(found.field(name)) for name in _BASE if name not in ("max_steps", "cache")}
    settings: dict[str, Any] = {name: _settings(found.field(name)) for name in _SETTINGS}
    base = Request(
        **texts, **settings,
        max_steps=found.field("max_steps").whole(1, 10**9) if found.has("max_steps") else None,
        cache=found.field("cache").truth(),
        limits=Limits(limits.field("calls").whole(0, 10**15) if limits.has("calls") else None,
                      limits.field("tokens").whole(0, 10**15) if limits.has("tokens") else None,
                      limits.field("cost").number(0, 1e15) if limits.has("cost") else None),
        prices={name: _price(found.field("prices").field(name)) for name in _names(found.field("prices"))})
    try:
        plan = BatchPlan(tuple(found.field("planners").texts(MOST_EPISODES)),
                         tuple(_text(scene) for scene in found.field("scenes").items(MOST_EPISODES)),
                         tuple(_text(task) for task in found.field("tasks").items(MOST_EPISODES)),
                         tuple(seed.whole(0, 10**18) for seed in found.field("seeds").items(MOST_EPISODES)),
                         base, pace_of(found.field("pace").text()))
        plan.check()
    except UsageError as error:
        raise DataError(f"{path} is damaged: {error}; {CURE}") from error
    return plan


def _text(value: Field) -> str:
    return "" if value.value == "" else value.text(MOST_TASK)


def _price(value: Field) -> Price:
    amounts = [amount.number(0, 1e9) for amount in value.items(2)]
    if len(amounts) < 2:
        value.fail("has not two prices")
    return Price(*amounts)


def _names(value: Field) -> Sequence[str]:
    if not isinstance(value.value, dict) or len(value.value) > MOST_TASK:
        value.fail("is no object of settings")
    return tuple(value.value)


def _settings(value: Field) -> Mapping[str, str | int | float | bool]:
    for name in _names(value):
        if not isinstance(value.value[name], str | int | float | bool):
            value.field(name).fail("is no setting")
    return dict(value.value)


# --- recordings --------------------------------------------------------------
def is_complete(path: Path) -> bool:
    """Returns whether a recording is undamaged and holds its whole episode, not one that was stopped early."""
    from core.recording.reader import open_recording  # imported here: the window does not wait for it

    if not path.is_file() or is_being_written(path):
        return False
    try:
        with open_recording(path) as recording:
            end = recording.end
            ended = end.get("success") == "true" or end.get("reason", CUT_OFF) not in {*CUT_SHORT, CUT_OFF, LEFT}
            return ended and not recording.damage
    except BelvedereError:
        return False


def make_room(path: Path) -> None:
    """Moves an incomplete recording, with its labels, to the folder `cut off`, so that the episode can be recorded again.

    Raises:
        DataError: a console is writing it, or it cannot be moved.
    """
    if not path.exists():
        return
    if is_being_written(path):
        raise DataError(f"{path.name} is being recorded by another console")
    labelled = sidecar(path).exists()
    move_recording(path, free_name(path.parent / CUT_OFF, path.stem, first=1, labelled=labelled), parted=True)
