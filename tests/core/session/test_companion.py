"""A second planner beside the first: the first one's run is what it is alone, and what the second would do is in the record."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest

from core.app.headless import agreement, follow
from core.app.launch import build
from core.app.run_request import Request
from core.common.errors import ModelError, UsageError
from core.planners.neoplanner.recorded_types import StateGraph
from core.planners.registry import make_planner
from core.planning.belief_facets import Belief
from core.planning.companion import CompanionDecision
from core.planning.facets import Facet, Plan
from core.planning.model_requests import ModelReply, ModelRequest
from core.planning.planner import Decision, Planner, Thought
from core.planning.search_facets import Ranking, SearchTree
from core.recording.reader import open_recording
from core.recording.recorder import Recorder
from core.recording.takeover import continued, take_over
from core.session import commands as c
from core.session import events as e
from core.session.annotation import COMPANION
from core.session.breakpoints import Breakpoint
from core.session.companion import DIVERGENCE
from core.session.pace import Pace
from core.session.session import Session
from core.session.setup import Beside, Setup
from core.session.snapshot import fold_all
from core.world.vocabulary import Action, Observation
from sim.registry import simulator_class
from tests.core.planners.levers import GOAL as LEVERS
from tests.core.planners.levers import Levers, Weak
from tests.core.recording.common import CODEC, PATIENT
from tests.core.session.toys import LEFT, RIGHT, Ear, Guide, Walker, session
from tests.long_tests import either
from tests.waiting import PATIENCE, until

NEXT = Breakpoint("diverged", once=True)


# --- the driving planner's run ------------------------------------------------------
def played(request: Request) -> list[e.Event]:
    """Returns the events of a run."""
    run = Session(build(request, simulator_class))
    ear = Ear(run)
    run.run()
    return ear.events


def is_beside(event: e.Event) -> bool:
    """Returns True for an event that is the companion's."""
    match event.what:
        case e.Shown(facet=CompanionDecision()) | e.Diverged() | e.Annotated(annotator="companion"):
            return True
        case _:
            return False


def written(events: list[e.Event]) -> Iterator[tuple[int, int, str]]:
    """Yields turn, branch and exact content of each event that is not the companion's, without times.

    Replies to requests that are sent together may arrive in any order, also in a run without a companion.
    """
    def order(event: e.Event) -> int:
        return event.what.id if isinstance(event.what, e.Replied) else -1

    groups = groupby((event for event in events if not is_beside(event)), lambda event: isinstance(event.what, e.Replied))
    for event in (event for _, group in groups for event in sorted(group, key=order)):
        what = event.what
        if isinstance(what, e.Began):
            what = replace(what, beside="", beside_provider="")
        elif isinstance(what, e.Acted):
            what = replace(what, thinking=0.0, waiting=0.0, acting=0.0, compiling=0.0)
        elif isinstance(what, e.Replied):
            what = replace(what, reply=replace(what.reply, seconds=0.0, first_token=0.0, rate=0.0))
        yield event.turn, event.branch, CODEC.dumps(what)


def decisions(events: list[e.Event]) -> list[tuple[e.Event, CompanionDecision]]:
    """Returns what the companion decided, each with its event."""
    return [(x, x.what.facet) for x in events
            if isinstance(x.what, e.Shown) and isinstance(x.what.facet, CompanionDecision) and x.what.of is None]


PAIRS: tuple[tuple[str, dict[str, int], str], ...] = (
    ("llm-mcts", {"simulations": 40}, "llm-mcts:paper+simulations=40"), ("llm-mcts", {"simulations": 40}, "bcr"),
    ("llm-mcts", {"simulations": 40}, "oracle"), ("uct", {"simulations": 40}, "llm-mcts+simulations=40"), ("bcr", {}, "bcr"),
    ("bcr", {}, "llm-state"), ("llm-state", {}, "inner-monologue"),
    ("greedy", {}, "progprompt"), ("oracle", {}, "greedy"), ("inner-monologue", {}, "uct+simulations=40"),
)


