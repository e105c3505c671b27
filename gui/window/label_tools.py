"""What asks the annotator, and tells of labels and examples in the window."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from gui.control.recording_files import RecordingFiles
from gui.recordings.agreement import AgreementReview
from gui.recordings.kept_runs import KeptRuns
from gui.recordings.label_dialogs import LabelDialogs
from gui.recordings.label_work import LabelWork
from gui.recordings.labelling import Annotator
from gui.recordings.review import Review
from gui.recordings.sharing import DecisionSharing
from gui.recordings.unsaved_labels import UnsavedLabels, explanation, heading
from gui.window.main_window import MainWindow


class LabelTools(QObject):
    """Makes the dialogs about labels and decisions, connects them with the window, and ends them.

    Attributes:
        unsaved: asks for another place for labels that cannot be written.
        agreement: compares two annotators.
        dialogs: the dialogs of labels.
        sharing: makes pages and links of decisions.
        review: goes to what an annotator has not finished.
        annotator: handles the keys of labels.
    """

    def __init__(self, window: MainWindow, work: LabelWork, kept: KeptRuns, files: RecordingFiles):
        super().__init__(window)
        console, labelling = window.console, work.labelling
        self._window, self._work = window, work
        self.unsaved = UnsavedLabels(console, work.keeping, window)
        work.keeping.changed.connect(self._show_unsaved)
        kept.recorders.found_left.connect(window.notices.report_left)
        self.agreement = AgreementReview(console, labelling, kept.viewer, files)
        self.dialogs = LabelDialogs(console, labelling, self.agreement, window)
        window.timeline.asked_label.connect(self.dialogs.open_label)
        labelling.asked_name.connect(self._ask_name)
        self.sharing = DecisionSharing(console, kept.recorders, window, window.shown_panels)
        window.timeline.asked_share.connect(self.sharing.ask)
        kept.examples.offered.connect(lambda moment: window.notices.offer_example(moment, kept.examples.keep))
        window.timeline.asked_example.connect(kept.examples.keep)
        self.review = Review(console, labelling, kept.viewer, kept.batch, files)
        self.review.asked_name.connect(self.dialogs.labels)
        window.asked_review.connect(lambda finish: self.review.next(finish=finish))
        self.annotator = Annotator(labelling, window)

    @property
    def left_words(self) -> str:
        """Which labels could not be written until the window closed; empty: none."""
        left = self._work.keeping.left
        return heading(left) if left else ""

    def _show_unsaved(self) -> None:
        keeping = self._work.keeping
        if keeping.unsaved:
            self._window.console.message.emit(explanation(keeping.unsaved), "bad")
        self._window.notices.report_unsaved(keeping.unsaved, self.unsaved.save_elsewhere, keeping.try_again)

    def _ask_name(self) -> None:
        if self._window.notices.offer_name(self.dialogs.labels):
            self._work.labelling.was_asked()

    def silence(self) -> None:
        """Emits nothing any more: the window is gone."""
        self.agreement.blockSignals(True)

    def close(self, left: Callable[[], float]) -> None:
        """Ends all jobs."""
        for jobs in (self.review.jobs, self.sharing.jobs):
            jobs.close(left())
        self._work.failures.close(left())
        self.agreement.close(left())
