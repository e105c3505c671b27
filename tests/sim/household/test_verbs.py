"""Each verb by example: what it needs, what it does, what it says when it cannot."""

from __future__ import annotations

from functools import lru_cache

import pytest

from core.world.vocabulary import Action, Observation, Outcome
from sim.household.scenes import load_scene
from sim.household.simulator import HouseholdSimulator


class World:
    """A kitchen and short words for acting in it."""

    def __init__(self, scene: str = "FloorPlan1", hands: int = 1, seed: int = 0):
        self.simulator = HouseholdSimulator(_scene(scene), hands=hands)
        self.simulator.reset(seed)

    def do(self, text: str) -> Outcome:
        verb, *args = text.split()
        return self.simulator.step(Action(verb, tuple(args)))

    def force(self, *texts: str) -> Outcome:
        for text in texts:
            outcome = self.do(text)
            if outcome.precondition in ("elsewhere", "not open"):  # so already
                continue
            assert outcome.ok, f"{text}: {outcome.reason}"
        return outcome

    @property
    def all(self) -> Observation:
        return self.simulator.reveal()

    def states(self, entity: str) -> frozenset[str]:
        return self.all.by_id[entity].states

    def fetch(self, thing: str) -> None:
        """Grab a thing wherever it is."""
        for link in reversed(list(self.all.holders(thing))):
            if "closed" in self.states(link.object):
                self.force(f"walk {link.object}", f"open {link.object}")
        if not self.simulator.verdict(Action("grab", (thing,))).ok:
            self.force(f"walk {thing}")
        self.force(f"grab {thing}")


@lru_cache
def _scene(name: str):  # type: ignore[no-untyped-def]
    return load_scene(name)


def test_a_closed_fridge_hides_and_an_open_one_shows() -> None:
    world = World()
    world.fetch("apple_1")
    world.force("walk fridge_1", "open fridge_1", "put_in apple_1 fridge_1", "close fridge_1")
    assert "apple_1" not in world.simulator.observe().by_id
    assert world.do("grab apple_1").precondition == "in sight"
    world.force("open fridge_1", "grab apple_1")


def test_the_hand_holds_one_thing_and_two_hands_two() -> None:
    world = World()
    world.fetch("apple_1")
    world.force("walk tomato_1") if world.simulator.verdict(Action("walk", ("tomato_1",))).ok else None
    outcome = world.do("grab tomato_1")
    assert not outcome.ok
    two = World(hands=2)
    two.fetch("apple_1")
    two.fetch("tomato_1")
    assert two.all.agent.holding == ("apple_1", "tomato_1")


def test_what_a_plate_carries_comes_along() -> None:
    world = World(hands=2)
    world.fetch("bowl_1")
    world.force("walk counter_top_1", "put_on bowl_1 counter_top_1")
    world.fetch("egg_1")
    world.force("walk bowl_1", "put_in egg_1 bowl_1", "grab bowl_1", "walk fridge_1", "open fridge_1", "put_in bowl_1 fridge_1")
    assert [r.object for r in world.all.holders("egg_1")] == ["bowl_1", "fridge_1"]
    assert world.do("put_in bowl_1 bowl_1").reason


def test_heat_cooks_and_a_running_microwave_stays_shut() -> None:
    world = World()
    world.fetch("potato_1")
    world.force("walk microwave_1", "open microwave_1", "put_in potato_1 microwave_1")
    assert world.do("switch_on microwave_1").precondition == "closed"
    world.force("close microwave_1", "switch_on microwave_1")
    assert "cooked" in world.states("potato_1")
    refused = world.simulator.verdict(Action("open", ("microwave_1",)))
    assert (refused.precondition, refused.remedy) == ("switched off", Action("switch_off", ("microwave_1",)))
    world.force("switch_off microwave_1", "open microwave_1", "grab potato_1")


def test_slicing_needs_a_knife_and_toast_needs_a_slice() -> None:
    world = World()
    world.fetch("bread_1")
    world.force("walk toaster_1")
    assert world.do("put_in bread_1 toaster_1").precondition == "sliced"
    world.force("walk counter_top_1", "put_on bread_1 counter_top_1", "walk bread_1")
    assert world.do("slice bread_1").precondition == "a knife in hand"
    world.fetch("knife_1")
    world.force("walk bread_1", "slice bread_1")
    assert world.do("slice bread_1").precondition == "not sliced"
    world.force("walk counter_top_1", "put_on knife_1 counter_top_1")
    world.fetch("bread_1")
    world.force("walk toaster_1", "put_in bread_1 toaster_1", "switch_on toaster_1")
    assert {"sliced", "cooked"} <= world.states("bread_1")


def test_a_tap_washes_what_lies_in_its_sink() -> None:
    world = World()
    world.fetch("mug_1")
    tap = next(r.subject for r in world.all.relations if r.kind == "controls" and r.object == "sink_1")
    world.force("walk sink_1", "put_in mug_1 sink_1", f"walk {tap}", f"switch_on {tap}")
    assert "clean" in world.states("mug_1")
    assert "dirty" not in world.states("mug_1")


def test_a_full_holder_names_what_is_in_the_way() -> None:
    world = World(seed=0)
    world.fetch("mug_1")
    world.force("walk coffee_machine_1", "put_in mug_1 coffee_machine_1", "switch_on coffee_machine_1")
    assert "filled" in world.states("mug_1")
    world.fetch("cup_1")
    world.force("walk coffee_machine_1")
    refused = world.simulator.verdict(Action("put_in", ("cup_1", "coffee_machine_1")))
    assert refused.precondition == "room"
    assert "mug 1" in refused.reason
    assert refused.remedy == Action("grab", ("mug_1",))


@pytest.mark.parametrize(
    ("text", "precondition"),
    [
        ("fly apple_1", "verb"),
        ("grab", "arguments"),
        ("grab unicorn_1", "in sight"),
        ("walk moon_1", "in sight"),
        ("walk kitchen_1", "another room"),
        ("grab fridge_1", "grabbable"),
        ("open egg_1", "openable"),
        ("put_in counter_top_1 fridge_1", "held"),
    ],
)
def test_refusals_name_the_failed_precondition(text: str, precondition: str) -> None:
    world = World("FloorPlan1", seed=1)
    if text.startswith("open"):
        world.fetch("egg_1")
    outcome = world.do(text)
    assert not outcome.ok
    assert outcome.precondition == precondition
    assert "\n" not in outcome.reason


def test_a_scan_tells_what_it_showed_until_something_else_is_done() -> None:
    with HouseholdSimulator.open("FloorPlan3", {"seeing": "camera"}) as world:
        before = {e.id for e in world.reset(11).entities}
        scanned = world.step(Action("scan")).observation
        shown = {e.id for e in scanned.entities}
        assert before < shown
        assert {r.subject for r in scanned.relations} <= shown
        saved = world.save()
        assert {e.id for e in world.restore(saved).entities} == shown
        assert not {e.id for e in world.step(Action("turn_left")).observation.entities} >= shown
