"""The dialog of one annotation, and the object that opens this and the other dialogs about labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLineEdit,
    QWidget,
)

from core.planning.facets import Ranking
from core.recording.labels import DECISION
from core.session.annotation import Annotation
from core.world.vocabulary import in_words, named
from gui.control.console import Console
from gui.recordings.agreement import AgreementReview
from gui.recordings.label_settings import LabelSettings
from gui.recordings.labelling import Labelling
from gui.theme import Theme
from gui.theme.boxes import DIALOG, vbox
from gui.theme.screens import fit, put_beside
from gui.widgets import Button, Line, Namer, Names, Segment
from gui.widgets.numbers import clock

if TYPE_CHECKING:
    from gui.recordings.agreement_dialog import AgreementDialog
    from gui.recordings.examples_dialog import ExamplesDialog
    from gui.recordings.statistics_dialog import StatisticsDialog

RATINGS = ("–", "1", "2", "3", "4", "5")
"""No rating, then from poor to good."""


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
        names = Namer().of(shown.seen)
        first = dict.fromkeys(ranked.steps[0] for ranked in ranking.actions if ranked.steps)
        return [(str(action), names.phrase(action)) for action in first]

    def _keep(self, before: Annotation, after: Annotation | None) -> None:
        known = self._labelling.annotations.get(before.id)
        if known is None and after == before:
            return  # an empty rating
        words = f"Change {before.label}" if known is not None else f"Label {before.label}"
        self._labelling.change(known, after, words)


class LabelDialog(QDialog):
    """The fields of an annotation. Enter keeps the changes, Esc discards them."""

    done_with = Signal(object, object)
    """The annotation before, and after (None: deleted)."""

    def __init__(self, theme: Theme, annotation: Annotation, about: str, labels: Sequence[str],
                 actions: Sequence[tuple[str, str]], parent: QWidget):
        """Creates the dialog. `about` says when and by whom; the better actions are given as (`verb id id`, phrase)."""
        super().__init__(parent)
        self._before = annotation
        self.setWindowTitle("Label")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        px = theme.px
        self.label = QComboBox(editable=True)
        self.label.addItems(list(dict.fromkeys([annotation.label, *labels])))
        self.note = QLineEdit(annotation.note, placeholderText="Note on this label")
        self.rating = Segment(theme, RATINGS, annotation.rating or 0, "Rating")
        self.better = QComboBox()
        self.better.addItem("–", "")
        for action, words in actions:
            self.better.addItem(words, action)
        if annotation.better and self.better.findData(annotation.better) < 0:
            self.better.addItem(named(in_words(annotation.better), Names().full), annotation.better)
        self.better.setCurrentIndex(max(0, self.better.findData(annotation.better)))
        form = QFormLayout()
        form.setSpacing(px(8))
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        for what, field in (("Name", self.label), ("Note", self.note), ("Decision", self.rating),
                            ("Better action", self.better)):
            field.setFont(theme.font("body"))
            field.setAccessibleName(what)
            form.addRow(Line(theme, what, "small", "muted", shrinks=False), field)
        vbox(theme, Line(theme, "Label", "heading", "text", 650), Line(theme, about, "small", "muted"), form,
             self._buttons(theme), on=self, spacing=10, margins=DIALOG)
        fit(self, theme, 460, 0)
        self.note.setFocus()

    def _buttons(self, theme: Theme) -> QDialogButtonBox:
        box = QDialogButtonBox()
        keep = Button(theme, "Keep", "check", "primary", self.accept)
        delete = Button(theme, "Delete", "close", act=self._delete)
        box.addButton(delete, QDialogButtonBox.ButtonRole.DestructiveRole)
        box.addButton(Button(theme, "Cancel", act=self.reject), QDialogButtonBox.ButtonRole.RejectRole)
        box.addButton(keep, QDialogButtonBox.ButtonRole.AcceptRole)
        return box

    def wanted(self) -> Annotation:
        """Returns the annotation as edited."""
        label = " ".join(self.label.currentText().split()) or self._before.label
        return replace(self._before, label=label, note=self.note.text().strip(), rating=self.rating.index or None,
                       better=str(self.better.currentData() or ""))

    def accept(self) -> None:
        """Keeps the changes and closes the dialog."""
        self.done_with.emit(self._before, self.wanted())
        super().accept()

    def _delete(self) -> None:
        self.done_with.emit(self._before, None)
        super().reject()


def about_label(a: Annotation, worked_at: Callable[[float], float]) -> str:
    """Returns when and by whom a label was given. `worked_at` returns the seconds of work up to a moment."""
    end = f" to {clock(worked_at(a.until))}" if a.until is not None else ", still open" if a.state else ""
    span = clock(worked_at(a.at)) + end
    parts = (f"turn {a.turn}" if a.turn else "", span, f"by {a.annotator}" if a.annotator else "")
    return " · ".join(filter(None, parts))
