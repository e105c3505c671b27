"""Playing through AI2-THOR's real controller, against the stand-in in real rooms."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np
import pytest

pytest.importorskip("ai2thor", reason="AI2-THOR is not installed (extra thor)")

from core.common.errors import DataError, SimulatorError
from core.evaluation.episode import drive
from core.goals.literals import Goal, Literal
from core.llm.commonsense import Commonsense
from core.planners.baselines.planner import Oracle
from core.planners.bcr.planner import Bcr
from core.suites.tasks import draw_task
from core.world.vocabulary import Action, Outcome
from sim.thor.simulator import ThorSimulator


@pytest.fixture(scope="module")
def kitchen(standin: str) -> Iterator[ThorSimulator]:
    with ThorSimulator.open("FloorPlan1", {"executable": standin, "display": ":7", "map": "no"}) as world:
        yield world


def act(world: ThorSimulator, *words: str) -> Outcome:
    outcome = Outcome(Action("none"), True, "", world.observe())
    for text in words:
        verb, *args = text.split()
        outcome = world.step(Action(verb, tuple(args)))
        assert outcome.ok, f"{text}: {outcome.reason}"
    return outcome


def test_what_was_not_seen_cannot_be_walked_to_before_looking_around(kitchen: ThorSimulator) -> None:
    kitchen.reset(1)
    refused = kitchen.verdict(Action("walk", ("fridge_1",)))
    assert (refused.ok, refused.precondition, refused.remedy) == (False, "seen", Action("scan"))
    before = kitchen.observe().agent.pose
    act(kitchen, "scan")
    assert kitchen.observe().agent.pose == before
    assert "fridge_1" in act(kitchen, "walk fridge_1").observation.agent.near


def test_a_closed_fridge_hides_its_egg_until_it_is_opened(kitchen: ThorSimulator) -> None:
    kitchen.reset(1)
    closed = act(kitchen, "scan", "walk fridge_1").observation
    assert "egg_1" not in closed.by_id
    assert kitchen.verdict(Action("walk", ("egg_1",))).precondition == "seen"
    opened = act(kitchen, "open fridge_1").observation
    assert opened.holder["egg_1"] == ("inside", "egg_1", "fridge_1")
    held = act(kitchen, "grab egg_1").observation
    assert held.agent.holding == ("egg_1",)
    assert "egg_1" not in held.holder
    assert "egg_1" not in held.agent.near


def test_needs_are_worded_as_in_the_household(kitchen: ThorSimulator) -> None:
    kitchen.reset(1)
    act(kitchen, "scan", "walk fridge_1", "open fridge_1", "grab egg_1")
    for text, precondition in (
        ("grab mug_1", "in sight"), ("open egg_1", "openable"), ("grab egg_1", "not held"), ("open fridge_1", "not open"),
        ("put_on egg_1 fridge_1", "surface"), ("put_in egg_1 egg_1", "another thing"), ("wash egg_1", "washable"),
        ("slice egg_1", "not held"), ("walk kitchen_1", "another room"), ("walk fridge_1", "elsewhere"),
        ("grab kitchen_1", "in sight"), ("fly egg_1", "verb"), ("scan egg_1", "arguments"),
    ):
        verb, *args = text.split()
        outcome = kitchen.step(Action(verb, tuple(args)))
        assert (outcome.ok, outcome.precondition) == (False, precondition), text
        assert outcome.reason


def test_slicing_keeps_the_name_for_one_piece_and_makes_others(kitchen: ThorSimulator) -> None:
    goal = Goal((Literal("is", "tomato_1", None, 1, frozenset({"sliced"})),))
    kitchen.reset(2)
    assert drive(Oracle(), kitchen, goal, None, 0).success
    pieces = [e for e in kitchen.reveal().entities if e.cls == "tomato"]
    assert [e.id for e in pieces] == ["tomato_1", "tomato_2", "tomato_3", "tomato_4"]
    assert all("sliced" in e.states for e in pieces)


def test_a_dirty_mug_is_washed_at_a_running_tap(kitchen: ThorSimulator) -> None:
    kitchen.reset(3)
    kitchen.player.ask("DirtyObject", objectId=kitchen.moment.metas["mug_1"]["objectId"], forceAction=True)
    act(kitchen, "scan", "walk fridge_1")
    assert "dirty" in kitchen.reveal().by_id["mug_1"].states
    act(kitchen, "walk mug_1", "grab mug_1", "walk fridge_1")
    assert kitchen.verdict(Action("wash", ("mug_1",))).precondition == "at a sink"
    act(kitchen, "walk sink_1")
    assert kitchen.verdict(Action("wash", ("mug_1",))).remedy == Action("switch_on", ("faucet_1",))
    act(kitchen, "switch_on faucet_1", "wash mug_1")
    assert "clean" in kitchen.observe().by_id["mug_1"].states


def test_what_the_player_refuses_is_told_in_our_names_and_not_offered_again(kitchen: ThorSimulator) -> None:
    kitchen.reset(1)
    act(kitchen, "scan", "walk pan_1", "grab pan_1", "walk bowl_1")
    put = Action("put_in", ("pan_1", "bowl_1"))
    assert kitchen.verdict(put).ok
    outcome = kitchen.step(put)
    assert (outcome.ok, outcome.precondition) == (False, "room")
    assert "No valid positions" in outcome.reason
    assert put not in kitchen.admissible()
    act(kitchen, "turn_left")
    assert kitchen.verdict(put).precondition in ("", "in sight")


def test_steps_and_tilts_end_at_walls_and_limits(kitchen: ThorSimulator) -> None:
    kitchen.reset(1)
    down = 0
    while kitchen.verdict(Action("look_down")).ok:
        act(kitchen, "look_down")
        down += 1
    assert down == 1
    assert kitchen.verdict(Action("look_down")).precondition == "range"
    for _ in range(40):
        if not kitchen.verdict(Action("move_ahead")).ok:
            break
        act(kitchen, "move_ahead")
    assert kitchen.verdict(Action("move_ahead")).precondition == "free floor"


def test_pictures_have_ids_and_boxes_in_any_size(kitchen: ThorSimulator) -> None:
    kitchen.reset(1)
    act(kitchen, "scan", "walk fridge_1")
    shot = kitchen.shot("first person", 300, 500)
    act(kitchen, "turn_left", "turn_left", "turn_left", "turn_left")
    frame = shot()
    assert frame.pixels.shape == (500, 300, 3)
    boxes = dict(frame.boxes)
    x0, y0, x1, y1 = boxes["fridge_1"]
    assert frame.ids is not None
    assert frame.names[frame.ids[(y0 + y1) // 2, (x0 + x1) // 2]] in ("fridge_1", "egg_1")
    assert not frame.ids[:100].any(), "the picture is letterboxed"
    above = kitchen.render("dollhouse", 320, 240)
    assert "counter_top_1" in dict(above.boxes)
    assert not np.array_equal(above.pixels, kitchen.render("first person", 320, 240).pixels)


def test_the_same_seed_and_actions_give_the_same_world_again(kitchen: ThorSimulator) -> None:
    kitchen.reset(4)
    act(kitchen, "scan", "walk fridge_1", "open fridge_1", "grab egg_1")
    saved, seen, everything = kitchen.save(), kitchen.observe(), kitchen.reveal()
    kitchen.reset(5)
    assert kitchen.restore(saved) == seen
    assert (kitchen.save(), kitchen.reveal()) == (saved, everything)
    with pytest.raises(DataError, match="another world"):
        kitchen.restore(saved.replace("FloorPlan1", "FloorPlan2"))


def ids(world: ThorSimulator) -> dict[str, str]:
    """Our name -> AI2-THOR's id."""
    return {name: meta["objectId"] for name, meta in world.moment.metas.items()}


