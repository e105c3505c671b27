"""The expert completes rearrangement and appliance tasks, also where something is in its way."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from core.evaluation.episode import drive
from core.goals.formal_text import read_formal
from core.goals.parser.sentence import parse_goal
from core.goals.vocabulary import Lexicon
from core.planners.baselines.planner import Oracle
from core.planning.facets import GoalProgress, Plan
from core.planning.planner import Decision
from core.planning.thinking import decide, each
from core.suites.contestant import Drive
from core.suites.tasks import draw_task
from core.world.vocabulary import (
    COOKABLE,
    GRABBABLE,
    OPENABLE,
    SLICEABLE,
    SURFACE,
    SWITCHABLE,
    WASHABLE,
    Action,
    Entity,
    Observation,
)
from sim.household.scenes import load_scene
from sim.household.simulator import HouseholdSimulator
from tests.core.planners.by_hand import commonsense
from tests.core.planners.drawn_goals import GRAPH
from tests.long_tests import combinations, either


def play(world: HouseholdSimulator, text: str, seed: int = 0, steps: int = 60) -> Drive:
    goal = parse_goal(text, Lexicon(world.reveal().entities))
    return drive(Oracle(), world, goal, None, seed, steps)


KITCHEN_TASKS = [
    "Put one apple inside the fridge",
    "Put one egg in the bowl, then put the bowl in the fridge",
    "Put a sliced tomato on the plate",
    "Slice the bread and cook the bread",
    "Wash the mug and put a clean mug inside the cabinet",
    "Put the mug in the coffee machine and switch on the coffee machine",
    "Open the microwave and turn the faucet on",
    "Put an apple, a tomato and a potato in the fridge and close the fridge",
    "Pick up the lettuce",
]


@pytest.mark.parametrize(("text", "seeing", "seed"), combinations(KITCHEN_TASKS, ("room", "camera"), range(3)))
def test_kitchen_tasks(text: str, seeing: str, seed: int) -> None:
    world = HouseholdSimulator(load_scene("FloorPlan1"), seeing=seeing)
    world.reset(seed)
    episode = play(world, text, seed)
    assert episode.success, f"{episode.ended} {[str(a) for a, _ in episode.actions]}"


@pytest.mark.parametrize("hands", [1, 2])
def test_it_makes_room_in_a_full_holder(hands: int) -> None:
    world = HouseholdSimulator(load_scene("FloorPlan1"), hands=hands)
    world.reset(0)
    assert play(world, "put the mug in the coffee machine").success
    episode = play(world, "put the cup in the coffee machine")
    assert episode.success, [str(a) for a, _ in episode.actions]


def test_it_says_when_nothing_leads_there() -> None:
    world = HouseholdSimulator(load_scene("FloorPlan201"))
    world.reset(0)
    episode = play(world, "slice the pillow")
    assert not episode.success
    assert "no pillow is known that could be used" in episode.ended, "it is not made to be sliced"


def test_it_yields_progress_and_plan_and_decides() -> None:
    world = HouseholdSimulator(load_scene("four-rooms-1"))
    world.reset(0)
    planner = Oracle()
    planner.begin(draw_task(world, 0), world.schemas, 0)
    thought = planner.plan(world.reveal())
    assert isinstance(next(thought), GoalProgress)
    assert isinstance(next(thought), Plan)
    with pytest.raises(StopIteration) as done:
        thought.send(None)
    assert isinstance(done.value.value, Decision)
    assert isinstance(done.value.value.action, Action)


@pytest.mark.parametrize("scene", [*(f"four-rooms-{k}" for k in (1, 2, 3, 4)), "FloorPlan3", "FloorPlan415"])
def test_drawn_tasks_are_completed_within_thirty_steps(scene: str) -> None:
    world = HouseholdSimulator(load_scene(scene))
    for seed in range(200, either(206, 220)):
        world.reset(seed)
        goal = draw_task(world, seed)
        episode = drive(Oracle(), world, goal, None, seed, 30)
        assert episode.success, f"{scene} seed {seed} {goal.text}: {episode.ended}"


SCENES = ("four-rooms-1", "four-rooms-2", "four-rooms-3", "FloorPlan1", "FloorPlan203")


def play_formal(world: HouseholdSimulator, text: str, seed: int, steps: int = 120) -> Drive:
    return drive(Oracle(), world, read_formal(text, world.reveal().entities), None, seed, steps)


def parts(world: Observation, rng: random.Random) -> Iterator[str]:
    """Yields one literal of each sort, about things drawn at random."""
    def drawn(flag: str, category: str = "object") -> list[Entity]:
        found = [e for e in world.entities if flag in e.properties and e.category == category]
        return rng.sample(found, min(1, len(found)))

    for flag, state in ((COOKABLE, "cooked"), (WASHABLE, "clean"), (SLICEABLE, "sliced")):
        yield from (f"is({e.cls}, {state})" for e in drawn(flag))
    yield from (f"is({e.id}, on)" for e in drawn(SWITCHABLE, "furniture"))
    room = rng.choice([e.cls for e in world.entities if e.category == "room"])
    for (thing,), (place,) in zip((drawn(GRABBABLE) for _ in range(4)), (drawn(SURFACE, "furniture") for _ in range(4)),
                                  strict=True):
        yield rng.choice((f"inside({thing.cls}, {room})", f"on({thing.cls}, {place.cls})"))
        holder = world.holder.get(thing.id)
        source = place.cls if holder is None else world.by_id[holder.object].cls
        if source != place.cls:
            yield f"away({thing.cls}, {source}, count=every) and on({thing.cls}, {place.cls}, source={source})"


@pytest.mark.parametrize("scene", SCENES)
def test_pairs_of_goals_that_are_possible_are_reached(scene: str) -> None:
    world, rng = HouseholdSimulator.open(scene, {}), random.Random(scene)
    tried, seeds = 0, range(either(3, 8))
    for seed in seeds:
        world.reset(seed)
        found = list(parts(world.reveal(), rng))
        for _ in range(3):
            text = " and ".join(pair := rng.sample(found, 2))
            world.reset(seed)
            same = len({part.split("(")[1].split(",")[0] for part in pair}) == 1  # it may want one thing in two places
            if same or not world.possible(read_formal(text, world.reveal().entities)):
                continue
            tried += 1
            episode = play_formal(world, text, seed)
            assert episode.success, f"seed {seed}: {text}: {episode.ended} {[str(a) for a, _ in episode.actions][-12:]}"
    assert tried >= len(seeds)


@pytest.mark.parametrize("scene", ["four-rooms-1", "four-rooms-2"])
def test_two_things_are_cooked_although_one_appliance_is_occupied(scene: str) -> None:
    world, rng = HouseholdSimulator.open(scene, {}), random.Random(scene)
    for seed in range(either(3, 6)):
        world.reset(seed)
        one, two = rng.sample(sorted({e.cls for e in world.reveal().entities if COOKABLE in e.properties}), 2)
        episode = play_formal(world, f"is({one}, cooked) and is({two}, cooked)", seed)
        assert episode.success, f"seed {seed}: {one}, {two}: {episode.ended}"


@pytest.mark.parametrize("scene", ["four-rooms-1", "four-rooms-2"])
def test_another_object_is_taken_if_the_way_to_the_first_is_forbidden(scene: str) -> None:
    world = HouseholdSimulator.open(scene, {})
    for seed in range(either(1, 2)):
        world.reset(seed)
        seen = world.reveal()
        things = [e for e in seen.entities if GRABBABLE in e.properties and e.category == "object"]
        for thing in things:
            others = {e.room for e in things if e.cls == thing.cls} - {thing.room}
            if not others or seen.agent.room == thing.room:
                continue
            world.reset(seed)
            episode = play_formal(world, f"holds({thing.cls}) and never robot_in({thing.room})", seed)
            assert episode.success, f"seed {seed}: {thing.cls} not from {thing.room}: {episode.ended}"
            assert ("walk", thing.room) not in {(a.verb, a.args[0]) for a, _ in episode.actions}


@pytest.mark.parametrize("scene", ["four-rooms-1", "four-rooms-2"])
def test_another_place_is_chosen_if_the_first_must_not_be_opened(scene: str) -> None:
    world, rng = HouseholdSimulator.open(scene, {}), random.Random(scene)
    for seed in range(either(2, 3)):
        world.reset(seed)
        seen = world.reveal()
        rooms = sorted({e.room for e in seen.entities if e.category == "furniture" and SURFACE in e.properties and e.room})
        loose = [e for e in seen.entities if GRABBABLE in e.properties and all(r.kind == "on" for r in seen.holders(e.id))]
        for cls in sorted({e.cls for e in seen.entities if OPENABLE in e.properties and e.category == "furniture"}):
            thing, room = rng.choice(loose), rng.choice(rooms)
            world.reset(seed)
            episode = play_formal(world, f"inside({thing.id}, {room}) and never is({cls}, open)", seed)
            assert episode.success, f"seed {seed}: {thing.id} in {room}, {cls} shut: {episode.ended}"


def test_what_is_in_the_hand_is_switched_on_there() -> None:
    for order in ("and", "then"):
        world = HouseholdSimulator.open("FloorPlan203", {})
        world.reset(0)
        episode = play_formal(world, f"holds(cell_phone) {order} is(cell_phone, on)", 0)
        assert episode.success, episode.ended
        assert episode.steps == 3
    world.step(Action("switch_off", ("cell_phone_1",)))
    assert Action("switch_on", ("cell_phone_1",)) in world.admissible()


def test_everything_away_from_the_sofa_goes_where_the_goal_wants_it() -> None:
    world = HouseholdSimulator.open("four-rooms-2", {})
    for seed in range(4):
        world.reset(seed)
        goal = "away(clothes, sofa, count=every) and on(clothes, bed, source=sofa, count=every)"
        if world.possible(read_formal(goal, world.reveal().entities)):
            episode = play_formal(world, goal, seed)
            assert episode.success, f"seed {seed}: {episode.ended}"
            grabbed = [a.args for a, ok in episode.actions if a.verb == "grab" and ok]
            assert len(grabbed) == len(set(grabbed)), "nothing is carried twice"


def test_it_passes_over_a_step_of_the_worlds_own_way_that_is_refused() -> None:
    world = HouseholdSimulator.open("FloorPlan7", {})
    world.reset(0)
    goal = parse_goal("Open the fridge", Lexicon(world.reveal().entities))
    planner = Oracle()
    planner.begin(goal, world.schemas, 0)
    planner.guide((Action("grab", ("fridge_1",)), Action("walk", ("microwave_1",)), Action("walk", ("fridge_1",))))
    done = []
    while (decision := decide(planner.plan(world.reveal()), each(commonsense))).action is not None:
        done.append((decision.action.verb, world.verdict(decision.action).ok))
        planner.update(world.step(decision.action))
    assert done == [("grab", False), ("walk", True), ("walk", True), ("open", True)]


@pytest.mark.parametrize("text", ["lying(mat) and robot_facing(coffee_filter)", "robot_facing(coffee_filter) and lying(mat)"])
def test_the_robot_lies_down_after_what_it_is_to_face_was_uncovered(text: str) -> None:
    world = HouseholdSimulator.open(GRAPH, {})
    world.reset(999)
    assert play_formal(world, text, 999).steps == 5, "a mat that is made to lie on, and nothing is undone"


def test_what_cannot_be_carried_is_not_drunk() -> None:
    world = HouseholdSimulator.open(GRAPH, {})
    world.reset(0)
    why = world.possible(read_formal("done(drink, water_1000)", world.reveal().entities))
    assert not why
    assert "water" in why.reason
