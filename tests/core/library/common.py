"""Recordings for the tests of the library: one played run with pictures, and any number of others made of it quickly."""

from __future__ import annotations

import os
import random
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from mcap.records import Metadata

from core.library.entry import Entry
from core.library.scan import recordings_in
from core.library.summary import Summary, summarise
from core.recording.container import PROFILE, Container
from core.recording.recorder import Recorder
from core.recording.scan import Chunk, Damage, Scan
from core.session.events import Event, TurnBegan
from core.session.snapshot import Snapshot, fold
from tests.core.recording.common import CODEC, PATIENT, frame_event, recorded
from tests.core.session.toys import GOAL

PLANNERS = ("llm-mcts", "uct", "greedy", "oracle", "bcr", "progprompt")
THINGS = ("apple", "mug", "book", "plate", "pillow", "banana", "toothbrush", "candle", "cereal", "towel")
PLACES = ("fridge", "sofa", "kitchen table", "bathroom cabinet", "desk", "sink", "bookshelf", "coffee table")


def pictured(path: Path, *, pictures: bool = True) -> Path:
    """Records a short run of toys, with a picture in each turn."""
    events = recorded(path.with_name("plain.mcap"))
    path.with_name("plain.mcap").unlink()
    recorder, now = Recorder(path, lambda fault: None, codec=CODEC, limits=PATIENT), Snapshot()
    for event in events:
        now = _recorded(recorder, event, now)
        if pictures and isinstance(event.what, TurnBegan):
            now = _recorded(recorder, _picture(event), now)
    recorder.close()
    return path


def _recorded(recorder: Recorder, event: Event, now: Snapshot) -> Snapshot:
    """Records an event as the next one. Returns the snapshot after it."""
    event = replace(event, number=now.event + 1)
    now = fold(now, event)
    recorder.on_event(event, now)
    return now


def _picture(event: Event) -> Event:
    return replace(frame_event(event.number), at=event.at, turn=event.turn, branch=event.branch, worked=event.worked)


class Variants:
    """Writes recordings that differ from one in planner, scene, seed, goal, date and outcome.

    Args:
        source: an intact recording.
    """

    def __init__(self, source: Path):
        self._source = source

    @cached_property
    def _parts(self) -> list[Chunk | Metadata | Damage]:
        scan = Scan(self._source)
        try:
            return list(scan.walk())
        finally:
            scan.close()

    def write(self, path: Path, number: int) -> Path:
        """Writes the variant of a number. Equal numbers give equal files."""
        dice = random.Random(number)
        thing, place = dice.choice(THINGS), dice.choice(PLACES)
        about = {
            "planner": dice.choice(PLANNERS), "scene": f"four-rooms-{dice.randrange(1, 8)}", "seed": str(number),
            "goal": f"Put one {thing} on the {place}", "provider": dice.choice(("commonsense", "openai gpt-5")),
            "began": f"2026-{dice.randrange(1, 12):02}-{dice.randrange(1, 28):02}T{dice.randrange(24):02}:15:00+00:00",
            "run": f"{number:024x}"}
        ended = {"success": "true", "reason": "goal reached", "branch": "0"} if dice.random() < 0.6 else {
            "success": "false", "reason": "steps used up", "branch": "0"}
        end = b'"success":%s,"reason":"%s"' % (ended["success"].encode(), ended["reason"].encode())
        other = {b'"texts":["right"': b'"texts":["right variant%d"' % number, GOAL.text.encode(): about["goal"].encode(),
                 b'"success":true,"reason":"goal reached"': end}
        with path.open("wb") as file:
            self._copy(Container(file), about, ended, other)
        os.utime(path, (1_700_000_000 + number, 1_700_000_000 + number))
        return path

    def _copy(self, to: Container, about: dict[str, str], ended: dict[str, str],
              other: dict[bytes, bytes]) -> None:
        to.start(PROFILE, "belvedere")
        for part in self._parts:
            if isinstance(part, Metadata):
                to.metadata(part.name, {**part.metadata, **(ended if part.name == "belvedere.end" else about)})
            elif isinstance(part, Chunk):
                for schema in part.schemas:
                    to.schema(schema.name, schema.encoding, schema.data)
                for channel in part.channels:
                    to.channel(channel.topic, channel.message_encoding, channel.schema_id, channel.metadata)
                for m in part.messages:
                    data = part.data[m.start:m.end]
                    for text, instead in other.items():
                        data = data.replace(text, instead)
                    to.message(m.channel, m.sequence, m.time, m.published, data)
                to.flush()
        to.finish()


def fresh(folder: Path) -> dict[Path, Summary]:
    """Returns summaries of all recordings in a folder, read now."""
    files, _ = recordings_in([folder])
    return {path: summarise(path, file, CODEC) for path, file in files.items()}


def plain(entries: list[Entry]) -> dict[Path, Entry]:
    """Returns entries by path."""
    return {entry.path: entry for entry in entries}
