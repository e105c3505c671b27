"""Makes the expert set: tasks drawn by seed in the seen homes, each played several times by the oracle.

Zhao et al., section 3.1: 2,000 tasks, 10,000 trajectories, of which 200 drawn uniformly at random serve as prompt examples.
Every trajectory follows from the seed and its number alone, so they are made in any order and on any number of processes.
"""

from __future__ import annotations

import gzip
import json
import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from joblib import delayed
from tqdm import tqdm

from core.common.errors import DataError
from core.common.files import AppendedFile, replace_file
from core.common.terminal import Interrupted
from core.evaluation import folder as folders
from core.evaluation.episode import drive
from core.evaluation.rows import CURE
from core.evaluation.sweep import processes
from core.evaluation.worker import OpenWorld, OpenWorlds
from core.goals.literals import Goal
from core.goals.progress import progress
from core.planners.registry import make_planner
from core.planning import trajectories
from core.planning.names import Names
from core.planning.observation_text import observation_text
from core.planning.trajectories import Step, Trajectory, goal_fields, line_of, read_trajectories
from core.simulator.base import Simulator
from core.suites.expert_tasks import SEEN_HOMES, by_subject, composed, literals_of, objects_of, places_of, usual_parts
from core.suites.tasks import sentence
from core.world.vocabulary import Outcome

FORMAT = 1
SETTINGS, TASKS, RETRIEVAL = "expert.json", "tasks.jsonl.gz", "retrieval.jsonl.gz"
SEED = 17
"""The seed of the shipped set."""
MOST_STEPS = 30
"""The steps in which a task of the evaluation must be done; longer trajectories are drawn again."""
TRIES = 200
"""Initial states tried for a task or a trajectory."""
DRAWS = 20
"""Goals drawn in each of them."""
LOWEST, HIGHEST = 10**9, 2 * 10**9
"""Seeds of initial states. Evaluations use small seeds, so they share no initial state with the set."""
ELSE = "choose another --out"


