"""What is shown of the past: the action history is that of the prompts, and every summary is kept."""

from __future__ import annotations

from dataclasses import replace

from core.planners.llm_state.planner import PAPER, LlmState
from core.planners.llm_state.prompts import history_text
from core.planners.llm_state.recorded_types import EstimateFacts, StateDictionary, StateHistory
from core.planning.model_requests import ModelReply, ModelRequest
from sim.household.simulator import HouseholdSimulator
from tests.core.planners.by_hand import Turn, goal_of, home, turn

PLAN = "1. move(fridge1)\n2. open(fridge1)"
TASK = "open the fridge, then put one apple inside the fridge"


class Scripted:
    """The n-th estimate says `summary n`; each plan goes to the fridge and opens it."""

    def __init__(self) -> None:
        self.estimates: list[EstimateFacts] = []
        self.prompts: list[str] = []

    def __call__(self, ask: ModelRequest) -> ModelReply:
        if isinstance(ask.facts, EstimateFacts):
            self.estimates.append(ask.facts)
            self.prompts.append(ask.messages[-1].content)
            return ModelReply((f'update_reasoning("summary {min(len(self.estimates), 3)}")',), "script")
        return ModelReply((PLAN if ask.purpose == "plan" else "",), "script")


def played(turns: int, planner: LlmState, simulator: HouseholdSimulator, script: Scripted) -> list[Turn]:
    done = []
    for _ in range(turns):
        done.append(turn(planner, simulator, script))
        action = done[-1].decision.action
        if action is not None:
            planner.update(simulator.step(action))
    return done


def test_the_history_is_the_one_the_model_is_told_and_summaries_are_kept() -> None:
    with home("four-rooms-1", 20_000) as simulator:
        planner, script = LlmState(replace(PAPER, sources=True)), Scripted()
        planner.begin(goal_of(simulator, TASK), simulator.schemas, 0)
        turns = played(8, planner, simulator, script)
        for asked in script.estimates:
            assert any(asked.deeds == shown.deeds for t in turns for shown in t.shown if isinstance(shown, StateHistory))
        last = turns[-1].last(StateHistory)
        assert history_text(script.estimates[-1].deeds) in script.prompts[-1]
        assert last.deeds[:len(script.estimates[-1].deeds)] == script.estimates[-1].deeds
        assert len(script.estimates) > 3, "the fourth estimate repeats the third summary"
        assert [s.text for s in last.summaries] == ["summary 1", "summary 2", "summary 3"]
        assert [s.turn for s in last.summaries] == sorted({s.turn for s in last.summaries})
        assert last.summaries[0].because == "the first look"
        final = [facet for facet in planner.last_look(simulator.observe()) if isinstance(facet, StateHistory)]
        assert final[0].deeds[:-1] == last.deeds, "with the last action"


def test_an_operators_summary_is_one_of_them_and_a_new_episode_has_none() -> None:
    with home("four-rooms-1", 20_000) as simulator:
        planner = LlmState(PAPER)
        goal = goal_of(simulator, TASK)
        planner.begin(goal, simulator.schemas, 0)
        book = played(1, planner, simulator, Scripted())[0].last(StateDictionary)
        planner.accept(replace(book, summary="look behind the door", summary_given=True))
        planner.accept(replace(book, summary="look behind the door", summary_given=True))
        summaries = turn(planner, simulator, Scripted()).last(StateHistory).summaries
        assert [(s.text, s.because) for s in summaries] == [("summary 1", "the first look"), ("look behind the door", "")]
        planner.begin(goal, simulator.schemas, 0)
        assert next(f for f in turn(planner, simulator, Scripted()).shown if isinstance(f, StateHistory)).summaries == ()
