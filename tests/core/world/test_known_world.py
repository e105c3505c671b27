from __future__ import annotations

from dataclasses import replace

from core.world.known_world import KnownWorld
from core.world.vocabulary import (
    CONTAINER,
    COOKABLE,
    GRABBABLE,
    HEATS,
    OPENABLE,
    SURFACE,
    AgentState,
    Entity,
    Observation,
    Relation,
)

KITCHEN, BEDROOM = Entity("kitchen_1", "kitchen", "kitchen", "room"), Entity("bedroom_1", "bedroom", "bedroom", "room")
TABLE = Entity("table_1", "table", "table", "furniture", "kitchen_1", properties=frozenset({SURFACE}))
FRIDGE = Entity("fridge_1", "fridge", "fridge", "furniture", "kitchen_1", frozenset({"closed"}),
                frozenset({CONTAINER, OPENABLE}))
OPEN_FRIDGE = replace(FRIDGE, states=frozenset({"open"}))
BED = Entity("bed_1", "bed", "bed", "furniture", "bedroom_1", properties=frozenset({SURFACE}))
APPLE = Entity("apple_1", "apple", "apple", "object", "kitchen_1", properties=frozenset({GRABBABLE}))
IN_FRIDGE = Relation("inside", "apple_1", "fridge_1")


def kitchen(*things: Entity, relations: tuple[Relation, ...] = (), held: tuple[str, ...] = ()) -> Observation:
    return Observation(AgentState("kitchen_1", holding=held), (KITCHEN, BEDROOM, TABLE, *things), relations,
                       (replace(BED, states=frozenset()),))


def bedroom() -> Observation:
    return Observation(AgentState("bedroom_1"), (KITCHEN, BEDROOM, BED), (), (TABLE, replace(FRIDGE, states=frozenset())))


def test_what_was_seen_in_another_room_is_kept_with_its_states() -> None:
    world = KnownWorld()
    assert world.see(kitchen(OPEN_FRIDGE, APPLE, relations=(IN_FRIDGE,)))
    world.see(bedroom())
    assert "open" in world.entities["fridge_1"].states
    assert world.place_of("apple_1") == ("fridge_1", "inside")
    assert world.merged().by_id.keys() >= {"bed_1", "apple_1", "table_1"}


def test_places_are_looked_into_when_their_contents_can_be_seen() -> None:
    world = KnownWorld()
    world.see(kitchen(FRIDGE))
    assert world.looked == {("table_1", "on"), ("kitchen_1", "floor")}
    world.see(kitchen(OPEN_FRIDGE))
    assert ("fridge_1", "inside") in world.looked


def test_what_is_gone_is_forgotten_but_not_what_a_door_hides() -> None:
    world = KnownWorld()
    world.see(kitchen(OPEN_FRIDGE, APPLE, relations=(IN_FRIDGE,)))
    world.see(kitchen(FRIDGE))
    assert "apple_1" in world.entities
    assert world.see(kitchen(OPEN_FRIDGE))
    assert "apple_1" not in world.entities


def test_what_is_held_lies_nowhere() -> None:
    world = KnownWorld()
    world.see(kitchen(OPEN_FRIDGE, APPLE, relations=(IN_FRIDGE,)))
    world.see(kitchen(OPEN_FRIDGE, APPLE, held=("apple_1",)))
    assert world.place_of("apple_1") is None
    assert "apple_1" in world.entities


def test_with_full_observation_nothing_is_left_to_look_into() -> None:
    world = KnownWorld(all_seen=True)
    world.see(kitchen(FRIDGE, APPLE, relations=(IN_FRIDGE,)))
    assert {("fridge_1", "inside"), ("bedroom_1", "floor")} <= world.looked


def test_what_a_running_appliance_hides_gets_its_state_until_it_is_seen_to_lack_it() -> None:
    oven = Entity("oven_1", "oven", "oven", "furniture", "kitchen_1", frozenset({"closed"}),
                  frozenset({CONTAINER, OPENABLE, HEATS}))
    pie = replace(APPLE, id="pie_1", cls="pie", properties=frozenset({GRABBABLE, COOKABLE}))
    inside = (Relation("inside", "pie_1", "oven_1"), Relation("controls", "knob_1", "oven_1"))
    knob = Entity("knob_1", "knob", "knob", "furniture", "kitchen_1", frozenset({"on"}))
    world = KnownWorld()
    still = replace(knob, states=frozenset({"off"}))
    world.see(kitchen(replace(oven, states=frozenset({"open"})), pie, still, relations=inside))
    world.see(kitchen(oven, still))
    assert "cooked" not in world.entities["pie_1"].states
    world.see(kitchen(oven, knob))
    world.see(kitchen(oven, still))
    assert "cooked" in world.entities["pie_1"].states
    world.see(kitchen(replace(oven, states=frozenset({"open"})), pie, relations=inside))
    assert "cooked" not in world.entities["pie_1"].states
