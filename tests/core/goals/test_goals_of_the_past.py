"""Goals about all there is, about rooms, about where things lay and what treated them."""

from __future__ import annotations

import pytest

from core.app.goal_reading import read_task
from core.evaluation.episode import drive
from core.goals.formal_text import read_formal
from core.goals.kinds import LIGHT, THING
from core.goals.literals import Goal, Literal
from core.goals.parser.sentence import parse_goal
from core.goals.progress import GoalWatch, progress, reached
from core.goals.tracker import concrete
from core.goals.vocabulary import Lexicon
from core.planners.registry import make_planner
from core.world.vocabulary import Action
from sim.household.simulator import HouseholdSimulator
from tests.core.planners.by_hand import answerers, home


@pytest.fixture
def simulator() -> HouseholdSimulator:
    return home("four-rooms-1", 3)


def said(simulator: HouseholdSimulator, text: str) -> list[str]:
    return [str(x) for x in parse_goal(text, Lexicon(simulator.reveal().entities)).literals]


SAYINGS = [
    ("Switch off the light in bedroom.", ["every light in the bedroom is off"]),
    ("Turn the lights off in the bedroom", ["every light in the bedroom is off"]),
    ("Switch off all lights in the house.", ["every light is off"]),
    ("Use computer.", ["computer is on"]),
    ("Find a magazine, put it on a bed.", ["magazine on the bed"]),
    ("Make toast.", ["bread slice is cooked"]),
    ("Heat milk with microwave.", ["milk is cooked with the microwave"]),
    ("Empty the surface of kitchen table, and place them in kitchen cabinets.",
     ["everything from the kitchen table inside the kitchen cabinet"]),
    ("Get wine glass and juice, place them on desk.", ["wine glass on the desk", "juice on the desk"]),
    ("Make 3 slices of toasts using toaster and place them on kitchen table.",
     ["3 bread slices are cooked with the toaster", "3 bread slices on the kitchen table"]),
    ("Take away three objects from the kitchen table.", ["3 things away from the kitchen table"]),
    ("remove two plates from the desk", ["2 plates away from the desk"]),
    ("Toast two bread slices in the toaster, then put them on the sofa",
     ["2 bread slices are cooked with the toaster", "2 bread slices on the sofa"]),
    ("Open every kitchen cabinet", ["every kitchen cabinet is open"]),
]


@pytest.mark.parametrize(("text", "meaning"), SAYINGS)
def test_sentences(simulator: HouseholdSimulator, text: str, meaning: list[str]) -> None:
    assert said(simulator, text) == meaning


def test_every_light_means_the_lamps_of_that_room(simulator: HouseholdSimulator) -> None:
    goal = Goal((Literal("is", LIGHT, None, 1, frozenset({"on"}), every=True, room="bedroom"),))
    lamps = [x.subject for x in concrete(goal, simulator.reveal()).literals]
    assert lamps == ["desk_lamp_1", "table_lamp_1", "table_lamp_2"]
    for k, lamp in enumerate(lamps):
        assert not reached(goal, simulator.reveal()), k
        for action in (Action("walk", ("bedroom_1",)), Action("walk", (lamp,)), Action("switch_on", (lamp,))):
            simulator.step(action)
    assert reached(goal, simulator.reveal())


def test_what_lay_there_is_what_counts(simulator: HouseholdSimulator) -> None:
    world = simulator.reveal()
    table = world.contents["kitchen_table_1"]
    goal = Goal((Literal("away", THING, "kitchen_table", 2, source="kitchen_table"),))
    watch = GoalWatch(goal)
    assert not reached(goal, world, watch.see(world))
    for action in ("walk kitchen_1", f"walk {table[0]}", f"grab {table[0]}"):
        verb, *args = action.split()
        simulator.step(Action(verb, tuple(args)))
    held = simulator.reveal()
    assert progress(goal, held, watch.see(held))[0].have == 0, "a thing in the hand is not away yet"
    for action in ("walk kitchen_counter_1", f"put_on {table[0]} kitchen_counter_1"):
        verb, *args = action.split()
        simulator.step(Action(verb, tuple(args)))
    away = simulator.reveal()
    assert progress(goal, away, watch.see(away))[0].have == 1


def test_emptying_asks_where_all_of_it_went(simulator: HouseholdSimulator) -> None:
    goal = Goal((Literal("inside", THING, "kitchen_cabinet", every=True, source="kitchen_table"),))
    world = simulator.reveal()
    watch = GoalWatch(goal)
    assert not reached(goal, world, watch.see(world))
    plain = concrete(goal, world, watch.record)
    assert {x.subject for x in plain.literals} == set(world.contents["kitchen_table_1"])
    assert {x.predicate for x in plain.literals} == {"inside"}


def test_the_right_appliance_must_have_done_it() -> None:
    simulator = home("four-rooms-1", 3, extra="bread_slice=1")
    bread = next(e.id for e in simulator.reveal().entities if e.cls == "bread_slice")
    asked = {by: Goal((Literal("is", bread, None, 1, frozenset({"cooked"}), by=by),)) for by in ("toaster", "microwave")}
    watch = GoalWatch(asked["toaster"])
    watch.see(simulator.reveal())
    holder = [r.object for r in simulator.reveal().holders(bread)][-1]
    room = simulator.reveal().by_id[holder].room or ""
    for action in (f"walk {room}", f"walk {holder}", f"open {holder}", f"walk {bread}", f"grab {bread}", "walk kitchen_1",
                   "walk toaster_1", f"put_in {bread} toaster_1", "switch_on toaster_1"):
        verb, *args = action.split()
        simulator.step(Action(verb, tuple(args)))
        record = watch.see(simulator.reveal())
    assert reached(asked["toaster"], simulator.reveal(), record)
    assert not reached(asked["microwave"], simulator.reveal(), record)
    assert reached(asked["microwave"], simulator.reveal()), "nobody watched: lenient"


@pytest.mark.parametrize("name", ["oracle", "bcr"])
@pytest.mark.parametrize("text", ["toast the bread", "toast a slice of bread in the toaster", "slice the bread and toast it"])
def test_bread_is_sliced_for_the_toaster_and_the_slicing_need_not_come_from_it(text: str, name: str) -> None:
    simulator = home("FloorPlan8", 0)
    goal = read_task(simulator, text, 0).goal
    assert [str(x) for x in goal.literals] == ["bread is cooked and sliced with the toaster"]
    assert drive(make_planner(name, "", {}), simulator, goal, answerers("FloorPlan8"), 0, 40).success


def test_an_appliance_that_does_something_else_is_refused() -> None:
    entities = home("FloorPlan8", 0).reveal().entities
    for text in ("is(plate, clean, by=toaster)", "is(bread, cooked, by=toaster)", "is(egg, cooked, by=sink)"):
        verdict = home("FloorPlan8", 0).possible(read_formal(text, entities))
        assert not verdict
        assert verdict.cause == "not made for it"


def test_what_is_too_large_for_the_only_appliance_is_said_to_be() -> None:
    simulator = home("FloorPlan8", 0)
    for name in ("bowl", "pot"):
        verdict = simulator.possible(read_formal(f"is({name}, clean)", simulator.reveal().entities))
        assert verdict.cause == "no room"
        assert verdict.reason == f"a {name} cannot be washed: it does not fit in the sink"
