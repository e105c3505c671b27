"""Writes and reads MCAP files: messages in compressed chunks, and an index at the end (https://mcap.dev/spec).

The writer of the mcap package runs about twenty lines of Python for each field of each record, which costs more than making the
messages. Here a message is one `pack`. Records that occur a few times per file are written by the package. The reader trusts no
length in the file: each is checked before anything is read. Damaged places are reported and skipped, and reading continues at
the next intact chunk.
"""

from __future__ import annotations

import io
import struct
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, NamedTuple

import zstandard
from mcap.data_stream import ReadDataStream, RecordBuilder
from mcap.exceptions import McapError
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

from core.common.errors import DataError

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


MOST_CHUNK = 64 * 2**20
MOST_SMALL = 16 * 2**20
SOME_MESSAGES, SOME_BYTES = 100_000, 256 * 2**20
"""Allowed for any file. A large one may hold more: each message takes a few bytes, and none is compressed a hundredfold."""
MOST_OTHERS = 4096
"""Maximum number of schemas and channels in a chunk."""
FIRST_BLOCK, MOST_BLOCK = 2**12, 2**20
"""Bytes read per step when searching the next chunk, at first and at most. It is often near; a forged file is full of marks."""
HEAD = struct.Struct("<BQ")
CHUNK_FIELDS = struct.Struct("<QQQI")
MESSAGE_FIELDS = struct.Struct("<HIQQ")
FOOTER = struct.Struct("<BQQQI")
MARK = b"\x04\x00\x00\x00zstd"
"""Occurs in every chunk, `MARK_AT` bytes after its beginning."""
MARK_AT = HEAD.size + CHUNK_FIELDS.size
LAST = int(Opcode.DATA_END)
DAMAGES = (ValueError, struct.error, zstandard.ZstdError, McapError, MemoryError)
Small = Header | Schema | Channel | Metadata
SMALL: dict[int, Callable[[ReadDataStream], Small]] = {
    Opcode.HEADER: Header.read, Opcode.SCHEMA: Schema.read, Opcode.CHANNEL: Channel.read, Opcode.METADATA: Metadata.read,
}


class Message(NamedTuple):
    """One message in a chunk: `data[start:end]`."""

    channel: int
    sequence: int
    time: int
    published: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """An intact chunk, unpacked."""

    offset: int
    data: bytes
    messages: tuple[Message, ...]
    schemas: tuple[Schema, ...]
    channels: tuple[Channel, ...]


@dataclass(frozen=True, slots=True)
class Damage:
    """A place that cannot be read: its offset and size in bytes, and why."""

    offset: int
    size: int
    why: str


