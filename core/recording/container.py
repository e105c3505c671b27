"""Writes MCAP files: messages in compressed chunks, and an index at the end (https://mcap.dev/spec).

The writer of the mcap package runs about twenty lines of Python for each field of each record, which costs more than making the
messages. Here a message is one `pack`. Records that occur a few times per file are written by the package.
"""

from __future__ import annotations

import struct
import zlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import BinaryIO

import zstandard
from mcap.data_stream import RecordBuilder
from mcap.opcode import Opcode
from mcap.records import (
    Channel,
    ChunkIndex,
    DataEnd,
    Footer,
    Header,
    McapRecord,
    Metadata,
    MetadataIndex,
    Schema,
    Statistics,
    SummaryOffset,
)

PROFILE = "belvedere"
"""What the header of our files calls their content."""
MAGIC = b"\x89MCAP0\r\n"
CHUNK = 2**20
"""Size in bytes at which a chunk is finished in any case."""
LEVEL = 1
"""Compression level. Higher levels make files 3 % smaller and take a third more time."""
KIND = b"zstd"
MESSAGE = struct.Struct("<BQHIQQ")
CHUNK_HEAD = struct.Struct("<BQQQQII4sQ")
INDEX_HEAD = struct.Struct("<BQHI")
MESSAGE_HEAD_SIZE, RECORD_HEAD_SIZE = 22, 9
OP_MESSAGE = int(Opcode.MESSAGE)


class Container:
    """Writes one file from its beginning to its end.

    Args:
        stream: receives the bytes; its `tell` is the position in the file.
    """

    def __init__(self, stream: BinaryIO):
        self._stream = stream
        self._chunk, self._first, self._last = bytearray(), 0, 0
        self._index: defaultdict[int, list[int]] = defaultdict(list)
        self._counts: dict[int, int] = defaultdict(int)
        self._span = 2**64 - 1, 0
        self._schemas: list[Schema] = []
        self._channels: list[Channel] = []
        self._chunks = bytearray()
        """The chunks' index as bytes. As objects it would take ten times the memory in a file of many turns."""
        self._chunk_count = 0
        self._metadata: list[MetadataIndex] = []
        self._compress = zstandard.ZstdCompressor(level=LEVEL).compress

    def start(self, profile: str, library: str) -> None:
        """Writes the beginning of the file."""
        self._stream.write(MAGIC + _bytes_of(Header(profile, library)))

    def schema(self, name: str, encoding: str, data: bytes) -> int:
        """Adds a schema of messages. Returns its number, from 1."""
        schema = Schema(id=len(self._schemas) + 1, data=data, encoding=encoding, name=name)
        self._schemas.append(schema)
        self._chunk += _bytes_of(schema)
        return schema.id

    def channel(self, topic: str, encoding: str, schema: int, metadata: Mapping[str, str] | None = None) -> int:
        """Adds a channel, with a schema or without (0). Returns its number, from 1."""
        channel = Channel(id=len(self._channels) + 1, topic=topic, message_encoding=encoding, metadata=dict(metadata or {}),
                          schema_id=schema)
        self._channels.append(channel)
        self._chunk += _bytes_of(channel)
        return channel.id

    def message(self, channel: int, sequence: int, time: int, published: int, data: bytes) -> None:
        """Adds one message. Times are in nanoseconds since 1970; `sequence` is below 2**32."""
        if not self._index:
            self._first = self._last = time
        elif time > self._last:
            self._last = time
        elif time < self._first:
            self._first = time
        self._index[channel] += time, len(self._chunk)
        self._chunk += MESSAGE.pack(OP_MESSAGE, MESSAGE_HEAD_SIZE + len(data), channel, sequence, time, published)
        self._chunk += data
        if len(self._chunk) > CHUNK:
            self.flush()

    def metadata(self, name: str, values: Mapping[str, str]) -> None:
        """Writes a metadata record of names and texts, outside of chunks and at once."""
        data = _bytes_of(Metadata(name=name, metadata=dict(values)))
        self._metadata.append(MetadataIndex(offset=self._stream.tell(), length=len(data), name=name))
        self._stream.write(data)

    def flush(self) -> None:
        """Writes all messages so far to the stream, as a finished chunk."""
        if not self._index:
            return
        data, begins, size = self._compress(self._chunk), self._stream.tell(), len(self._chunk)
        head = CHUNK_HEAD.pack(Opcode.CHUNK, CHUNK_HEAD.size - RECORD_HEAD_SIZE + len(data), self._first, self._last, size,
                               zlib.crc32(self._chunk), len(KIND), KIND, len(data))
        length = len(head) + len(data)
        index, offsets = self._indexed(begins + length)
        self._stream.write(head + data + index)
        self._span = min(self._span[0], self._first), max(self._span[1], self._last)
        self._chunk_count += 1
        self._chunks += _bytes_of(ChunkIndex(
            chunk_length=length, chunk_start_offset=begins, compression=KIND.decode(), compressed_size=len(data),
            message_end_time=self._last, message_index_length=len(index), message_index_offsets=offsets,
            message_start_time=self._first, uncompressed_size=size))
        self._chunk, self._index = bytearray(), defaultdict(list)

    def _indexed(self, at: int) -> tuple[bytes, dict[int, int]]:
        """Returns the index of each channel's messages in the chunk, and the offset of each index, counted from `at`."""
        index, offsets = bytearray(), {}
        for channel, places in self._index.items():
            offsets[channel] = at + len(index)
            index += INDEX_HEAD.pack(Opcode.MESSAGE_INDEX, 6 + 8 * len(places), channel, 8 * len(places))
            index += struct.pack(f"<{len(places)}Q", *places)
            self._counts[channel] += len(places) // 2
        return bytes(index), offsets

    def finish(self) -> None:
        """Writes what is left, the index, and the end of the file."""
        self.flush()
        self._stream.write(self.ending())

    def ending(self) -> bytes:
        """Returns the bytes that complete the file: the index and the last bytes.

        More messages may be written instead of them.
        """
        end = _bytes_of(DataEnd(0))
        begins, summary, offsets = self._stream.tell() + len(end), bytearray(), bytearray()
        groups = (
            (Opcode.SCHEMA, _all(self._schemas)), (Opcode.CHANNEL, _all(self._channels)),
            (Opcode.STATISTICS, _bytes_of(self._statistics())), (Opcode.CHUNK_INDEX, bytes(self._chunks)),
            (Opcode.METADATA_INDEX, _all(self._metadata)))
        for kind, group in groups:
            if group:
                offsets += _bytes_of(SummaryOffset(kind, begins + len(summary), len(group)))
            summary += group
        ends = begins + len(summary)
        footer = _bytes_of(Footer(summary_start=begins, summary_offset_start=ends, summary_crc=0))[:-4]
        crc = zlib.crc32(footer, zlib.crc32(summary + offsets))
        return end + bytes(summary + offsets) + footer + struct.pack("<I", crc) + MAGIC

    def _statistics(self) -> Statistics:
        return Statistics(
            attachment_count=0, channel_count=len(self._channels), channel_message_counts=dict(self._counts),
            chunk_count=self._chunk_count, message_count=sum(self._counts.values()), metadata_count=len(self._metadata),
            message_start_time=self._span[0] if self._counts else 0, message_end_time=self._span[1],
            schema_count=len(self._schemas))


def _all(records: Iterable[McapRecord]) -> bytes:
    return b"".join(map(_bytes_of, records))


def _bytes_of(record: McapRecord) -> bytes:
    builder = RecordBuilder()
    record.write(builder)
    return bytes(builder.end())  # type: ignore[no-untyped-call]