@dataclass(frozen=True, slots=True)
class Recipe:
    """What an expert set is made from. Equal recipes give equal sets.

    Attributes:
        seed: the seed of all draws.
        tasks: the number of tasks; even ones move one object, odd ones two.
        trajectories: the number of trajectories; number n plays task n % tasks.
        retrieval: how many of them are drawn as prompt examples.
        homes: the homes, used in turn.
    """

    seed: int = SEED
    tasks: int = 2000
    trajectories: int = 10_000
    retrieval: int = 200
    homes: tuple[str, ...] = SEEN_HOMES

    @property
    def chosen(self) -> tuple[int, ...]:
        """The numbers of the prompt examples: drawn uniformly at random without replacement, sorted."""
        rng = np.random.default_rng((self.seed, self.trajectories, 3))
        count = min(self.retrieval, self.trajectories)
        return tuple(sorted(int(n) for n in rng.choice(self.trajectories, count, replace=False)))

    def home(self, task: int) -> str:
        """Returns the home of a task."""
        return self.homes[task // 2 % len(self.homes)]


@dataclass(frozen=True, slots=True)
class Made:
    """The result: the folder, how many trajectories it holds, how many were made now, and how many could not be made."""

    folder: Path
    held: int
    new: int
    left_out: int = 0


# --- one task and one trajectory ---------------------------------------------------
def task_goal(recipe: Recipe, task: int, simulator: Simulator) -> Goal:
    """Returns the goal of a task, drawn in its home.

    Raises:
        DataError: no task can be drawn in this home.
    """
    for attempt in range(TRIES):
        simulator.reset(_episode_seed(recipe, task, 0, attempt))
        world = simulator.reveal()
        rng = np.random.default_rng((recipe.seed, task, attempt, 1))
        options, have, places = by_subject(usual_parts(world)), objects_of(world), places_of(world)
        for _ in range(DRAWS):
            literals = literals_of(composed(options, have, 1 + task % 2, rng), places)
            goal = Goal(literals, sentence(literals)) if literals else Goal(())
            if literals and _is_open(goal, simulator):
                return goal
    raise DataError(f"no task can be drawn in {recipe.home(task)}: choose homes with objects to carry and "
                    "furniture to put them on")


def trajectory(recipe: Recipe, number: int, goal: Goal, simulator: Simulator) -> Trajectory | None:
    """Returns a trajectory of the expert for a task's goal: the first initial state in which it succeeds without a refusal.

    None if there is none among TRIES initial states, mostly because the goal is reached at the start of almost all.
    """
    task = number % recipe.tasks
    for attempt in range(TRIES):
        seed = _episode_seed(recipe, task, number // recipe.tasks, attempt)
        simulator.reset(seed)
        if _is_open(goal, simulator) and (steps := _played(goal, simulator)):
            return Trajectory(number, task, recipe.home(task), seed, goal.text, goal.literals, steps)
    return None


def _episode_seed(recipe: Recipe, task: int, repeat: int, attempt: int) -> int:
    return int(np.random.default_rng((recipe.seed, task, repeat, attempt, 2)).integers(LOWEST, HIGHEST))


def _is_open(goal: Goal, simulator: Simulator) -> bool:
    """Returns True if no part of the goal is reached and the goal is possible without clearing anything away."""
    return not any(p.have for p in progress(goal, simulator.reveal())) and bool(simulator.possible(goal, tidy=True))


def _played(goal: Goal, simulator: Simulator) -> tuple[Step, ...]:
    """Returns the steps of the oracle's episode; () if it fails or an action is refused."""
    names = Names(simulator.reveal().entities, simulator.schemas)
    seen, outcomes = [simulator.observe()], list[Outcome]()

    def hear(outcome: Outcome) -> None:
        outcomes.append(outcome)
        seen.append(outcome.observation)

    run = drive(make_planner("oracle"), simulator, goal, None, 0, MOST_STEPS, on_outcome=hear)
    if not run.success or not all(outcome.ok for outcome in outcomes):
        return ()
    return tuple(Step(observation_text(before, names), str(outcome.action), names.phrase(outcome.action))
                 for before, outcome in zip(seen, outcomes, strict=False))


# --- the whole set --------------------------------------------------------------------
def make(recipe: Recipe, open_world: OpenWorld, folder: Path, jobs: int = -1, *, only_retrieval: bool = False,
         say: Callable[[str], None] = lambda line: None) -> Made:
    """Makes what is missing of an expert set, and writes its files.

    `tasks.jsonl.gz` holds the goal of every task, `trajectories.jsonl` grows by one line per trajectory, `retrieval.jsonl.gz`
    holds the prompt examples. A killed run goes on where it was.

    Args:
        recipe: what is made.
        open_world: opens a home; must be importable by worker processes.
        folder: where the files are written.
        jobs: number of processes, -1 for one per core.
        only_retrieval: make only the trajectories drawn as prompt examples.
        say: receives messages on progress.

    Raises:
        DataError: the folder cannot be written, is damaged, or holds another set; no task or trajectory can be made.
    """
    numbers = recipe.chosen if only_retrieval else tuple(range(recipe.trajectories))
    with folders.locked(folder):
        path = folder / trajectories.FILE
        done = _opened(folder, recipe)
        missing = [number for number in numbers if number not in done]
        try:
            if not (folder / TASKS).exists():
                say(f"drawing {recipe.tasks:,} tasks")
                _write_tasks(recipe, open_world, folder / TASKS, jobs)
            new = _append(recipe, open_world, path, missing, jobs) if missing else 0
            if set(recipe.chosen) <= done.union(missing):
                write_packed(folder / RETRIEVAL, _chosen_lines(path, frozenset(recipe.chosen)))
        except OSError as error:
            raise folders.unusable(folder, error) from error
        return Made(folder, len(done) + new, new, len(missing) - new)


def _opened(folder: Path, recipe: Recipe) -> set[int]:
    """Returns the numbers of the trajectories in the folder. A half-written last line, left by a kill, is removed."""
    note, path = folder / SETTINGS, folder / trajectories.FILE
    wanted = {"format": FORMAT, **asdict(recipe), "homes": list(recipe.homes)}
    try:
        if note.exists():
            _check_recipe(folder, json.loads(note.read_text(encoding="utf-8")), wanted)
        else:
            replace_file(note, f"{json.dumps(wanted)}\n".encode(), CURE)
        if not path.exists():
            return set()
        _cut_half_line(path)
    except (OSError, ValueError, RecursionError) as error:
        raise folders.unusable(folder, error) from error
    return {t.id for t in read_trajectories(path)}


def _check_recipe(folder: Path, before: object, wanted: dict[str, object]) -> None:
    if not isinstance(before, dict):
        raise DataError(f"{folder / SETTINGS} does not say what the set was made from: {ELSE}")
    for name, value in wanted.items():
        if before.get(name) != value:
            raise DataError(f"{folder} holds another expert set ({name} was {before.get(name)}, now {value}): {ELSE}")


def _cut_half_line(path: Path) -> None:
    """Removes what follows the last newline."""
    with path.open("rb+") as file:
        end = file.seek(0, os.SEEK_END)
        while end > 0:
            start = max(0, end - 65_536)
            file.seek(start)
            found = file.read(end - start).rfind(b"\n")
            if found >= 0:
                file.truncate(start + found + 1)
                return
            end = start
        file.truncate(0)


def _write_tasks(recipe: Recipe, open_world: OpenWorld, path: Path, jobs: int) -> None:
    with processes(jobs, None) as parallel:
        work = (delayed(_goals)(recipe, open_world, range(first, min(first + 50, recipe.tasks)))
                for first in range(0, recipe.tasks, 50))
        found = dict(pair for pairs in parallel(work) for pair in pairs)
    write_packed(path, (json.dumps({"task": task, "scene": recipe.home(task), "instruction": found[task].text,
                                    "goal": goal_fields(found[task].literals)}) for task in range(recipe.tasks)))


def _goals(recipe: Recipe, open_world: OpenWorld, tasks: Sequence[int]) -> list[tuple[int, Goal]]:
    with closing(OpenWorlds()) as worlds:
        return [(task, task_goal(recipe, task, worlds.get(open_world, recipe.home(task), {}))) for task in tasks]


def _append(recipe: Recipe, open_world: OpenWorld, path: Path, missing: Sequence[int], jobs: int) -> int:
    """Makes trajectories and appends each group of them as soon as it is finished. Returns how many could be made."""
    kept = 0
    try:
        with (processes(jobs, None) as parallel, AppendedFile(path, CURE) as file,
              tqdm(total=len(missing), unit="trajectory", dynamic_ncols=True) as bar):
            groups = parallel(delayed(trajectory_lines)(recipe, open_world, group) for group in _groups(recipe, missing))
            with warnings.catch_warnings(action="ignore"):  # an interrupt abandons work on purpose, of which joblib warns
                for lines in groups:
                    file.add(*lines)
                    kept += len(lines)
                    bar.update(len(lines))
    except Interrupted as signalled:
        signalled.saved = f"{kept:,} new trajectories are kept in {path.parent}: go on with the same command"
        raise
    return kept


def _groups(recipe: Recipe, missing: Iterable[int], most: int = 20) -> Iterator[list[int]]:
    """Yields groups of numbers; those of one task stand together, because its goal is drawn once a group."""
    ordered = sorted(missing, key=lambda n: (n % recipe.tasks, n))
    for first in range(0, len(ordered), most):
        yield ordered[first:first + most]


def trajectory_lines(recipe: Recipe, open_world: OpenWorld, numbers: Sequence[int]) -> list[str]:
    """Returns some trajectories as lines of JSON, without those that cannot be made."""
    goals: dict[int, Goal] = {}
    lines = []
    with closing(OpenWorlds()) as worlds:
        for number in numbers:
            task = number % recipe.tasks
            simulator = worlds.get(open_world, recipe.home(task), {})
            if task not in goals:
                goals[task] = task_goal(recipe, task, simulator)
            if (found := trajectory(recipe, number, goals[task], simulator)) is not None:
                lines.append(line_of(found))
    return lines


def _chosen_lines(path: Path, chosen: frozenset[int]) -> Iterator[str]:
    found = sorted((t for t in read_trajectories(path) if t.id in chosen), key=lambda t: t.id)
    return map(line_of, found)


def write_packed(path: Path, lines: Iterable[str]) -> None:
    """Writes lines to a compressed file. Equal lines give equal bytes."""
    replace_file(path, gzip.compress("".join(f"{line}\n" for line in lines).encode("utf-8"), 9, mtime=0), CURE)
