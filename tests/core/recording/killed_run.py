"""Plays until it is killed, with a recorder and a plain log of the same events: `python -m tests.core.recording.killed_run`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from core.app.launch import build
from core.app.run_request import Request
from core.goals.literals import Goal, Literal
from core.recording.codec import Codec
from core.recording.pictures import without_pixels
from core.recording.recorder import Recorder
from core.recording.writer import Limits
from core.session.commands import Look
from core.session.events import Event
from core.session.session import Session
from core.session.setup import Setup
from sim.registry import simulator_class
from tests.core.session.toys import Guide, Line, Walker, WalkerParameters

NEVER = Goal((Literal("is", "walker", None, 1, frozenset({"at -1"})),), "Walk on")


def setup_of(kind: str) -> Setup:
    """Returns a run that lasts long."""
    if kind == "toys":
        return Setup(Walker(), Line, NEVER, 0, 100_000, {"guide": Guide()})
    return build(Request(planner="llm-mcts", task="Put one apple inside the fridge and one plate inside the dishwasher",
                         scene="four-rooms-1", seed=3, parameters={"simulations": "10"}, max_steps=2000), simulator_class)


def main(kind: str, folder: Path) -> None:
    """Records to `episode.mcap`, and writes `plain.log` line by line."""
    codec = Codec((WalkerParameters,))
    run = Session(setup_of(kind))
    recorder = Recorder(folder / "episode.mcap", lambda said: None, codec=codec, limits=Limits(patience=60.0))
    log = os.open(folder / "plain.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def write(event: Event) -> None:
        os.write(log, (codec.dumps(without_pixels(event)) + "\n").encode())

    run.follow(recorder.on_event)
    run.subscribe(write)
    run.post(Look(("first person",), 64, 48) if kind == "toys" else Look(()))
    run.run()
    recorder.close()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
