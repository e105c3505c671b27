"""Repairs recordings that were cut off: what is intact goes into a new file with an index. The original is kept beside it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from mcap.records import Metadata

from core.common.errors import DataError
from core.common.files import lock
from core.recording.container import PROFILE, Chunk, Container, Damage, Scan
from core.recording.mcap_messages import FIRST_TOPICS

TURN_OVER = b'"what":{"$":"Acted"'
HEAD_BYTES = 200


@dataclass(frozen=True, slots=True)
class Recovered:
    """The result of a repair.

    Attributes:
        path: the file that can be read now.
        messages: number of messages in it, pictures and log lines included.
        turns: number of completed turns.
        lost: what is lost, in words; empty if nothing is.
        original: the file as it was found; None if there was nothing to repair.
    """

    path: Path
    messages: int
    turns: int
    lost: str
    original: Path | None = None

    @property
    def line(self) -> str:
        """The result in one line."""
        saved = f"{self.turns} {'turn' if self.turns == 1 else 'turns'} ({self.messages:,} messages)"
        if self.original is None:
            return f"{self.path.name} is intact: {saved}"
        return f"{self.path.name} was cut off: saved {saved}; lost: {self.lost}; the original is {self.original.name}"


def recover(path: Path) -> Recovered:
    """Repairs a recording in place. An intact one is not changed.

    Raises:
        DataError: it is not a recording, nothing can be saved, it is being recorded now, or its folder cannot be written.
    """
    scan = Scan(path)
    try:
        if not lock(scan.file):
            raise DataError(f"{path.name} is being recorded now: end that run first")
        return _repaired(scan)
    except OSError as error:
        why = error.strerror or error
        raise DataError(f"{path.name} cannot be repaired here: {why}; copy it to a folder that takes files") from error
    finally:
        scan.close()


def _repaired(scan: Scan) -> Recovered:
    path, new = scan.path, scan.path.with_name(scan.path.name + ".repairing")
    messages, turns, damages = _survey(scan)
    if scan.finished and not damages:
        return Recovered(path, messages, turns, "")
    if not messages:
        raise DataError(f"{path.name} is damaged from its beginning: nothing can be saved")
    try:
        with new.open("wb") as file:
            copy = _Copy(Container(file))
            for part in scan.walk():
                copy.take(part)
            copy.finish()
            file.flush()
            os.fsync(file.fileno())
        original = _keep_original(path)
        new.replace(path)
        return Recovered(path, messages, turns, _lost(damages), original)
    finally:
        new.unlink(missing_ok=True)


def _survey(scan: Scan) -> tuple[int, int, list[Damage]]:
    """Returns how many messages and turns can be read, and the damages."""
    messages = turns = 0
    damages = []
    for part in scan.walk():
        if isinstance(part, Chunk):
            messages += len(part.messages)
            turns += sum(TURN_OVER in part.data[m.start:min(m.end, m.start + HEAD_BYTES)] for m in part.messages)
        elif isinstance(part, Damage):
            damages.append(part)
    return messages, turns, damages


def _keep_original(path: Path) -> Path:
    """Gives the original another name and returns it. The old name stays until the repaired file takes it."""
    number = 0
    while True:
        kept = path.with_name(f"{path.stem}.cut-off{f'-{number}' if number else ''}{path.suffix}")
        try:
            os.link(path, kept)
        except FileExistsError:
            number += 1
            continue
        except OSError:  # the file system has no links
            if kept.exists():
                number += 1
                continue
            path.rename(kept)
        return kept


def _lost(damages: list[Damage]) -> str:
    size = sum(d.size for d in damages)
    if not size:
        return "nothing but the index"
    return f"{size:,} bytes ({damages[0].why}{f', and {len(damages) - 1} more places' if len(damages) > 1 else ''})"


class _Copy:
    """Copies intact chunks into a new file, one by one."""

    def __init__(self, file: Container):
        self._file = file
        self._file.start(PROFILE, "belvedere, recovered")
        self._schemas: dict[int, int] = {0: 0}
        self._channels: dict[int, int] = {}

    def take(self, part: Chunk | Metadata | Damage) -> None:
        """Copies one part of the old file."""
        match part:
            case Chunk():
                self._chunk(part)
            case Metadata():
                self._file.metadata(part.name, part.metadata)
            case Damage():
                return

    def finish(self) -> None:
        """Writes the index."""
        self._file.finish()

    def _chunk(self, chunk: Chunk) -> None:
        for schema in chunk.schemas:
            if schema.id not in self._schemas:
                self._schemas[schema.id] = self._file.schema(schema.name, schema.encoding, schema.data)
        for channel in chunk.channels:
            if channel.id not in self._channels:
                schema_id = self._schemas.get(channel.schema_id, 0)
                self._channels[channel.id] = self._file.channel(
                    channel.topic, channel.message_encoding, schema_id, channel.metadata)
        for message in chunk.messages:
            data = chunk.data[message.start:message.end]
            number = self._channel(message.channel, data)
            self._file.message(number, message.sequence, message.time, message.published, data)
        self._file.flush()

    def _channel(self, number: int, data: bytes) -> int:
        """Returns the new number of a channel.

        If its description was lost, it is identified by its number, or by its content.
        """
        if number not in self._channels:
            topic = FIRST_TOPICS[number - 1] if 0 < number <= len(FIRST_TOPICS) else f"/lost/{number}"
            encoding = "json" if data.startswith(b"{") else "protobuf"
            self._channels[number] = self._file.channel(topic, encoding, 0)
        return self._channels[number]
