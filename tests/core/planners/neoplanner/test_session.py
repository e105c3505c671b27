"""NeoPlanner in a run that an operator steers: pause, override, edit, live parameters, going back."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Callable

import pytest

from core.planners.neoplanner.recorded_types import ActionPlanFacts, Axiom, Learnings, Scores, StateGraph
from core.planners.registry import make_planner
from core.planning.model_requests import ModelReply, ModelRequest
from core.session import commands as c
from core.session import events as e
from core.session.session import Session
from core.session.setup import Beside, Setup
from core.session.snapshot import Snapshot, fold_all
from core.world.vocabulary import Action
from tests.core.planners.levers import GOAL, Levers, Weak, pull


def run(steps: int, meddle: Callable[[Session, e.Event], None] = lambda session, event: None) -> tuple[list[e.Event], Snapshot]:
    """A run of levers that is not paused; what an operator does is said as it is heard."""
    heard: list[e.Event] = []
    setup = Setup(make_planner("neoplanner", "", {"rounds": 2, "horizon": 3}), Levers, GOAL, 0, steps, {"weak": Weak()})
    session = Session(setup)
    session.subscribe(heard.append)
    session.subscribe(lambda event: meddle(session, event))
    session.run()
    return heard, fold_all(heard)


def turns(heard: list[e.Event]) -> list[str]:
    return [f"{x.what.by} {x.what.outcome.action}" for x in heard if isinstance(x.what, e.Acted)]


def once(kind: type[e.Payload], turn: int, *commands: c.Command) -> Callable[[Session, e.Event], None]:
    done: list[bool] = []

    def meddle(session: Session, event: e.Event) -> None:
        if isinstance(event.what, kind) and event.turn == turn and not done:
            done.append(True)
            for command in commands:
                session.post(command)

    return meddle


def test_episodes_follow_each_other_and_the_panels_have_their_facets() -> None:
    heard, shot = run(30)
    assert "planner restart" in turns(heard)
    scores, graph = shot.facet(Scores), shot.facet(StateGraph)
    assert scores is not None
    assert graph is not None
    assert scores.interactions + len(scores.ends) == 30, "what the last turn did is shown at the end"
    assert len(graph.nodes) >= 1
    rounds = [x.what.facet for x in heard if isinstance(x.what, e.Shown) and isinstance(x.what.facet, StateGraph)]
    begun = [shown for shown in rounds if shown.explore_chance is not None]
    assert begun[0].explored == 2
    assert begun[0].explore_chance == pytest.approx(0.3 / math.log(2))
    assert any(shown.exploring for shown in begun)
    assert all(shown.bounds for shown in begun)


class Second(Weak):
    """Replies with a list only to the second attempt."""

    is_model = True

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[int] = []

    def answer(self, ask: ModelRequest, cancelled: threading.Event) -> ModelReply:
        if not isinstance(ask.facts, ActionPlanFacts):
            return super().answer(ask, cancelled)
        self.asked.append(ask.attempt)
        return ModelReply((json.dumps([pull(4)]) if ask.attempt else "",), self.name)


def test_an_unusable_reply_is_asked_for_again_and_not_taken_from_memory() -> None:
    model, second, heard = Second(), Second(), list[e.Event]()
    settings = {"rounds": "1", "tries": "3"}
    planner, other = (make_planner("neoplanner", "paper", settings) for _ in range(2))
    session = Session(Setup(planner, Levers, GOAL, 0, 1, {"second": model}, beside=Beside(other, second)))
    session.subscribe(heard.append)
    session.run()
    assert turns(heard) == [f"planner do {pull(4)}"]
    assert model.asked == second.asked == [0, 1], "also in lockstep"


def test_an_override_is_done_and_learnt_from() -> None:
    heard, shot = run(12, once(e.TurnBegan, 4, c.Override(Action("do", (pull(9),)), told=True)))
    assert turns(heard)[3] == f"operator do {pull(9)}"
    graph = shot.facet(StateGraph)
    assert graph is not None
    assert any(pull(9) in edge.actions and edge.target == 1 for edge in graph.edges)


def test_an_edit_is_in_the_next_prompt_and_parameters_change_live() -> None:
    edit = c.Edit(Learnings((Axiom("teal lever is worth a try", True, "operator"),)), "I know better")
    heard, shot = run(20, once(e.TurnBegan, 5, edit, c.SetParameter("horizon", 1), c.SetParameter("rounds", 1)))
    asked = [x for x in heard if isinstance(x.what, e.Asked) and x.turn >= 6 and isinstance(x.what.ask.facts, ActionPlanFacts)]
    assert all("teal lever is worth a try" in x.what.ask.facts.learnings for x in asked)  # type: ignore[attr-defined]
    assert asked
    learnings = shot.facet(Learnings)
    assert learnings is not None
    assert learnings.axioms[0].text == "teal lever is worth a try"
    assert sum("restart" in t for t in turns(heard)[6:]) >= 5


def test_going_back_repeats_the_run() -> None:
    heard, _ = run(16, once(e.TurnBegan, 12, c.Rewind(6)))
    first = [x for x in heard if isinstance(x.what, e.Acted) and x.branch == 0]
    again = [x for x in heard if isinstance(x.what, e.Acted) and x.branch != 0]
    by_turn = {x.turn: x.what.outcome.action for x in first}  # type: ignore[attr-defined]
    assert again[0].turn == 6
    assert [x.what.outcome.action for x in again if x.turn < 12] == [by_turn[t] for t in range(6, 12)]  # type: ignore[attr-defined]
