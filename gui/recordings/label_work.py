"""The labels of what is shown: who keeps them, who sets them, and what is proposed."""

from __future__ import annotations

from PySide6.QtCore import QObject

from gui.control.console import Console
from gui.control.kept_settings import KeptSettings
from gui.control.label_keeping import LabelKeeping
from gui.control.replay import Replay
from gui.recordings.failures import FailureReview
from gui.recordings.labelling import Labelling
from gui.recordings.recorders import Recorders


class LabelWork(QObject):
    """Makes what keeps and sets labels. What asks the annotator is made with the window.

    Attributes:
        keeping: writes labels to their files.
        labelling: the labels of what is shown.
        failures: proposes why an episode failed.
    """

    def __init__(self, console: Console, recorders: Recorders, replay: Replay, settings: KeptSettings):
        super().__init__()
        self.keeping = LabelKeeping()
        self.keeping.failed.connect(console.report)
        self.keeping.moved.connect(replay.changed)
        self.labelling = Labelling(console, settings, recorders, self.keeping)
        self.failures = FailureReview(console, recorders, self.labelling)

    def silence(self) -> None:
        """Emits nothing any more: the window is gone."""
        self.failures.blockSignals(True)
