"""LLM-State in a session tries what it only supposes to be there: the world refuses it, and the run is recorded and goes on."""

from __future__ import annotations

import threading
from pathlib import Path

from core.llm.commonsense import Commonsense
from core.planners.llm_state.planner import PAPER, LlmState
from core.planners.llm_state.recorded_types import StateDictionary
from core.planning.facets import Plan
from core.planning.model_requests import ModelReply, ModelRequest
from core.recording.reader import open_recording
from core.session import events as e
from core.session.session import Session
from core.session.setup import Setup
from core.world.vocabulary import Action
from sim.household.simulator import HouseholdSimulator
from tests.core.planners.by_hand import goal_of
from tests.core.recording.common import CODEC, recorder_of
from tests.core.session.toys import Ear

REPLIES = {"attention": 'add_related_objects("spareswitch9")', "state": 'update_state("spareswitch9", "supposed")',
           "plan": "1. move(spareswitch9) (assuming there is a spareswitch9)\n2. switchoff(spareswitch9)"}


class Supposing(Commonsense):
    """A script that always supposes the same switch."""

    def answer(self, ask: ModelRequest, cancelled: threading.Event) -> ModelReply:
        del cancelled
        return ModelReply((REPLIES[ask.purpose],), "script")


def opened() -> HouseholdSimulator:
    return HouseholdSimulator.open("four-rooms-1", {"lit": "yes", "hands": "2"})


def test_a_supposed_object_is_tried_refused_and_recorded(tmp_path: Path) -> None:
    with opened() as simulator:
        simulator.reset(0)
        goal = goal_of(simulator, "Switch off all the lights in the house")
    run = Session(Setup(LlmState(PAPER), opened, goal, 0, 2, {"commonsense": Supposing()}, {"scene": "four-rooms-1"}))
    ear = Ear(run)
    recorder = recorder_of(tmp_path / "run.mcap", run, [])
    run.run()
    recorder.close()
    tried = Action("walk", ("spareswitch9",))
    acted = [what.outcome for what in ear.of(e.Acted)]
    assert [(o.action, o.ok) for o in acted] == [(tried, False)] * 2
    plans = [s.facet for s in ear.of(e.Shown) if isinstance(s.facet, Plan)]
    assert plans[0].actions == (tried, Action("switch_off", ("spareswitch9",)))
    with open_recording(tmp_path / "run.mcap", CODEC) as recording:
        book, _ = recording.snapshot_at().facets[StateDictionary]
    assert isinstance(book, StateDictionary)
    assert [(x.name, x.thing, x.attributes) for x in book.entries] == [("spareswitch9", "", ("supposed",))]
