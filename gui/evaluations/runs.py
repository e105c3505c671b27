"""What the page of evaluations shows and does, off the GUI thread: reads the folder, runs the commands as child processes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, QTimer, Signal

from core.common.errors import DataError
from core.common.visible import path_of, path_text
from gui.control.background import BackgroundJobs
from gui.control.kept_settings import KeptSettings
from gui.recordings.viewer import free_path

if TYPE_CHECKING:
    from core.evaluation.child import CommandChild
    from core.evaluation.episode_command import Repetition
    from core.evaluation.overview import Overview
    from core.evaluation.plan import Estimate, EvaluationPlan, SuiteChoice
    from core.evaluation.results import Results
    from core.suites.suite import Row

LOOK_MS: Final = 1_000
"""Milliseconds between two looks at the folder while the page is shown."""
PAUSE: Final = 10
"""After a look no other one follows for this many times its duration: many episodes take half a second of the interpreter."""
FOLDERS: Final = "evaluations/folders"
"""The setting that holds the folders of results, the newest first."""
MOST_FOLDERS: Final = 12


class EvaluationRuns(QObject):
    """Reads and runs evaluations. All signals come on the GUI thread.

    Attributes:
        folder: the folder that is shown; None: none is chosen.
        running: the folder of the evaluation that this window runs; None: it runs none.
        is_pausing: that one ends after the episodes under way.
        playing: the episode that is being played again; None: none is.
    """

    read = Signal(object)
    """An Overview of the folder that is shown."""
    troubled = Signal(str)
    """A line about the folder that is shown."""
    changed = Signal()
    """Another folder is shown, or what runs has changed."""
    recorded = Signal(object, object)
    """A Row and its Repetition: the recording of an episode is there."""
    not_recorded = Signal(object, str)
    """A Row, and why it has no recording."""

    def __init__(self, home: Path, settings: KeptSettings):
        """Takes the folder in which new evaluations are kept, and the user's settings."""
        super().__init__()
        self.home, self._settings = home, settings
        self.folder: Path | None = next(iter(self.folders), None)
        self.running: Path | None = None
        self.is_pausing = False
        self.playing: Row | None = None
        self._other: Path | None = None
        self._child: CommandChild | None = None
        self._repeating: CommandChild | None = None
        self._ended: tuple[Path | None, str] = None, ""
        """The folder of the last evaluation that this window ran, and why it ended early."""
        self._kept: dict[Path, Results] = {}
        """What was read of each folder. Used by the thread of `_reading` only."""
        self._sent: tuple[Results, Results | None] | None = None
        self._is_reading, self._rests_until = False, 0.0
        self._reading, self._runs = BackgroundJobs("evaluations"), BackgroundJobs("evaluation run")
        self._episodes = BackgroundJobs("episode again")
        self._look = QTimer(self, interval=LOOK_MS)
        self._look.timeout.connect(self.look)

    # --- folders -------------------------------------------------------------
    @property
    def folders(self) -> tuple[Path, ...]:
        """The folders of results that were opened or made, the newest first."""
        return tuple(map(path_of, self._settings.texts(FOLDERS)))

    def show_folder(self, folder: Path) -> None:
        """Shows the results in a folder."""
        self._remember(folder)
        self.folder, self._other = folder, None
        self.changed.emit()
        self.look(afresh=True)

    def _remember(self, folder: Path) -> None:
        self._settings.change_texts(FOLDERS, lambda known: [*dict.fromkeys((path_text(folder), *known))][:MOST_FOLDERS])

    def compare_with(self, folder: Path | None) -> None:
        """Shows the figures of another folder beside those that are shown; None: no others."""
        self._other = folder
        self.look(afresh=True)

    def watch(self, *, shown: bool) -> None:
        """Looks at the folder now and again while the page is shown."""
        if shown:
            self._look.start()
            self.look(afresh=True)
        else:
            self._look.stop()

    def look(self, *, afresh: bool = False) -> None:
        """Reads what was added to the folder. Emits `read` if there is something new, or with `afresh` in any case."""
        folder, other = self.folder, self._other
        if folder is None or ((self._is_reading or time.monotonic() < self._rests_until) and not afresh):
            return
        self._is_reading, folders = True, self.folders
        self._reading.do(lambda: self._overview(folder, other, folders, afresh=afresh), partial(self._deliver, folder),
                         partial(self._on_unread, folder))

    def _overview(self, folder: Path, other: Path | None, folders: Sequence[Path], *, afresh: bool) -> Overview | None:
        """Called on the thread of `_reading`. Returns None if nothing has changed."""
        began = time.monotonic()
        from core.evaluation.overview import overview  # imported here: the window does not wait for what reads results

        now, beside = self._read(folder), None if other is None else self._read(other)
        if beside is not None and (beside.suite, beside.settings.get("edition", 1)) != (
                now.suite, now.settings.get("edition", 1)):
            raise DataError(f"{beside.folder.name} holds {beside.suite}, edition {beside.settings.get('edition', 1)}: "
                            "only results of the same suite and edition are compared")
        if (now, beside) == self._sent and not afresh:
            return None
        self._sent = now, beside
        found = overview(now, beside, () if now.plan is None else self._known(now.plan, folders, but=folder))
        self._rests_until = time.monotonic() + PAUSE * (time.monotonic() - began)
        return found

    def _read(self, folder: Path) -> Results:
        from core.evaluation.results import read_results

        self._kept[folder] = read_results(folder, self._kept.get(folder))
        return self._kept[folder]

    def _known(self, plan: EvaluationPlan, folders: Sequence[Path], *, but: Path) -> Iterable[Row]:
        """Yields the episodes of the plan's suite and model that are in other folders."""
        from core.evaluation.results import is_results

        for folder in folders:
            if folder != but and is_results(folder):
                found = self._kept.get(folder) or self._read(folder)
                if found.plan is not None and (found.plan.suite, found.plan.provider, found.plan.options) == (
                        plan.suite, plan.provider, plan.options):
                    yield from found.rows

    def _deliver(self, folder: Path, found: Overview | None) -> None:
        self._is_reading = False
        if found is not None and folder == self.folder:
            self.read.emit(found)

    def _on_unread(self, folder: Path, error: Exception) -> None:
        self._is_reading = False
        if folder == self.folder and folder != self.running:  # one that has just begun has no results yet
            self._other = None
            self.troubled.emit(self.ended or " ".join(str(error).split()))

    def write_dataset(self, inside: Path, then: Callable[[str], object], failed: Callable[[Exception], object]) -> None:
        """Writes the episodes that are shown to a new folder, as one table with a data card. Calls `then` with a line on it."""
        folder = self.folder
        if folder is None:
            return

        def work() -> str:
            from core.evaluation.dataset import write_dataset

            said: list[str] = []
            write_dataset([folder], free_path(inside / f"{folder.name} dataset"), said.append)
            return said[0]

        self._reading.do(work, then, failed)

    # --- plans ---------------------------------------------------------------
    def list_suites(self, then: Callable[[Sequence[SuiteChoice]], object]) -> None:
        """Calls `then` with all suites. Loading them takes a second."""
        def listed() -> Sequence[SuiteChoice]:
            from core.evaluation.plan import suite_choices

            return suite_choices()

        self._reading.do(listed, then, lambda error: self.troubled.emit(str(error)))

    def estimate(self, plan: EvaluationPlan, folder: Path, then: Callable[[Estimate], object],
                 failed: Callable[[Exception], object]) -> None:
        """Calls `then` with what a plan may take, from the episodes in its folder and in those of the list."""
        folders = self.folders
        self._reading.do(lambda: self._estimated(plan, folder, folders), then, failed)

    def _estimated(self, plan: EvaluationPlan, folder: Path, folders: Sequence[Path]) -> Estimate:
        from core.evaluation.contestants import contestant
        from core.evaluation.plan import estimate
        from core.evaluation.results import is_results

        for name in plan.planners:
            contestant(name)
        rows = self._read(folder).rows if is_results(folder) else ()
        return estimate(plan, rows, (*rows, *self._known(plan, folders, but=folder)))

    # --- runs ----------------------------------------------------------------
    def start(self, plan: EvaluationPlan, folder: Path) -> None:
        """Plays a plan in a child process, and shows its folder."""
        if self.running is not None:
            self.troubled.emit(f"{self.running.name} is being played: pause it first")
            return
        from core.evaluation.child import WHILE_INPUT, CommandChild

        self._child = child = CommandChild([*plan.arguments(folder), WHILE_INPUT])
        self.running, self.is_pausing, self._ended = folder, False, (folder, "")
        self._remember(folder)
        self.folder = folder
        self._runs.do(child.run, lambda _: self._on_end(""), lambda error: self._on_end(str(error)))
        self.changed.emit()

    def pause(self) -> None:
        """Ends what is played after the episodes under way. Nothing is lost: `start` with the same plan goes on."""
        if self._child is not None and self.running is not None:
            self.is_pausing = True
            self._child.pause()
            self.changed.emit()

    @property
    def ended(self) -> str:
        """Why the evaluation in the folder that is shown ended early, if this window ran it last; otherwise empty."""
        folder, why = self._ended
        return why if folder == self.folder else ""

    def _on_end(self, why: str) -> None:
        self._ended = self.running, " ".join(why.split())
        self.running, self._child, self.is_pausing = None, None, False
        self.look(afresh=True)
        self.changed.emit()

    # --- episodes --------------------------------------------------------------
    def play_again(self, row: Row) -> None:
        """Finds the recording of an episode, or makes it in a child process. Emits `recorded` or `not_recorded`."""
        folder = self.folder
        if folder is None or self.playing is not None:
            return
        from core.evaluation.child import CommandChild, episode_words

        self.playing, self._repeating = row, CommandChild(episode_words(folder, row))
        self._episodes.do(partial(_repetition, folder, row, self._repeating), partial(self._on_recorded, row),
                          lambda error: self._on_not_recorded(row, error))
        self.changed.emit()

    def cancel(self) -> None:
        """Stops playing an episode again."""
        if self._repeating is not None:
            self._repeating.stop()

    def _on_recorded(self, row: Row, repetition: Repetition) -> None:
        self.playing = self._repeating = None
        self.changed.emit()
        self.recorded.emit(row, repetition)

    def _on_not_recorded(self, row: Row, error: Exception) -> None:
        self.playing = self._repeating = None
        self.changed.emit()
        self.not_recorded.emit(row, " ".join(str(error).split()))

    def close(self, patience: float) -> None:
        """Pauses what is played, and ends the threads."""
        self._look.stop()
        self.cancel()
        if self._child is not None:
            self._child.pause()
        for jobs in (self._reading, self._runs, self._episodes):
            jobs.close(patience)


def _repetition(folder: Path, row: Row, child: CommandChild) -> Repetition:
    """Called on a thread of its own."""
    from core.evaluation.child import value_in
    from core.evaluation.episode_command import kept, repetition_of

    return kept(folder, row) or repetition_of(value_in(child.run()))
