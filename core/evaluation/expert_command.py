"""The command `examples expert`: makes an expert set, and lists the trajectories that a task's prompt would show."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterator

from core.evaluation.expert_set import MOST_STEPS, Recipe, make
from core.evaluation.worker import OpenWorld
from core.llm.embeddings import installed
from core.llm.stack import similarity_reply
from core.planning.expert_shots import RETRIEVAL, likeness_ask, likeness_of, most_alike, retrieval_set
from core.planning.trajectories import Trajectory, read_trajectories

SHOWN = 20
"""Trajectories listed without a task."""


def make_set(args: Namespace, open_world: OpenWorld, say: Callable[[str], None]) -> Iterator[str]:
    """Executes `examples expert make`. Yields its output lines.

    Raises:
        DataError: the folder cannot be used, or holds another set.
    """
    recipe = Recipe(args.seed, args.tasks, args.trajectories, args.retrieval)
    made = make(recipe, open_world, args.out, args.jobs, only_retrieval=args.only_retrieval, say=say)
    if made.left_out:
        yield f"{made.left_out:,} are left out: the expert found no initial state in which it completes their task"
    yield (f"{made.new:,} new trajectories, {made.held:,} in all, of {recipe.tasks:,} tasks in {', '.join(recipe.homes)} (seed "
           f"{recipe.seed}, at most {MOST_STEPS} steps each), with {len(recipe.chosen):,} prompt examples: {made.folder}")


def list_set(args: Namespace) -> Iterator[str]:
    """Executes `examples expert list`: the trajectories most like a task, or the first ones. Yields its output lines.

    Raises:
        DataError: the file is damaged.
    """
    known = retrieval_set() if args.file is None else tuple(read_trajectories(args.file))
    yield f"{len(known):,} trajectories in {args.file or RETRIEVAL}"
    if not args.like:
        yield from map(in_a_line, known[:SHOWN])
        return
    ask = likeness_ask(known, args.like)
    reply = similarity_reply(ask, installed())
    yield reply.note
    yield from map(in_a_line, most_alike(known, args.like, args.shots, likeness_of(ask, reply)))


def in_a_line(t: Trajectory) -> str:
    """Returns number, home, task and actions of a trajectory."""
    return f"{t.id:6d}  {t.scene}  {t.instruction}: {', '.join(step.phrase for step in t.steps)}"
