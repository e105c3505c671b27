"""Compares the annotators of what is shown, or of its folder, off the GUI thread; keeps what an adjudicator decides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from core.planning.facets import Moment
from core.session.annotation import Annotation, new_id
from gui.control.background import BackgroundJobs
from gui.control.console import Console
from gui.control.recording_files import RecordingFiles
from gui.recordings.labelling import Labelling
from gui.recordings.viewer import RecordingViewer

if TYPE_CHECKING:
    from core.recording.agreement.compare import Agreement, Choice, Disagreement, Episode
    from core.recording.reader import Recording

LIVE = "this run"


class AgreementReview(QObject):
    """Compares two annotators, goes to where they disagree, and keeps what an adjudicator decides.

    Attributes:
        found: the newest result; None before the first.
        episodes: what it was computed from.
        whole_folder: whether all recordings of the folder are compared, not only what is shown.
        pair: the annotators chosen by the operator; empty: those with most in common.
        trouble: lines about recordings that could not be read.
        files: reads recordings.
        jobs: reads and compares off the GUI thread.
    """

    changed = Signal()
    """There is another result, or what may be shown changed."""

    def __init__(self, console: Console, labelling: Labelling, viewer: RecordingViewer, files: RecordingFiles):
        super().__init__()
        self._console, self._labelling, self._viewer, self.files = console, labelling, viewer, files
        self.found: Agreement | None = None
        self.episodes: tuple[Episode, ...] = ()
        self.whole_folder, self.pair = False, tuple[str, ...]()
        self.trouble: tuple[str, ...] = ()
        self.jobs = BackgroundJobs("agreement")
        self._asked, self._watching = 0, False
        self._others: tuple[Episode, ...] = ()
        """The episodes of the folder, as they were read; those shown since then with their newest labels."""
        labelling.changed.connect(self._on_changed)

    # --- what is compared ------------------------------------------------------
    @property
    def blind(self) -> bool:
        """Whether labels of others are hidden, so that nothing can be compared."""
        return self._console.context.label_filter.only is not None

    @property
    def folder(self) -> Path:
        """The folder of the recording that is shown, or the one for new recordings."""
        recording = self._console.replay.recording
        return recording.path.parent if recording is not None else self.files.folder

    def watch(self, *, watching: bool) -> None:
        """Begins or ends to compare after every change of a label. Reads the folder again."""
        self._watching, self._others = watching, ()
        if watching:
            self.begin(whole_folder=self.whole_folder)

    def begin(self, *, whole_folder: bool) -> None:
        """Compares what is shown, or all recordings of its folder, which are read first."""
        self.whole_folder, self.trouble = whole_folder, ()
        if not whole_folder:
            self._compare()
            return
        folder = self.folder

        def read() -> tuple[tuple[Episode, ...], tuple[str, ...]]:
            from core.recording.agreement.compare import episode_of

            return self.files.read_folder(folder, episode_of)

        self.jobs.do(read, self._take, self._console.report)

    def choose(self, pair: tuple[str, ...]) -> None:
        """Compares two other annotators."""
        self.pair = pair
        self._compare()

    def _take(self, read: tuple[tuple[Episode, ...], tuple[str, ...]]) -> None:
        self._others, self.trouble = read
        self._compare()

    def _on_changed(self) -> None:
        if self._watching:
            self._compare()

    def _compare(self) -> None:
        """Compares with the labels as they are now. A result that is out of date when it arrives is dropped."""
        self._asked += 1
        if self.blind and not self.whole_folder:
            self.found, self.episodes = None, ()
            self.changed.emit()
            return
        asked, shown, pair = self._asked, self._shown(), self.pair
        if shown is not None and shown.path is not None:  # what was said here stays known when another recording is opened
            self._others = tuple(shown if one.path == shown.path else one for one in self._others)
        others = self._others if self.whole_folder else ()
        if self._labelling.blind:  # of others only what this annotator has finished
            others = tuple(one for one in others if self._is_finished(one))
        path = shown.path if shown is not None else None
        episodes = tuple(one for one in others if one.path != path)
        place = next((k for k, one in enumerate(others) if one.path == path), len(episodes))
        if shown is not None and not self.blind:
            episodes = (*episodes[:place], shown, *episodes[place:])

        def work() -> Agreement:
            from core.recording.agreement.compare import compare

            names = {name for one in episodes for name in one.annotators}
            return compare(episodes, pair if {*pair} <= names else ())

        self.jobs.do(work, partial(self._on_found, asked, episodes), self._console.report)

    def _on_found(self, asked: int, episodes: tuple[Episode, ...], found: Agreement) -> None:
        if asked == self._asked:
            self.episodes, self.found = episodes, found
            self.changed.emit()

    def _is_finished(self, episode: Episode) -> bool:
        return any(a.role == "done" and a.annotator == self._labelling.annotator for a in episode.annotations)

    def _shown(self) -> Episode | None:
        """Returns the recording or run that is shown, with its present labels; None before a run has begun."""
        from core.recording.agreement.compare import Episode  # imported here: it loads what reads recordings
        from core.recording.label_turns import TurnSpan

        labels = tuple(self._labelling.annotations.values())
        recording, live = self._console.replay.recording, self._console.snapshot
        if recording is not None:
            turns = tuple(TurnSpan(t.branch, t.number, t.began, t.ended if t.ended is not None else recording.reader.seconds)
                          for t in recording.turns.values())
            return Episode(self._viewer.name or recording.path.name, turns, labels, recording.path)
        spans = tuple(TurnSpan(t.branch, t.number, t.began, t.ended if t.ended is not None else live.at) for t in live.turns)
        return Episode(LIVE, spans, labels) if live.began is not None else None

    # --- going there and settling ------------------------------------------------
    def is_shown(self, disagreement: Disagreement) -> bool:
        """Whether the window shows the recording or run of a disagreement, so that it can be settled."""
        if not 0 <= disagreement.episode < len(self.episodes):
            return False
        recording = self._console.replay.recording
        return self.episodes[disagreement.episode].path == (recording.path if recording is not None else None)

    def go_to(self, disagreement: Disagreement) -> None:
        """Shows the moment of a disagreement; opens its recording if another one is shown."""
        a, path = disagreement.example, self.episodes[disagreement.episode].path
        if path is not None and not self.is_shown(disagreement):
            self._viewer.open(path, lambda recording: _number_of(recording, a))
        elif path is not None:
            self._console.replay.pause()
            self._console.replay.seek_seconds(a.at)
        elif a.turn:
            self._console.go_to(Moment(a.branch, a.turn))

    def settle(self, disagreement: Disagreement, choice: Choice) -> None:
        """Decides a disagreement, or decides it otherwise; can be undone. The annotators' labels stay as they are."""
        self._keep(disagreement, self.proposal(disagreement, choice))

    def proposal(self, disagreement: Disagreement, choice: Choice) -> Annotation:
        """Returns the annotation that would settle a disagreement."""
        from core.recording.agreement.compare import settlement

        before = disagreement.settled
        key = before.id if before is not None else new_id()
        return settlement(disagreement, choice, key, self._labelling.annotator)

    def settle_as(self, disagreement: Disagreement, own: Annotation | None) -> None:
        """Keeps an adjudicator's own version; None takes the decision back."""
        self._keep(disagreement, None if own is None else replace(own, role="settled"))

    def _keep(self, disagreement: Disagreement, after: Annotation | None) -> None:
        if not self.is_shown(disagreement):
            self._console.message.emit("Go to the disagreement first: its recording is not shown", "warn")
            return
        known = self._labelling.annotations
        before = next((a for a in known.values() if a.settles and {*a.settles} == {*disagreement.ids}), None)
        self._labelling.change(before, after if after is None or before is None else replace(after, id=before.id),
                               f"Settle {disagreement.label}")

    def close(self, patience: float) -> None:
        """Ends the thread; a file that is being read is waited for at most `patience` seconds."""
        self.jobs.close(patience)


def _number_of(recording: Recording, a: Annotation) -> int:
    """Returns the event at the beginning of a label."""
    return recording.number_at(seconds=a.at)


def name_shown(name: str) -> str:
    """Returns an annotator as shown."""
    return name or "no name"


def pair_shown(pair: Sequence[str]) -> tuple[str, str]:
    """Returns the two annotators that are compared as shown; where there are no two yet, `A` and `B`."""
    first, second = map(name_shown, pair or ("A", "B"))
    return first, second
