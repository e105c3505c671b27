"""A run without a window: prints its progress, returns its final snapshot, and reports it as JSON."""

from __future__ import annotations

import shlex
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

from core.common import terminal
from core.common.errors import DataError
from core.common.terminal import PATIENCE, Interrupted
from core.goals.formal_text import formal
from core.goals.literals import Goal, LiteralProgress
from core.llm.budget import Budget, Spent
from core.llm.reply_checks import uselessness
from core.planning.companion import CompanionDecision
from core.planning.facets import Frame, Moment, View
from core.planning.search_facets import Ranking
from core.session.breakpoints import Breakpoint, hit_words
from core.session.commands import KeepPictures, SetBreakpoint, Stop
from core.session.event_lines import began_words
from core.session.events import (
    AT_BREAKPOINT,
    STOPPED,
    Acted,
    Began,
    BreakpointHit,
    Ended,
    Event,
    Failed,
    Recovered,
    Replied,
    Shown,
)
from core.session.session import Session
from core.session.setup import Setup
from core.session.snapshot import Snapshot
from core.session.turns import Turn, line_of
from core.views.wording import count
from core.world.vocabulary import Action

if TYPE_CHECKING:  # only a run that is recorded loads what writes recordings
    from core.recording.recorder import Recorder

QUIET: Final = 5.0
"""Seconds without any line after which one reports the state of the run."""
LEAST_WAIT: Final = 0.01


def progress_line(run: Snapshot, spent: Spent | None, now: float, pictures_left: int) -> str:
    """Returns a line on the present activity of a run.

    Args:
        run: its newest snapshot.
        spent: calls, tokens and cost so far; None if the run makes no model calls.
        now: seconds since the session began, on the clock of `Snapshot.at`.
        pictures_left: pictures that were requested and are not drawn yet; mentioned once the run has ended.

    Returns:
        A line such as `turn 3: waits 12 s for 2 replies of openai gpt-5 (policy, position), 240 of 4,000 simulations; 14 calls,
        5,120 tokens`.
    """
    if run.began is None:
        return f"opens the world, {duration(now)}"
    if run.status == "ended":
        return f"draws pictures, {pictures_left} left" if pictures_left else "finishes the recording"
    return f"turn {max(1, run.turn)}: {_doing(run, now)}{_searched(run)}{_used(spent)}"


def _doing(run: Snapshot, now: float) -> str:
    if run.waiting:
        since = min(call.asked_at for call in run.waiting)
        purposes = ", ".join(name + (f" ×{n}" if n > 1 else "") for name, n in Counter(
            call.ask.purpose for call in run.waiting).items())
        return f"waits {duration(now - since)} for {count(len(run.waiting), 'reply')} of {run.waiting[0].source} ({purposes})"
    turn = run.current
    if turn is not None and turn.action is not None:
        return f"does {turn.action}, {duration(now - turn.began)} since the turn began"
    return f"thinks, {duration(now - (run.at if turn is None else turn.began))} since the turn began"


def _searched(run: Snapshot) -> str:
    ranking = run.fresh(Ranking)
    return "" if ranking is None else f", {ranking.simulations:,} of {ranking.budget:,} simulations"


def _used(spent: Spent | None) -> str:
    if spent is None or not spent.calls:
        return ""
    cost = f", cost {spent.cost:.4g}" if spent.cost else ""
    return f"; {count(spent.calls, 'call')}, {spent.tokens:,} tokens{cost}"


