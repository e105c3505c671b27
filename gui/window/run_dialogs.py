"""The dialogs about a run, each made when it is first asked for: override, changes of the world, models, batches."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from core.world.vocabulary import Action
from gui.control.kept_settings import KeptSettings
from gui.recordings.batch import Batch
from gui.window.main_window import MainWindow

if TYPE_CHECKING:
    from gui.recordings.batch_dialog import BatchDialog
    from gui.window.models_dialog import ModelsDialog
    from gui.window.override_dialog import OverrideDialog
    from gui.window.world_changer import WorldChanger


class RunDialogs(QObject):
    """Opens the dialogs when the window, a panel or the console asks for them.

    Args:
        window: their parent.
        batch: the batch that is played.
        folder: where recordings are.
        settings: the user's settings.

    Attributes:
        models: the open dialog of the user's models, or None.
    """

    def __init__(self, window: MainWindow, batch: Batch, folder: Path, settings: KeptSettings):
        super().__init__(window)
        self._window, self._console, self._batch, self._folder, self._settings = window, window.console, batch, folder, settings
        self.models: ModelsDialog | None = None
        acts = {"open": self.open_batch, "skip": batch.skip, "stop": batch.stop}
        window.asked_batch.connect(lambda what: acts[what]())
        window.asked_override.connect(lambda: self.ask_override())
        selection = window.context.selection
        selection.asked_override.connect(lambda object_id: self.ask_override(object_id))
        selection.asked_actions.connect(lambda actions: self.ask_override(actions=actions))
        selection.asked_changes.connect(lambda thing: self.world_changer.ask(thing))
        window.console.asked_models.connect(self.open_models)

    @cached_property
    def override(self) -> OverrideDialog:
        """The override dialog."""
        from gui.window.override_dialog import OverrideDialog

        dialog = OverrideDialog(self._window.context, self._window)
        self._console.live_snapshot.connect(dialog.show_snapshot)
        dialog.show_snapshot(self._console.snapshot)
        return dialog

    @cached_property
    def world_changer(self) -> WorldChanger:
        """The list of changes of an object."""
        from gui.window.world_changer import WorldChanger

        return WorldChanger(self._console, self._window)

    def ask_override(self, object_id: str = "", actions: tuple[Action, ...] = ()) -> None:
        """Opens the override dialog, filtered to an object or with one of the actions chosen, if a turn is under way."""
        console = self._console
        if console.moment is not None or console.bridge.snapshot.current is None:
            console.message.emit("There is no turn under way to override", "warn")
            return
        console.begun = True
        self.override.ask(object_id, actions)

    def open_models(self) -> None:
        """Opens the dialog of the user's models. The file is read again, because it may have been repaired."""
        from core.llm.embeddings import comparison_words  # imported here: the window does not wait for them
        from gui.window.models_dialog import ModelsDialog

        console = self._console
        if self.models is not None or not console.may_change():
            return
        console.models.update()

        def used() -> str:
            entry = console.models.used_by(console.request)
            return entry.name if entry is not None else ""

        self.models = ModelsDialog(self._window.context.theme, console.models, used, comparison_words(), self._window)
        self.models.chosen.connect(console.run_request.choose_model)
        self.models.finished.connect(lambda _: self._forget_models())
        self.models.open()

    def _forget_models(self) -> None:
        self.models = None

    def open_batch(self) -> BatchDialog:
        """Opens the dialog of batches, or raises the one that is open."""
        from gui.recordings.batch_dialog import BatchDialog

        self._console.asked_choices.emit()
        opened = next((d for d in self._window.findChildren(BatchDialog) if d.isVisible()), None)
        dialog = opened or BatchDialog(self._console, self._batch, self._settings, self._folder, self._window)
        dialog.show()
        dialog.activateWindow()
        return dialog

    def close(self) -> None:
        """Leaves the dialog of models as if it had been cancelled: it would go on trying models."""
        if self.models is not None:
            self.models.reject()