def test_pieces_keep_their_names_when_a_state_is_restored(kitchen: ThorSimulator) -> None:
    """The published player keeps telling of what was cut, and promises no order of objects."""
    kitchen.reset(2)
    before = ids(kitchen)
    act(kitchen, "scan", "walk butter_knife_1", "grab butter_knife_1")
    act(kitchen, "walk tomato_1", "slice tomato_1", "walk apple_1", "slice apple_1")
    sliced = ids(kitchen)
    assert before["tomato_1"] not in sliced.values(), "the whole is no thing any more"
    assert [sliced[f"tomato_{k}"].rpartition("|")[2] for k in range(1, 5)] == [f"TomatoSliced_{k}" for k in range(4)]
    assert all(sliced[name] == before[name] for name in before.keys() - {"tomato_1", "apple_1"})
    assert "sliced" in kitchen.observe().by_id["apple_1"].states
    saved, everything = kitchen.save(), kitchen.reveal()
    kitchen.restore(saved)
    assert ids(kitchen) == sliced
    assert (kitchen.save(), kitchen.reveal()) == (saved, everything)


def test_a_state_that_does_not_come_back_is_told_with_the_action(kitchen: ThorSimulator) -> None:
    kitchen.reset(1)
    act(kitchen, "scan", "walk fridge_1", "open fridge_1")
    assert not kitchen.step(Action("grab", ("fridge_1",))).ok
    state = json.loads(kitchen.save())
    assert state["failed"] == [3]
    words = r"action 4 of 4, 'grab fridge_1', worked then and now does not \(.+carried\)"
    with pytest.raises(SimulatorError, match=words) as told:
        kitchen.restore(json.dumps({**state, "failed": []}))
    assert "\n" not in str(told.value)
    with pytest.raises(SimulatorError, match=r"action 2 of 4, .+, now works and did not then"):
        kitchen.restore(json.dumps({**state, "failed": [1, 3]}))
    with pytest.raises(DataError):
        kitchen.restore(json.dumps({**state, "failed": 3}))


