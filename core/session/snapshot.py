"""The state of a session at one event: a pure fold over its events. Panels cannot tell a live run from a replay."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Reversible
from dataclasses import dataclass, field, replace
from functools import reduce
from types import MappingProxyType
from typing import Literal, TypeVar, cast

from core.common.shared_list import SharedList
from core.goals.literals import LiteralProgress
from core.planning.facets import Facet, Frame, Grounded, Grounding, Moment, View
from core.planning.search_facets import Ranking
from core.session import commands as c
from core.session import events as e
from core.session.annotation import Annotation, Change
from core.session.breakpoints import Hit
from core.session.command import Settings
from core.session.marks import mark_of
from core.session.outcome import NO_STATES, Outcome, States, branch_of, outcome_of, outcome_of_branch, states_after
from core.session.turns import Call, Mark, Turn, leaving_turns, line_of
from core.session.usage import NOTHING_USED, Used, cost_of, total, used_after
from core.world.vocabulary import Action, Done, Observation

F = TypeVar("F", bound=Facet)
Status = Literal["idle", "thinking", "waiting", "paused", "failed", "ended"]
Labels = Mapping[str, Annotation]
"""Annotations by id, in the order they were made."""
Facets = Mapping[type[Facet], tuple[Facet, Moment]]
"""The newest facet of each kind, and the moment in which it was shown."""
NO_FACETS: Facets = MappingProxyType({})
STOPPING = ("model", "planner", "simulator")
"""When one of these parts fails, the run waits until the operator tries it again or continues without it."""
START_MISSING = "its start is missing"
FOLDED_FACETS: tuple[type[Facet], ...] = (Ranking,)
"""The kinds of facet that `fold` reads: best action and loss of a decision are taken from the ranking shown before it."""


@dataclass(frozen=True, slots=True)
class Snapshot(Settings):
    """The state of a session, derived from its events. The operator's settings are those of `Settings`.

    Attributes:
        worked: the seconds of `at` in which the session did not wait for a person.
        facets: the newest facet of each kind on the line that leads here, and the turn and branch in which it was shown. A
            facet of another moment than `moment` is older than the present turn: the planner's state may have changed since.
        at_action: the facets when the action of the present turn was executed; empty before that. They differ from `facets` if
            the run ended after it, because the planner then shows what it knows after the action.
        frames: for each view, the picture nearest to this turn; each picture says which turn it shows.
        calls: answered model requests, in order of their replies.
        groundings: how planners interpreted the replies, in order; `prompt` is the `digest` of the request.
        waiting: requests of the planner that have no reply yet.
        aside: requests of the operator that have no reply yet; the run does not wait for them.
        turns: completed turns of all branches, in the order they were played.
        current: the turn under way.
        line: the completed turns that lead to the present, including those of parent branches, oldest first.
        altered: the marks of the operator's changes of the world, on all branches.
        options: the last list of possible actions; None once an action was executed.
        changes: the last list of possible changes of the world; None once an action was executed.
        labels: annotations of moments and intervals, by id.
        failure: the failure for which the run waits for the operator.
        failed_requests: the failures of the model requests that still wait for a reply.
        branch_states: the progress of each branch, and its end.
        ended: the end of the present branch; None while it goes on.
        hits: every stop at a breakpoint and line of a tracepoint, of all branches, in order.
        stopped: the breakpoint at which the run is paused now.
        pause: why the run is paused; empty if it is not.
        usage: calls and tokens of the replies, by who answered.
        interventions: number of commands with which the operator changed the course of the run.
        labelled: number of labels that were given or changed.
        held: the seconds after which a paused run goes on by itself; 0: it waits for the operator.
    """

    status: Status = "idle"
    event: int = -1
    at: float = 0.0
    worked: float = 0.0
    turn: int = 0
    branch: int = 0
    began: e.Began | None = None
    seen: Observation | None = None
    progress: tuple[LiteralProgress, ...] = ()
    facets: Facets = field(default_factory=lambda: NO_FACETS)
    at_action: Facets = field(default_factory=lambda: NO_FACETS)
    frames: Mapping[View, Frame] = field(default_factory=lambda: MappingProxyType({}))
    calls: SharedList[Call] = field(default_factory=SharedList)
    groundings: SharedList[Grounding] = field(default_factory=SharedList)
    waiting: tuple[Call, ...] = ()
    aside: tuple[Call, ...] = ()
    turns: SharedList[Turn] = field(default_factory=SharedList)
    current: Turn | None = None
    marks: SharedList[Mark] = field(default_factory=SharedList)
    altered: tuple[Mark, ...] = ()
    line: SharedList[Turn] = field(default_factory=SharedList)
    options: e.ActionsListed | None = None
    changes: e.ChangesListed | None = None
    hits: SharedList[Hit] = field(default_factory=SharedList)
    stopped: Hit | None = None
    labels: Labels = field(default_factory=lambda: MappingProxyType({}))
    branches: tuple[tuple[int, int | None, int], ...] = ((0, None, 1),)
    """(number, parent, turn at which it leaves its parent)."""
    branch_states: States = field(default_factory=lambda: NO_STATES)
    failure: e.Failed | None = None
    failed_requests: tuple[e.Failed, ...] = ()
    pause: str = ""
    held: float = 0.0
    ended: e.Ended | None = None
    usage: Used = field(default_factory=lambda: NOTHING_USED)
    interventions: int = 0
    labelled: int = 0

    def facet(self, kind: type[F]) -> F | None:
        """Returns the newest facet of a kind, whenever it was shown; None if there is none."""
        found = self.facets.get(kind)
        return cast(F, found[0]) if found is not None else None

    @property
    def moment(self) -> Moment:
        """The present turn and branch."""
        return Moment(self.branch, self.turn)

    def moment_of(self, kind: type[Facet]) -> Moment | None:
        """Returns the moment in which the newest facet of a kind was shown; None if there is none."""
        found = self.facets.get(kind)
        return None if found is None else found[1]

    def is_present(self, moment: Moment) -> bool:
        """Returns True for the present turn, also as it was on the branch that the present one left in this very turn."""
        if moment.turn != self.turn:
            return False
        return moment.branch == self.branch or (self.branch, moment.branch, moment.turn) in self.branches

    def fresh(self, kind: type[F]) -> F | None:
        """Returns the facet of a kind that was shown in the present turn; None if there is none."""
        found = self.facets.get(kind)
        return cast(F, found[0]) if found is not None and self.is_present(found[1]) else None

    @property
    def world_changes(self) -> tuple[Mark, ...]:
        """The operator's changes of the world on the line of branches that leads here, in order."""
        return self.world_changes_of(self.branch)

    def world_changes_of(self, branch: int) -> tuple[Mark, ...]:
        """Returns the operator's changes of the world on the line of branches that leads to a branch, in order.

        Raises:
            KeyError: there is no such branch.
        """
        leaves = leaving_turns(self.branches, branch)
        return tuple(m for m in self.altered if m.turn <= leaves.get(m.branch, 0))

    @property
    def model_calls(self) -> int:
        """Number of model requests that were answered, without those answered from memory."""
        return total(self.usage).calls

    @property
    def tokens_in(self) -> int:
        """Number of tokens of their prompts."""
        return total(self.usage).tokens_in

    @property
    def tokens_out(self) -> int:
        """Number of tokens of their replies."""
        return total(self.usage).tokens_out

    @property
    def cost(self) -> float | None:
        """What they cost, in the currency of the prices; None if no prices were given."""
        return None if self.began is None else cost_of(self.usage, self.began.prices)

    @property
    def outcome(self) -> Outcome:
        """The outcome of the episode if it ended at this event (see `core.session.outcome`)."""
        return outcome_of(self.branch_states, self.branch)

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """The outcome of each branch, in order of their numbers."""
        return tuple(outcome_of_branch(self.branch_states, number, self.branch) for number, _, _ in self.branches)