@pytest.mark.parametrize(("planner", "parameters", "beside"), PAIRS, ids=[f"{a} beside {b}" for a, _, b in PAIRS])
@pytest.mark.parametrize("seed", either([4], [1, 4]))
def test_the_driving_planners_run_is_what_it_is_alone(
    planner: str, parameters: dict[str, int], beside: str, seed: int
) -> None:
    alone = Request(planner=planner, parameters=parameters, seed=seed, max_steps=either(4, 6))
    together = played(replace(alone, beside=beside))
    assert list(written(together)) == list(written(played(alone)))
    turns = {event.turn for event in together if isinstance(event.what, e.Acted)}
    thought = decisions(together)
    assert turns <= {event.turn for event, _ in thought}
    assert not any(decision.trouble for _, decision in thought)


@pytest.mark.parametrize("preset", ["", "paper"])
def test_neoplanner_in_lockstep_leaves_the_run_as_it_is_alone(preset: str) -> None:
    def run(*, beside: bool) -> list[e.Event]:
        def made(preset: str) -> Planner:
            return make_planner("neoplanner", preset, {"rounds": 2, "horizon": 3})

        second = Beside(made(preset), Weak(), f"neoplanner:{preset}") if beside else None
        played = Session(Setup(made(""), Levers, LEVERS, 0, 12, {"weak": Weak()}, beside=second))
        ear = Ear(played)
        played.run()
        return ear.events

    together = run(beside=True)
    assert list(written(together)) == list(written(run(beside=False)))
    thought = decisions(together)
    assert len(thought) >= 10
    assert not any(decision.trouble for _, decision in thought)
    assert all(decision.facet(StateGraph) is not None for _, decision in thought)


def test_equal_planners_agree_in_every_turn() -> None:
    request = Request(planner="llm-mcts", parameters={"simulations": 40}, seed=2, max_steps=8,
                      beside="llm-mcts+simulations=40")
    now = fold_all(events := played(request))
    for event, decision in decisions(events):
        assert decision.agrees
        for own in decision.facets:
            if isinstance(own, Ranking | SearchTree):
                shown = [x.what.facet for x in events if isinstance(x.what, e.Shown) and x.turn == event.turn]
                assert [x for x in shown if type(x) is type(own)][-1] == own
    assert not [mark for mark in now.marks if mark.kind == "divergence"]


# --- toys ----------------------------------------------------------------------
class Contrary(Walker):
    """Would go left in turns of even number. Notes how often it was told an outcome."""

    def plan(self, observation: Observation) -> Thought:
        for look in range(2):
            yield Plan((), f"contrary look {look} draw {int(self.rng.integers(1000))}, heard {self.heard}")
        if self.parameters.looks:
            yield self.ask(observation, "way")
        allowed = [a for a in ((LEFT, RIGHT) if self.heard % 2 else (RIGHT, LEFT)) if a not in self.banned]
        return Decision(allowed[0] if allowed else None, "contrary")


class Broken(Walker):
    """Breaks while it thinks and while it is told."""

    def plan(self, observation: Observation) -> Thought:
        yield Plan((), "soon")
        raise ZeroDivisionError("a bug")

    def update(self, outcome: object) -> None:
        raise ZeroDivisionError("another bug")


@dataclass
class Toy:
    """A run with a companion, and its listener."""

    run: Session
    ear: Ear

    @property
    def shown(self) -> dict[int, CompanionDecision]:
        """The newest decision of each turn."""
        return {event.turn: decision for event, decision in decisions(self.ear.events)}


def beside(planner: Walker | None = None, model: Guide | None = None, **more: Walker) -> Toy:
    made, _ = session(**more)  # type: ignore[arg-type]
    run = Session(replace(made.setup, beside=Beside(planner or Contrary(), model or Guide(), "contrary")))
    return Toy(run, Ear(run))


