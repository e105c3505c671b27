"""Lists in the settings to which several windows add. Each change begins with the list as the other windows left it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from PySide6.QtCore import QSettings

from core.common.errors import DataError
from core.common.files import locked

PATIENCE: Final = 1.0
"""Seconds for which another window's change is waited for: it takes milliseconds."""
Texts = tuple[str, ...]


def texts(settings: QSettings, key: str) -> Texts:
    """Returns a list of texts as it is kept, without empty ones; () if something else is kept."""
    kept = settings.value(key)
    found = [kept] if isinstance(kept, str) else kept if isinstance(kept, list) else []
    return tuple(text for text in found if isinstance(text, str) and text)


def change_texts(settings: QSettings, key: str, change: Callable[[Texts], Iterable[str]]) -> Texts:
    """Changes a list of texts, and returns it. It is in the file when this returns.

    Raises:
        DataError: the settings cannot be written. The list holds until the window is closed.
    """
    path, why = Path(settings.fileName()), ""
    fresh = QSettings(settings.fileName(), settings.format())  # the same settings: an object remembers errors that are over
    lock = locked(path.with_name(f".{path.name}.changing"), "another window is changing the settings", patience=PATIENCE)
    with ExitStack() as stack:
        try:
            stack.enter_context(lock)
            fresh.sync()
        except DataError as error:
            why = str(error)
        fresh.setValue(key, list(change(texts(fresh, key))))
        fresh.sync()
    if fresh.status() is not QSettings.Status.NoError:
        why = f"cannot write {path}: make room, or free the file"
    if why:
        raise DataError(f"{why}; what was changed is kept only until the window is closed")
    return texts(settings, key)
