"""Opens the dialogs about labels and examples, filled from the moment shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from core.planning.facets import Ranking
from core.session.annotation import Annotation
from gui.control.console import Console
from gui.recordings.label_dialog import LabelDialog
from gui.recordings.label_settings import LabelSettings
from gui.recordings.labelling import DECISION
from gui.widgets import Namer
from gui.window.main_window import MainWindow

if TYPE_CHECKING:
    from gui.recordings.examples_dialog import ExamplesDialog


class RecordingDialogs(QObject):
    """Opens one dialog at a time. The window stays usable."""

    def __init__(self, console: Console, window: MainWindow):
        super().__init__(window)
        self._console, self._window, self._labelling = console, window, window.labelling
        window.timeline.asked_label.connect(self.open_label)

    def open_label(self, annotation: Annotation) -> LabelDialog:
        """Opens the dialog for an annotation, existing or new."""
        names = (*(label.name for label in self._labelling.set.labels), DECISION)
        dialog = LabelDialog(self._console.context.theme, annotation, names, self._actions(), self._window)
        dialog.done_with.connect(self._keep)
        dialog.open()
        return dialog

    def rate(self) -> LabelDialog | None:
        """Opens the dialog to rate the decision of the turn shown."""
        if self._console.shown.turn < 1:
            self._console.message.emit("There is no decision yet to rate", "warn")
            return None
        return self.open_label(self._labelling.rated())

    def labels(self) -> None:
        """Opens the dialog of the annotator and the label set."""
        LabelSettings(self._console.context.theme, self._labelling, self._window).open()

    def examples(self) -> ExamplesDialog:
        """Opens the dialog of examples for prompts, with those of the recording that is shown."""
        from gui.recordings.examples_dialog import ExamplesDialog, ExampleStore  # imported here: it loads what reads recordings

        recording = self._console.replay.recording
        dialog = ExamplesDialog(self._console.context.theme, ExampleStore(self._console.replay.jobs),
                                recording.reader if recording is not None else None, self._window)
        dialog.open()
        return dialog

    def _actions(self) -> list[tuple[str, str]]:
        """The ranked actions of the moment shown, best first, each as (id, phrase)."""
        shown = self._console.shown
        ranking = shown.facet(Ranking)
        if ranking is None:
            return []
        names = Namer().of(shown.seen)
        first = dict.fromkeys(ranked.steps[0] for ranked in ranking.actions if ranked.steps)
        return [(str(action), names.phrase(action)) for action in first]

    def _keep(self, before: Annotation, after: Annotation | None) -> None:
        known = self._labelling.annotations.get(before.id)
        if known is None and after == before:
            return  # an empty rating
        words = f"Change {before.label}" if known is not None else f"Label {before.label}"
        self._labelling.change(known, after, words)