@pytest.mark.parametrize(("driving", "beside"), [("oracle", "greedy"), ("bcr", "oracle"), ("llm-state", "uct")])
@pytest.mark.parametrize("seed", either([5], [2, 5]))
def test_it_diverges_where_its_own_episode_in_a_world_of_its_own_does(driving: str, beside: str, seed: int) -> None:
    request = Request(scene="four-rooms-1", seed=seed, max_steps=8, planner=driving)
    together = played(replace(request, beside=beside))
    diverged = next((event.turn for event in together if isinstance(event.what, e.Diverged)), None)
    own, other = ([str(event.what.outcome.action) for event in played(replace(request, planner=planner))
                   if isinstance(event.what, e.Acted)] for planner in (driving, beside))
    first = next((turn for turn, pair in enumerate(zip(own, other, strict=False), 1) if pair[0] != pair[1]), None)
    assert diverged == first


def test_each_turn_has_its_decision_and_the_first_divergence_a_label() -> None:
    toy = beside()
    toy.run.run()
    assert [toy.shown[turn].action for turn in range(1, 6)] == [RIGHT, LEFT, RIGHT, LEFT, RIGHT]
    assert [toy.shown[turn].agrees for turn in range(1, 6)] == [True, False, True, False, True]
    assert all(f"heard {turn - 1}" in toy.shown[turn].facet(Plan).because for turn in range(1, 6))  # type: ignore[union-attr]
    now = fold_all(toy.ear.events)
    [label] = now.labels.values()
    assert (label.label, label.turn, label.annotator) == (DIVERGENCE, 2, COMPANION)
    assert [(mark.turn, mark.text) for mark in now.marks] == [(2, "contrary would go left"), (4, "contrary would go left")]


def test_its_calls_are_its_own_and_are_counted_apart() -> None:
    model = Guide()
    toy, alone = beside(model=model), session()
    toy.run.run()
    alone[0].run()
    assert [toy.shown[turn].spent for turn in range(1, 6)] == [(1, 10, 1)] * 5
    assert len(model.asked) == 5
    now, other = fold_all(toy.ear.events), fold_all(alone[1].events)
    assert (now.model_calls, now.tokens_in, len(now.calls)) == (other.model_calls, other.tokens_in, len(other.calls))


def test_the_run_goes_on_until_the_next_divergence_and_stops_before_the_action() -> None:
    toy = beside()
    toy.run.post(c.SetBreakpoint(NEXT))
    stops: list[int] = []

    def look(event: e.Event) -> None:
        if isinstance(event.what, e.Paused):
            now = fold_all(toy.ear.events)
            stops.append(event.turn)
            assert now.turn == event.turn == len(now.line) + 1, "before the action"
            assert now.fresh(CompanionDecision) is not None
            assert not now.breakpoints, "set for one stop"
            toy.run.post(c.SetBreakpoint(NEXT))
            toy.run.post(c.Resume())

    toy.run.subscribe(look)
    toy.run.run()
    assert stops == [2, 4]


@pytest.mark.parametrize("told", [True, False])
def test_an_override_while_it_thinks_is_like_one_of_itself(*, told: bool) -> None:
    class Asked(Guide):
        def answer(self, ask: ModelRequest, cancelled: threading.Event) -> ModelReply:
            reply = super().answer(ask, cancelled)
            if len(self.asked) == 2:
                toy.run.post(c.Override(RIGHT, told=told))
                assert cancelled.wait(PATIENCE), "the session waits for it no longer"
            return reply

    toy = beside(model=Asked())
    toy.run.run()
    assert [what.by for what in toy.ear.of(e.Decided)][:3] == ["planner", "operator", "planner"]
    assert 2 not in toy.shown
    assert f"heard {2 if told else 1}" in toy.shown[3].facet(Plan).because  # type: ignore[union-attr]


def test_pause_step_and_stop_are_obeyed_while_it_waits() -> None:
    toy = beside(model=Guide(wait=30.0))
    asked = toy.run.setup.beside.model.asked  # type: ignore[union-attr]

    def operate() -> None:
        until(lambda: asked)
        toy.run.post(c.Pause())
        toy.run.post(c.Stop())

    threading.Thread(target=operate).start()
    ended = toy.run.run()
    assert ended.cut
    assert not toy.shown
    assert not toy.ear.of(e.Acted)