def fold(snapshot: Snapshot, event: e.Event) -> Snapshot:
    """Returns the snapshot after one more event."""
    what, branch = event.what, branch_of(event)
    turn = what.turn if isinstance(what, e.Rewound | e.Switched) else event.turn
    now = replace(snapshot, event=event.number, at=event.at, worked=event.worked, turn=turn, branch=branch,
                  branch_states=states_after(snapshot.branch_states, branch, event.number, what))
    if (mark := mark_of(event)) is not None:
        now = replace(now, marks=now.marks.plus(mark), altered=(*now.altered, mark) if mark.kind == "world" else now.altered)
    match what:
        case e.Shown(facet=Frame() as frame):
            return pictured(now, frame.dated(event.turn, event.branch))
        case e.Shown(facet=Grounded(replies=replies)):
            return replace(now, groundings=reduce(SharedList.plus, replies, now.groundings))
        case e.Shown(facet=facet, of=of):
            return replace(now, facets=MappingProxyType({**now.facets, type(facet): (facet, of or event.moment)}))
        case e.Asked() | e.AskedAside() | e.Replied():
            return _after_call(now, what, event)
        case e.CommandTaken(ok=True, command=command):
            return _after_command(now, command)
        case e.Began() | e.TurnBegan() | e.Decided() | e.Acted() | e.Ended() | e.Standing():
            return _after_play(now, what, event)
        case _:
            return _after_other(now, what, event)


