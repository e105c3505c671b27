"""What is evidence for a decision: only what was shown and asked until it, on the line that led to it."""

from __future__ import annotations

from collections.abc import Callable

from core.app.launch import build
from core.app.run_request import Request
from core.planners.bcr.recorded_types import BlockingTree
from core.planners.registry import make_planner
from core.planning.belief_facets import Belief
from core.planning.explanation import ALONE
from core.planning.sentences import percent
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
    assert end.ended.reason.startswith("1 program ended short")
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


def camera(planner: str) -> Snapshot:
    """A decided turn of a planner that looks around, because it knows no fridge."""
    request = Request(planner, "paper" if planner == "uct" else "", scene="FloorPlan18", seed=352767578, max_steps=1,
                      world={"seeing": "camera"}, task="Put one apple inside the fridge")
    return played(build(request, simulator_class), (e.Decided,))[0]


def test_a_rule_of_a_planner_that_searches_is_told_with_its_reason() -> None:
    shot = camera("llm-mcts")
    for other in (None, OTHER):
        said, *_ = explain(shot, other)
        assert said.claim == "reason"
        assert "“looking, because no fridge is known (goal part: apple inside the fridge)”; it ranked no actions" in said.text
        assert [seen.panel for seen in said.evidence] == ["log", "goal"]


def test_a_choice_without_another_action_is_told_with_what_is_believed() -> None:
    request = Request("greedy", scene="four-rooms-4", seed=3, max_steps=1,
                      task="Put one pudding inside the cabinet and put one toothpaste on the bathroom counter")
    shot = played(build(request, simulator_class), (e.Decided,))[0]
    decision = evidence_of(shot)
    assert decision is not None
    belief = decision.fresh(Belief)
    assert belief is not None
    told = [one for one in explain(shot, None) if one.claim == "likely"]
    assert [one.text.split("”")[0] for one in told] == ["The object “pudding", "The object “toothpaste"]
    for one in told:
        assert "is believed to be at kitchen_1 with probability" in one.text
        assert {seen.panel for seen in one.evidence} == {"belief"}
        assert 0.0 <= one.figures["chosen"] + one.figures["best"] <= 1.0 + 1e-9
    assert {one.claim for one in explain(shot, None)} <= ALONE


def test_the_greedy_rule_is_told_with_what_is_believed_of_the_place_that_both_actions_are_about() -> None:
    request = Request("greedy", scene="four-rooms-4", seed=3, max_steps=2,
                      task="Put one pudding inside the cabinet and put one toothpaste on the bathroom counter")
    shot = played(build(request, simulator_class), (e.Decided,))[1]
    assert shot.current is not None
    assert shot.current.action is not None
    place = shot.current.action.args[0]
    told = explain(shot, Action("open", (place,)))
    assert {one.claim for one in told} == {"plan", "likely"}
    assert f"“pudding” is believed to be at {place} with probability" in told[-1].text + told[-2].text


def test_of_places_that_are_equally_probable_none_is_called_the_most_probable() -> None:
    request = Request("greedy", scene="FloorPlan5", seed=1567230781, max_steps=2, world={"seeing": "camera"},
                      task="Put one mug inside the coffee machine and switch on one coffee machine")
    shot = played(build(request, simulator_class), (e.Decided,))[1]
    likely = [one for one in explain(shot, None) if one.claim == "likely"]
    assert any(0 < abs(one.figures["best"] - one.figures["chosen"]) < 1e-6 for one in likely), "only the last bits differ"
    assert all("no other has more: the next is" in one.text for one in likely)


def test_counts_of_none_and_one_are_told_in_words() -> None:
    texts = []
    for planner, turns in (("llm-state", 1), ("inner-monologue", 2)):
        for shot in played(build(Request(planner, seed=4, max_steps=turns), simulator_class), (e.Decided,)):
            done = [turn.done for turn in shot.line if turn.done is not None]
            texts += [one.text for other in (*done, OTHER) for one in explain(shot, other) if one.claim in ("other", "tried")]
    assert any(" never failed." in text for text in texts)
    assert any("and not “fly(moon1)”; none of its calls names an object of it." in text for text in texts)
    assert percent(3e-8) == "almost 0%"
