"""Every planner that asks a model receives a reply that the operator gives to one of its calls in a fork."""

from __future__ import annotations

import pytest

from core.app.launch import build
from core.app.run_request import Request
from core.session.commands import Fork
from core.session.events import Acted, Event, Replied, TurnBegan
from core.session.given_replies import edited_reply
from core.session.session import Session
from core.session.snapshot import fold_all
from sim.registry import simulator_class
from tests.core.session.toys import Ear

SORRY = "I am sorry"
PLANNERS = ("llm-mcts", "llm-policy", "bcr", "llm-state", "progprompt", "inner-monologue")


@pytest.mark.parametrize("planner", PLANNERS)
def test_a_planner_receives_the_reply_in_the_fork_only(planner: str) -> None:
    parameters = {"simulations": "30"} if planner == "llm-mcts" else {}
    request = Request(planner=planner, task="Put one toothbrush on the bed", scene="four-rooms-2", seed=5, max_steps=3,
                      parameters=parameters)
    run = Session(build(request, simulator_class))
    ear = Ear(run)
    forked: list[int] = []

    def fork_at_turn_three(event: Event) -> None:
        if isinstance(event.what, TurnBegan) and event.turn == 3 and not forked:
            call = [c for c in fold_all(ear.events).calls if c.by == "planner" and c.ask.compare != "only"][-1]
            assert call.reply is not None
            forked.append(call.turn)
            run.post(Fork(call.turn, branch=call.branch, then=edited_reply(call, [SORRY] * len(call.reply.texts))))

    run.subscribe(fork_at_turn_three)
    run.run()
    given = [e for e in ear.events if isinstance(e.what, Replied) and e.what.given]
    assert {(e.branch, e.turn) for e in given} == {(1, forked[0])}
    assert all(set(e.what.reply.texts) == {SORRY} for e in given if isinstance(e.what, Replied))
    others = [e for e in ear.events if isinstance(e.what, Replied) and e.branch == 0]
    assert not any(SORRY in e.what.reply.texts for e in others if isinstance(e.what, Replied))
    assert [e.turn for e in ear.events if isinstance(e.what, Acted) and e.branch == 0] == [1, 2]