def pictured(snapshot: Snapshot, frame: Frame) -> Snapshot:
    """Returns the snapshot with the picture, unless it already holds one that is nearer to its own turn.

    Pictures arrive late and out of order: pictures that a fast run left out are drawn afterwards.
    """
    old = snapshot.frames.get(frame.camera)
    if frame.is_missing or (old is not None and _nearness(frame, snapshot) < _nearness(old, snapshot)):
        return snapshot
    return replace(snapshot, frames=MappingProxyType({**snapshot.frames, frame.camera: frame}))


def _nearness(frame: Frame, snapshot: Snapshot) -> tuple[bool, bool, int, bool]:
    """Returns a sort key for how near a picture is to a snapshot: same turn, same branch, later turn, after the action."""
    own = frame.branch == snapshot.branch
    return own and frame.turn == snapshot.turn, own, frame.turn, frame.phase == "after"


def fold_all(events: Iterable[e.Event], snapshot: Snapshot | None = None) -> Snapshot:
    """Returns the snapshot after many events."""
    return reduce(fold, events, snapshot or Snapshot())


def call_of(event: e.Event, what: e.Asked | e.AskedAside) -> Call:
    """Returns the call for a model request that was sent."""
    by: e.Who = "planner" if isinstance(what, e.Asked) else "operator"
    return Call(what.id, event.turn, event.branch, what.ask, what.source, event.at, by=by)


def turn_begun(event: e.Event, what: e.TurnBegan) -> Turn:
    """Returns the turn at its beginning."""
    return Turn(event.turn, event.branch, event.at, what.seen.agent, work_began=event.worked)


def turn_decided(turn: Turn, what: e.Decided, ranking: Ranking | None) -> Turn:
    """Returns the turn once its action is chosen, with `best` and `loss` from the ranking that was shown in it."""
    best, loss = _best_and_loss(ranking, what.action)
    return replace(turn, action=what.action, by=what.by, because=what.because, instead_of=what.instead_of, best=best, loss=loss)


def turn_acted(turn: Turn, event: e.Event, what: e.Acted) -> Turn:
    """Returns the turn once its action is executed."""
    return replace(turn, ended=event.at, outcome=Done.of(what.outcome), by=what.by,
                   thinking=what.thinking, waiting=what.waiting, acting=what.acting, work_ended=event.worked,
                   compiling=what.compiling)


def _after_call(now: Snapshot, what: e.Asked | e.AskedAside | e.Replied, event: e.Event) -> Snapshot:
    if isinstance(what, e.Asked):
        return _with_status(replace(now, waiting=(*now.waiting, call_of(event, what))))
    if isinstance(what, e.AskedAside):
        return replace(now, aside=(*now.aside, call_of(event, what)))
    reply, calls = what.reply, now.calls
    for call in (*now.waiting, *now.aside):
        if call.id == what.id:
            calls = calls.plus(replace(call, reply=reply))
    now = replace(now, calls=calls, usage=used_after(now.usage, reply))
    aside = tuple(call for call in now.aside if call.id != what.id)
    if len(aside) != len(now.aside):
        return replace(now, aside=aside)
    waiting = tuple(call for call in now.waiting if call.id != what.id)
    failed = tuple(one for one in now.failed_requests if one.call in {call.id for call in waiting})
    failure = next(iter(failed), None) if now.failure is None or now.failure.part == "model" else now.failure
    return _with_status(replace(now, waiting=waiting, failure=failure, failed_requests=failed))