@dataclass(slots=True)
class Scan:
    """One pass through a file.

    Attributes:
        finished: the file ends as it should; known after the pass.

    Raises:
        DataError: the file cannot be opened, or is not a recording.
    """

    path: Path
    file: BinaryIO = field(init=False)
    size: int = field(init=False)
    finished: bool = field(init=False, default=False)
    _ahead: tuple[int, tuple[int, int] | None] = field(init=False, default=(-1, None))
    """The offset of the last record head that was read, and its content: each head is needed several times."""
    _read: int = field(init=False, default=0)
    _unpacked: int = field(init=False, default=0)
    _messages: int = field(init=False, default=0)
    """What this pass has read, unpacked and found so far. A small forged file could otherwise be read for hours."""

    def __post_init__(self) -> None:
        try:
            self.file = self.path.open("rb")
        except OSError as error:
            raise DataError(f"cannot open {self.path}: {error.strerror or error}") from error
        try:
            self.size = self.file.seek(0, io.SEEK_END)
            self._check()
        except BaseException:
            self.file.close()
            raise

    def _check(self) -> None:
        """Checks by its first bytes that the file is one of our recordings."""
        if self.size == 0:
            raise DataError(f"{self.path.name} is empty: nothing was recorded in it")
        self.file.seek(0)
        if self.file.read(len(MAGIC)) != MAGIC:
            raise DataError(f"{self.path.name} is no recording: it does not begin as MCAP files do")
        header = self._small(len(MAGIC))
        if isinstance(header, Header) and header.profile != PROFILE:
            by = f" but by '{header.library[:40]}'" if header.library else ""
            raise DataError(f"{self.path.name} is an MCAP file, but was not recorded by Belvedere{by}")

    def walk(self) -> Iterator[Chunk | Metadata | Damage]:
        """Yields everything that can be read, in order, and the damaged places."""
        at = len(MAGIC)
        self._read = self._unpacked = self._messages = 0
        while at < self.size:
            if self._is_forged():
                yield Damage(at, self.size - at, "more than a file of its size can hold")
                return
            if self._is_end(at):
                self.finished = True
                return
            head = self._head(at)
            if head is None or not self._is_plausible(at, head):
                damage = self._skip(at, "a record that is cut off" if head else "no record")
                yield damage
                at += damage.size
                continue
            part = self._record(at, head)
            if part is not None:
                yield part
            at += part.size if isinstance(part, Damage) else HEAD.size + head[1]

    def _is_forged(self) -> bool:
        """Returns True if more was read, unpacked or found than a genuine file of this size can hold."""
        return (self._read > 2 * self.size + SOME_BYTES // 4 or self._unpacked > 100 * self.size + SOME_BYTES
                or self._messages > self.size + SOME_MESSAGES)

    def data_at(self, offset: int) -> bytes:
        """Returns the unpacked content of the chunk at an offset.

        Raises:
            DataError: there is none, or it is damaged.
        """
        head = self._head(offset)
        if head is None or head[0] != Opcode.CHUNK or head[1] > MOST_CHUNK:
            raise DataError(f"{self.path.name} has changed since it was opened: open it again")
        self.file.seek(offset + HEAD.size)
        try:
            return _unpacked(self.file.read(head[1]))
        except (DataError, *DAMAGES) as error:
            raise DataError(f"{self.path.name}: a damaged chunk at byte {offset:,} ({error})") from error

    def close(self) -> None:
        """Closes the file."""
        self.file.close()

    def _is_end(self, at: int) -> bool:
        """Returns True if the data ends here and the index behind it is intact."""
        head = self._head(at)
        footer = self.size - len(MAGIC) - FOOTER.size
        if head is None or head[0] != Opcode.DATA_END or footer < at or self.size - at > MOST_CHUNK:
            return False
        self.file.seek(footer)
        kind, _, begins, _, crc = FOOTER.unpack(self.file.read(FOOTER.size))
        if kind != Opcode.FOOTER or not at < begins <= footer or self.file.read() != MAGIC:
            return False
        self.file.seek(begins)
        return zlib.crc32(self.file.read(footer + FOOTER.size - 4 - begins)) == int(crc)

    def _is_plausible(self, at: int, head: tuple[int, int]) -> bool:
        """Returns True if a record ends within the file and, for records without a checksum, another record begins after it."""
        kind, length = head
        follows = at + HEAD.size + length
        return follows <= self.size and (kind == Opcode.CHUNK or self._may_begin_at(follows))

    def _may_begin_at(self, at: int) -> bool:
        """Returns True if a record may begin here, or if it is the end of the file."""
        head = self._head(at)
        if head is None or head[1] > self.size - at - HEAD.size:
            return at == self.size
        if head[0] != Opcode.CHUNK:
            return True
        self.file.seek(at + MARK_AT)
        return self.file.read(len(MARK)) == MARK

    def _head(self, at: int) -> tuple[int, int] | None:
        """Returns kind and length of the record here; None if no record can begin here."""
        if self._ahead[0] != at:
            self.file.seek(at)
            data = self.file.read(HEAD.size)
            kind, length = HEAD.unpack(data) if len(data) == HEAD.size else (0, 0)
            self._ahead = at, (kind, length) if 0 < kind <= LAST else None
        return self._ahead[1]

    def _record(self, at: int, head: tuple[int, int]) -> Chunk | Metadata | Damage | None:
        kind, length = head
        if kind == Opcode.CHUNK:
            return self._chunk(at, length)
        if kind == Opcode.METADATA:
            found = self._small(at)
            return found if isinstance(found, Metadata) else Damage(at, HEAD.size + length, "damaged metadata")
        return None

    def _small(self, at: int) -> Small | None:
        """Returns a small record; None if it is damaged."""
        head = self._head(at)
        if head is None or head[0] not in SMALL or head[1] > min(MOST_SMALL, self.size - at):
            return None
        self.file.seek(at + HEAD.size)
        return _parsed(head[0], self.file.read(head[1]))

    def _chunk(self, at: int, length: int) -> Chunk | Damage:
        size = HEAD.size + length
        if length > MOST_CHUNK:
            return self._skip(at, f"a chunk that claims {length:,} bytes")
        self.file.seek(at + HEAD.size)
        self._read += length
        try:
            data = _unpacked(self.file.read(length))
            self._unpacked += len(data)
            found = _chunk(at, data, length + SOME_MESSAGES)
            self._messages += len(found.messages)
            return found
        except (DataError, *DAMAGES) as error:
            self._messages += SOME_MESSAGES // 100  # searching it took time as well
            return self._skip(at, f"a damaged chunk ({error})", size)

    def _skip(self, at: int, why: str, known: int = 0) -> Damage:
        """Returns the damage from here to the next chunk; only to the record's own end if a record begins there."""
        if known and self._may_begin_at(at + known):
            return Damage(at, known, why)
        position, rest, size = at + 1, b"", FIRST_BLOCK
        while True:
            self.file.seek(position)
            block = self.file.read(size)
            self._read, size = self._read + len(block), min(MOST_BLOCK, 4 * size)
            found = (rest + block).find(MARK)
            begins = position - len(rest) + found - MARK_AT
            if found >= 0 and begins > at:
                return Damage(at, begins - at, why)
            if found >= 0:  # this is the mark of the damaged chunk itself
                position, rest = begins + MARK_AT + len(MARK), b""
                continue
            if not block:
                return Damage(at, self.size - at, why)
            position, rest = position + len(block), (rest + block)[-len(MARK) + 1:]


