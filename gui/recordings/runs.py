"""The runs of this window: earlier runs can be reopened, saved and removed. Unsaved ones are asked about before it closes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QMessageBox, QWidget

from core.common.errors import DataError
from core.recording.files import new_recording
from core.session.annotation import Unsaved
from gui.control.console import Console
from gui.control.context import RunRow, RunState
from gui.control.kept_files import KeptFile
from gui.control.label_keeping import LabelKeeping
from gui.recordings.recorders import Recorders, WindowRun
from gui.recordings.unsaved_labels import Answer, UnsavedLabels, ask_about_labels, ask_to_close
from gui.recordings.viewer import RecordingViewer
from gui.widgets.chooser import chosen
from gui.widgets.numbers import count

MOST_RUNS = 200
MOST_BYTES = 4_000_000_000
"""Limits on the autosaves of a window, in number and in bytes together. Beyond them the oldest run that the operator neither
changed nor labelled is deleted."""
Ask = Callable[[QWidget, "Losses", Callable[[Answer], object]], object]
"""Asks over a window what to do about losses, and reports the answer later."""
MOST_LISTED = 8
WRITING_MS = 1500
"""Milliseconds for which labels that are being written are waited for before the operator is asked."""


class Runs(QObject):
    """Publishes the list of runs and carries out requests about them."""

    def __init__(self, console: Console, recorders: Recorders, viewer: RecordingViewer):
        super().__init__()
        self._console, self._recorders, self._viewer = console, recorders, viewer
        self._book = console.context.runs
        recorders.runs_changed.connect(self._on_changed)
        recorders.changed.connect(self.refresh)
        console.live_snapshot.connect(lambda _: self.refresh())
        console.replay.changed.connect(self.refresh)
        self._book.asked.connect(self._on_asked)

    # --- the list ------------------------------------------------------------
    def refresh(self) -> None:
        """Updates the list."""
        self._book.show(tuple(self._row(run) for run in reversed(self._recorders.runs) if run.is_listed))

    def _row(self, run: WindowRun) -> RunRow:
        summary = run.summary
        request = run.request
        planner = chosen(self._console.choices.planners, summary.planner or request.planner).title
        scene = chosen(self._console.choices.scenes.get(request.simulator, ()), summary.scene or request.scene).title
        begun = self._console.begun or summary.is_worth_keeping
        outcome = summary.outcome if run.over or summary.is_over else "under way" if begun else "not started"
        return RunRow(run.number, planner, scene, summary.seed if summary.planner else request.seed,
                      summary.goal or request.task, self._state(run), outcome,
                      summary.came_to.success, summary.length, summary.seconds, summary.branches,
                      summary.acts, summary.labels, run.saved is not None)

    def _state(self, run: WindowRun) -> RunState:
        recording = self._console.replay.recording
        if recording is not None and run.path == recording.path:
            return "shown"
        if not run.over:
            return "now"
        return "recorded" if run.saved is not None else "kept"

    def _run(self, number: int) -> WindowRun | None:
        return next((run for run in self._recorders.runs if run.number == number and run.is_listed), None)

    def _on_changed(self) -> None:
        for run in self._recorders.runs:
            if run.over and run.path is None:
                self._recorders.forget(run)
        self._keep_within_bounds()
        self.refresh()

    def _keep_within_bounds(self) -> None:
        """Deletes the oldest autosaves beyond the limits.

        Removed runs go first, then those without changes or labels by the operator.
        """
        recording = self._console.replay.recording
        kept = [run for run in self._recorders.runs if run.kept is not None and not (recording and run.path == recording.path)]
        over = sum(run.kept.size for run in kept if run.kept is not None) - MOST_BYTES
        many = len(kept) - MOST_RUNS
        untouched = [run for run in kept if run.removed or not (run.summary.acts or run.summary.labels)]
        for run in sorted(untouched, key=lambda run: not run.removed):
            if over <= 0 and many <= 0:
                return
            over, many = over - (run.kept.size if run.kept is not None else 0), many - 1
            if not run.removed:
                self._console.message.emit(f"Run {run.number} was removed: {MOST_RUNS} autosaves are kept, up to "
                                        f"{MOST_BYTES // 10**9} GB", "warn")
            self._delete(run)

    def _delete(self, run: WindowRun) -> None:
        try:
            run.delete()
        except DataError as error:
            self._console.message.emit(str(error), "warn")
        self._recorders.forget(run)

    # --- actions ------------------------------------------------------------------
    def _on_asked(self, what: str, number: int) -> None:
        run = self._run(number)
        if run is not None:
            {"open": self.open, "save": self.save, "go on": self.go_on, "remove": self.remove}[what](run)

    def open(self, run: WindowRun) -> None:
        """Shows a run as it was at its end."""
        if run.path is None:
            self._console.go_live()
        else:
            self._viewer.open_run(run.path, f"Run {run.number}", run.request)

    def go_on(self, run: WindowRun) -> None:
        """Starts a live run that begins with the past of this one."""
        if run.path is None:
            self._console.go_live()
            self._console.run()
        else:
            self._viewer.open_run(run.path, f"Run {run.number}", run.request, go_on=True)

    def save(self, run: WindowRun) -> None:
        """Makes a recording of the run."""
        if not run.over:
            if not self._recorders.on:
                self._recorders.toggle()
            return
        if run.saved is not None:
            self._console.message.emit(f"Run {run.number} is saved already: {run.saved}", "muted")
            return
        before = run.path
        self._recorders.jobs.do(lambda: self._saved(run), lambda path: self._on_saved(run, before, path),
                                self._console.report)

    def _saved(self, run: WindowRun) -> Path:
        request = run.request
        return run.save(new_recording(self._recorders.files.folder, request.scene, request.planner, run.began))

    def _on_saved(self, run: WindowRun, before: Path | None, path: Path) -> None:
        self._console.message.emit(f"Saved as {path.name} in {path.parent}", "good")
        recording = self._console.replay.recording
        if recording is not None and recording.path == before:  # labels from now on belong beside the new file
            self._viewer.open_run(path, f"Run {run.number}", run.request, at=self._console.replay.sought)
        self._recorders.runs_changed.emit()

    def remove(self, run: WindowRun) -> None:
        """Removes a run from the list; its autosave is deleted when the window closes."""
        if not run.over:
            self._console.message.emit("This run is under way: stop it first", "warn")
            return
        recording = self._console.replay.recording
        if recording is not None and recording.path == run.path:
            self._viewer.leave()
        self._console.context.push(f"Remove run {run.number}", partial(self._set_removed, run, True),
                                   partial(self._set_removed, run, False))

    def _set_removed(self, run: WindowRun, removed: bool) -> None:
        run.removed = removed
        self.refresh()

    # --- the end ---------------------------------------------------------------
    def losses(self) -> Losses:
        """Returns what is not saved."""
        unsaved = [run for run in self._recorders.runs if run.is_unsaved
                   and (run is not self._recorders.present or run.recorder is None or run.recorder.broken)]
        lines = tuple(f"Run {row.number}: {row.planner}, {_turns(row)}, {row.outcome}{_stopped(run)}"
                      for run, row in zip(unsaved, map(self._row, unsaved), strict=True))
        going = any(not run.over and not run.summary.is_over for run in unsaved)
        return Losses(lines, sum(run.summary.labels for run in unsaved), going)

    def settle(self, *, keep: bool) -> None:
        """Saves or deletes every autosave, after the window has closed. The next start finds those for which this fails."""
        for run in self._recorders.runs:
            if run.kept is None:
                continue
            try:
                if keep and not run.removed:
                    self._saved(run)
                else:
                    run.delete()
            except DataError:
                if run.kept is not None:
                    run.kept.release()


def _turns(row: RunRow) -> str:
    others = f" on one of {row.branches} branches" if row.branches > 1 else ""
    return f"{count(row.turns, 'turn')}{others}"


def _stopped(run: WindowRun) -> str:
    """Returns why the recording of a run stopped, and what helps; empty if it goes on."""
    recorder = run.recorder
    return f". Its recording stopped: {recorder.broken}; make room before you save" if recorder and recorder.broken else ""


@dataclass(frozen=True, slots=True)
class Losses:
    """What would be lost if the window closed now without saving.

    Attributes:
        runs: one line about each unsaved run.
        labels: number of labels in them.
        in_progress: whether one of them is under way.
        unsaved: labels of recordings that could not be written; they are asked about first.
        changes: one line about each file whose changes could not be written; they are asked about before the runs.
    """

    runs: tuple[str, ...] = ()
    labels: int = 0
    in_progress: bool = False
    unsaved: Unsaved = field(default_factory=Unsaved)
    changes: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.runs or self.unsaved or self.changes)


class CloseGuard(QObject):
    """Decides whether the window may close, and whether unsaved runs are saved then.

    Labels and changes that are just being written are waited for, without keeping the window from its work.

    Args:
        window: the window to close.
        runs: knows the unsaved runs.
        keeping: knows the unsaved labels.
        elsewhere: asks for another place for them.
        kept: the files of what the window changes: settings, models.
        ask: asks the operator; None: unsaved runs are discarded without asking.

    Attributes:
        keep: whether unsaved runs are saved when the window has closed.
    """

    def __init__(self, window: QWidget, runs: Runs, keeping: LabelKeeping, elsewhere: UnsavedLabels,
                 kept: Sequence[KeptFile[Any]], ask: Ask | None):
        super().__init__(window)
        self._window, self._runs, self._ask = window, runs, ask
        self._keeping, self._elsewhere, self._kept = keeping, elsewhere, kept
        self.keep = False
        self._decided = self._asking = self._waited = self._labels_settled = self._changes_settled = False
        self._late = QTimer(self, singleShot=True, interval=WRITING_MS)
        self._late.timeout.connect(self._close_window)
        for settled in (keeping.settled, *(file.settled for file in kept)):
            settled.connect(self._on_settled)

    def may_close(self) -> bool:
        """Returns True if the window may close now. Otherwise the operator is asked, and the answer closes the window."""
        if self._decided or self._ask is None:
            return True
        if self._is_writing() and not self._waited:
            self._waited = True
            self._late.start()
        if self._late.isActive():
            return False
        losses = self._losses()
        if not losses:
            return True
        if not self._asking:
            self._asking = True
            self._ask(self._window, losses, partial(self._answered, losses))
        return False

    def _is_writing(self) -> bool:
        """Whether something waits to be written that the operator has not given up."""
        labels = not self._labels_settled and bool(self._keeping.pending)
        return labels or (not self._changes_settled and any(file.left for file in self._kept))

    def _on_settled(self) -> None:
        if self._late.isActive() and not self._is_writing():
            self._close_window()

    def _losses(self) -> Losses:
        """Returns what is asked about next."""
        unsaved = Unsaved() if self._labels_settled else self._keeping.left
        changes = () if unsaved or self._changes_settled else tuple(file.left for file in self._kept if file.left)
        return Losses(unsaved=unsaved, changes=changes) or self._runs.losses()

    def _close_window(self) -> None:
        self._late.stop()
        QTimer.singleShot(0, self._window, self._window.close)  # later: the window may be refusing to close just now

    def close_keeping(self) -> None:
        """Closes without asking and saves everything, because the program is ended from outside."""
        self._decided = self.keep = True
        self._window.close()

    def _answered(self, losses: Losses, answer: Answer) -> None:
        self._asking = self._waited = False
        if answer == "cancel":
            return
        if losses.unsaved and answer == "save":
            self._elsewhere.save_elsewhere(self._close_window)
            return
        self._labels_settled = True
        self._changes_settled |= bool(losses.changes)
        if losses.runs:
            self._decided, self.keep = True, answer == "save"
        self._close_window()


def ask_operator(window: QWidget, losses: Losses, answered: Callable[[Answer], object]) -> None:
    """Asks in a dialog over the window: Save, Discard, Cancel."""
    if losses.unsaved:
        ask_about_labels(window, losses.unsaved, answered)
        return
    if losses.changes:
        why = f"{'; '.join(losses.changes)}. They are lost when the window closes."
        ask_to_close(window, "Changes are not saved", why[:1].upper() + why[1:], answered)
        return
    labels = f" and {count(losses.labels, 'label')}" if losses.labels else ""
    ends = " The run under way ends." if losses.in_progress else ""
    heading = f"Save {count(len(losses.runs), 'run')}{labels} before closing?{ends}"
    box = QMessageBox(QMessageBox.Icon.NoIcon, "Belvedere", heading, parent=window)
    more = len(losses.runs) - MOST_LISTED
    box.setInformativeText("\n".join((*losses.runs[:MOST_LISTED], *((f"and {more} more",) if more > 0 else ()))))
    standard = QMessageBox.StandardButton
    box.setStandardButtons(standard.Save | standard.Discard | standard.Cancel)
    box.setDefaultButton(standard.Save)
    for button in box.buttons():
        button.setIcon(QIcon())
    answers: dict[int, Answer] = {standard.Save.value: "save", standard.Discard.value: "discard"}
    box.finished.connect(lambda result: answered(answers.get(result, "cancel")))
    box.finished.connect(lambda _: box.deleteLater())
    box.open()
