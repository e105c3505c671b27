"""Recordings as other programs write them: copied message by message by the mcap package's writer, with all its options."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from mcap.records import Channel, Metadata, Schema
from mcap.writer import CompressionType, IndexType, Writer

from core.recording.scan import Chunk, Scan

INDEXES = (IndexType.ALL, IndexType.NONE, IndexType.CHUNK | IndexType.MESSAGE)


class Copied(NamedTuple):
    """A message with its channel."""

    channel: int
    sequence: int
    time: int
    published: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Manner:
    """How a program writes.

    Attributes:
        order: of the messages: as they were, by time, backwards, or at random.
        copies: how often each message is written, as by a program that merges a file with itself.
        sequences: whether the numbers of the messages are kept.
        metadata: where the metadata is written: first, last, or nowhere.
        profile: what the header calls the content.
        extras: attachments, and messages of another program on topics of its own.
        ends: whether the file has an end.
    """

    compression: CompressionType = CompressionType.ZSTD
    chunk: int = 2**20
    chunked: bool = True
    index: IndexType = IndexType.ALL
    repeated: bool = True
    crcs: bool = True
    data_crcs: bool = False
    order: str = "kept"
    copies: int = 1
    sequences: bool = True
    metadata: str = "first"
    profile: str = "belvedere"
    extras: bool = False
    ends: bool = True


VALUES: dict[str, tuple[Any, ...]] = {
    "compression": tuple(CompressionType), "chunk": (2**20, 1, 700, 2**40), "chunked": (True, False), "index": INDEXES,
    "repeated": (True, False), "crcs": (True, False), "data_crcs": (False, True),
    "order": ("kept", "by time", "backwards", "at random"), "copies": (1, 2), "sequences": (True, False),
    "metadata": ("first", "last", "nowhere"), "profile": ("belvedere", "", "ros2"), "extras": (False, True),
    "ends": (True, False),
}
"""The values of each field of a manner."""


def foreign(path: Path, manner: Manner, random: Random | None = None) -> bytes:
    """Returns a recording as another program writes it."""
    schemas, channels, messages, metadata = _content(path)
    out = io.BytesIO()
    writer = Writer(out, chunk_size=manner.chunk, compression=manner.compression, index_types=manner.index,
                    repeat_channels=manner.repeated, repeat_schemas=manner.repeated, use_chunking=manner.chunked,
                    use_statistics=manner.repeated, use_summary_offsets=manner.repeated, enable_crcs=manner.crcs,
                    enable_data_crcs=manner.data_crcs)
    writer.start(manner.profile, "another program")
    if manner.metadata == "first":
        _write_metadata(writer, metadata)
    number = dict[int, int]()
    known = {s.id: writer.register_schema(s.name, s.encoding, s.data) for s in reversed(schemas)}
    for channel in reversed(channels):
        number[channel.id] = writer.register_channel(channel.topic, channel.message_encoding, known.get(channel.schema_id, 0),
                                                     dict(channel.metadata))
    if manner.extras:
        other = writer.register_channel("/tf", "json", 0)
        writer.add_message(other, 5, b'{"$":"Event","number":0}', 5, 7)
        writer.add_attachment(0, 0, "photo.png", "image/png", bytes(5000))
        writer.add_metadata("calibration", {"a": "b"})
    for message in _in_order(messages * manner.copies, manner.order, random or Random(0)):
        writer.add_message(number[message.channel], message.time, message.data, message.published,
                           message.sequence if manner.sequences else 0)
    if manner.metadata == "last":
        _write_metadata(writer, metadata)
    if manner.ends:
        writer.finish()  # type: ignore[no-untyped-call]
    return out.getvalue()


def _write_metadata(writer: Writer, metadata: list[Metadata]) -> None:
    for one in metadata:
        writer.add_metadata(one.name, dict(one.metadata))


def _in_order(messages: list[Copied], order: str, random: Random) -> list[Copied]:
    match order:
        case "by time":
            return sorted(messages, key=lambda m: m.time)
        case "backwards":
            return messages[::-1]
        case "at random":
            return random.sample(messages, len(messages))
        case _:
            return messages


def _content(path: Path) -> tuple[list[Schema], list[Channel], list[Copied], list[Metadata]]:
    schemas, channels = dict[int, Schema](), dict[int, Channel]()
    messages, metadata, scan = list[Copied](), list[Metadata](), Scan(path)
    try:
        for part in scan.walk():
            if isinstance(part, Chunk):
                schemas |= {s.id: s for s in part.schemas}
                channels |= {c.id: c for c in part.channels}
                messages += [Copied(m.channel, m.sequence, m.time, m.published, part.data[m.start:m.end])
                             for m in part.messages]
            elif isinstance(part, Metadata):
                metadata.append(part)
    finally:
        scan.close()
    return list(schemas.values()), list(channels.values()), messages, metadata