def _unpacked(body: bytes) -> bytes:
    """Returns the content of a chunk, if its size and checksum are right."""
    _, _, size, crc = CHUNK_FIELDS.unpack_from(body)
    at = CHUNK_FIELDS.size
    (length,) = struct.unpack_from("<I", body, at)
    kind = body[at + 4: at + 4 + length]
    (packed,) = struct.unpack_from("<Q", body, at + 4 + length)
    data = body[at + 12 + length:]
    if size > MOST_CHUNK or packed != len(data) or kind not in (b"zstd", b""):
        raise DataError(f"claims {size:,} bytes")
    if kind == b"zstd":
        if zstandard.get_frame_parameters(data).content_size != size:
            raise DataError("its size is wrong")
        data = zstandard.ZstdDecompressor().decompress(data, max_output_size=size)
    if len(data) != size or (crc and zlib.crc32(data) != crc):
        raise DataError("its checksum is wrong")
    return data


def _chunk(offset: int, data: bytes, most: int) -> Chunk:
    messages: list[Message] = []
    others: list[Small | None] = []
    at, view = 0, memoryview(data)
    while at < len(data):
        kind, length = HEAD.unpack_from(data, at)
        start, end = at + HEAD.size, at + HEAD.size + length
        if end > len(data):
            raise DataError("a record in it is cut off")
        if kind == OP_MESSAGE:
            channel, sequence, time, published = MESSAGE_FIELDS.unpack_from(data, start)
            messages.append(Message(channel, sequence, time, published, start + MESSAGE_FIELDS.size, end))
        elif kind in (Opcode.SCHEMA, Opcode.CHANNEL):
            others.append(_parsed(kind, bytes(view[start:end])))
        else:  # millions of empty records would keep a reader busy for minutes
            raise DataError(f"a record of kind {kind} in it")
        if len(messages) > most or len(others) > MOST_OTHERS:
            raise DataError(f"{len(messages) + len(others):,} records in it, and more")
        at = end
    schemas = tuple(o for o in others if isinstance(o, Schema))
    return Chunk(offset, data, tuple(messages), schemas, tuple(o for o in others if isinstance(o, Channel)))


def _parsed(kind: int, body: bytes) -> Small | None:
    """Returns a header, schema, channel or metadata; None if it is damaged."""
    try:
        return SMALL[kind](ReadDataStream(io.BytesIO(body)))
    except (McapError, ValueError, struct.error):
        return None
