"""The folders of the user, also where there is no home folder: in a container, or for a user without an account."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import platformdirs

from core.common.errors import DataError, UsageError

OPEN_TO_OTHERS = 0o022
"""The permissions with which another user could change what is in a folder."""


def home() -> Path:
    """Returns the home folder; without one, a private folder among the temporary ones."""
    try:
        found = Path.home()
    except RuntimeError:
        found = Path()
    return found if found.is_absolute() else _instead_of_home()


def has_current_folder() -> bool:
    """Returns True if the current folder is there; it may have been deleted."""
    try:
        Path.cwd()
    except FileNotFoundError:
        return False
    return True


def expanded(path: str | Path) -> Path:
    """Returns a path with a home folder in place of `~` or `~user`.

    Raises:
        UsageError: there is no such user, or no home folder.
    """
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise UsageError(f"{path}: there is no such home folder; write the whole path") from error


def cache_folder() -> Path:
    """Returns the folder of what can be made again."""
    return _folder("cache", _CACHE)


def config_folder() -> Path:
    """Returns the folder of settings."""
    return _folder("config", _CONFIG)


def data_folder() -> Path:
    """Returns the folder of what the user makes, other than documents."""
    return _folder("data", _DATA)


def state_folder() -> Path:
    """Returns the folder of what is under way."""
    return _folder("state", _STATE)


def documents_folder() -> Path:
    """Returns the folder of documents."""
    return _folder("documents", platformdirs.user_documents_path)


_CACHE, _CONFIG, _DATA, _STATE = (partial(usual, "belvedere", appauthor=False) for usual in (
    platformdirs.user_cache_path, platformdirs.user_config_path, platformdirs.user_data_path, platformdirs.user_state_path))
_KEPT: tuple[Callable[[], Path], ...] = (_CONFIG, _DATA, _STATE, platformdirs.user_documents_path)
"""The folders of what cannot be made again."""


def _folder(name: str, usual: Callable[[], Path]) -> Path:
    return _usual(usual) or _instead_of_home() / name


def _usual(folder: Callable[[], Path]) -> Path | None:
    """Returns a folder as it usually is; None without a home folder."""
    try:
        found = folder()
    except RuntimeError:
        return None
    return found if found.is_absolute() else None


def _instead_of_home() -> Path:
    """Returns the folder that is used without a home folder: a temporary one that only this user can change.

    Raises:
        DataError: it cannot be made, or another user could change what is in it.
    """
    try:
        folder = Path(tempfile.gettempdir(), f"belvedere-{os.getuid()}")
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError as error:
        why = error.strerror or error
        raise DataError(f"there is no home folder, and no other can be made ({why}): set HOME to a folder") from error
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & OPEN_TO_OTHERS:
        raise DataError(f"there is no home folder, and others could change {folder}: set HOME to a folder of yours")
    return folder


def notice() -> str:
    """Returns a line on where things are kept without a home folder; empty if there is one."""
    if all(_usual(folder) for folder in _KEPT):
        return ""
    return f"there is no home folder: what you keep is in {_instead_of_home()}; set HOME to keep it elsewhere"
