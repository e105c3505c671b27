"""Opens the dialogs about labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import (
    QWidget,
)

from core.planning.search_facets import Ranking
from core.recording.labels import DECISION
from core.session.annotation import Annotation
from gui.control.console import Console
from gui.recordings.agreement import AgreementReview
from gui.recordings.label_dialog import LabelDialog, about_label
from gui.recordings.label_settings import LabelSettings
from gui.recordings.labelling import Labelling
from gui.theme.screens import put_beside

if TYPE_CHECKING:
    from gui.recordings.agreement_dialog import AgreementDialog
    from gui.recordings.examples_dialog import ExamplesDialog
    from gui.recordings.statistics_dialog import StatisticsDialog

class LabelDialogs(QObject):
    """Opens the dialogs about labels and examples, filled from the moment shown. The window stays usable."""

    def __init__(self, console: Console, labelling: Labelling, review: AgreementReview, window: QWidget):
        super().__init__(window)
        self._console, self._window, self._labelling, self._review = console, window, labelling, review

    def open_label(self, annotation: Annotation) -> LabelDialog:
        """Opens the dialog for an annotation, existing or new."""
        names = (*(label.name for label in self._labelling.set.labels), DECISION)
        about = about_label(annotation, self._console.worked_at)
        dialog = LabelDialog(self._console.context.theme, annotation, about, names, self._actions(), self._window)
        dialog.done_with.connect(self._keep)
        put_beside(dialog, self._console.context.judged())
        dialog.open()
        return dialog

    def rate(self) -> LabelDialog | None:
        """Opens the dialog to rate the decision of the turn shown."""
        if self._console.shown.turn < 1:
            self._console.message.emit("There is no decision yet to rate", "warn")
            return None
        return self.open_label(self._labelling.rated())

    def labels(self) -> LabelSettings:
        """Opens the dialog of the annotator and the label sets."""
        dialog = LabelSettings(self._console.context.theme, self._labelling, self._window)
        put_beside(dialog, self._console.context.judged())
        dialog.open()
        return dialog

    def agreement(self) -> AgreementDialog:
        """Opens the dialog of agreement, or raises the one that is open."""
        from gui.recordings.agreement_dialog import AgreementDialog

        opened = next((d for d in self._window.findChildren(AgreementDialog) if d.isVisible()), None)
        dialog = opened or AgreementDialog(self._review, self._console, self._labelling, self._window)
        if opened is None:
            put_beside(dialog, self._console.context.judged())
        dialog.show()
        dialog.activateWindow()
        return dialog

    def statistics(self) -> StatisticsDialog:
        """Opens the dialog of the statistics of a folder, or raises the one that is open."""
        from gui.recordings.statistics_dialog import StatisticsDialog

        opened = next((d for d in self._window.findChildren(StatisticsDialog) if d.isVisible()), None)
        dialog = opened or StatisticsDialog(self._console, self._review, self._window)
        dialog.show()
        dialog.activateWindow()
        return dialog

    def examples(self) -> ExamplesDialog:
        """Opens the dialog of examples for prompts, with those of the recording that is shown."""
        from gui.recordings.examples_dialog import ExamplesDialog  # imported here: it loads what reads recordings

        recording = self._console.replay.recording
        dialog = ExamplesDialog(self._console.context.theme, self._console.replay.jobs,
                                recording.reader if recording is not None else None, self._window)
        dialog.open()
        return dialog

    def _actions(self) -> list[tuple[str, str]]:
        """The ranked actions of the moment shown, best first, each as (id, phrase)."""
        shown = self._console.shown
        ranking = shown.facet(Ranking)
        if ranking is None:
            return []
        names = self._console.context.names.of(shown)
        first = dict.fromkeys(ranked.steps[0] for ranked in ranking.actions if ranked.steps)
        return [(str(action), names.phrase(action)) for action in first]

    def _keep(self, before: Annotation, after: Annotation | None) -> None:
        known = self._labelling.annotations.get(before.id)
        if known is None and after == before:
            return  # an empty rating
        words = f"Change {before.label}" if known is not None else f"Label {before.label}"
        self._labelling.change(known, after, words)