def _with_status(now: Snapshot) -> Snapshot:
    """Returns the snapshot with its status: the first of these that holds. A full disk pauses the run, and nothing else."""
    is_down = now.failure is not None and now.failure.part in STOPPING
    return replace(now, status="failed" if is_down else "ended" if now.ended is not None else "paused" if now.pause else
                   "waiting" if now.waiting else "thinking")


def _after_command(now: Snapshot, command: c.Command) -> Snapshot:
    now = command.settings_after(now)
    if command.is_intervention:
        now = replace(now, interventions=now.interventions + 1)
    if isinstance(command, c.UseModel) and now.source is not None:  # it is asked what is not answered yet
        now = replace(now, waiting=tuple(replace(call, source=now.source.text) for call in now.waiting))
    resolves = command.resolves_failure and now.failure is not None and (
        isinstance(command, c.Retry) or now.failure.part == "model")  # another model does not bring a simulator back
    return _with_status(replace(now, failure=None, failed_requests=())) if resolves else now


def _after_hit(now: Snapshot, what: e.BreakpointHit, event: e.Event) -> Snapshot:
    hit = Hit(event.at, event.turn, event.branch, what.point, what.what, what.count)
    points = tuple(p for p in now.breakpoints if p != what.point) if what.point.once else now.breakpoints
    stopped = now.stopped if what.point.log or now.ended is not None or now.pace.rule == "full" else hit
    return replace(now, hits=now.hits.plus(hit), stopped=stopped, breakpoints=points)


def _after_play(now: Snapshot, what: e.Began | e.TurnBegan | e.Decided | e.Acted | e.Ended | e.Standing, event: e.Event
            ) -> Snapshot:
    match what:
        case e.Began():
            return replace(now, began=what, goal=what.goal, parameters=what.parameters, most_steps=what.most_steps,
                           limits=what.limits.limits, sources=() if what.source is None else (what.source,), status="thinking")
        case e.TurnBegan(seen=seen, progress=progress):
            status: Status = "paused" if now.pause else "thinking"
            return replace(now, seen=seen, progress=progress, current=turn_begun(event, what), stopped=None,
                           at_action=NO_FACETS, status=status, ended=None, failure=None)
        case e.Standing():
            return replace(now, goal=what.goal, parameters=what.parameters, banned=what.banned, seen=what.seen,
                           progress=what.progress)
        case e.Ended():
            return _with_end(replace(now, waiting=(), current=None, stopped=None))
        case _:
            return _after_choice(now, what, event)


def _with_end(now: Snapshot) -> Snapshot:
    """Returns the snapshot with the end of the present branch: the first end that was reported for it."""
    state = now.branch_states[now.branch]
    return replace(now, status="ended", ended=state.ended, progress=state.progress, pause="", held=0.0, failure=None)


def _after_choice(now: Snapshot, what: e.Decided | e.Acted, event: e.Event) -> Snapshot:
    current = now.current
    if current is None:
        return now
    if isinstance(what, e.Decided):
        turn = turn_decided(current, what, now.fresh(Ranking))
        now = _with_status(replace(now, failure=None)) if now.failure is not None and now.failure.part in STOPPING else now
        return replace(now, current=turn) if what.by == "planner" else replace(now, current=turn, waiting=())
    turn = turn_acted(current, event, what)
    acted = replace(now, turns=now.turns.plus(turn), current=None, seen=what.outcome.observation, options=None, changes=None,
                    stopped=None, at_action=now.facets)
    if len(now.line) and turn.number <= now.line[-1].number:  # the turn was played again on its branch
        return _with_line(acted)
    return replace(acted, line=now.line.plus(turn))


def _best_and_loss(ranking: Ranking | None, chosen: Action | None) -> tuple[Action | None, float | None]:
    """Returns the best action of a ranking and the loss of the chosen one against it. A macro counts as its first step."""
    if ranking is None:
        return None, None
    best, lowest, loss = None, float("inf"), None
    for ranked in ranking.actions:
        if not ranked.steps or ranked.loss is None:
            continue
        if ranked.loss < lowest:
            best, lowest = ranked.steps[0], ranked.loss
        if (loss is None or ranked.loss < loss) and ranked.steps[0] == chosen:
            loss = ranked.loss
    return best, loss


