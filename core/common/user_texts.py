"""Texts and tables that people write with editors and spreadsheets: byte-order marks, UTF-16, semicolons, decimal commas."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from core.common.errors import DataError

MARKS: Final = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"),
                (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
"""The marks at the beginning of a file, and their encodings. That of UTF-32 begins with that of UTF-16."""
BY_ZEROS: Final = (("utf-16-le", re.compile(rb"[^\0]\0")), ("utf-16-be", re.compile(rb"\0[^\0]")))
"""How a file in UTF-16 without a mark begins, if its first character is a letter, a digit or a sign of ASCII."""
DELIMITERS: Final = (",", ";", "\t")
NAMED_DELIMITER: Final = re.compile(r"sep=(.)\r?\n", re.IGNORECASE)
"""The first line with which spreadsheets may name the delimiter."""


def decoded(data: bytes, where: str | Path) -> str:
    """Returns the text of a file: in UTF-8, UTF-16 or UTF-32, with or without a mark.

    Raises:
        DataError: it is in another encoding; the message begins with `where`.
    """
    mark = next((encoding for mark, encoding in MARKS if data.startswith(mark)), "")
    encoding = mark or next((name for name, begins in BY_ZEROS if begins.match(data)), "utf-8")
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        place = f"byte 0x{data[error.start]:02X} in line {data.count(10, 0, error.start) + 1}"
        raise DataError(f"{where} is no text in {encoding.removesuffix('-sig').upper()} ({place}): save it as UTF-8") from error


def read_text(path: Path) -> str:
    """Returns the text of a file, with line feeds as line ends.

    Raises:
        OSError: it cannot be read.
        DataError: it is in another encoding than Unicode.
    """
    return re.sub(r"\r\n?", "\n", decoded(path.read_bytes(), path))


class Table(csv.DictReader):  # type: ignore[type-arg] # Python 3.11 cannot subscript it
    """The rows of a text with values separated by commas, semicolons or tabs; its first line names the columns.

    Attributes:
        delimiter: what separates the values.
    """

    def __init__(self, text: str):
        named = NAMED_DELIMITER.match(text)
        text = text[named.end():] if named else text
        self.delimiter = named[1] if named else max(DELIMITERS, key=text.partition("\n")[0].count)
        super().__init__(io.StringIO(text, newline=""), delimiter=self.delimiter)

    def number(self, text: str) -> float:
        """Returns a number of the table. Where commas do not separate values, one may separate decimals.

        Raises:
            ValueError: it is none.
        """
        return float(text if self.delimiter == "," else text.replace(",", "."))

    @property
    def names(self) -> Sequence[str]:
        """The names of the columns."""
        return tuple(self.fieldnames or ())
