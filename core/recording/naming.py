"""The default folders and names of recordings."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path

import platformdirs

from core.common.errors import DataError

ODD = re.compile(r"[^\w.+-]+")
MOST_ALIKE = 1000


def recordings_folder() -> Path:
    """Returns `Belvedere` in the user's documents folder."""
    return platformdirs.user_documents_path() / "Belvedere"


def running_folder() -> Path:
    """Returns the folder of autosaves. It is outside the documents, which other programs may copy to other machines."""
    return platformdirs.user_state_path("belvedere", appauthor=False) / "running"


def sidecar(recording: Path) -> Path:
    """Returns the file beside a recording that holds the annotations made later."""
    return recording.with_name(f"{recording.name}.annotations.jsonl")


def new_recording(folder: Path, scene: str, planner: str, now: datetime) -> Path:
    """Returns an unused name from date, scene and planner; makes the folder.

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
    """Returns an unused name similar to an old one, such as `run 2.mcap`; makes the folder.

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