def _after_other(now: Snapshot, what: e.Payload, event: e.Event) -> Snapshot:
    match what:
        case e.Paused(reason=reason, seconds=seconds):
            return _with_status(replace(now, pause=reason, held=seconds))
        case e.Resumed():
            return _with_status(replace(now, pause="", held=0.0, stopped=None))
        case e.BreakpointHit():
            return _after_hit(now, what, event)
        case e.Failed() | e.Recovered():
            return _after_failure(now, what)
        case e.Rewound(turn=turn, branch=branch, parent=parent):
            return _on_other_branch(replace(now, branches=(*now.branches, (branch, parent, turn))))
        case e.Switched():
            return _on_other_branch(now)
        case e.ActionsListed() | e.ChangesListed():
            return replace(now, options=what) if isinstance(what, e.ActionsListed) else replace(now, changes=what)
        case e.Annotated() | e.Relabelled():
            return replace(now, labels=labels_after(now.labels, event), labelled=now.labelled + 1)
        case _:
            return now


def _after_failure(now: Snapshot, what: e.Failed | e.Recovered) -> Snapshot:
    """Returns the snapshot after a failure or a recovery."""
    if isinstance(what, e.Recovered):
        is_resolved = now.failure is None or now.failure.part == what.part
        return _with_status(replace(now, failure=None)) if is_resolved else now
    if not what.waits:
        return now
    failed = now.failed_requests if what.call is None else (*(f for f in now.failed_requests if f.call != what.call), what)
    return replace(now, failure=what, status="failed", failed_requests=failed)


def _on_other_branch(now: Snapshot) -> Snapshot:
    """Returns the snapshot on another branch, or at an earlier turn on a new one. Facets and waiting requests are dropped."""
    now = _with_line(replace(now, waiting=(), current=None, failure=None, ended=None, options=None, changes=None, stopped=None,
                             facets=NO_FACETS, at_action=NO_FACETS))
    state = now.branch_states.get(now.branch)
    return _with_end(now) if state is not None and state.ended is not None else _with_status(now)


def _with_line(now: Snapshot) -> Snapshot:
    """Returns the snapshot with `line` computed again, for the cases in which it does not just grow."""
    return replace(now, line=SharedList(line_of(now.turns, now.branches, now.branch)))


def labels_after(known: Labels, event: e.Event) -> Labels:
    """Returns the labels after one more event. The start and stop of one annotator's label become one annotation."""
    if not isinstance(event.what, e.Annotated | e.Relabelled):
        return known
    now = dict(known)
    gather(now, event)
    return MappingProxyType(now)


def gather(now: dict[str, Annotation], event: e.Event) -> Change | None:
    """Applies the change of one event to `now`, in place, so that a fold over many labels copies none of them.

    Returns the change; None if the event changes no label.
    """
    match event.what:
        case e.Annotated() as what:
            change = _live_label(now, event, what)
        case e.Relabelled(change=change):
            pass
        case _:
            return None
    _apply_change(now, change)
    return change


def _live_label(now: dict[str, Annotation], event: e.Event, what: e.Annotated) -> Change:
    """Returns what a label given during the run changes: it is new, or it ends the open interval of its name."""
    new = Annotation(what.id or f"event {event.number}", what.label, event.at, None, what.phase != "point", event.turn,
                     event.branch, what.note, what.annotator)
    start = _latest_open(now.values(), what.label, what.annotator) if what.phase == "stop" else None
    if start is not None:
        return Change(start, replace(start, until=max(start.at, event.at)))
    return Change(None, replace(new, until=event.at, note=new.note or START_MISSING) if what.phase == "stop" else new)


def _apply_change(now: dict[str, Annotation], change: Change) -> None:
    """Applies a change. A changed label keeps its position in the order."""
    before, after = change.before, change.after
    if before is not None and (after is None or after.id != before.id):
        now.pop(before.id, None)
    if after is not None:
        now[after.id] = after


def open_state(known: Labels, label: str, annotator: str) -> Annotation | None:
    """Returns the latest interval of a label that this annotator has not ended; None if there is none."""
    return _latest_open(tuple(known.values()), label, annotator)


def _latest_open(known: Reversible[Annotation], label: str, annotator: str) -> Annotation | None:
    matching = (a for a in reversed(known) if (a.label, a.annotator) == (label, annotator))
    return next((a for a in matching if a.state and a.until is None), None)
