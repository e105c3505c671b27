"""Where recordings are kept unless said otherwise, and what they are called."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path

import platformdirs

from core.common.errors import DataError

ODD = re.compile(r"[^\w.+-]+")
MOST_ALIKE = 1000


def recordings_folder() -> Path:
    """`Belvedere` among the documents of whoever is logged in."""
    return platformdirs.user_documents_path() / "Belvedere"


def running_folder() -> Path:
    """Where runs are kept that nobody records, out of the way of what copies documents to other machines."""
    return platformdirs.user_state_path("belvedere", appauthor=False) / "running"


def sidecar(recording: Path) -> Path:
    """The file beside a recording that holds what was annotated later."""
    return recording.with_name(f"{recording.name}.annotations.jsonl")


def new_recording(folder: Path, scene: str, planner: str, now: datetime) -> Path:
    """A name nobody has yet, by date, scene and planner; the folder is made.

    Raises:
        DataError: the folder cannot be made, or holds too many recordings of this second.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"cannot make the folder {folder}: {error.strerror or error}; choose another one") from error
    words = [ODD.sub("-", Path(word).stem).strip("-")[:40] for word in (scene, planner)]
    stem = " ".join([f"{now:%Y-%m-%d %H-%M-%S}", *(word for word in words if word)])
    return _free(folder, stem, range(1, MOST_ALIKE))


def free_name(folder: Path, stem: str) -> Path:
    """A new name beside an old one, such as `run 2.mcap`; the folder is made.

    Raises:
        DataError: the folder cannot be made, or holds too many recordings of this name.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"cannot make the folder {folder}: {error.strerror or error}; choose another one") from error
    return _free(folder, stem, range(2, MOST_ALIKE))


def _free(folder: Path, stem: str, numbers: range) -> Path:
    for number in numbers:
        path = folder / f"{stem}{f' {number}' if number > 1 else ''}.mcap"
        if not path.exists():
            return path
    raise DataError(f"{folder} holds {MOST_ALIKE - 1} recordings of one name: choose another folder")
