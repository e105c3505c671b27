"""Reads MCAP files of any writer: chunks with each compression of the format, and messages outside of chunks.

No length in the file is trusted: each is checked before anything is read. Damaged places are reported and skipped, and reading
continues at the next intact chunk. Neither checksums nor the index at the end are needed.
"""

from __future__ import annotations

import io
import re
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO, NamedTuple

import lz4.frame  # type: ignore[import-untyped,unused-ignore]
import zstandard
from mcap.data_stream import ReadDataStream
from mcap.exceptions import McapError
from mcap.opcode import Opcode
from mcap.records import Channel, Header, Metadata, Schema

from core.common.errors import DataError
from core.recording.container import CHUNK, MAGIC, OP_MESSAGE, PROFILE

MOST_CHUNK, MOST_LARGE_CHUNK = 64 * 2**20, 512 * 2**20
"""Maximum size in bytes of a chunk, compressed and unpacked, of a small and of a large file. Others may write just one."""
MOST_SMALL = 16 * 2**20
SOME_MESSAGES, SOME_BYTES = 100_000, 256 * 2**20
"""Allowed for any file. A large one may hold more: each message takes a few bytes, and none is compressed a hundredfold."""
MOST_OTHERS = 4096
"""Maximum number of schemas and channels in a chunk."""
FIRST_BLOCK, MOST_BLOCK = 2**12, 2**20
"""Bytes read per step, at first and at most, when searching the next chunk or the end of messages outside of chunks. It is
often near; a forged file is full of marks."""
HEAD = struct.Struct("<BQ")
CHUNK_FIELDS = struct.Struct("<QQQI")
MESSAGE_FIELDS = struct.Struct("<HIQQ")
FOOTER = struct.Struct("<BQQQI")
MARK = b"\x04\x00\x00\x00zstd"
"""Occurs in every chunk of ours, `MARK_AT` bytes after its beginning."""
MARKS = re.compile(re.escape(MARK) + rb"|\x03\x00\x00\x00lz4")
"""Matches in every compressed chunk, at the same place."""
UNTOLD = 2**64 - 1
"""The size of a zstd frame that does not tell its size."""
MARK_AT = HEAD.size + CHUNK_FIELDS.size
COMPRESSIONS = (b"", b"lz4", b"zstd")
LONGEST_NAME = 8
"""Letters in the name of a compression, also of one that the format does not know."""
LAST, FIRST_PRIVATE = int(Opcode.DATA_END), 0x80
"""The format's kinds of records end here; programs may add their own from there on, which others skip."""
LOOSE = (Opcode.SCHEMA, Opcode.CHANNEL, Opcode.MESSAGE)
"""The records of a chunk. A file without chunks holds them one after the other."""
DAMAGES = (ValueError, struct.error, zstandard.ZstdError, McapError, MemoryError, RuntimeError, EOFError)
Small = Header | Schema | Channel | Metadata
SMALL: dict[int, Callable[[ReadDataStream], Small]] = {
    Opcode.HEADER: Header.read, Opcode.SCHEMA: Schema.read, Opcode.CHANNEL: Channel.read, Opcode.METADATA: Metadata.read,
}


