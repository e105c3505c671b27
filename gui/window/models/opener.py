"""Opens the list of models from wherever it is asked for, and hands on what is chosen there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from gui.control.console import Console

if TYPE_CHECKING:
    from gui.window.models.dialog import ModelsDialog


class ModelsOpener(QObject):
    """One dialog at a time, over the window, which stays alive."""

    def __init__(self, console: Console, window: QWidget):
        super().__init__(window)
        self._console, self._window = console, window
        self.dialog: ModelsDialog | None = None
        console.asked_models.connect(self.open)

    def open(self) -> None:
        """Show it; read the file again, which may have been mended."""
        from gui.window.models.dialog import ModelsDialog
        from gui.window.models.similarity_note import comparing_words  # imported here: the window does not wait for it

        console = self._console
        if self.dialog is not None or not console.may_change():
            return
        console.models.read()
        dialog = ModelsDialog(console.context.theme, console.models, self._used, comparing_words(), self._window)
        dialog.chosen.connect(console.run_request.choose_model)
        dialog.finished.connect(lambda _: self._forget())
        self.dialog = dialog
        dialog.open()

    def close(self) -> None:
        """The window closes: what is open goes with it, and what it waits for is left."""
        if self.dialog is not None:
            self.dialog.reject()

    def _used(self) -> str:
        entry = self._console.models.used_by(self._console.request)
        return entry.name if entry is not None else ""

    def _forget(self) -> None:
        self.dialog = None
