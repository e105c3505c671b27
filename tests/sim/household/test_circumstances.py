"""What can be set about an episode: things that are there, lamps that are on, hands that must be free, things that slip."""

from __future__ import annotations

from collections import Counter

import pytest

from core.common.errors import UsageError
from core.goals.kinds import LIGHT, THING, is_a
from core.goals.literals import Goal, Literal
from core.world.vocabulary import Action
from sim.household.simulator import HouseholdSimulator
from tests.core.planners.by_hand import home


def counts(simulator: HouseholdSimulator) -> Counter[str]:
    return Counter(e.cls for e in simulator.reveal().entities)


@pytest.mark.parametrize("scene", ["four-rooms-1", "FloorPlan1"])
def test_there_is_at_least_so_much_of_it(scene: str) -> None:
    plain = home(scene, 5)
    more = home(scene, 5, extra="bread_slice=6+milk=1")
    assert counts(more)["bread_slice"] >= 6
    assert counts(more)["milk"] >= 1
    same = {e.id for e in plain.reveal().entities if e.category == "object"} & {e.id for e in more.reveal().entities}
    assert len(same) >= 0.9 * sum(e.category == "object" for e in plain.reveal().entities)
    assert more.restore(more.save()) == more.observe()


def test_lamps_are_on() -> None:
    for lit in ("yes", "no"):
        lamps = [e for e in home(lit=lit).reveal().entities if is_a(e, LIGHT)]
        assert lamps
        assert all(("on" in e.states) is (lit == "yes") for e in lamps)


def test_a_hand_must_be_free_for_doors() -> None:
    for free_hand in ("yes", "no"):
        simulator = home("four-rooms-1", 3, hands="2", free_hand=free_hand)
        for thing in simulator.reveal().contents["kitchen_table_1"][:2]:
            for action in (Action("walk", ("kitchen_1",)), Action("walk", (thing,)), Action("grab", (thing,))):
                simulator.step(action)
        simulator.step(Action("walk", ("fridge_1",)))
        verdict = simulator.verdict(Action("open", ("fridge_1",)))
        assert verdict.ok is (free_hand == "no")
        assert Action("open", ("fridge_1",)) in simulator.admissible() or not verdict.ok
        assert verdict.ok or verdict.precondition == "a free hand"


def test_things_that_slip_cannot_be_carried_and_count_for_no_goal() -> None:
    simulator = home("four-rooms-1", 3, slippery="1")
    thing = simulator.reveal().contents["kitchen_table_1"][0]
    simulator.step(Action("walk", ("kitchen_1",)))
    simulator.step(Action("walk", (thing,)))
    outcome = simulator.step(Action("grab", (thing,)))
    assert (outcome.ok, outcome.precondition) == (False, "grip")
    assert simulator.observe().agent.holding == ()
    assert simulator.possible(Goal((Literal("on", "book", "desk"),))), "one lies there already"
    assert not simulator.possible(Goal((Literal("on", "book", "kitchen_table"),)))
    assert not simulator.possible(Goal((Literal("away", THING, "kitchen_table", 1, source="kitchen_table"),)))
    half = home("four-rooms-1", 3, slippery="0.5")
    assert 0 < len(half._slips) < sum(e.category == "object" for e in half.reveal().entities)
    again = home("four-rooms-1", 3, slippery="0.5")
    assert again._slips == half._slips


@pytest.mark.parametrize("options", [
    {"extra": "unicorn=1"}, {"extra": "milk"}, {"extra": "milk=0"}, {"extra": "milk=99"}, {"lit": "maybe"}, {"free_hand": "1"},
    {"slippery": "2"}, {"slippery": "wet"}, {"weather": "rain"},
])
def test_senseless_settings_are_refused(options: dict[str, str]) -> None:
    with pytest.raises(UsageError) as caught:
        HouseholdSimulator.open("four-rooms-1", options)
    assert "\n" not in str(caught.value)
