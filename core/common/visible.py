"""Texts and file names as people can read them, and file names as texts that lose nothing."""

from __future__ import annotations

import os
import re
import unicodedata
from pathlib import Path
from typing import Final
from urllib.parse import quote_from_bytes, unquote_to_bytes

BYTES: Final = range(0xDC80, 0xDD00)
"""The characters with which Python stands for bytes 0x80 to 0xFF of a file name that is not UTF-8."""
MOST_DIGITS: Final = 40
"""Digits of a number that are written out."""
LONG_NUMBER: Final = re.compile(rf"\d{{{MOST_DIGITS + 1},}}")
URI: Final = "file:"
"""How a file name begins that is written with %E9 for its byte 0xE9."""


IGNORED: Final = frozenset(map(chr, (0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0, 0x2800, *range(0xFE00, 0xFE10))))
"""Characters that show nothing, although they count as letters or marks; besides those of the category Cf."""


def _shows_nothing(character: str) -> bool:
    return character in IGNORED or unicodedata.category(character) == "Cf"


def pasted(text: str) -> str:
    """Returns a text that a user wrote or pasted, without characters that show nothing, and with plain blanks."""
    if text.isascii():
        return text
    shown = (c for c in text if not _shows_nothing(c))
    return "".join(" " if unicodedata.category(c) == "Zs" else c for c in shown)


def visible(text: str) -> str:
    r"""Returns a text in which every character can be seen, on one line.

    Characters that show nothing are named (`U+200B`), bytes that are not UTF-8 are written as `\xe9`, control characters become
    blanks, and numbers of very many digits are shortened.
    """
    if not (text.isascii() and text.isprintable()):
        text = "".join(c if c.isprintable() and c not in IGNORED else _written(c) for c in text)
    return LONG_NUMBER.sub(lambda found: f"{found[0][:MOST_DIGITS // 2]}… ({len(found[0]):,} digits)", text)


def visible_lines(text: str) -> str:
    """Returns a text of several lines in which every character can be seen: a terminal obeys none of them."""
    return "\n".join(map(visible, text.split("\n")))


def _written(character: str) -> str:
    code = ord(character)
    if code in BYTES:
        return f"\\x{code - 0xDC00:02x}"
    return f"U+{code:04X}" if _shows_nothing(character) or unicodedata.category(character) == "Cs" else " "


def readable(path: str | Path) -> str:
    """Returns a path for people."""
    return visible(os.fspath(path))


def path_text(path: str | Path) -> str:
    """Returns a path as a text that any file or database takes: as it is, or as `file:/home/caf%E9` if it is not UTF-8."""
    text = os.fspath(path)
    try:
        text.encode()
    except UnicodeEncodeError:
        return URI + quote_from_bytes(os.fsencode(text))
    return URI + quote_from_bytes(text.encode()) if text.startswith(URI) else text


def path_of(text: str) -> Path:
    """Returns the path that `path_text` has written, or that a `file:` address of another program names."""
    if not text.startswith(URI):
        return Path(text)
    return Path(os.fsdecode(unquote_to_bytes(text.removeprefix(URI).removeprefix("//"))))