class Message(NamedTuple):
    """One message in a chunk: `data[start:end]`. `time` and `published` are in nanoseconds since 1970."""

    channel: int
    sequence: int
    time: int
    published: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """An intact chunk, unpacked, or messages outside of chunks that follow each other.

    Attributes:
        has_checksum: a checksum vouches for its content.
    """

    offset: int
    data: bytes
    messages: tuple[Message, ...]
    schemas: tuple[Schema, ...]
    channels: tuple[Channel, ...]
    has_checksum: bool = False


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
        by: the program that wrote the file, if it does not say that its content is ours; None: it does.

    Raises:
        DataError: the file cannot be opened, or is not a recording.
    """

    path: Path
    file: BinaryIO = field(init=False)
    size: int = field(init=False)
    finished: bool = field(init=False, default=False)
    by: str | None = field(init=False, default=None)
    _ahead: tuple[int, tuple[int, int] | None] = field(init=False, default=(-1, None))
    """The offset of the last record head that was read, and its content: each head is needed several times."""
    _read: int = field(init=False, default=0)
    _unpacked: int = field(init=False, default=0)
    _messages: int = field(init=False, default=0)
    """What this pass has read, unpacked and found so far. A small forged file could otherwise be read for hours."""

    def __post_init__(self) -> None:
        try:
            if self.path.is_fifo():  # opening it would wait for somebody who writes
                raise OSError("it is a pipe, not a file")
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
        """Checks by its first bytes that the file may be one of our recordings. Tools that copy may write another profile."""
        if self.size == 0:
            raise DataError(f"{self.path.name} is empty: nothing was recorded in it")
        self.file.seek(0)
        if self.file.read(len(MAGIC)) != MAGIC:
            raise DataError(f"{self.path.name} is no recording: it does not begin as MCAP files do")
        header = self._small(len(MAGIC))
        if isinstance(header, Header) and header.profile != PROFILE:
            self.by = header.library[:40]

    def foreign(self) -> DataError:
        """Returns the error that the file is of another program."""
        by = f" but by '{self.by}'" if self.by else ""
        return DataError(f"{self.path.name} is an MCAP file, but was not recorded by Belvedere{by}")

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
            if isinstance(part, Chunk) and head[0] in LOOSE:
                at += len(part.data)
            else:
                at += part.size if isinstance(part, Damage) else HEAD.size + head[1]

    @property
    def _most_chunk(self) -> int:
        return min(MOST_LARGE_CHUNK, max(MOST_CHUNK, 4 * self.size))

    def _is_forged(self) -> bool:
        """Returns True if more was read, unpacked or found than a genuine file of this size can hold."""
        return (self._read > 2 * self.size + SOME_BYTES // 4 or self._unpacked > 100 * self.size + SOME_BYTES
                or self._messages > self.size + SOME_MESSAGES)

    def data_at(self, offset: int) -> bytes:
        """Returns the unpacked content of the chunk at an offset, or the messages outside of chunks there.

        Raises:
            DataError: there is none, or it is damaged.
        """
        head = self._head(offset)
        if head is None or head[0] not in (Opcode.CHUNK, *LOOSE) or head[1] > self._most_chunk:
            raise DataError(f"{self.path.name} has changed since it was opened: open it again")
        if head[0] in LOOSE:
            return self._loose(offset)
        self.file.seek(offset + HEAD.size)
        try:
            return _unpacked(self.file.read(head[1]), self._most_chunk)
        except (DataError, *DAMAGES) as error:
            raise DataError(f"{self.path.name}: a damaged chunk at byte {offset:,} ({error})") from error

    def close(self) -> None:
        """Closes the file."""
        self.file.close()

    def _is_end(self, at: int) -> bool:
        """Returns True if the data ends here and the index behind it, if there is one, is intact as far as a checksum tells."""
        head = self._head(at)
        footer = self.size - len(MAGIC) - FOOTER.size
        if head is None or head[0] != Opcode.DATA_END or footer < at or self.size - at > self._most_chunk:
            return False
        self.file.seek(footer)
        kind, _, begins, _, crc = FOOTER.unpack(self.file.read(FOOTER.size))
        if kind != Opcode.FOOTER or self.file.read() != MAGIC or not (at < begins <= footer or begins == 0):
            return False
        if not (begins and crc):  # there is no index, or no checksum of it
            return begins > 0 or at + HEAD.size + head[1] == footer
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
        length = int.from_bytes(self.file.read(4), "little")
        return not length or (length <= LONGEST_NAME and self.file.read(length).isalnum())

    def _head(self, at: int) -> tuple[int, int] | None:
        """Returns kind and length of the record here; None if no record can begin here."""
        if self._ahead[0] != at:
            self.file.seek(at)
            data = self.file.read(HEAD.size)
            kind, length = HEAD.unpack(data) if len(data) == HEAD.size else (0, 0)
            self._ahead = at, (kind, length) if 0 < kind <= LAST or kind >= FIRST_PRIVATE else None
        return self._ahead[1]

    def _record(self, at: int, head: tuple[int, int]) -> Chunk | Metadata | Damage | None:
        kind, length = head
        if kind == Opcode.CHUNK:
            return self._chunk(at, length)
        if kind == Opcode.METADATA:
            found = self._small(at)
            return found if isinstance(found, Metadata) else Damage(at, HEAD.size + length, "damaged metadata")
        if kind in LOOSE:
            return self._loose_records(at, HEAD.size + length)
        return None

    def _loose_records(self, at: int, first: int) -> Chunk | Damage:
        """Returns the records outside of chunks from here on, or the damage of the first, which has this size."""
        try:
            data = self._loose(at) if first <= self._most_chunk else b""
            return self._counted(_chunk(at, data)) if data else Damage(at, first, "a damaged message")
        except (DataError, *DAMAGES) as error:
            return Damage(at, first, f"damaged records ({error})")

    def _loose(self, at: int) -> bytes:
        """Returns the records outside of chunks from here on, together about `CHUNK` bytes; nothing if the first is damaged."""
        data, end, size = b"", 0, FIRST_BLOCK
        while True:
            kind, length = HEAD.unpack_from(data, end) if len(data) >= end + HEAD.size else (Opcode.MESSAGE, 0)
            follows = end + HEAD.size + length
            if kind not in LOOSE or at + follows > self.size or (end and follows > CHUNK):
                break
            if follows > len(data):
                self.file.seek(at + len(data))
                data += self.file.read(max(size, follows - len(data)))
                self._read, size = self._read + size, min(MOST_BLOCK, 4 * size)
            elif kind == Opcode.MESSAGE and length < MESSAGE_FIELDS.size:
                break
            else:
                end = follows
        return data[:end]

    def _counted(self, chunk: Chunk) -> Chunk:
        self._messages += len(chunk.messages)
        return chunk

    def _small(self, at: int) -> Small | None:
        """Returns a small record; None if it is damaged."""
        head = self._head(at)
        if head is None or head[0] not in SMALL or head[1] > min(MOST_SMALL, self.size - at):
            return None
        self.file.seek(at + HEAD.size)
        return _parsed(head[0], self.file.read(head[1]))

    def _chunk(self, at: int, length: int) -> Chunk | Damage:
        size = HEAD.size + length
        if length > self._most_chunk:
            return self._skip(at, f"a chunk that claims {length:,} bytes")
        self.file.seek(at + HEAD.size)
        self._read += length
        try:
            body = self.file.read(length)
            data = _unpacked(body, self._most_chunk)
            self._unpacked += len(data)
            chunk = _chunk(at, data, length + SOME_MESSAGES)
            return self._counted(replace(chunk, has_checksum=bool(CHUNK_FIELDS.unpack_from(body)[3])))
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
            found = MARKS.search(rest + block)
            begins = position - len(rest) + (found.start() if found else 0) - MARK_AT
            if found and begins > at:
                return Damage(at, begins - at, why)
            if found:  # this is the mark of the damaged chunk itself
                position, rest = position - len(rest) + found.end(), b""
                continue
            if not block:
                return Damage(at, self.size - at, why)
            position, rest = position + len(block), (rest + block)[-len(MARK) + 1:]


def _unpacked(body: bytes, most: int) -> bytes:
    """Returns the content of a chunk, if its size and checksum are right."""
    _, _, size, crc = CHUNK_FIELDS.unpack_from(body)
    at = CHUNK_FIELDS.size
    (length,) = struct.unpack_from("<I", body, at)
    kind = body[at + 4: at + 4 + length]
    (packed,) = struct.unpack_from("<Q", body, at + 4 + length)
    data = body[at + 12 + length:]
    if kind not in COMPRESSIONS:
        raise DataError(f"compressed as '{kind[:20].decode(errors='replace')}', which MCAP files are not")
    if packed != len(data):
        raise DataError(f"claims {packed:,} bytes")
    if size > most:
        raise DataError(f"claims {size:,} bytes unpacked, more than is read at once: write the file again with smaller chunks")
    if kind:
        data = UNPACK[kind](data, size)
    if len(data) != size or (crc and zlib.crc32(data) != crc):
        raise DataError("its checksum is wrong")
    return data


def _of_zstd(data: bytes, size: int) -> bytes:
    if zstandard.get_frame_parameters(data).content_size not in (size, UNTOLD):
        raise DataError("its size is wrong")
    return zstandard.ZstdDecompressor().decompress(data, max_output_size=size)


def _of_lz4(data: bytes, size: int) -> bytes:
    return bytes(lz4.frame.LZ4FrameDecompressor().decompress(data, max_length=size))


UNPACK: dict[bytes, Callable[[bytes, int], bytes]] = {b"lz4": _of_lz4, b"zstd": _of_zstd}
"""Unpacks at most a number of bytes, whatever the compressed data claims."""


def _chunk(offset: int, data: bytes, most: int = SOME_MESSAGES) -> Chunk:
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
