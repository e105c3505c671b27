"""Records a batch in the console: one episode after the other, each to a file of its own. The operator sees and intervenes."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Literal

from PySide6.QtCore import QObject, Signal

from core.app.batch import PLAN, BatchPlan, Episode, is_complete, make_room, read_plan, write_plan
from core.session.commands import SetPace
from core.session.events import CUT_SHORT
from core.session.pace import Pace
from gui.control.background import BackgroundJobs
from gui.control.console import Console
from gui.recordings.recorders import Recorders, WindowRun
from gui.widgets.numbers import count, whole_clock

State = Literal["waiting", "playing", "finishing", "recorded", "skipped", "failed"]
"""`finishing`: it is played, and its file is not complete yet."""


@dataclass(frozen=True, slots=True)
class BatchRow:
    """An episode, and what became of it.

    Attributes:
        words: how it came out, or why it could not be recorded.
    """

    episode: Episode
    state: State = "waiting"
    words: str = ""


@dataclass(slots=True)
class _Playing:
    """The episode under way.

    Attributes:
        before: the run before it.
        run: its run, once it has begun.
    """

    place: int
    before: WindowRun | None
    began: float
    run: WindowRun | None = None


class Batch(QObject):
    """Plays the episodes of a plan that have no complete recording yet. One that cannot be played is listed; the next begins.

    Attributes:
        changed: the rows, or what is under way, changed.
        opened: the batch of a folder was read.
        plan, folder: the batch that is open; None without one.
        rows: its episodes.
    """

    changed, opened = Signal(), Signal()

    def __init__(self, console: Console, recorders: Recorders):
        super().__init__()
        self._console, self._recorders = console, recorders
        self.plan: BatchPlan | None = None
        self.folder: Path | None = None
        self.rows: tuple[BatchRow, ...] = ()
        self.jobs = BackgroundJobs("batch")
        self._playing: _Playing | None = None
        self._closing: list[tuple[int, WindowRun]] = []
        """Episodes whose recordings are being finished."""
        self._lengths: list[float] = []
        self._former: Pace | None = None
        """The operator's pace before the batch; None while none is under way."""
        self._switched_on = False
        """Whether recording is on for the batch only."""
        recorders.batch_words = lambda: self.words
        console.live_snapshot.connect(lambda _: self._look())
        recorders.changed.connect(self._look)
        recorders.runs_changed.connect(self._look)
        console.runner.failed.connect(self._on_failed)

    # --- what there is -----------------------------------------------------
    @property
    def active(self) -> bool:
        """Whether episodes are being recorded, or the last recording is being finished."""
        return self._former is not None or bool(self._closing)

    @property
    def left(self) -> int:
        """The number of episodes without a complete recording."""
        return sum(row.state in ("waiting", "playing") for row in self.rows)

    @property
    def words(self) -> str:
        """How far the batch is: `Batch 3 of 12 · about 4:10 left`, in whole seconds; empty if none is under way.

        Of an episode that is over, it is how many of its pictures are left to draw.
        """
        playing = self._playing
        if playing is None:
            return ""
        if (run := playing.run) is not None and run.summary.is_over and (pictures := run.pictures_left):
            return f"Batch {playing.place + 1} of {len(self.rows)} · {count(pictures, 'picture')} left"
        seconds = fmean(self._lengths) * self.left if self._lengths else 0.0
        left = f" · about {whole_clock(seconds)} left" if seconds else ""
        return f"Batch {playing.place + 1} of {len(self.rows)}{left}"

    # --- the operator ----------------------------------------------------------
    def begin(self, plan: BatchPlan, folder: Path) -> None:
        """Writes the plan to a folder, and records its episodes."""
        def work() -> BatchPlan:
            plan.check()
            write_plan(plan, folder)
            return plan

        self.jobs.do(work, lambda _: self.open(folder, then=self.go_on), self._console.report)

    def find(self, folder: Path, found: Callable[[], object], missing: Callable[[], object] = lambda: None) -> None:
        """Calls `found` if there is a batch in a folder, else `missing`."""
        self.jobs.do((folder / PLAN).is_file, lambda there: found() if there else missing(), self._console.report)

    def open(self, folder: Path, then: Callable[[], object] = lambda: None) -> None:
        """Reads the batch of a folder, and which of its episodes are recorded. Then calls `then`."""
        if self.active:
            self._console.message.emit("A batch is being recorded: stop it first", "warn")
            return

        def work() -> tuple[BatchPlan, tuple[BatchRow, ...]]:
            plan = read_plan(folder)
            rows = (BatchRow(one, "recorded") if is_complete(one.file(folder)) else BatchRow(one) for one in plan.episodes)
            return plan, tuple(rows)

        def take(found: tuple[BatchPlan, tuple[BatchRow, ...]]) -> None:
            (self.plan, self.rows), self.folder = found, folder
            self.opened.emit()
            self.changed.emit()
            then()

        self.jobs.do(work, take, self._console.report)

    def go_on(self) -> None:
        """Records the episodes that are left."""
        if self.plan is None or self.active:
            return
        breakpoints = self._console.context.breakpoints
        self._former, self._lengths = breakpoints.pace, []
        breakpoints.follow(SetPace(self.plan.pace))  # not posted: the run under way is none of the batch
        self._next()

    def skip(self) -> None:
        """Leaves the episode under way, and plays the next one."""
        if self._playing is not None:
            self._finish("skipped", "you skipped it")

    def stop(self, why: str = "The batch is stopped: continue it whenever you like") -> None:
        """Ends the batch and the episode under way. It can be continued."""
        if self._former is None:
            return
        playing, self._playing = self._playing, None
        pace, self._former = self._former, None
        if playing is not None:
            self._set(playing.place, "waiting")
            self._closing += [] if playing.run is None else [(playing.place, playing.run)]
        if self._recorders.named is not None and self._console.runner.request == self._recorders.named[0]:
            self._console.stop()
        self._recorders.named = None
        self._console.runner.post(SetPace(pace))
        self._console.message.emit(why, "muted")
        self._look()
        self.changed.emit()

    # --- one episode after the other -------------------------------------------
    def _next(self) -> None:
        """Prepares the file of the next episode off the GUI thread, then plays it."""
        place = next((k for k, row in enumerate(self.rows) if row.state == "waiting"), None)
        if place is None or self.folder is None:
            played = sum(row.state in ("finishing", "recorded") for row in self.rows)
            self.stop(f"The batch is over: {played} of {len(self.rows)} episodes recorded in {self.folder}")
            return
        self._playing = _Playing(place, self._recorders.present, time.monotonic())
        self._set(place, "playing")
        self.jobs.do(partial(make_room, self.rows[place].episode.file(self.folder)), partial(self._play, place),
                     lambda error: self._fail(place, error))

    def _play(self, place: int, _: None) -> None:
        if self._playing is None or self._playing.place != place or self.folder is None:
            return  # it was skipped or stopped meanwhile
        episode = self.rows[place].episode
        self._recorders.named = episode.request, episode.file(self.folder)
        self._console.set_request(episode.request)
        self._console.again()

    def _look(self) -> None:
        """Notices that the episode's run began or ended, that a recording is finished, or that the operator left the batch."""
        for closing in [pair for pair in self._closing if pair[1].over]:
            self._closing.remove(closing)
            self._set(closing[0], *_ending(closing[1]))
        playing, present, recorders = self._playing, self._recorders.present, self._recorders
        if not self.active and self._switched_on:
            self._switched_on = False
            if recorders.on:
                recorders.toggle()
        if playing is None or not self._is_started(playing):
            return
        request = self.rows[playing.place].episode.request
        if playing.run is None and present is not None and present is not playing.before and present.request == request:
            playing.run = present
            if not recorders.on:
                self._switched_on = True
                recorders.toggle()
        run = playing.run
        if self._console.replaying or self._console.runner.request != request or (
                run is not None and (present is not run or not recorders.on or (run.over and run.summary.is_over))):
            self.stop("You left the batch: continue it whenever you like")
        elif run is not None and run.summary.is_over and run.recorder is not None and not run.pictures_left:
            # The next episode would draw beside this one: the frames would stay blank, and pictures be left at the end.
            self._lengths.append(time.monotonic() - playing.began)
            self._finish("finishing", run.summary.outcome)

    def _is_started(self, playing: _Playing) -> bool:
        """Returns whether the console was asked to play this episode."""
        return self._recorders.named is not None and self._recorders.named[0] is self.rows[playing.place].episode.request

    def _finish(self, state: State, words: str) -> None:
        playing, self._playing = self._playing, None
        if playing is None:
            return
        if playing.run is not None and state == "finishing":
            self._closing.append((playing.place, playing.run))
        self._set(playing.place, state, words)
        self._next()

    def _on_failed(self, error: Exception) -> None:
        if self._playing is not None and self._is_started(self._playing):
            self._fail(self._playing.place, error)

    def _fail(self, place: int, error: Exception) -> None:
        if self._playing is not None and self._playing.place == place:
            self._finish("failed", " ".join(str(error).split()))

    def _set(self, place: int, state: State, words: str = "") -> None:
        self.rows = (*self.rows[:place], BatchRow(self.rows[place].episode, state, words), *self.rows[place + 1:])
        self.changed.emit()


def _ending(run: WindowRun) -> tuple[State, str]:
    """Returns what became of an episode whose run and recording are over."""
    if run.summary.came_to.reason in CUT_SHORT:
        return "waiting", run.summary.outcome  # also if the operator stopped its recording: it is played again
    if run.saved is None:
        return "failed", "its recording could not be finished"
    return "recorded", run.summary.outcome