def test_a_step_ends_at_a_yield_of_the_companion() -> None:
    toy = beside()
    toy.run.post(c.Pause())
    stops = 0

    def step(event: e.Event) -> None:
        nonlocal stops
        if isinstance(event.what, e.Paused):
            stops += 1
            toy.run.post(c.Step("checkpoint") if stops < 8 else c.Stop())

    toy.run.subscribe(step)
    toy.run.run()
    # the pause, four yields of the driving planner (three looks, one request), and three of the companion
    assert stops == 8
    assert not toy.ear.of(e.Decided)
    assert len(toy.run.setup.beside.model.asked) == 1  # type: ignore[union-attr]


def test_going_back_restores_it_and_its_replies() -> None:
    model = Guide()
    toy = beside(model=model)
    toy.ear.when(lambda x: isinstance(x.what, e.Acted) and x.turn == 4, c.Fork(2))
    toy.run.run()
    shown = [(x.branch, x.turn, replace(decision, calls=())) for x, decision in decisions(toy.ear.events)]
    first = {turn: facet for branch, turn, facet in shown if branch == 0}
    assert all(facet == first[turn] for branch, turn, facet in shown if branch and turn in first)
    assert [turn for branch, turn, _ in shown if branch] == [2, 3, 4, 5]
    assert len(model.asked) == 5, "the replies of turns 2 to 4 are known"
    assert len(fold_all(toy.ear.events).labels) == 2, "the fork begins before the first divergence, and has one of its own"


def test_a_ban_holds_for_both_and_an_edit_makes_only_the_driving_planner_choose_again() -> None:
    model = Guide()
    toy = beside(model=model)
    toy.run.post(c.SetBreakpoint(Breakpoint("diverged")))
    toy.run.post(c.SetBreakpoint(Breakpoint("turn == 3")))
    seen: list[tuple[int, str]] = []

    def operate(event: e.Event) -> None:
        if isinstance(event.what, e.Paused):
            seen.append((event.turn, event.what.reason))
            if len(seen) == 1:
                toy.run.post(c.Edit(Plan((), "edited")))
            elif len(seen) == 2:
                assert len(model.asked) == 2, "it need not think again"
                toy.run.post(c.Ban(LEFT))
            elif len(seen) == 3:
                assert toy.shown[2].action == RIGHT, "it thought again"
                toy.run.post(c.Stop())

    toy.run.subscribe(operate)
    toy.run.run()
    assert [turn for turn, _ in seen] == [2, 2, 2]
    assert len(fold_all(toy.ear.events).labels) == 1


class Persuadable(Contrary):
    """Would go where its last edit says; before one as `Contrary`."""

    def begin(self, *episode: object) -> None:
        super().begin(*episode)  # type: ignore[arg-type]
        self.told_way = ""

    def plan(self, observation: Observation) -> Thought:
        decision = yield from super().plan(observation)
        return Decision(LEFT if self.told_way == "left" else RIGHT, self.told_way) if self.told_way else decision

    def accept(self, facet: Facet) -> None:
        assert isinstance(facet, Plan)
        if facet.because == "odd":
            raise ZeroDivisionError("a bug")
        self.told_way = facet.because


def told(way: str) -> c.EditCompanion:
    return c.EditCompanion(Plan((), way), f"go {way}")


def paused_at(toy: Toy, turn: int, *then: tuple[c.Command, ...]) -> list[str]:
    """Pauses before the action of a turn, and posts a group of commands at each pause there. Returns the reasons."""
    toy.run.post(c.SetPace(Pace("actions")))
    reasons: list[str] = []

    def operate(event: e.Event) -> None:
        if isinstance(event.what, e.Paused):
            if event.turn != turn:
                toy.run.post(c.Resume())
                return
            reasons.append(event.what.reason)
            for command in then[len(reasons) - 1] if len(reasons) <= len(then) else (c.Resume(),):
                toy.run.post(command)

    toy.run.subscribe(operate)
    return reasons