def test_a_map_shows_furniture_but_neither_its_state_nor_its_contents(standin: str) -> None:
    with ThorSimulator.open("FloorPlan1", {"executable": standin, "display": ":7"}) as world:
        seen = world.reset(1)
        fridge = next(e for e in seen.landmarks if e.id == "fridge_1")
        assert fridge.states == set()
        assert not {e.id for e in seen.landmarks} & set(seen.by_id)
        assert all(e.category == "furniture" for e in seen.landmarks)
        assert not world.verdict(Action("walk", ("egg_1",))).ok
        act(world, "walk fridge_1")
        assert world.observe().by_id["fridge_1"].states == {"closed"}


def test_drawn_tasks_are_possible_and_done(kitchen: ThorSimulator) -> None:
    done = 0
    for seed in range(4):
        kitchen.reset(seed)
        goal = draw_task(kitchen, seed)
        done += drive(Oracle(), kitchen, goal, None, seed, 60).success
    assert done == 4


@pytest.mark.parametrize("number", [2, 3, 5, 6, 8, 11, 14, 17, 21, 26])
def test_errands_in_real_kitchens(standin: str, number: int) -> None:
    errands = (Goal((Literal("inside", "apple", "fridge"),)), Goal((Literal("inside", "egg", "bowl"),)))
    with ThorSimulator.open(f"FloorPlan{number}", {"executable": standin, "display": ":7"}) as world:
        for goal in errands:
            world.reset(1)
            assert world.possible(goal)
            driven = drive(Oracle(), world, goal, None, 0, 40)
            assert driven.success, driven


@pytest.mark.parametrize("number", [8, 11])
def test_blocking_conditions_are_resolved_in_real_kitchens(standin: str, number: int) -> None:
    errands = (Goal((Literal("inside", "apple", "fridge"),)),
               Goal((Literal("inside", "mug", "coffee_machine"), Literal("is", "coffee_machine", None, 1, frozenset({"on"})))))
    with ThorSimulator.open(f"FloorPlan{number}", {"executable": standin, "display": ":7", "map": "no"}) as world:
        for goal in errands:
            world.reset(1)
            driven = drive(Bcr(), world, goal, Commonsense(), 0, 100)
            assert driven.success, driven


def test_a_scan_tells_what_it_showed(kitchen: ThorSimulator) -> None:
    before = {e.id for e in kitchen.reset(1).entities}
    scanned = act(kitchen, "scan").observation
    assert before < {e.id for e in scanned.entities}
    assert {e.id for e in kitchen.observe().entities} == {e.id for e in scanned.entities}
    assert {e.id for e in act(kitchen, "turn_left").observation.entities} < {e.id for e in scanned.entities}