def duration(seconds: float) -> str:
    """Returns a duration such as `12 s` or `3 min 5 s`."""
    minutes, rest = divmod(round(max(0.0, seconds)), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


class ProgressLines:
    """Passes a run's lines on, and adds one whenever none came for a while. Use it in a `with`.

    Args:
        say: receives all lines, one at a time; added lines come on a thread of their own.
        line: returns the line to add; called on that thread.
        quiet: seconds without any line after which one is added.
    """

    def __init__(self, say: Callable[[str], None], line: Callable[[], str], quiet: float = QUIET):
        self._say, self._line, self._quiet = say, line, quiet
        self._lock, self._over = threading.Lock(), threading.Event()
        self._last = time.monotonic()
        self._thread = threading.Thread(target=self._work, name="progress", daemon=True)

    def say(self, line: str) -> None:
        """Passes a line on. Safe from any thread."""
        with self._lock:
            self._last = time.monotonic()
            self._say(line)

    def _work(self) -> None:
        while not self._over.wait(max(LEAST_WAIT, self._last + self._quiet - time.monotonic())):
            with self._lock:
                is_due = time.monotonic() >= self._last + self._quiet
            if is_due:
                self.say(f"  … {self._line()}")

    def __enter__(self) -> Self:
        self._last = time.monotonic()
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._over.set()
        self._thread.join()


MISSING = "this picture is missing: "
"""Prefix of the notice of a picture that was never drawn."""


class Follower:
    """A listener that keeps the newest snapshot and the failure that ended the run, and reports progress in lines.

    Attributes:
        snapshot: the newest snapshot; replaced by the session's thread, may be read by any.
        broken: the first failure that waits for an operator; None while there is none.
    """

    def __init__(self, session: Session, budget: Budget | None, say: Callable[[str], None], quiet: float):
        self.snapshot = Snapshot()
        self.broken: Failed | None = None
        self.replies = self.useless = 0
        """Number of language models' replies, and of those that hold nothing a planner could use."""
        self.missing: Counter[str] = Counter()
        """Number of pictures that the recording lacks, by reason."""
        self.beside: dict[Moment, CompanionDecision] = {}
        """What the companion would have done, by turn."""
        self.lines = ProgressLines(say, self._line, quiet)
        self._session, self._budget, self._say = session, budget, self.lines.say
        self._zero = time.monotonic()
        """The time (`time.monotonic`) at which the session's clock stood at 0."""
        self._has_told_preparing = False
        session.follow(self.on_event)

    def on_event(self, event: Event, now: Snapshot) -> None:
        """Takes an event and the snapshot after it. A failure that waits for an operator ends the run: there is none."""
        self.snapshot = now
        self._take_beside(event)
        match event.what:
            case Began() as began:
                self._zero = time.monotonic() - event.at
                self._say(began_words(began))
            case Acted(outcome=outcome):
                self._say(f"  {event.turn:3d}  {outcome.action}{'' if outcome.ok else f'   refused: {outcome.reason}'}")
            case Shown(facet=Frame() as frame) if frame.is_missing:
                self.missing[frame.notice.removeprefix(MISSING)] += 1
            case Replied(reply=reply) if reply.is_model:
                self._count(uselessness(reply))
            case Ended() if (left := self._session.pictures_left):
                self._say(f"  drawing {count(left, 'picture')} that the recording still lacks")
            case Recovered() | Failed() | BreakpointHit() as what:
                self._interrupted(what)
        self._tell_preparing()

    def _interrupted(self, what: Recovered | Failed | BreakpointHit) -> None:
        """Reports a failure, a recovery or a breakpoint, and ends the run if it would wait for an operator."""
        match what:
            case Failed(waits=True):
                self.broken = self.broken or what
                self._session.post(Stop(self.broken.message))
            case BreakpointHit(point=point):
                self._say(f"  {hit_words(self.snapshot.hits[-1])}")
                if not point.log:
                    self._session.post(Stop(AT_BREAKPOINT))
            case Recovered(message=message) | Failed(message=message):
                self._say(f"  {message}")

    def _tell_preparing(self) -> None:
        """Reports once what goes on beside the run."""
        if not self._has_told_preparing and self._session.preparing:
            self._has_told_preparing = True
            self._say(f"  {self._session.preparing}; meanwhile it runs interpreted")

    def _take_beside(self, event: Event) -> None:
        """Keeps what the companion would do, and reports it if it differs."""
        match event.what:
            case Shown(facet=CompanionDecision() as decision):
                self.beside[event.moment] = decision
                if not decision.agrees:
                    self._say(f"       {decision.planner} would do: {_written(decision.action) or 'nothing'}")

    def _line(self) -> str:
        spent = None if self._budget is None else self._budget.spent
        now = time.monotonic() - self._zero
        line = progress_line(self.snapshot, spent, now, self._session.pictures_left)
        return " · ".join(filter(None, (line, self._session.preparing)))

    def _count(self, useless: str) -> None:
        """Counts a reply, and reports the first useless one: a server that gives one often gives no other."""
        self.replies += 1
        self.useless += bool(useless)
        if useless and self.useless == 1:
            self._say(f"  warning: the model's reply is {useless}; the planner goes on as if it had said nothing")

    def close(self) -> None:
        """Reports what is wrong with the run as a whole."""
        if self.useless > 1:
            self._say(f"  warning: {self.useless} of {self.replies} replies of the model were empty or web pages")
        for why, number in self.missing.items():
            self._say(f"  warning: the recording lacks {count(number, 'picture')}: {why}")


@dataclass(frozen=True, slots=True)
class Played:
    """A run that is over.

    Attributes:
        snapshot: its final snapshot.
        recording: the recording's file; not the requested one if that was deleted or damaged during the run.
        saved: how much of it is on disk, in words; empty without a recording.
        broken: the failure that ended it and that only an operator could resolve, such as a spent budget; None: nothing.
        signal: the number of the signal that ended it; None: none.
        cost: the cost of the model's replies, in the currency of the prices; None if a model has no price.
        beside: what the companion would have done, by turn.
    """

    snapshot: Snapshot
    recording: Path | None = None
    saved: str = ""
    broken: Failed | None = None
    signal: int | None = None
    cost: float | None = None
    beside: tuple[tuple[Moment, CompanionDecision], ...] = ()

    @property
    def spent_budget(self) -> bool:
        """True if a limit of calls, tokens or cost ended it."""
        return self.broken is not None and self.broken.kind == "budget"

    @property
    def stopped_by(self) -> str:
        """What stopped the run: `budget`, `breakpoint`, a signal's name, or the part that failed (`model`, `simulator`, …).

        It is empty if the run ended by itself.
        """
        if self.signal is not None and (self.snapshot.ended is None or self.snapshot.ended.cut):
            return signal.Signals(self.signal).name
        if self.broken is not None:
            return "budget" if self.spent_budget else self.broken.part
        return "breakpoint" if self.at_breakpoint else ""

    @property
    def at_breakpoint(self) -> bool:
        """True if a breakpoint ended it."""
        return self.snapshot.ended is not None and self.snapshot.ended.reason == AT_BREAKPOINT

    def check(self) -> None:
        """Raises an error if the run ended early.

        Raises:
            DataError: it met a failure that only an operator could resolve.
            Interrupted: a signal ended it; the recording is complete.
        """
        if self.signal is not None:
            raise Interrupted(self.signal, self.saved)
        if self.broken is not None:
            raise DataError(f"the run stopped: {self.broken.message}")


def follow(setup: Setup, say: Callable[[str], None], record: Path | None = None, views: tuple[View, ...] = (), *,
           points: Sequence[Breakpoint] = (), quiet: float = QUIET) -> Played:
    """Plays a run to its end, however it ends, and records it if a file is given.

    Args:
        setup: the parts of the run.
        say: receives progress, one line at a time; from two threads, never at once.
        record: the recording to write; None: none.
        views: the views to record of every turn. Pictures that a fast run left out are drawn after its end.
        points: breakpoints. One that does not only log ends the run.
        quiet: seconds without a line after which one reports the state of the run.

    Raises:
        BelvedereError: the simulator cannot be opened, or the recording cannot be completed.
    """
    session = Session(setup)
    recorder = _recorder(record, session, setup) if record is not None else None
    if recorder is not None:
        session.follow(recorder.on_event)
        if views:
            session.post(KeepPictures(views))
    for point in points:
        session.post(SetBreakpoint(point))
    for line in reading_lines(setup):
        say(line)
    follower = Follower(session, setup.budget, say, quiet)
    with follower.lines:
        try:
            number = _played(session)
        except BaseException:
            _closed(recorder)
            raise
        finally:
            follower.close()
        saved = _closed(recorder)
    end, path = follower.snapshot, None if recorder is None else recorder.path
    return Played(end, path, saved, follower.broken, number, _cost(setup.budget, end), tuple(follower.beside.items()))


def reading_lines(setup: Setup) -> Iterator[str]:
    """Yields what was understood of a task in words, what was guessed, and which words are not in the goal."""
    read = setup.reading
    if read is None or read.goal is None or read.by == "formal":
        return
    by = f" (read by {setup.calls[-1][1].source})" if setup.calls else ""
    yield f"understood: {formal(read.goal)}{by}"
    for guess in read.guesses:
        others = "; or ".join(f"{words}: --goal {shlex.quote(formal(goal))}" for words, goal in guess.others)
        said = f"“{guess.words}” as " if guess.words else ""
        yield f"  guessed: {said}{guess.taken}" + (f"; or {others}" if others else "")
    for start, end in read.unknown:
        yield f"  not in the goal: “{' '.join(read.goal.text[start:end].split())}”"


def _played(session: Session) -> int | None:
    """Plays the session. Returns the number of the signal that ended it; None: none did."""
    def stop(number: int) -> None:
        name = signal.Signals(number).name
        session.post(Stop(STOPPED if name == "SIGINT" else f"stopped by {name}"))
        session.limit_pictures(PATIENCE / 2)

    came: list[int] = []
    try:
        with terminal.stopped(stop) as came:
            session.run()
    except Interrupted as late:
        return late.number
    return came[0] if came else None


def _cost(budget: Budget | None, run: Snapshot) -> float | None:
    """Returns the cost of the replies; None if it is unknown."""
    asked = {call.source for call in run.calls if call.reply is not None and call.reply.is_model}
    if budget is None or not asked:
        return 0.0
    return budget.spent.cost if all(budget.price(source) is not None for source in asked) else None


def _recorder(record: Path, session: Session, setup: Setup) -> Recorder:
    """Returns what writes the session's events to a file. Imported here, because other runs start sooner without it."""
    from core.recording.recorder import Recorder

    return Recorder(record, session.report, secrets=setup.secrets)


def _closed(recorder: Recorder | None) -> str:
    """Completes the recording; signals wait. Returns what was saved, in words."""
    if recorder is None:
        return ""
    with terminal.deferred():
        recorder.close()
    return f"{count(recorder.turns, 'turn is', 'turns are')} on disk in {recorder.path}"


def agreement(beside: Sequence[tuple[Moment, CompanionDecision]]) -> dict[str, Any]:
    """Returns what `run --json` prints about the companion: its decisions, and its calls, which no other figure counts.

    `turns` has an entry for each turn in which it would do something else.
    """
    made = [(moment, decision) for moment, decision in beside if not decision.trouble]
    other = [(moment, decision) for moment, decision in made if not decision.agrees]
    calls, tokens_in, tokens_out = (sum(counts) for counts in zip((0, 0, 0), *(d.spent for _, d in beside), strict=True))
    return {
        "planner": next((decision.planner for _, decision in beside), ""), "decisions": len(made),
        "agreed": len(made) - len(other), "failed": len(beside) - len(made),
        "first_divergence": other[0][0].turn if other else None,
        "turns": [{"branch": moment.branch, "turn": moment.turn, "did": _written(d.driving), "would": _written(d.action)}
                  for moment, d in other],
        "llm_calls": calls, "tokens": {"in": tokens_in, "out": tokens_out},
    }


def _written(action: Action | None) -> str | None:
    return None if action is None else str(action)


def report(run: Snapshot, seconds: float, *, stopped_by: str = "", cost: float | None = None) -> dict[str, Any]:
    """Returns what `run --json` prints about a finished run, as plain data for JSON. Scripts rely on its keys.

    `success`, `ended`, `steps`, `goal` and `actions` belong to the branch that determines the outcome of the episode (see
    `core.session.outcome`); `branches` has the outcome of each. Calls, tokens, cost and seconds are sums over all branches.
    `ended` is the reason in words; `stopped_by` says what stopped the run early (see `Played`), or is empty.

    Args:
        run: the final snapshot.
        seconds: duration of the whole run.
        stopped_by: what stopped the run early (see `Played`); empty: nothing did.
        cost: in the currency of the prices; None: unknown.
    """
    began, outcome = run.began, run.outcome
    assert began is not None, "a run that never began has no report"
    turns = list(run.turns)
    line, compiling = line_of(turns, run.branches, outcome.branch), sum(t.compiling for t in turns)
    return {
        "success": outcome.success,
        "ended": outcome.reason,
        "stopped_by": stopped_by,
        "steps": len(line),
        "task": began.goal.text,
        "goal": [_literal(p) for p in outcome.progress],
        "formal_goal": formal(Goal(tuple(p.literal for p in outcome.progress))),
        "actions": [_action(turn) for turn in line],
        "branches": [{"branch": o.branch, "success": o.success, "ended": o.reason} for o in run.outcomes],
        # Requests that only compare texts do not reach the model.
        "llm_calls": run.model_calls - sum(call.ask.compare == "only" for call in run.calls),
        "useless_replies": sum(call.reply is not None and call.reply.is_model and bool(uselessness(call.reply))
                               for call in run.calls),
        "tokens": {"in": run.tokens_in, "out": run.tokens_out},
        "cost": cost,
        "seconds": {
            "total": round(seconds, 3),
            "work": round(run.worked, 3),
            "person": round(max(0.0, run.at - run.worked - compiling), 3),
            "compiling": round(compiling, 3),
            "thinking": round(sum(t.thinking for t in turns), 3),
            "waiting": round(sum(t.waiting for t in turns), 3),
            "simulator": round(sum(t.acting for t in turns), 3),
        },
        "planner": began.planner, "simulator": began.simulator, "scene": began.scene, "provider": began.provider,
        "seed": began.seed, "versions": dict(began.versions),
    }


def _literal(progress: LiteralProgress) -> dict[str, Any]:
    literal = progress.literal
    return {
        "predicate": literal.predicate, "subject": literal.subject, "target": literal.target, "states": sorted(literal.states),
        "count": literal.count, "have": progress.have, "reached": progress.reached,
    }


def _action(turn: Turn) -> dict[str, Any]:
    outcome = turn.outcome
    assert outcome is not None, "turns are kept when they were acted out"
    action = outcome.action
    return {"verb": action.verb, "args": list(action.args), "by": turn.by, "ok": outcome.ok, "reason": outcome.reason}
