"""Shared parts of the recording tests: recorded toy runs, and equality that compares arrays."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from core.common.shared_list import SharedList
from core.planning.facets import Frame
from core.recording.codec import Codec
from core.recording.pictures import without_pixels
from core.recording.recorder import Recorder
from core.recording.writer import Limits
from core.session.commands import Command
from core.session.events import Event, Failed, Recovered, Shown
from core.session.session import Session
from tests.core.session.toys import Ear, WalkerParameters, session

CODEC = Codec((WalkerParameters,))
PATIENT = Limits(patience=30.0)


def same(a: object, b: object) -> bool:
    """Returns True if both are equal, down to the last array and type."""
    if type(a) is not type(b):
        return isinstance(a, Mapping) and isinstance(b, Mapping) and same(dict(a), dict(b))
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if isinstance(a, float) and isinstance(b, float):
        return a == b or (math.isnan(a) and math.isnan(b))
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return set(a) == set(b) and all(same(a[k], b[k]) for k in a)
    if isinstance(a, tuple | SharedList) and isinstance(b, tuple | SharedList):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    if dataclasses.is_dataclass(a) and dataclasses.is_dataclass(b):
        names = [f.name for f in dataclasses.fields(a)]
        get = [(object.__getattribute__(a, n), object.__getattribute__(b, n)) for n in names]
        return all(same(x, y) for x, y in get)
    return a == b


def lines(events: list[Event]) -> list[str]:
    """Returns events as the recording writes them."""
    return [CODEC.dumps(without_pixels(e)) for e in events]


def recorded(path: Path, *commands: Command, steps: int = 30, cue: Callable[[Ear], None] | None = None,
             linger: bool = False) -> list[Event]:
    """Plays a run of toys with a recorder. Returns the events a listener received."""
    run, ear = session(steps=steps)
    recorder = recorder_of(path, run, [])
    for command in commands:
        run.post(command)
    if cue is not None:
        cue(ear)
    run.run(linger=linger)
    recorder.close()
    return ear.events


def recorder_of(path: Path, run: Session, said: list[Failed | Recovered], limits: Limits = PATIENT) -> Recorder:
    """Returns a recorder of a run, that waits however long the disk takes."""
    recorder = Recorder(path, said.append, codec=CODEC, limits=limits)
    run.follow(recorder.on_event)
    return recorder


def frame_event(number: int, view: str = "first person") -> Event:
    """Returns an event with a picture of one colour."""
    pixels = np.full((48, 64, 3), number % 256, np.uint8)
    boxes = (("apple_1", (3, 4, 20, 30)),)
    ids = np.ones((48, 64), np.uint16)
    frame = Frame("dollhouse" if view == "dollhouse" else "first person", pixels, ids, ("", "apple_1"), boxes)
    return Event(number, number / 10, 1, 0, Shown(frame))
