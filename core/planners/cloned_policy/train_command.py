"""The command `examples clone train`: trains the weights of the planner `cloned-policy` from an expert set."""

from __future__ import annotations

from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from core.common.errors import DataError
from core.planners.cloned_policy.network import Network, save
from core.planners.cloned_policy.samples import Sample, homes_of, samples_of
from core.planners.cloned_policy.text import Vocabulary
from core.planners.cloned_policy.training import ELSE, Recipe, Table, imported, trained
from core.planning.trajectories import FILE, read_trajectories

HELD_OUT = 50
"""The trajectories of every 50th task are not learned but used to measure the accuracy."""


def train_clone(args: Namespace, say: Callable[[str], None]) -> Iterator[str]:
    """Executes `examples clone train`. Yields its last output line.

    Raises:
        DataError: the set or the checkpoint is damaged, or a file cannot be written.
        MissingPart: torch is not installed.
    """
    imported()
    path: Path = args.expert / FILE if args.expert.is_dir() else args.expert
    out: Path = args.out
    recipe = Recipe(seed=args.seed, epochs=args.epochs, detours=args.detours)
    known = sorted(read_trajectories(path), key=lambda t: t.id)  # a file has them in the order in which they were finished
    homes = homes_of(known)
    read = Counter[str]()

    def samples(*, held_out: bool) -> Iterator[Sample]:
        for t in known:
            if (t.task % HELD_OUT == HELD_OUT - 1) is not held_out:
                continue
            yield from samples_of(t, homes[t.scene])
            read["held out" if held_out else "trajectories"] += 1
            rng = np.random.default_rng((recipe.seed, t.id, 4))
            if not held_out and rng.random() < recipe.detours:
                yield from samples_of(t, homes[t.scene], rng)
                read["detours"] += 1

    table, held_out = Table(samples(held_out=False)), Table(samples(held_out=True))
    if not table.rows:
        raise DataError(f"{path} has no trajectories to learn: make them with `examples expert make`")
    vocabulary = Vocabulary.of(table.index)
    say(f"{read['trajectories']:,} trajectories, {read['detours']:,} of them also after a detour: {len(table.rows):,} steps, "
        f"{len(vocabulary.words):,} words")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        arrays = trained(table, held_out, vocabulary, recipe, out.with_suffix(".checkpoint.npz"), args.threads, say)
        origin = {"trajectories": read["trajectories"], "detours": read["detours"], "samples": len(table.rows),
                  "seed": recipe.seed, "epochs": recipe.epochs}
        save(Network(recipe.sizes, vocabulary, arrays, origin), out)
    except OSError as error:
        raise DataError(f"cannot write {out}: {error}; {ELSE}") from error
    yield (f"{sum(a.size for a in arrays.values()):,} weights ({out.stat().st_size / 2**20:.1f} MB): {out}. "
           f"Use them with --planner cloned-policy --set weights={out}")
