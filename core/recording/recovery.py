"""Saves what can be read of a recording that was cut off or damaged as a new, whole file. The original is not changed."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from mcap.records import Metadata

from core.common.errors import DataError
from core.common.files import check_folder, replacing
from core.recording.codec import Codec
from core.recording.container import PROFILE, Container
from core.recording.files import REPAIRED, free_name, is_being_written, sidecar
from core.recording.mcap_messages import FIRST_TOPICS, LOST
from core.recording.reader import open_recording
from core.recording.scan import Chunk, Damage, Scan
from core.views.wording import count


@dataclass(frozen=True, slots=True)
class Recovered:
    """The result of a repair.

    Attributes:
        path: the file that was read. It is as it was.
        saved: the new file with what can be read of it; None if there was nothing to repair.
        messages: number of messages in it, pictures and log lines included.
        turns: number of completed turns that can be read.
        lost: what is wrong with the file, in words; empty if nothing is.
    """

    path: Path
    saved: Path | None
    messages: int
    turns: int
    lost: str = ""

    @property
    def line(self) -> str:
        """The result in one line."""
        found = f"{count(self.turns, 'turn')} ({self.messages:,} messages)"
        if self.saved is not None:
            return f"wrote {self.saved}: saved {found} of {self.path.name}, which stays as it is ({self.lost})"
        if self.lost:
            return f"{self.path.name} is whole, but not all in it can be read: {found} ({self.lost})"
        return f"{self.path.name} is intact: {found}"


def recover(path: Path, out: Path | None = None, codec: Codec | None = None) -> Recovered:
    """Writes what can be read of a recording to a new file, labels included, unless the recording is whole.

    Args:
        path: the recording.
        out: the new file; None: beside the recording, under a name like its own.
        codec: knows further types, such as a plug-in's.

    Raises:
        DataError: it is not a recording, nothing can be saved, it is being recorded now, or the new file cannot be written.
    """
    if is_being_written(path):
        raise DataError(f"{path.name} is being recorded now: end that run first")
    with open_recording(path, codec, checked=True) as recording:
        turns, lost = recording.count("Acted"), recording.damage
    scan = Scan(path)
    try:
        messages, is_whole = _survey(scan)
        if is_whole:
            return Recovered(path, None, messages, turns, lost)
        new = out or free_name(path.parent, f"{path.stem}{REPAIRED}", 1)
        if new.exists():
            raise DataError(f"{new} exists already and recordings are never overwritten: choose another --out")
        _copy(scan, new)
        if sidecar(path).exists() and not sidecar(new).exists():
            shutil.copyfile(sidecar(path), sidecar(new))
        return Recovered(path, new, messages, turns, lost)
    except OSError as error:
        why = error.strerror or error
        raise DataError(f"{path.name} cannot be repaired here: {why}; give another place with --out") from error
    finally:
        scan.close()


def _survey(scan: Scan) -> tuple[int, bool]:
    """Returns the number of messages that can be read, and whether the file is whole."""
    messages, is_whole = 0, True
    for part in scan.walk():
        messages += len(part.messages) if isinstance(part, Chunk) else 0
        is_whole &= not isinstance(part, Damage)
    return messages, is_whole and scan.finished


def _copy(scan: Scan, new: Path) -> None:
    """Writes the intact parts of a file to a new one."""
    check_folder(new)
    with replacing(new, "give another place with --out") as draft, draft.open("wb") as file:
        copy = _Copy(Container(file))
        for found in scan.walk():
            copy.take(found)
        copy.finish()


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
            topic = FIRST_TOPICS[number - 1] if 0 < number <= len(FIRST_TOPICS) else f"{LOST}{number}"
            encoding = "json" if data.startswith(b"{") else "protobuf"
            self._channels[number] = self._file.channel(topic, encoding, 0)
        return self._channels[number]
