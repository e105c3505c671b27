"""Reading a scene's file, whole or compressed."""

from __future__ import annotations

import gzip
import json
import zlib
from pathlib import Path
from typing import Any

from core.errors import DataError


def read_json(path: Path, cure: str) -> Any:
    """What a .json or .json.gz file holds.

    Raises:
        DataError: it is missing or damaged; the message ends with the cure.
    """
    try:
        raw = path.read_bytes()
        return json.loads(gzip.decompress(raw) if path.suffix == ".gz" else raw)
    except OSError as error:
        reason = error.strerror or "it is no whole gzip file"
        raise DataError(f"{path} cannot be read ({reason}): {cure}.") from error
    except (EOFError, zlib.error, ValueError) as error:
        raise DataError(f"{path} is damaged ({type(error).__name__}): {cure}.") from error