def test_an_edit_of_it_makes_only_the_companion_think_again() -> None:
    toy, alone = beside(Persuadable()), session()
    reasons = paused_at(toy, 3, (told("left"),))
    toy.run.run()
    alone[0].run()
    assert reasons == [Pace("actions").words, "the second planner thought again"]
    assert [toy.shown[turn].action for turn in range(1, 6)] == [RIGHT, LEFT, LEFT, LEFT, LEFT]
    operated = e.CommandTaken, e.BreakpointHit, e.Paused, e.Resumed, e.Standing
    own = [x for x in toy.ear.events if not isinstance(x.what, operated)]
    assert list(written(own)) == list(written([x for x in alone[1].events if not isinstance(x.what, operated)]))
    [mark] = [mark for mark in fold_all(toy.ear.events).marks if mark.kind == "edit"]
    assert (mark.turn, mark.text) == (3, "second planner: go left")


def test_an_edit_of_it_outlives_a_ban_and_a_fork_of_the_turn_and_ends_where_the_run_goes_back() -> None:
    toy = beside(Persuadable())
    paused_at(toy, 3, (told("left"),), (c.Ban(Action("go", ("nowhere",))),), (c.Fork(), c.Resume()))
    toy.ear.when(lambda x: isinstance(x.what, e.Acted) and x.turn == 4 and x.branch == 1, c.Rewind(2))
    toy.run.run()
    shown = {(x.branch, x.turn): decision.action for x, decision in decisions(toy.ear.events)}
    assert [shown[0, turn] for turn in (1, 2, 3)] == [RIGHT, LEFT, LEFT]
    assert [shown[1, turn] for turn in (3, 4)] == [LEFT, LEFT]
    assert [shown[2, turn] for turn in (2, 3, 4)] == [LEFT, RIGHT, LEFT], "as if it had not been edited"


def test_edits_that_it_cannot_take_are_refused() -> None:
    toy = beside(Persuadable())
    paused_at(toy, 2, (told("odd"), c.EditCompanion(Ranking((), 0, 0)), c.Resume()))
    toy.ear.when(lambda x: isinstance(x.what, e.Began), told("left"))
    toy.run.run()
    reasons = [x.reason for x in toy.ear.of(e.CommandTaken) if not x.ok]
    assert reasons == ["the second planner has not thought about this turn yet: try again when it has",
                       "contrary, the second planner, broke over the edit: a bug",
                       "contrary, the second planner, takes no edits of its Ranking"]
    assert [toy.shown[turn].action for turn in range(1, 6)] == [RIGHT, LEFT, RIGHT, LEFT, RIGHT]
    run, ear = session()
    ear.when(lambda x: isinstance(x.what, e.Acted), told("left"))
    run.run()
    assert "there is no second planner" in next(x.reason for x in ear.of(e.CommandTaken) if not x.ok)


def test_an_edit_of_its_belief_lasts_in_a_run_that_goes_on_from_the_recording(tmp_path: Path) -> None:
    request = Request(planner="greedy", beside="llm-mcts+simulations=30", seed=3, max_steps=6)
    run, recorder = Session(build(request, simulator_class)), Recorder(tmp_path / "a.mcap", lambda said: None, limits=PATIENT)
    run.follow(recorder.on_event)
    ear = Ear(run)
    run.post(c.SetPace(Pace("actions")))
    edited: list[Belief] = []

    def operate(event: e.Event) -> None:
        if isinstance(event.what, e.Paused):
            if event.turn == 2 and not edited:
                belief = fold_all(ear.events).fresh(CompanionDecision).facet(Belief)  # type: ignore[union-attr]
                assert belief is not None
                values = np.zeros_like(belief.probability)
                values[:, -1] = 1.0
                edited.append(replace(belief, probability=values))
                run.post(c.EditCompanion(edited[0]))
            else:
                run.post(c.Resume())

    run.subscribe(operate)
    run.run()
    recorder.close()

    def sure(events: list[e.Event], turn: int) -> float:
        """The companion's greatest probability of the last place in a turn."""
        belief = next(d for x, d in decisions(events) if x.turn == turn).facet(Belief)
        assert belief is not None
        return float(belief.probability[:, -1].max())

    with open_recording(tmp_path / "a.mcap", CODEC) as recording:
        past = take_over(recording, recording.number_at(turn=4))
        again = Session(continued(build(request, simulator_class), past))
        rest = Ear(again)
        again.run()
    assert not [x for x in rest.of(e.CommandTaken) if not x.ok]
    assert sure(ear.events, 3) > sure(played(request), 3)
    assert sure(rest.events, 5) == sure(ear.events, 5)
    assert sure(rest.events, 5) > sure(played(request), 5)


