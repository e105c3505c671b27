"""What is read from recordings that are kept here: `python -m tests.goldens.files` compares, with `--write` it writes it anew.

`--record` makes the recordings, which are then of the present format. Those of earlier formats stay: the last versions that
wrote formats 1 and 2 made them, with pictures, a ban, a pause and a rewind.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import replace
from pathlib import Path

import numpy as np

from core.app.launch import build
from core.app.run_request import Request
from core.library.entry import FileState
from core.library.summary import file_state, summarise
from core.recording import mcap_messages
from core.recording.codec import Codec
from core.recording.exports import export
from core.recording.failures.causes import propose
from core.recording.reader import open_recording
from core.recording.recorder import Recorder
from core.session import events as e
from core.session.commands import Ban, Rewind, SetSteps
from core.session.session import Session
from sim.registry import simulator_class

FOLDER = Path(__file__).parent
FILE = FOLDER / "files.json"
RUNS = {"bcr": ("bcr", "llm-state", ""), "llm-state": ("llm-state", "greedy", ""), "llm-mcts": ("llm-mcts", "", ""),
        "search": ("llm-mcts", "", "Put one pie on the coffee table"), "progprompt": ("progprompt", "", ""),
        "keyframes": ("llm-state", "bcr", ""), "keyframes-2": ("llm-state", "bcr", "")}
"""(planner, companion, task) of each recording by its name; a task that is drawn need not be one to search for. Those before
"keyframes" are of a version that wrote none. Its keyframes are of version 1."""
TURNS = 4
EXPORTS = "jsonl", "csv", "labels", "html", "replies"
EVERY = 5
"""Every so many events a snapshot is compared."""


class Operator:
    """Bans the action chosen in turn 2, goes back there from turn 4, and allows one step more."""

    def __init__(self, session: Session):
        self._session = session

    def hear(self, event: e.Event) -> None:
        match event.what:
            case e.Decided(action=action) if (event.branch, event.turn) == (0, 2) and action is not None:
                self._session.post(Ban(action))
            case e.TurnBegan() if (event.branch, event.turn) == (0, 4):
                self._session.post(Rewind(2))
            case e.TurnBegan() if (event.branch, event.turn) == (1, 3):
                self._session.post(SetSteps(TURNS + 1))
            case _:
                pass


def record(path: Path, planner: str, beside: str, task: str) -> None:
    """Records a run without pictures."""
    parameters = {"simulations": 30} if planner == "llm-mcts" else {}
    session = Session(build(Request(planner=planner, beside=beside, task=task, seed=3, max_steps=TURNS, parameters=parameters,
                                    cache=False), simulator_class))
    recorder = Recorder(path, lambda said: None)
    session.follow(recorder.on_event)
    session.subscribe(Operator(session).hear)
    session.run()
    recorder.close()


def recordings() -> list[Path]:
    """Returns the recordings."""
    return sorted(FOLDER.glob("*.mcap"))


def digests(path: Path, folder: Path, codec: Codec) -> Iterator[tuple[str, str]]:
    """Yields what is read from a recording, with a digest: exports, snapshots, the proposed failure, the library's entry.

    Args:
        folder: where exports are written.
    """
    for to in EXPORTS:
        yield to, _digest(export(path, to, folder / f"exported.{to}", codec).read_bytes())
    with open_recording(path, codec) as recording:
        yield from ((f"event {number}", _digest(repr(plain(recording.snapshot_at(number))).encode()))
                    for number in recording.numbers[::EVERY])
        yield "failure", repr(propose(recording.events()))
    entry = summarise(path, file_state(path), codec).entry
    yield "entry", repr(plain(replace(entry, path=Path(path.name), file=FileState(0, 0), began=0.0)))


def plain(value: object) -> object:
    """Returns a value as lists, in an order that does not depend on hashes."""
    if isinstance(value, np.ndarray):
        return [str(value.dtype), value.shape, _digest(value.tobytes())]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value)]
        return [type(value).__name__, *(plain(object.__getattribute__(value, name)) for name in names)]
    if isinstance(value, type):
        return value.__name__
    if isinstance(value, Mapping):
        return sorted(([plain(key), plain(part)] for key, part in value.items()), key=repr)
    if isinstance(value, Set):
        return sorted(map(plain, value), key=repr)
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return [*map(plain, value)]
    return value


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:12]


def recorded() -> dict[str, dict[str, str]]:
    """Returns the digests as they were written, by the name of the recording."""
    found: dict[str, dict[str, str]] = json.loads(FILE.read_text("utf-8"))
    return found


def main() -> int:
    """Compares what is read from all recordings with what was written, or writes it."""
    if "--record" in sys.argv:
        for name, run in RUNS.items():
            record(FOLDER / f"format-{mcap_messages.FORMAT}-{name}.mcap", *run)
    codec, found = Codec(), dict[str, dict[str, str]]()
    with tempfile.TemporaryDirectory() as folder:
        for path in recordings():
            found[path.name] = dict(digests(path, Path(folder), codec))
    if "--write" in sys.argv:
        FILE.write_text(json.dumps(found, indent=0) + "\n", "utf-8")
    before = recorded()
    for name, now in found.items():
        print(f"{name}: {len(now)} digests", *(key for key in now if now[key] != before.get(name, {}).get(key)))
    return int(found != before)


if __name__ == "__main__":
    sys.exit(main())
