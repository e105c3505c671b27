"""What is evidence for a decision: only what was shown and asked until it, on the line that led to it."""

from __future__ import annotations

from collections.abc import Callable

from core.app.launch import build
from core.app.run_request import Request
from core.planners.bcr.recorded_types import BlockingTree
from core.planners.registry import make_planner
from core.session import commands as c
from core.session import events as e
from core.session.explaining import evidence_of, explain
from core.session.session import Session
from core.session.setup import Setup
from core.session.snapshot import Snapshot, fold
from core.world.vocabulary import Action
from sim.registry import simulator_class
from tests.core.planners.levers import GOAL, Levers, Weak, pull

OTHER = Action("fly", ("moon_1",))


def played(setup: Setup, wanted: tuple[type[e.Payload], ...],
           meddle: Callable[[Session, e.Event], None] = lambda session, event: None) -> list[Snapshot]:
    """Plays a run. Returns the snapshot after each event of the wanted kinds."""
    session, now, shots = Session(setup), Snapshot(), list[Snapshot]()

    def listen(event: e.Event) -> None:
        nonlocal now
        now = fold(now, event)
        if isinstance(event.what, wanted):
            shots.append(now)
        meddle(session, event)

    session.subscribe(listen)
    session.run()
    return shots


def levers(steps: int) -> Setup:
    planner = make_planner("neoplanner", "", {"rounds": 2, "horizon": 3})
    return Setup(planner, Levers, GOAL, 0, steps, {"weak": Weak()}, {"planner": "neoplanner", "scene": "levers"})


def test_calls_of_a_branch_that_was_left_are_no_evidence() -> None:
    done: list[bool] = []

    def back(session: Session, event: e.Event) -> None:
        if isinstance(event.what, e.TurnBegan) and event.turn == 10 and not done:
            done.append(True)
            session.post(c.Rewind(5))

    end = played(levers(12), (e.Ended,), back)[-1]
    decision = evidence_of(end)
    assert decision is not None
    branch_of = {call.id: (call.branch, call.turn) for call in end.calls}
    assert {branch_of[call.number][0] for call in decision.earlier} == {0, end.branch}
    assert all(branch == end.branch or turn < 5 for branch, turn in (branch_of[call.number] for call in decision.earlier))
    assert [call.turn for call in decision.calls] == [end.turn] * len(decision.calls)


def test_what_is_shown_after_the_last_action_is_no_evidence_for_it() -> None:
    acted, *_, end = played(build(Request("bcr", seed=4, max_steps=1), simulator_class), (e.Acted, e.Ended))
    then, now = evidence_of(acted), evidence_of(end)
    assert then is not None
    assert now is not None
    assert end.facet(BlockingTree) != acted.facet(BlockingTree)
    assert now.fresh(BlockingTree) == acted.facet(BlockingTree)
    assert explain(end, OTHER) == explain(acted, OTHER)


def test_a_run_that_ends_without_an_action_says_why() -> None:
    setup = build(Request("progprompt", "once", {"line_actions": 1}, seed=4, max_steps=30), simulator_class)
    end = played(setup, (e.Ended,))[-1]
    assert end.ended is not None
    assert end.ended.reason.startswith("1 programs ended short")
    first, *rest = explain(end, OTHER)
    assert first.claim == "stop"
    assert end.ended.reason in first.text
    assert any(sentence.claim == "failed" for sentence in rest)
    assert [one.claim for one in explain(end, None)] == ["stop"], "it is said also if there is no other action"


def test_a_decision_is_not_compared_with_itself_nor_explained_before_it_is_made() -> None:
    decided = played(levers(2), (e.Decided,))[0]
    assert decided.current is not None
    assert decided.current.action is not None
    assert explain(decided, decided.current.action) == ()
    assert explain(decided, Action("do", (pull(9),)))
    assert evidence_of(Snapshot()) is None
