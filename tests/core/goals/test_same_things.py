"""Names with one tag mean one thing, for the check of success and for every planner: the very cabinet the bottle lies in."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.common.errors import GoalError
from core.evaluation.episode import drive
from core.goals.formal_text import formal, read_formal
from core.goals.literals import Goal
from core.goals.progress import GoalWatch, progress, reached
from core.planners.registry import make_planner
from core.world.vocabulary import CONTAINER, GRABBABLE, OPENABLE, AgentState, Entity, Observation, Relation
from sim.household.simulator import HouseholdSimulator
from tests.core.planners.by_hand import PROVIDER

ROOM = Entity("kitchen_1", "kitchen", "kitchen", "room")
SHUT, OPEN, CLEAN = frozenset({"closed"}), frozenset({"open"}), frozenset({"clean"})
CABINETS = tuple(Entity(f"cabinet_{k}", "cabinet", "cabinet", "furniture", "kitchen_1", SHUT, frozenset({CONTAINER, OPENABLE}))
                 for k in (1, 2, 3))
PLATES = tuple(Entity(f"plate_{k}", "plate", "plate", "object", "kitchen_1", properties=frozenset({GRABBABLE})) for k in (1, 2))


def seen(*changed: Entity, inside: dict[str, str], held: tuple[str, ...] = ()) -> Observation:
    entities = {e.id: e for e in (ROOM, *CABINETS, *PLATES, *changed)}
    relations = tuple(Relation("inside", thing, holder) for thing, holder in inside.items())
    return Observation(AgentState("kitchen_1", holding=held), tuple(entities.values()), relations)


def goal(text: str) -> Goal:
    return read_formal(text, (ROOM, *CABINETS, *PLATES))


def test_the_cabinet_is_the_one_that_the_plate_lies_in() -> None:
    asked = goal("inside(plate, cabinet#1) and is(cabinet#1, closed)")
    opened = replace(CABINETS[1], states=OPEN)
    assert not reached(asked, seen(opened, inside={"plate_1": "cabinet_2"}))
    assert reached(asked, seen(inside={"plate_1": "cabinet_2"}))
    assert reached(asked, seen(opened, inside={"plate_1": "cabinet_2", "plate_2": "cabinet_3"}))
    assert [p.have for p in progress(asked, seen(inside={}))] == [0, 0], "there is no such cabinet yet"


def test_without_a_tag_any_cabinet_will_do() -> None:
    asked = goal("inside(plate, cabinet) and is(cabinet, closed)")
    assert reached(asked, seen(replace(CABINETS[1], states=OPEN), inside={"plate_1": "cabinet_2"}))


def test_the_clean_plate_is_the_one_in_the_cabinet() -> None:
    asked = goal("is(plate#a, clean) and inside(plate#a, cabinet)")
    clean = replace(PLATES[0], states=CLEAN)
    assert not reached(asked, seen(clean, inside={"plate_2": "cabinet_1"}))
    assert reached(asked, seen(clean, inside={"plate_1": "cabinet_1"}))


def test_two_things_in_one_place_and_two_plates_are_the_same_two() -> None:
    together = goal("inside(plate_1, cabinet#1) and inside(plate_2, cabinet#1) and is(cabinet#1, closed)")
    assert not reached(together, seen(inside={"plate_1": "cabinet_1", "plate_2": "cabinet_2"}))
    assert reached(together, seen(inside={"plate_1": "cabinet_2", "plate_2": "cabinet_2"}))
    both = goal("is(plate#1, clean, count=2) and inside(plate#1, cabinet, count=2)")
    washed = [replace(plate, states=CLEAN) for plate in PLATES]
    assert not reached(both, seen(washed[0], inside={"plate_1": "cabinet_1", "plate_2": "cabinet_2"}))
    assert reached(both, seen(*washed, inside={"plate_1": "cabinet_1", "plate_2": "cabinet_2"}))


def test_a_later_stage_is_about_what_the_stage_before_it_reached() -> None:
    asked = goal("inside(plate, cabinet#1) then is(cabinet#1, closed)")
    watch, opened = GoalWatch(asked), replace(CABINETS[0], states=OPEN)
    for inside, cabinet, have in (({}, opened, [0, 0]), ({"plate_1": "cabinet_1"}, opened, [1, 0]),
                                  ({"plate_1": "cabinet_1"}, CABINETS[0], [1, 1])):
        world = seen(cabinet, inside=inside)
        assert [p.have for p in progress(asked, world, watch.see(world))] == have


def test_tags_are_written_and_read() -> None:
    text = "inside(plate#1, cabinet#2) and is(cabinet#2, closed) and done(touch, plate#1)"
    assert formal(goal(text)) == text
    assert [str(x) for x in goal(text).literals][1:] == ["the same cabinet is closed", "touch the same plate"]
    with pytest.raises(GoalError, match="write a number after"):
        goal("is(cabinet#, closed)")


@pytest.mark.parametrize("name", ["oracle", "bcr", "greedy", "llm-mcts", "llm-policy"])
@pytest.mark.parametrize(("scene", "text"), [
    ("FloorPlan7", "inside(wine_bottle, cabinet#1) and is(cabinet#1, closed)"),
    ("FloorPlan7", "is(drawer#1, open) then inside(spoon, drawer#1)"),
    ("four-rooms-2", "is(plate#1, clean) and inside(plate#1, kitchen_cabinet#2) and is(kitchen_cabinet#2, closed)"),
    ("four-rooms-2", "inside(apple, kitchen_cabinet#1) and inside(banana, kitchen_cabinet#1)"),
])
def test_every_planner_works_on_the_very_thing(name: str, scene: str, text: str) -> None:
    world = HouseholdSimulator.open(scene, {})
    world.reset(0)
    asked = read_formal(text, world.reveal().entities)
    settings = {"simulations": "25"} if name == "llm-mcts" else {}
    run = drive(make_planner(name, "", settings), world, asked, PROVIDER, 0, 80)
    assert run.success, f"{run.ended}: {run.actions[-6:]}"