def test_neither_its_bugs_nor_its_model_stop_the_run() -> None:
    for planner, model in ((Broken(), Guide()), (Contrary(), Guide(fail=[ModelError("no", "refused", retry=False)] * 9))):
        toy = beside(planner, model)
        ended = toy.run.run()
        assert ended.success
        assert all(facet.trouble and facet.agrees for facet in toy.shown.values())
        assert all("contrary broke" in fault.message and not fault.waits for fault in toy.ear.of(e.Failed))
    assert len(toy.shown) == 5


def recorded(request: Request, path: Path) -> Ear:
    """Plays a run and records it. Returns its events."""
    run, recorder = Session(build(request, simulator_class)), Recorder(path, lambda said: None, limits=PATIENT)
    run.follow(recorder.on_event)
    ear = Ear(run)
    run.run()
    recorder.close()
    return ear


def test_a_recording_holds_it(tmp_path: Path) -> None:
    ear = recorded(Request(planner="greedy", beside="bcr", seed=1, max_steps=8), tmp_path / "a.mcap")
    with open_recording(tmp_path / "a.mcap", CODEC) as recording:
        for event in ear.events:
            if isinstance(event.what, e.Acted):
                now, live = recording.snapshot_at(event.number), fold_all(ear.events[:event.number + 1])
                assert CODEC.dumps(now.fresh(CompanionDecision)) == CODEC.dumps(live.fresh(CompanionDecision))
                assert now.moment_of(CompanionDecision) == live.moment_of(CompanionDecision)
                assert list(now.marks) == list(live.marks)
                assert now.model_calls == live.model_calls
        assert recording.snapshot_at(recording.numbers[-1]).began.beside == "bcr"  # type: ignore[union-attr]


def test_a_run_that_goes_on_from_a_recording_has_told_it_the_past(tmp_path: Path) -> None:
    request = Request(planner="greedy", beside="bcr", seed=3, max_steps=6)
    whole = recorded(request, tmp_path / "a.mcap")
    with open_recording(tmp_path / "a.mcap", CODEC) as recording:
        past = take_over(recording, recording.number_at(turn=3))
        again = Session(continued(build(request, simulator_class), past))
        rest = Ear(again)
        again.run()
    assert {event.turn for event, _ in decisions(rest.events)} == {4, 5, 6}
    told = {event.turn: decision.action for event, decision in decisions(whole.events)}
    assert {event.turn: decision.action for event, decision in decisions(rest.events)} == {k: told[k] for k in (4, 5, 6)}


def test_who_cannot_think_beside_is_refused_in_one_line() -> None:
    with pytest.raises(UsageError, match="lab-policy cannot think beside greedy in household"):
        build(Request(planner="greedy", beside="lab-policy"), simulator_class)
    with pytest.raises(UsageError, match="cannot ask you"):
        build(Request(planner="greedy", beside="bcr", beside_provider="human"), simulator_class)


def test_a_run_without_a_window_says_and_counts_where_they_differ() -> None:
    said: list[str] = []
    run = follow(beside().run.setup, said.append)
    found = agreement(run.beside)
    assert {name: found[name] for name in ("planner", "decisions", "agreed", "failed", "first_divergence", "llm_calls")} == {
        "planner": "contrary", "decisions": 5, "agreed": 3, "failed": 0, "first_divergence": 2, "llm_calls": 5}
    assert [(turn["turn"], turn["did"], turn["would"]) for turn in found["turns"]] == [(2, "go right", "go left"),
                                                                                     (4, "go right", "go left")]
    assert sum("contrary would do: go left" in line for line in said) == 2
