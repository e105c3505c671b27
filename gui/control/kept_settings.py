"""The user's settings, which several windows change. Of a list in them, what each window adds is kept."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from PySide6.QtCore import QSettings

from core.common.errors import DataError
from core.common.files import replacing
from gui.control.kept_files import PATIENCE, Change, KeptFile

INI: Final = QSettings.Format.IniFormat
Texts = tuple[str, ...]
Values = Mapping[str, object]
"""Values by name; a name such as `keys/run` belongs to the group `keys`."""


class KeptSettings(KeptFile[Values]):
    """The settings as the window shows them. Qt's own object would lock and write the file on the GUI thread.

    Args:
        settings: name the file, which is in the format INI; None: they are kept in memory only.
    """

    def __init__(self, settings: QSettings | None = None):
        if settings is None:
            super().__init__("the settings", {})
        else:
            path = Path(settings.fileName())
            super().__init__("the settings", {}, (partial(_read, path), partial(_rewrite, path)))

    def value(self, name: str, default: object = None) -> object:
        """Returns a value, or the default if there is none."""
        return self.content.get(name, default)

    def group(self, name: str) -> dict[str, object]:
        """Returns the values of a group, by their names in it."""
        return {key.removeprefix(f"{name}/"): value for key, value in self.content.items() if key.startswith(f"{name}/")}

    def set_value(self, name: str, value: object) -> None:
        """Changes a value."""
        if self.value(name) != value:
            self.change(lambda values: {**values, name: value})

    def remove(self, name: str) -> None:
        """Removes a value, or a group."""
        if name in self.content or self.group(name):
            self.change(lambda values: {key: value for key, value in values.items() if not f"{key}/".startswith(f"{name}/")})

    def texts(self, name: str) -> Texts:
        """Returns a list of texts, without empty ones; () if something else is kept."""
        return _texts(self.value(name))

    def change_texts(self, name: str, change: Callable[[Texts], Iterable[str]]) -> None:
        """Changes a list of texts.

        Args:
            name: its name.
            change: returns the new list; called again with what other windows have made of it.

        Raises:
            BelvedereError: `change` raised it.
        """
        self.change(lambda values: {**values, name: list(change(_texts(values.get(name))))})

    def follow(self, name: str, then: Callable[[], object]) -> None:
        """Calls a function whenever this or another window has changed a list of texts."""
        last = self.texts(name)

        def look() -> None:
            nonlocal last
            if (now := self.texts(name)) != last:
                last = now
                then()

        self.changed.connect(look)


def _texts(kept: object) -> Texts:
    found = [kept] if isinstance(kept, str) else kept if isinstance(kept, list) else []
    return tuple(text for text in found if isinstance(text, str) and text)


def _values(settings: QSettings) -> dict[str, object]:
    found = {key: settings.value(key) for key in settings.allKeys()}
    return {key: value for key, value in found.items() if value is not None}


def user_settings() -> QSettings:
    """Returns the settings of this user, in an INI file on every system. Those of earlier versions are copied into it once."""
    native = QSettings()
    if not sys.platform.startswith("linux"):  # elsewhere Qt's own are no such file
        own = QSettings(INI, QSettings.Scope.UserScope, native.organizationName(), native.applicationName())
        native.setFallbacksEnabled(False)
        if not own.allKeys():
            for key, value in _values(native).items():
                own.setValue(key, value)
            own.sync()
        return own
    return native


def _read(path: Path) -> Values:
    return _values(QSettings(str(path), INI))


def _rewrite(path: Path, change: Change[Values]) -> Values:
    """Changes the file, and returns its new values.

    Raises:
        DataError: it cannot be written.
    """
    cure = "make room, or free the file"
    with replacing(path, cure, makes_folder=True, patience=PATIENCE) as draft, TemporaryDirectory() as folder:
        copy = Path(folder) / "settings.ini"
        with suppress(FileNotFoundError):
            copy.write_bytes(path.read_bytes())
        values, is_whole = _changed_copy(copy, change)
        if not is_whole:
            raise DataError(f"cannot write {path}: {cure}")
        draft.write_bytes(copy.read_bytes() if copy.exists() else b"")
    return values


def _changed_copy(copy: Path, change: Change[Values]) -> tuple[Values, bool]:
    """Changes a copy of the settings with a name that Qt has never seen: it remembers what it could not write, by file name.

    Returns the new values, and whether they are in the copy.
    """
    settings = QSettings(str(copy), INI)
    before = _values(settings)
    after = change(before)
    for key in before.keys() - after.keys():
        settings.remove(key)
    for key, value in after.items():
        if settings.value(key) != value:
            settings.setValue(key, value)
    settings.sync()
    return after, settings.status() is QSettings.Status.NoError
