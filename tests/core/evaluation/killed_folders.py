"""Kills a sweep many times, also while it resumes and on a full disk: `python -m tests.core.evaluation.killed_folders`.

Episodes are played at once, so that a kill meets the writing. Prints how many episodes were told of, and how many are missing.
"""

from __future__ import annotations

import json
import os
import random
import sys
from dataclasses import asdict
from pathlib import Path

from core.common.errors import DataError
from core.evaluation import sweep
from core.evaluation.contestants import contestant
from core.evaluation.folder import Ledger
from core.evaluation.results import read_results
from core.evaluation.rows import RowsFile, key_of
from core.evaluation.suites import suite
from core.evaluation.worker import Played
from core.llm.budget import Limits
from core.planning.model_requests import ModelReply
from core.suites.suite import Row
from sim.household.simulator import HouseholdSimulator
from tests.full_disk import full_disk
from tests.killed import Tell, told_until_killed

SUITE = suite("rearrangement")
SWEEP = sweep.Sweep(SUITE.name, (contestant("oracle"),), 5_000, 30, "commonsense", SUITE.cells[:2])


def played(job: object, text: str, cell: str, seed: int) -> Played:
    """Stands in for an episode."""
    return Played(row_of(text, cell, seed))


def row_of(text: str, cell: str, seed: int) -> Row:
    """Returns a finished episode."""
    return Row(text, cell, seed, {measure.key: 1.0 for measure in SUITE.measures})


def go_on(folder: Path, room: int | None, tell: Tell) -> None:
    """Plays in the folder, on a disk on which files have room for so many bytes more; None: for any number.

    Each row that is written is told of. Before each, a call is counted, as the calls of an episode are.
    """
    class TellingRows(RowsFile):
        def add(self, row: Row) -> None:
            ledger.settle(ledger.reserve(10, "m"), [ModelReply(("x",), "m", tokens_in=10, tokens_out=1)])
            super().add(row)
            tell(json.dumps(key_of(row)))

    ledger = Ledger(folder, Limits(), {})
    sweep.play_episode, sweep.RowsFile = played, TellingRows  # type: ignore[attr-defined]
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    if room is None:
        sweep.play(SWEEP, HouseholdSimulator.open, folder, sweep.Resources(1))
        return
    rows = folder / "runs.jsonl"
    try:
        with full_disk((rows.stat().st_size if rows.exists() else 0) + room):
            sweep.play(SWEEP, HouseholdSimulator.open, folder, sweep.Resources(1))
    except DataError as error:
        if f"cannot write {folder}/" not in str(error):
            raise


def main(folder: str, kills: str) -> None:
    """Kills a sweep in a folder so many times, and then looks for everything it told of."""
    out, rng, told, calls = Path(folder), random.Random(8), set[str](), 0
    for number in range(int(kills)):
        room = rng.randrange(1, 4_000) if number % 3 == 2 else None
        before = whole_lines(out)
        new = told_until_killed(lambda say, room=room: go_on(out, room, say), rng.randrange(6), rng)  # type: ignore[misc]
        told.update(new)
        assert whole_lines(out).startswith(before), "what is written is never touched"
        if (out / "spent.json").exists():
            now = json.loads((out / "spent.json").read_bytes())["calls"]
            assert now >= calls + len(new)
            calls = now
        if (out / "runs.jsonl").exists() and rng.random() < 0.3:
            with (out / "runs.jsonl").open("ab") as file:  # as a power cut leaves it
                file.write(json.dumps(asdict(row_of("oracle", "", 0))).encode()[:rng.randrange(1, 90)])
    found = read_results(out)
    here = {json.dumps(key_of(row)) for row in found.rows}
    assert not found.read.doubles
    print(json.dumps({"told": len(told), "missing": len(told - here), "kills": int(kills)}))  # noqa: T201 - for the test


def whole_lines(folder: Path) -> bytes:
    """Returns the lines of the file of episodes that are complete."""
    path = folder / "runs.jsonl"
    content = path.read_bytes() if path.exists() else b""
    return content[:content.rfind(b"\n") + 1]


if __name__ == "__main__":
    main(*sys.argv[1:])
