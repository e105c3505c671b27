"""A suite over many seeds and planners, in parallel; every finished episode is kept, so a killed sweep goes on where it was."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache, partial
from pathlib import Path

from joblib import Parallel, delayed
from tqdm import tqdm

from core.embeddings import Embedder
from core.errors import DataError
from core.evaluation.contestant import Contestant, contestant
from core.evaluation.open_worlds import OpenWorld, OpenWorlds
from core.evaluation.registry import suite
from core.evaluation.suite import Row
from core.interruption import Interrupted
from core.language.comparing import installed
from core.language.model import LanguageModel
from core.language.registry import open_for
from core.language.stack import answerer
from core.simulator import Simulator

CHUNK = 10
"""Episodes a worker plays before it reports: short enough for a live bar, long enough to be worth a message."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """What is to be played: a suite by name, by whom, and with which seeds: `trials` of them from `first` on."""

    suite: str
    contestants: tuple[Contestant, ...]
    trials: int
    max_steps: int
    provider: str
    cells: tuple[str, ...]
    first: int = 0

    @property
    def seeds(self) -> range:
        """The seeds of every cell."""
        return range(self.first, self.first + self.trials)


Key = tuple[str, str, int]


def key_of(row: Row) -> Key:
    """What an episode is known by."""
    return row.contestant, row.cell, row.seed


def play(sweep: Sweep, open_world: OpenWorld, folder: Path, jobs: int) -> list[Row]:
    """Play what is not in the folder yet, and return everything of the sweep that is.

    Args:
        sweep: what is to be played.
        open_world: opens a scene; must be importable by worker processes (a function or class method).
        folder: where `runs.jsonl` grows by one line an episode.
        jobs: processes at once.

    Raises:
        DataError: the folder cannot be written, or holds another sweep.
    """
    path = folder / "runs.jsonl"
    kept = _opened(folder, path, sweep)
    chunks = list(_chunks(sweep, {key_of(row) for row in kept}))
    total = sum(len(seeds) for _, _, seeds in chunks)
    work = (delayed(_played)(sweep, c.text, cell, seeds, open_world) for c, cell, seeds in chunks)
    rows = Parallel(n_jobs=jobs, return_as="generator_unordered")(work)
    try:
        with path.open("a", encoding="utf-8") as stream, tqdm(total=total, unit="episode", dynamic_ncols=True) as bar:
            for chunk in rows:
                for row in chunk:
                    stream.write(json.dumps(asdict(row)) + "\n")
                stream.flush()
                os.fsync(stream.fileno())
                kept += chunk
                bar.update(len(chunk))
    except Interrupted as signalled:
        with warnings.catch_warnings(action="ignore"):  # that work was given up is what was asked for
            rows.close()
        count = f"{len(kept)} {'episode is' if len(kept) == 1 else 'episodes are'}"
        signalled.saved = f"{count} kept in {folder}: go on with the same command"
        raise
    finally:
        _open_worlds().close()  # those of this process: workers end with theirs
    names = {c.text for c in sweep.contestants}
    return sorted((row for row in kept if row.contestant in names and row.seed in sweep.seeds), key=key_of)


def _chunks(sweep: Sweep, done: set[Key]) -> Iterator[tuple[Contestant, str, tuple[int, ...]]]:
    """Seeds in small groups, all contestants of a group one after the other: the table fills evenly."""
    for first in range(0, sweep.trials, CHUNK):
        group = sweep.seeds[first:first + CHUNK]
        for cell in sweep.cells:
            for one in sweep.contestants:
                seeds = tuple(s for s in group if (one.text, cell, s) not in done)
                if seeds:
                    yield one, cell, seeds


def _played(sweep: Sweep, text: str, cell: str, seeds: Iterable[int], open_world: OpenWorld) -> list[Row]:
    """In a worker process: some episodes of one cell."""
    made, one = suite(sweep.suite), contestant(text)

    def worlds(scene: str, options: Mapping[str, str]) -> Simulator:
        return _open_worlds().get(open_world, scene, options)

    rows = []
    for seed in seeds:
        found = made.play(one, cell, seed, worlds, partial(_model, sweep.provider), sweep.max_steps)
        rows.append(Row(text, cell, seed, {key: round(float(value), 4) for key, value in found.items()}))
    return rows


@lru_cache(maxsize=1)
def _open_worlds() -> OpenWorlds:
    return OpenWorlds()


@lru_cache(maxsize=40)
def _model(provider: str, scene: str) -> LanguageModel:
    return answerer(open_for(provider, {}, scene), embedder=_embedder())


@lru_cache(maxsize=1)
def _embedder() -> Embedder | None:
    return installed()


def _opened(folder: Path, path: Path, sweep: Sweep) -> list[Row]:
    """Rows of an earlier run. A half-written last line, the mark of a kill, is cut off."""
    stamp = {"suite": sweep.suite, "max_steps": sweep.max_steps, "provider": sweep.provider}
    note = folder / "sweep.json"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if note.exists() and json.loads(note.read_text()) != stamp:
            raise DataError(f"{folder} holds a sweep with other settings ({note.read_text().strip()}): choose another --out")
        note.write_text(json.dumps(stamp))
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True) if path.exists() else []
        whole = [line for line in lines if line.endswith("\n")]
        if len(whole) < len(lines):
            path.write_text("".join(whole), encoding="utf-8")
        return [Row(**json.loads(line)) for line in whole]
    except (OSError, ValueError, TypeError, RecursionError) as error:
        raise DataError(f"cannot use {folder} for the results: {error}; choose another --out") from error
