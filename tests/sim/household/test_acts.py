"""Postures and acts in the household: what each needs, what it says when it cannot, and what is remembered."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.common.errors import DataError
from core.evaluation.episode import drive
from core.goals.literals import Goal, Literal
from core.planners.registry import make_planner
from core.world.vocabulary import ACTS, BODY_VERBS, POSTURES, SITTABLE, Action
from sim.geometry.model import EYE_HEIGHT
from sim.household.geometry import eye_height, robot_of
from sim.household.simulator import HouseholdSimulator
from tests.long_tests import either
from tests.sim.household.test_verbs import World

HOME, KITCHEN, LIVING_ROOM, BEDROOM = "four-rooms-1", "FloorPlan10", "FloorPlan201", "FloorPlan301"


def refused(world: World, text: str) -> tuple[str, str]:
    """The precondition that fails, and the remedy in short."""
    outcome = world.do(text)
    assert not outcome.ok, f"{text} was done"
    assert outcome.reason
    return outcome.precondition, str(outcome.remedy or "")


def uncover(world: World, thing: str) -> None:
    """Go to the room of a thing and open what is around it."""
    room = world.all.by_id[thing].room
    if room != world.all.agent.room:
        world.force(f"walk {room}")
    for link in reversed(list(world.all.holders(thing))):
        if "closed" in world.states(link.object):
            world.force(f"walk {link.object}", f"open {link.object}")


def test_a_robot_on_a_seat_reaches_only_what_is_there() -> None:
    world = World(LIVING_ROOM)
    assert refused(world, "sit sofa_1") == ("within reach", "walk sofa_1")
    world.force("walk sofa_1", "sit sofa_1")
    agent = world.all.agent
    assert (agent.posture, agent.seat, "sofa_1" in agent.near) == ("sitting", "sofa_1", True)
    assert refused(world, "walk television_1") == ("standing", "stand_up")
    assert refused(world, "lie sofa_1") == ("standing", "stand_up")
    assert refused(world, "switch_on television_1") == ("within reach", "stand_up")
    assert refused(world, "touch television_1") == ("within reach", "stand_up")
    world.force("touch sofa_1", "look_at television_1", "stand_up")
    agent = world.all.agent
    assert (agent.posture, agent.seat) == ("standing", "")
    world.force("walk television_1")
    assert refused(world, "stand_up") == ("sitting or lying", "")


def test_what_is_no_seat_is_said() -> None:
    world = World(LIVING_ROOM)
    world.force("walk chair_1")
    assert world.do("lie chair_1").reason == "chair 1 is nothing to lie on"
    assert world.do("sit television_1").precondition == SITTABLE
    assert world.do("sit nothing_1").precondition == "in sight"


def test_facing_ends_with_a_walk() -> None:
    world = World(LIVING_ROOM)
    world.force("turn_to television_1")
    assert world.all.agent.facing == "television_1"
    world.force("walk sofa_1")
    assert world.all.agent.facing == ""
    world.force("sit sofa_1", "turn_to television_1")
    assert (world.all.agent.facing, world.all.agent.posture) == ("television_1", "sitting")


def test_one_watches_from_the_sofa_what_is_on() -> None:
    world = World(LIVING_ROOM)
    world.force("walk sofa_1")
    assert refused(world, "watch sofa_1")[0] == "watchable"
    assert refused(world, "watch television_1") == ("on", "switch_on television_1")
    world.force("walk television_1", "switch_on television_1", "walk sofa_1", "sit sofa_1", "watch television_1")
    assert world.all.agent.acts == (Action("watch", ("television_1",)),)


@pytest.mark.parametrize(("verb", "scene", "cls", "not_made"), [
    ("drink", HOME, "juice", "apple"), ("eat", KITCHEN, "apple", "mug"), ("read", BEDROOM, "book", "pencil"),
])
def test_what_is_held_can_be_used_up_in_name_only(verb: str, scene: str, cls: str, not_made: str) -> None:
    world = next(w for w in (World(scene, seed=k) for k in range(40)) if {cls, not_made} <= {e.cls for e in w.all.entities})
    thing, other = (next(e.id for e in world.all.entities if e.cls == c) for c in (cls, not_made))
    uncover(world, other)
    assert refused(world, f"{verb} {other}")[0] == ACTS[verb]
    uncover(world, thing)
    assert refused(world, f"{verb} {thing}") == ("held", f"grab {thing}")
    world.fetch(thing)
    before = world.all
    world.force(f"{verb} {thing}", f"{verb} {thing}")
    after = world.all
    assert after.agent.acts == (Action(verb, (thing,)),)
    assert (after.entities, after.relations, after.agent.holding) == (before.entities, before.relations, before.agent.holding)


def test_hands_are_washed_under_a_running_tap() -> None:
    world = World(KITCHEN)
    tap = next(r.subject for r in world.all.relations if r.kind == "controls" and r.object.startswith("sink"))
    sink = next(r.object for r in world.all.relations if r.subject == tap)
    assert refused(world, f"wash_hands {sink}") == ("within reach", f"walk {sink}")
    world.force(f"walk {sink}")
    assert refused(world, f"wash_hands {sink}") == ("running water", f"switch_on {tap}")
    assert refused(world, f"wash_hands {tap}")[0] == "rinses"
    world.fetch("apple_1")
    world.force(f"walk {sink}")
    assert refused(world, f"wash_hands {sink}")[0] == "a free hand"
    world = World(KITCHEN)
    world.force(f"walk {tap}", f"switch_on {tap}", f"walk {sink}", f"wash_hands {sink}")


def test_a_dishwasher_has_no_tap() -> None:
    world = World(HOME)
    world.force(*(a for a in ("walk kitchen_1",) if world.all.agent.room != "kitchen_1"), "walk dishwasher_1")
    assert refused(world, "wash_hands dishwasher_1")[0] == "a tap"


def test_one_types_on_what_is_on() -> None:
    world = World(BEDROOM)
    world.force("walk laptop_1")
    assert refused(world, "type bed_1")[0] == "typable"
    assert refused(world, "type laptop_1") == ("on", "switch_on laptop_1")
    world.force("switch_on laptop_1", "type laptop_1", "walk bed_1")
    assert refused(world, "type laptop_1") == ("within reach", "walk laptop_1")


def test_another_room_is_not_in_view() -> None:
    world = World(HOME)
    elsewhere = next(e for e in world.all.entities if e.category == "furniture" and e.room != world.all.agent.room)
    for verb in ("look_at", "turn_to", "touch"):
        assert refused(world, f"{verb} {elsewhere.id}")[0] == "in sight"


def test_only_the_head_moves_on_a_seat() -> None:
    world = World()
    world.simulator = HouseholdSimulator.open(BEDROOM, {"seeing": "camera"})
    world.simulator.reset(1)
    world.force("scan", "walk bed_1", "sit bed_1")
    for verb in ("move_ahead", "turn_left"):
        assert refused(world, verb) == ("standing", "stand_up")
    world.force("look_down", "scan", "stand_up", "turn_left")


@pytest.mark.parametrize("posture", ["sit", "lie"])
def test_the_camera_goes_down_with_the_robot(posture: str) -> None:
    world = World(BEDROOM)
    home = world.simulator._home
    assert eye_height(home) == EYE_HEIGHT
    world.force("walk bed_1")
    stood = world.all.agent.pose
    world.force(f"{posture} bed_1")
    robot, bed = robot_of(home), home.items["bed_1"].thing
    assert robot is not None
    assert robot.seat < robot.eye_height < EYE_HEIGHT
    x0, y0, x1, y1 = bed.footprint()
    assert x0 <= robot.x <= x1
    assert y0 <= robot.y <= y1
    world.force("stand_up")
    assert world.all.agent.pose == stood


WALKS = st.lists(st.integers(0, 10_000), min_size=1, max_size=25)


@settings(max_examples=either(15, 100), deadline=None)
@given(scene=st.sampled_from((HOME, LIVING_ROOM, KITCHEN)), seed=st.integers(0, 20), picks=WALKS)
def test_postures_and_acts_survive_saving(scene: str, seed: int, picks: list[int]) -> None:
    simulator = World(scene, seed=seed).simulator
    for pick in picks:
        listed = simulator.admissible()
        bodily = [a for a in listed if a.verb in BODY_VERBS - {"look_at", "turn_to"}]
        chosen = bodily if bodily and pick % 3 else listed
        action, before = chosen[pick % len(chosen)], simulator.observe().agent
        assert simulator.step(action).ok
        agent, saved = simulator.observe().agent, simulator.save()
        assert (agent.posture == "standing") == (agent.seat == "")
        assert set(before.acts) <= set(agent.acts)
        assert (action in agent.acts) == (action.verb in ACTS or action in before.acts)
        assert agent.posture == {"sit": "sitting", "lie": "lying", "stand_up": "standing"}.get(action.verb, before.posture)
        simulator.reset(seed + 1)
        assert simulator.restore(saved).agent == agent
        assert simulator.save() == saved


def test_old_states_load_and_odd_ones_do_not() -> None:
    simulator = World(HOME).simulator
    value = json.loads(simulator.save())
    assert not {"posture", "seat", "facing", "acts"} & value.keys(), "a state without them is written as it always was"
    for odd in ({"posture": "sitting"}, {"posture": "dancing", "seat": "sofa_1"}, {"seat": "sofa_1"}, {"facing": "ghost_1"},
                {"acts": [["drink", "ghost_1"]]}, {"acts": [["fly", "sofa_1"]]}, {"posture": "lying", "seat": "ghost_1"}):
        with pytest.raises(DataError):
            simulator.restore(json.dumps({**value, **odd}))


@pytest.mark.parametrize(("literal", "cause"), [
    (Literal("sitting", "sofa"), ""), (Literal("sitting", "fridge"), "not made for it"), (Literal("lying", "bed|sofa"), ""),
    (Literal("lying", "chair"), "not made for it"), (Literal("sitting", "throne"), "too few"),
    (Literal("standing", "robot"), ""),
    (Literal("robot_in", "bedroom"), ""), (Literal("robot_in", "cellar"), "too few"), (Literal("robot_near", "desk"), ""),
    (Literal("done", "television", act="watch"), ""), (Literal("done", "sink", act="wash_hands"), ""),
    (Literal("done", "dishwasher", act="wash_hands"), "not made for it"),
    (Literal("done", "sofa", act="eat"), "not made for it"),
    (Literal("done", "plate", act="touch"), ""), (Literal("sitting", "sofa", None, 2), "contradictory"),
    (Literal("inside", "plate", "living_room"), ""), (Literal("on", "plate", "desk|kitchen_table"), ""),
    (Literal("is", "plate", None, 1, frozenset({"clean"}), was=frozenset({"sliced"})), "too few"),
    (Literal("on", "plate", "desk", room="kitchen|bedroom|bathroom|living_room"), ""),
    (Literal("on", "plate", "desk", source="floor"), "too few"),
    (Literal("on", "plate", "desk", source="fridge|cellar"), "too few"),
    (Literal("sitting", "fridge", never=True), ""), (Literal("inside", "plate", "cellar"), "too few"),
])
def test_which_goals_are_possible(literal: Literal, cause: str) -> None:
    assert World(HOME).simulator.possible(Goal((literal,))).cause == cause


def test_the_floor_is_a_source() -> None:
    simulator = World("FloorPlan301").simulator
    lying = [e.id for e in simulator.reveal().entities if e.category == "object" and e.id not in simulator.reveal().holder]
    assert lying, "something lies on the floor of this room"
    goal = Goal((Literal("holds", lying[0].rsplit("_", 1)[0], source="floor"),))
    assert simulator.possible(goal)
    nothing = World(HOME).simulator.possible(Goal((Literal("holds", "plate", source="floor"),)))
    assert nothing.reason == "there is no plate on the floor"


def test_contradictions_are_said() -> None:
    simulator, sit = World(HOME).simulator, Literal("sitting", "sofa")
    at_once = simulator.possible(Goal((sit, Literal("standing", "robot"))))
    assert at_once.reason == ("“the robot sitting on the sofa” and “the robot standing” cannot both be: "
                              "it has one posture at a time")
    assert simulator.possible(Goal((sit, Literal("standing", "robot", stage=1))))
    both = simulator.possible(Goal((sit, Literal("sitting", "sofa", never=True))))
    assert both.reason == ("“the robot sitting on the sofa” and “never: the robot sitting on the sofa” cannot both be: "
                           "the goal both asks for and forbids it")


@pytest.mark.parametrize("scene", [HOME, KITCHEN, LIVING_ROOM, BEDROOM, "FloorPlan401"])
def test_the_oracle_reaches_every_posture_and_act(scene: str) -> None:
    simulator = HouseholdSimulator.open(scene, {})
    flags = {"sitting": POSTURES["sit"], "lying": POSTURES["lie"]}
    for seed in range(either(1, 2)):
        simulator.reset(seed)
        things = simulator.reveal().entities
        goals = [Literal(p, e.id) for p, flag in flags.items() for e in things if flag in e.properties]  # type: ignore[arg-type]
        goals += [Literal("done", e.id, act=act) for act, flag in ACTS.items() for e in things if flag and flag in e.properties]
        for literal in goals:
            simulator.reset(seed)
            if simulator.possible(goal := Goal((literal,))):
                played = drive(make_planner("oracle"), simulator, goal, None, seed, 40)
                assert played.success, f"{literal}: {played.ended} {played.actions[-3:]}"
