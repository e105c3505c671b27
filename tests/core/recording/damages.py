"""Damaged or forged recording files, by seed, for fuzzing everything that reads one."""

from __future__ import annotations

import gzip
import io
import json
import struct
import zipfile
import zlib
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

import zstandard
from foxglove_schemas_protobuf.CompressedImage_pb2 import CompressedImage
from mcap.writer import CompressionType, Writer
from PIL import Image

from core.recording.container import MAGIC, Container
from core.recording.scan import MARK, MARK_AT, Chunk, Scan

HUGE = (2**31 - 1, 2**32 - 1, 10 * 2**30, 2**40, 2**63 - 1, 2**64 - 1)
ODD: tuple[Any, ...] = (
    None, True, -1, 0, 2**31, 2**70, 10**400, -10**4000, 1e308, -1e308, float("nan"), float("inf"), "", "x", "\udc80", "\0\n\r",
    "é" * 300, [], {}, [[]], [None], {"$": "Ended"}, {"$": "float", "value": "nan"}, {"$": "float", "value": "inf"},
    {"$": "Pause"}, {"$": 3},
    {"$": "array", "dtype": "|u1", "shape": [2**20, 2**20, 0], "zlib": False, "data": ""},
    {"$": "array", "dtype": "|u1", "shape": [7], "zlib": False, "data": "AAAAAAAAAA=="},
    {"$": "array", "dtype": "<i4", "shape": [2**30, 2**30], "zlib": True, "data": "AA=="},
)


def damaged(path: Path, random: Random, slow: bool = True) -> tuple[str, bytes]:
    """Returns the kind of damage to a complete recording's file, and the result.

    Slow kinds hold bombs that take a second each.
    """
    data = path.read_bytes()
    forged = [how for how in FORGED if slow or how not in SLOW]
    how = random.choice((*(how for how in BYTES if slow or how not in SLOW), *forged, *forged))
    return how.__name__, how(data, random) if how in BYTES else how(path, random)


# --- bytes -----------------------------------------------------------------
def records(data: bytes) -> list[tuple[int, int]]:
    """Returns the start and end of each record of a complete file."""
    found, at = [], len(MAGIC)
    while at < len(data) - len(MAGIC):
        end = at + 9 + struct.unpack_from("<Q", data, at + 1)[0]
        found.append((at, end))
        at = end
    return found


def cut(data: bytes, random: Random) -> bytes:
    return data[:random.randrange(len(data))]


def cut_at_a_record(data: bytes, random: Random) -> bytes:
    return data[:max(0, random.choice(random.choice(records(data))) + random.randrange(-2, 12))]


def flipped(data: bytes, random: Random) -> bytes:
    out = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 20))):
        out[random.randrange(len(out))] ^= 1 << random.randrange(8)
    return bytes(out)


def flipped_in_a_head(data: bytes, random: Random) -> bytes:
    out, (start, end) = bytearray(data), random.choice(records(data))
    out[min(start + random.randrange(60), end - 1)] ^= 1 << random.randrange(8)
    return bytes(out)


def flipped_in_the_index(data: bytes, random: Random) -> bytes:
    out = bytearray(data)
    (begins,) = struct.unpack_from("<Q", data, len(data) - len(MAGIC) - 20)
    out[random.randrange(begins - 20, len(out))] ^= 1 << random.randrange(8)
    return bytes(out)


def overwritten(data: bytes, random: Random) -> bytes:
    at, size = random.randrange(len(data)), random.choice((1, 8, 512, 4096))
    new = random.choice((bytes(size), b"\xff" * size, random.randbytes(size), (MARK * size)[:size], (MAGIC * size)[:size]))
    return data[:at] + new + data[at + size * random.randrange(2):]


def rearranged(data: bytes, random: Random) -> bytes:
    """Swaps, doubles or leaves out records."""
    parts = [data[a:b] for a, b in records(data)]
    a, b = random.randrange(len(parts)), random.randrange(len(parts))
    match random.randrange(4):
        case 0:
            parts[a], parts[b] = parts[b], parts[a]
        case 1:
            parts.insert(b, parts[a])
        case 2:
            del parts[a]
        case _:
            random.shuffle(parts)
    return MAGIC + b"".join(parts) + MAGIC


def claiming_much(data: bytes, random: Random) -> bytes:
    """Inserts a length that is far too large: of a record, of packed or unpacked data, of a text."""
    at = random.choice([start for start, _ in records(data)]) + random.choice((1, 25, 37, MARK_AT + len(MARK), 9, 45))
    size = random.choice(("<Q", "<Q", "<I"))
    claim = struct.pack(size, random.choice(HUGE) % 2**(8 * struct.calcsize(size)))
    return data[:at] + claim + data[at + len(claim):]


def twice(data: bytes, random: Random) -> bytes:
    other = random.randbytes(99)
    return random.choice((data + data, data[:-8] + data, data + data[8:], data + other, other + data))


