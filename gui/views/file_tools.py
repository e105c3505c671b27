"""Saving what is shown to a file, and loading it from one: two tools with their dialogs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog, QWidget

from core.common.user_folders import home
from gui.theme import Theme
from gui.widgets import tool_action

FILES = "Files (*.json);;All files (*)"


class FileTools:
    """The tools of a panel whose facet is kept in files.

    Args:
        owner: the panel.
        theme: gives the icons.
        what: what is in the files: `blocking table`.
        save: writes it to a path.
        load: takes it from a path.
    """

    def __init__(self, owner: QWidget, theme: Theme, what: str, save: Callable[[str], None], load: Callable[[str], None]):
        self._owner, self._what = owner, what
        mode = QFileDialog.AcceptMode
        self._load = tool_action(owner, theme, "Load from a file …", "folder", partial(self._ask, mode.AcceptOpen, load))
        self._save = tool_action(owner, theme, "Save to a file …", "save", partial(self._ask, mode.AcceptSave, save))
        self.tools: tuple[QAction, ...] = (self._load, self._save)
        self.allow(save=False, load=False)

    def allow(self, *, save: bool, load: bool) -> None:
        """Sets what can be done now."""
        self._save.setEnabled(save)
        self._load.setEnabled(load)

    def _ask(self, mode: QFileDialog.AcceptMode, then: Callable[[str], None]) -> None:
        saves = mode is QFileDialog.AcceptMode.AcceptSave
        name = f"{self._what.replace(' ', '-')}.json" if saves else ""
        dialog = QFileDialog(self._owner, f"{'Save' if saves else 'Load'} the {self._what}", str(home() / name), FILES)
        dialog.setAcceptMode(mode)
        dialog.setDefaultSuffix("json")
        if not saves:
            dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
            dialog.setOption(QFileDialog.Option.ReadOnly)  # it opens files, and must not offer to delete any
        dialog.fileSelected.connect(then)
        dialog.finished.connect(lambda _: dialog.deleteLater())
        dialog.open()
