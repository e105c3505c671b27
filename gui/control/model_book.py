"""The user's models as the window knows them: read from their file, and written back with each change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from core.app.run_request import Request
from core.common.errors import BelvedereError, DataError, UsageError
from core.llm.model_config import ModelConfig, ModelConfigs, read_models, same_form, write_models


class ModelBook(QObject):
    """The entries of one file; without a file they are kept in memory only.

    The file is read again before each change, so that what another window wrote meanwhile stays. One that cannot be read is
    never written over.

    Attributes:
        path: the file; None: there is none.
        trouble: why the file cannot be read; empty if it can.
    """

    changed = Signal()

    def __init__(self, path: Path | None = None):
        super().__init__()
        self.path, self.trouble = path, ""
        self._models = ModelConfigs()
        self.read()

    @property
    def entries(self) -> tuple[ModelConfig, ...]:
        """All of them, in the order of the file."""
        return self._models.entries

    @property
    def chosen(self) -> str:
        """The name of the one that is used at the next start; empty: none."""
        return self._models.chosen

    @property
    def names(self) -> tuple[str, ...]:
        """Of all entries."""
        return tuple(entry.name for entry in self.entries)

    def find(self, name: str) -> ModelConfig | None:
        """An entry by its name."""
        return next((entry for entry in self.entries if entry.name == name), None)

    def used_by(self, request: Request) -> ModelConfig | None:
        """The entry that a request asks, if it is one; of several alike the chosen one."""
        alike = [entry for entry in self.entries if entry.provider == request.provider and _are_equal(entry, request)]
        return next((entry for entry in alike if entry.name == self.chosen), alike[0] if alike else None)

    def read(self) -> None:
        """Read the file again; what is wrong with it is said in `trouble`."""
        if self.path is None:
            return
        try:
            self._models, self.trouble = read_models(self.path), ""
        except BelvedereError as error:
            self._models, self.trouble = ModelConfigs(), " ".join(str(error).split())
        self.changed.emit()

    def put(self, entry: ModelConfig, instead_of: str = "") -> None:
        """Add an entry, or put it in the place of one.

        Raises:
            BelvedereError: there is another of this name, or the file cannot be read or written.
        """
        self._change(lambda models: models.put(entry, instead_of))

    def remove(self, name: str) -> None:
        """Take an entry out.

        Raises:
            BelvedereError: the file cannot be read or written.
        """
        self._change(lambda models: models.without(name))

    def restore(self, entry: ModelConfig, at: int, *, chosen: bool) -> None:
        """Put an entry back to where it was.

        Raises:
            BelvedereError: there is another of this name by now, or the file cannot be read or written.
        """
        def back(models: ModelConfigs) -> ModelConfigs:
            entries = list(models.put(entry).entries[:-1])
            entries.insert(at, entry)
            return ModelConfigs(tuple(entries), entry.name if chosen else models.chosen)

        self._change(back)

    def choose(self, name: str) -> None:
        """The one that is used at the next start; empty: none.

        Raises:
            BelvedereError: there is none of this name, or the file cannot be read or written.
        """
        if name != self.chosen:
            self._change(lambda models: replace(models, chosen=models.named(name).name if name else ""))

    def _change(self, how: Callable[[ModelConfigs], ModelConfigs]) -> None:
        if self.path is None:
            self._models = how(self._models)
            self.changed.emit()
            return
        self.read()
        if self.trouble:
            raise DataError(self.trouble)
        models = how(self._models)
        write_models(self.path, models)
        self._models = models
        self.changed.emit()


def _are_equal(entry: ModelConfig, request: Request) -> bool:
    """Whether a request has an entry's settings, however they are written: `--ask timeout=300.0` for 300."""
    try:
        return dict(same_form(entry.provider, entry.options)) == dict(same_form(request.provider, request.model))
    except UsageError:  # a flag that the provider does not take: said when the run is opened
        return False
