"""Judge hostile files: `python -m tests.hostile scenes|recordings FIRST COUNT FOLDER` prints a line of JSON for each."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from random import Random

import main as program
from core.app.launch import build
from core.app.run_request import Request
from core.recording.exports import export
from core.recording.reader import open_recording
from core.recording.recorder import Recorder
from core.session.commands import Look
from core.session.session import Session
from sim.household import scenes
from sim.household.homes import load_home
from sim.registry import simulator_class
from tests.core.recording.damages import damaged
from tests.core.recording.test_fuzz import looked_at
from tests.hostile.forked import judged
from tests.hostile.scenes import hostile

FORMS = ("jsonl", "csv", "html", "replies")
TASK = "Put one apple inside the fridge"


def _of_rooms(path: Path) -> int:
    scenes.load_ithor_room("FloorPlan1", path)
    return 0


def _of_home(path: Path) -> int:
    load_home(path)
    return 0


def _of_scene(kind: str, path: Path) -> int:
    """What the command line does with it: the other two kinds have no flag."""
    if kind == "graph":
        return program.main(["run", "--planner", "oracle", "--scene", str(path), "--max-steps", "2"])
    act: Callable[[Path], int] = {"rooms": _of_rooms, "home": _of_home}[kind]
    return program._ended(lambda: act(path))


def _of_recording(path: Path, form: str, out: Path) -> int:
    def look() -> int:
        with open_recording(path) as recording:
            looked_at(recording)
        export(path, form, out)
        return 0
    return program._ended(look)


def _recording(path: Path) -> None:
    """A short run with pictures."""
    run = Session(build(Request("oracle", simulator="household", scene="four-rooms-1", seed=3, task=TASK), simulator_class))
    recorder = Recorder(path, lambda _: None)
    run.follow(recorder.on_event)
    run.post(Look(("first person", "dollhouse"), 64, 48))
    run.run()
    recorder.close()


def main(what: str, first: int, count: int, folder: Path) -> None:
    """Print the verdicts."""
    if what == "recordings":
        _recording(folder / "whole.mcap")
    else:  # modules are loaded once, here, and not in every child
        program.main(["run", "--planner", "oracle", "--task", TASK, "--seed", "3"])
    for seed in range(first, first + count):
        if what == "scenes":
            kind, name, path = hostile(seed, folder)
            verdict = judged(f"{seed} {kind}: {name}", partial(_of_scene, kind, path))
        else:
            how, data = damaged(folder / "whole.mcap", Random(seed))
            path = folder / f"{seed}.mcap"
            path.write_bytes(data)
            verdict = judged(f"{seed} {how}", partial(_of_recording, path, FORMS[seed % 4], folder / "out"))
        path.unlink(missing_ok=True)
        print(json.dumps(asdict(verdict)), flush=True)  # noqa: T201 - this is its output


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
