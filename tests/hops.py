"""Follows a facet into a recording's file, and a snapshot out of it: through which functions.

`python -m tests.hops` prints them; `tests/test_hops.py` holds the counts.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

from core.recording import states
from core.recording.codec import Codec
from core.recording.container import Container
from core.recording.files import Disk
from core.recording.reader import Recording, open_recording
from core.recording.writer import QueuedEvent, RecordingWriter
from core.session.events import Event, Shown
from core.session.snapshot import fold
from tests.core.recording.common import CODEC, recorder_of
from tests.core.session.toys import session
from tests.model_calls import functions_of

Way = tuple[str, ...]
"""Functions of core, each once, in the order in which they are entered, with their modules."""


def facet_to_file() -> Way:
    """Returns the way of a facet from the loop that receives it from the engine, over the recorder's thread, to the disk."""
    parts: dict[str, list[str]] = {}
    followed: list[Event] = []

    def encode(codec: Codec, value: object) -> None:
        way = _since("Session._play_turns")
        if not followed and isinstance(value, Event) and isinstance(value.what, Shown) and "EventBus._deliver_later" not in \
                " ".join(way):  # from the second turn on, the recorder receives events before all others
            followed.append(value)
            parts["encode"] = way

    def message(*ignored: object) -> None:
        if followed and "message" not in parts and len(written) > 0 and written[-1] >= followed[0].number:
            parts["message"] = _since("Recorder._run")

    def add(writing: object, queued: QueuedEvent) -> None:
        written.append(queued.event.number)

    def append(*ignored: object) -> None:
        if "message" in parts and "append" not in parts:
            parts["append"] = _since("Recorder._run")

    written: list[int] = []
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        for owner, name, before in ((Codec, "encode", encode), (RecordingWriter, "add", add), (Container, "message", message),
                                    (Disk, "append", append)):
            stack.enter_context(_told(owner, name, before))
        run, _ = session()
        recorder = recorder_of(Path(folder) / "a.mcap", run, [])
        run.run()
        recorder.close()
    ends = {"encode": "Codec.encode", "message": "Container.message", "append": "Disk.append"}
    return tuple(dict.fromkeys(name for part, end in ends.items() for name in (*parts[part], end)))


def file_to_snapshot() -> Way:
    """Returns the way from what asks for a snapshot of a recording to the bytes of an event, and to the fold."""
    found: dict[str, None] = {}

    def note(*ignored: object) -> None:
        found.update(dict.fromkeys(_since("Recording.snapshot_at", including=True)))

    def folded(*args: Any) -> Any:
        note()
        return fold(*args)

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.mcap"
        run, _ = session(steps=3)
        recorder = recorder_of(path, run, [])
        run.run()
        recorder.close()
        with open_recording(path, CODEC) as recording, _told(Recording, "_data", note), _told(Codec, "loads", note), \
                mock.patch.object(states, "fold", folded):
            decided = next(event.number for event in recording.of_kind("Decided"))
            found.clear()
            recording.snapshot_at(decided)
    return (*found, "Codec.loads", "fold")


@contextmanager
def _told(owner: type, name: str, before: Callable[..., None]) -> Iterator[None]:
    """Context in which `before` is called with the arguments of a method before the method."""
    method = vars(owner)[name]

    def told(*args: Any, **named: Any) -> Any:
        before(*args, **named)
        return method(*args, **named)

    told.__qualname__, told.__module__ = method.__qualname__, method.__module__
    with mock.patch.object(owner, name, told):
        yield


def _since(begin: str, *, including: bool = False) -> list[str]:
    """Returns the functions of core on this thread's stack after the outermost whose name ends so."""
    names = functions_of(sys._getframe())
    at = next((k for k, name in enumerate(names) if name.endswith(begin)), len(names))
    return names[at if including else at + 1:]


def main() -> int:
    """Prints both ways."""
    for title, way in (("facet to file", facet_to_file()), ("file to snapshot", file_to_snapshot())):
        print(f"{title}: {len(way)} functions", *way, sep="\n  ")
    return 0


if __name__ == "__main__":
    sys.exit(main())