def strewn_with_marks(data: bytes, random: Random) -> bytes:
    """Inserts beginnings of chunks every few bytes, each of which claims to go on to the end."""
    fake = struct.pack("<BQQQQI", 6, random.choice((2**19, 50, 2**20)), 0, 0, 2**20, 0) + MARK
    return data[:random.randrange(60, len(data))] + fake * random.choice((9, 30_000)) + random.randbytes(9)


def foreign(data: bytes, random: Random) -> bytes:
    """Returns another format under our name, sometimes behind our first bytes."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("a.mcap", data)
    texts = (b"", b"{}", b"\x7fELF" + random.randbytes(999), b"SQLite format 3\0" + bytes(4000), gzip.compress(data),
             archive.getvalue(), b"\x89PNG\r\n\x1a\n" + random.randbytes(999), b"#ROSBAG V2.0\n" + random.randbytes(999),
             "naïve ".encode() * 999,
             zstandard.compress(data), bytes(10**6), json.dumps({"event": 1}).encode() * 99, random.randbytes(10**5))
    return random.choice((b"", b"", MAGIC, MAGIC[:5], data[:200])) + random.choice(texts)


# --- forged ----------------------------------------------------------------
def rewritten(path: Path, change: Callable[[int, bytes], bytes], random: Random, odd: float = 0.01) -> bytes:
    """Writes the file again, each message through a function of its index. Checksums and index are right.

    A share `odd` of the messages gets an odd channel and time; without odd ones the metadata stays out.
    """
    out, place = io.BytesIO(), 0
    file, scan = Container(out), Scan(path)
    file.start("belvedere", "belvedere")
    try:
        for part in scan.walk():
            if not isinstance(part, Chunk):
                continue
            for schema in part.schemas:
                file.schema(schema.name, schema.encoding, schema.data)
            for channel in part.channels:
                file.channel(channel.topic, channel.message_encoding, channel.schema_id, channel.metadata)
            for m in part.messages:
                text = change(place, part.data[m.start:m.end])
                is_odd = random.random() < odd
                number, time = (random.randrange(99), random.choice(HUGE)) if is_odd else (m.channel, m.time)
                file.message(number, m.sequence, time, 0, text)
                place += 1
            file.flush()
    finally:
        scan.close()
    if odd and random.random() < 0.3:
        form = random.choice(("1", "2", "3", "", "x\n" * 999))
        file.metadata("belvedere", {"format": form, "goal": "\n<b>" * random.randrange(9)})
    file.finish()
    return out.getvalue()


def places(value: Any, before: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Returns the path to everything in a decoded JSON value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [before, *(way for key, part in inner for way in places(part, (*before, key)))]


def changed(value: Any, way: tuple[Any, ...], random: Random) -> Any:
    """Replaces the value at a path: by another value, by nothing, by one more key, or by a value from elsewhere."""
    if not way:
        return deepcopy(random.choice(ODD))
    at = value
    for key in way[:-1]:
        at = at[key]
    match random.randrange(8):
        case 0:
            del at[way[-1]]
        case 1 if isinstance(at, dict):
            at[random.choice(("$", "extra", "", "by"))] = deepcopy(random.choice(ODD))
        case 2 if isinstance(at, list):
            at.extend([at[way[-1]]] * random.choice((1, 100)))
        case 3:
            at[way[-1]] = deepcopy(random.choice(ODD))
        case _:
            at[way[-1]] = of_its_kind(at[way[-1]], random)
    return value


def of_its_kind(value: Any, random: Random) -> Any:
    """Returns a value that could be in its place. Readers accept it, and their callers must handle it."""
    if type(value) in (int, float):
        special = {"$": "float", "value": random.choice(("nan", "inf", "-inf"))}
        return random.choice((0, -1, 1, 10**9, 2**70, -2**70, 10**400, 1e308, -1e308, 1e-320, value + 1, special))
    return deepcopy(random.choice([x for x in ODD if type(x) is type(value)] or [value]))


def with_odd_values(path: Path, random: Random) -> bytes:
    """Writes valid JSON in valid chunks with values that no recorder writes."""
    wanted, often = random.choice((0.003, 0.01, 0.03, 0.3)), random.randrange(1, 4)

    def change(place: int, text: bytes) -> bytes:
        if not text.startswith(b"{") or random.random() > wanted:
            return text
        value = json.loads(text)
        for _ in range(often):
            ways = [way for way in places(value) if len(way) > 1 and way != ("what", "$")] or [()]
            value = changed(value, random.choice(ways), random)
            if not isinstance(value, dict):
                break
        try:
            return json.dumps(value, separators=(",", ":"), ensure_ascii=random.random() < 0.9).encode("utf-8", "surrogatepass")
        except ValueError:  # a number longer than Python writes
            return text
    return rewritten(path, change, random)


def with_odd_texts(path: Path, random: Random) -> bytes:
    """Writes messages that are not JSON, not UTF-8, or deeply nested; pictures that are none."""
    def change(place: int, text: bytes) -> bytes:
        if random.random() > 0.05:
            return text
        at = random.randrange(len(text) or 1)
        deep = random.choice((b"[", b'{"a":')) * random.choice((500, 100_000))
        return random.choice((
            text[:at], text[:at] + b"\xff\xfe" + text[at:], text[:at] + random.randbytes(3) + text[at + 3:], b"", b"{", b"{}",
            text[:max(1, text.rfind(b':') + 1)] + deep, text.replace(b"null", deep, 1), text.replace(b":0", b":NaN", 1),
            text.replace(b":0", b":-1", 1), text.replace(b":1", b":" + b"9" * 5000, 1), text.replace(b'"', b"'", 1),
            text.replace(b'"number":', b'"number":-', 1), text.replace(b'"at":', b'"at":1e99', 1), text + b" " * 10**6,
        ))
    return rewritten(path, change, random)


def with_odd_pictures(path: Path, random: Random) -> bytes:
    """Writes pictures that are cut off, larger than memory, of one colour channel, or no pictures at all."""
    def head(height: int, width: int) -> bytes:
        sizes = struct.pack(">HH", height, width)
        return b"\xff\xd8\xff\xc0\x00\x11\x08" + sizes + b"\x03\x01\x11\x00\x02\x11\x00\x03\x11\x00\xff\xd9"

    def change(place: int, text: bytes) -> bytes:
        if text.startswith(b"{") or b"JFIF" not in text or random.random() < 0.3:
            return text
        image = CompressedImage.FromString(text)
        data, grey = image.data, io.BytesIO()
        Image.new(random.choice("L1"), (9, 7)).convert("L").save(grey, "JPEG")
        image.data = random.choice((data[:random.randrange(len(data))], head(65535, 65535), head(12_000, 12_000), head(0, 0),
                                    b"", grey.getvalue(), data[:300] + random.randbytes(99) + data[400:]))
        return bytes(image.SerializeToString())
    return rewritten(path, change, random)


def with_a_bomb(path: Path, random: Random) -> bytes:
    """Writes a chunk far larger than its bytes: of one message, of millions, or of a size it does not have."""
    data = path.read_bytes()
    small = struct.pack("<BQHIQQ", 5, 22 + 1, 99, 0, 0, 0) + b"{"
    inner = random.choice((small * 10**6, bytes(60 * 2**20), struct.pack("<BQHIQQ", 5, 22 + 2**25, 9, 0, 0, 0) + b"{" * 2**25,
                           struct.pack("<BQ", 3, 0) * 10**6, struct.pack("<BQ", 2**3, 0) * 10))
    packed = zstandard.compress(inner)
    size, crc = random.choice(((len(inner), zlib.crc32(inner)), (len(inner), 0), (2**62, 0), (5, 0), (63 * 2**20, 0)))
    if random.random() < 0.3:  # a frame that does not tell its size, or tells another
        packed = zstandard.ZstdCompressor(write_content_size=False).compress(inner)
    chunk = struct.pack("<QQQI", 0, 0, size, crc) + MARK + struct.pack("<Q", len(packed)) + packed
    first = data.index(MARK) - MARK_AT
    times = random.choice((1, 1, 40))
    return data[:first] + (struct.pack("<BQ", 6, len(chunk)) + chunk) * times + data[first:]


def of_another_writer(path: Path, random: Random) -> bytes:
    """Returns what the mcap package's own writer makes, with our name on it or without."""
    out = io.BytesIO()
    writer = Writer(out, chunk_size=random.choice((100, 2**20)), use_chunking=random.random() < 0.7,
                    compression=random.choice((CompressionType.NONE, CompressionType.ZSTD, CompressionType.LZ4)))
    writer.start(random.choice(("ros2", "", "belvedere")), random.choice(("", "another", "x\n" * 9, "belvedere")))
    channel = writer.register_channel(random.choice(("/x", "/frames/first_person")), "json", 0)
    scan, number = Scan(path), 0
    for part in scan.walk():
        for m in part.messages if isinstance(part, Chunk) else ():
            if part.data.startswith(b"{", m.start):  # type: ignore[union-attr]
                writer.add_message(channel, m.time, part.data[m.start:m.end], m.time, number)  # type: ignore[union-attr]
                number += 1
    scan.close()
    writer.add_attachment(0, 0, "a", "text/plain", b"x" * 99)
    if random.random() < 0.8:
        writer.finish()  # type: ignore[no-untyped-call]
    return out.getvalue()


BYTES: tuple[Callable[..., bytes], ...] = (
    cut, cut_at_a_record, flipped, flipped_in_a_head, flipped_in_the_index, overwritten, rearranged, claiming_much, twice,
    strewn_with_marks, foreign)
FORGED: tuple[Callable[..., bytes], ...] = (with_odd_values, with_odd_values, with_odd_texts, with_odd_pictures, with_a_bomb,
                                            of_another_writer)
SLOW = (with_a_bomb, strewn_with_marks)
