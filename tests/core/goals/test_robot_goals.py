"""Goals about the robot, acts, an order, prohibitions and the past: what holds, what is latched, what is forbidden."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.goals.formal_text import formal, read_formal
from core.goals.literals import Goal
from core.goals.progress import GoalWatch, progress, reached
from core.goals.prohibitions import forbidden
from core.goals.tracker import GoalTracker
from core.world.known_world import KnownWorld
from core.world.vocabulary import (
    CONTAINER,
    GRABBABLE,
    OPENABLE,
    SITTABLE,
    SURFACE,
    Action,
    AgentState,
    Entity,
    Observation,
    Posture,
    Relation,
)

ROOMS = (Entity("kitchen_1", "kitchen", "kitchen", "room"), Entity("bedroom_1", "bedroom", "bedroom", "room"))
FURNITURE = (
    Entity("fridge_1", "fridge", "fridge", "furniture", "kitchen_1", frozenset({"closed"}), frozenset({CONTAINER, OPENABLE})),
    Entity("desk_1", "desk", "desk", "furniture", "bedroom_1", frozenset(), frozenset({SURFACE})),
    Entity("sofa_1", "sofa", "sofa", "furniture", "bedroom_1", frozenset(), frozenset({SITTABLE, SURFACE})),
)


def mug(number: int, *states: str, room: str = "kitchen_1") -> Entity:
    return Entity(f"mug_{number}", "mug", "mug", "object", room, frozenset(states), frozenset({GRABBABLE}))


def world(agent: AgentState | None = None, *things: Entity, fridge: str = "closed",
          relations: tuple[Relation, ...] = ()) -> Observation:
    furniture = tuple(replace(e, states=frozenset({fridge})) if e.cls == "fridge" else e for e in FURNITURE)
    return Observation(agent or AgentState("kitchen_1"), (*ROOMS, *furniture, *things), relations)


def goal(text: str, *things: Entity) -> Goal:
    return read_formal(text, world(None, *(things or (mug(1), mug(2)))).entities)


@pytest.mark.parametrize(("text", "agent"), [
    ("robot_in(bedroom)", AgentState("bedroom_1")),
    ("robot_near(sofa)", AgentState("bedroom_1", near=("sofa_1",))),
    ("robot_near(mug)", AgentState("kitchen_1", holding=("mug_1",))),
    ("robot_facing(desk)", AgentState("bedroom_1", facing="desk_1")),
    ("sitting(sofa)", AgentState("bedroom_1", posture="sitting", seat="sofa_1")),
    ("lying(sofa)", AgentState("bedroom_1", posture="lying", seat="sofa_1")),
    ("done(drink, mug)", AgentState("kitchen_1", acts=(Action("drink", ("mug_2",)),))),
    ("done(drink, mug, count=2)", AgentState("kitchen_1", acts=(Action("drink", ("mug_2",)), Action("drink", ("mug_1",))))),
])
def test_what_is_said_of_the_robot_is_judged_by_its_state(text: str, agent: AgentState) -> None:
    asked = goal(text)
    assert reached(asked, world(agent, mug(1), mug(2)))
    assert not reached(asked, world(AgentState("kitchen_1", posture="sitting"), mug(1), mug(2)))


def test_standing_is_a_posture() -> None:
    assert reached(goal("standing()"), world())
    assert not reached(goal("standing()"), world(AgentState("bedroom_1", posture="lying", seat="sofa_1")))


def test_one_of_several_is_enough_and_every_one_of_several_is_all() -> None:
    things, there = (mug(1), mug(2)), (Relation("inside", "mug_1", "fridge_1"),)
    assert reached(goal("inside(mug|desk, fridge)"), world(None, *things, relations=there))
    assert not reached(goal("inside(mug_1|mug_2, fridge, count=every)"), world(None, *things, relations=there))


def test_a_room_is_a_place_to_bring_things_to() -> None:
    asked = goal("inside(mug, bedroom)")
    assert not reached(asked, world(None, mug(1)))
    assert reached(asked, world(None, mug(1, room="bedroom_1"), relations=(Relation("on", "mug_1", "desk_1"),)))
    carried = world(AgentState("bedroom_1", holding=("mug_1",)), mug(1, room="bedroom_1"))
    assert not reached(asked, carried), "it is put down there"


def test_what_lay_on_the_floor_lay_on_nothing() -> None:
    asked = goal("on(thing, desk, count=every, source=floor)")
    watch = GoalWatch(asked)
    before = world(None, mug(1), mug(2), relations=(Relation("inside", "mug_2", "fridge_1"),))
    assert not progress(asked, before, watch.see(before))[0].reached
    after = world(None, mug(1), mug(2), relations=(Relation("inside", "mug_2", "fridge_1"), Relation("on", "mug_1", "desk_1")))
    assert progress(asked, after, watch.see(after))[0].reached


def test_the_dirty_mug_is_the_one_that_was_dirty_at_the_start() -> None:
    asked = goal("is(mug, clean, was=dirty)")
    watch = GoalWatch(asked)
    before = world(None, mug(1, "dirty"), mug(2, "clean"))
    assert not progress(asked, before, watch.see(before))[0].reached
    after = world(None, mug(1, "clean"), mug(2, "clean"))
    assert progress(asked, after, watch.see(after))[0].subjects == ("mug_1",)


# --- order -------------------------------------------------------------------------
KITCHEN, BEDROOM = AgentState("kitchen_1"), AgentState("bedroom_1")


def test_a_later_stage_counts_only_after_the_earlier_one() -> None:
    asked = goal("robot_in(bedroom) then robot_in(kitchen)")
    watch = GoalWatch(asked)
    assert [p.reached for p in progress(asked, world(KITCHEN), watch.see(world(KITCHEN)))] == [False, False]
    assert [p.reached for p in progress(asked, world(BEDROOM), watch.see(world(BEDROOM)))] == [True, False]
    assert [p.reached for p in progress(asked, world(KITCHEN), watch.see(world(KITCHEN)))] == [True, True]


def test_an_object_must_still_be_where_an_earlier_stage_wanted_it() -> None:
    asked, there = goal("inside(mug, fridge) then robot_in(bedroom)"), (Relation("inside", "mug_1", "fridge_1"),)
    watch = GoalWatch(asked)
    inside = world(KITCHEN, mug(1), relations=there)
    watch.see(inside)
    gone = world(BEDROOM, mug(1))
    assert not reached(asked, gone, watch.see(gone))
    back = world(BEDROOM, mug(1), relations=there)
    assert reached(asked, back, watch.see(back))


def test_a_tracker_works_on_the_open_stage_only() -> None:
    asked = goal("robot_in(bedroom) then robot_in(kitchen)")
    tracker, known = GoalTracker(asked), KnownWorld()
    known.see(world(KITCHEN))
    tracker.see(known)
    assert formal(tracker.pursued) == "robot_in(bedroom)"
    known.see(world(BEDROOM))
    tracker.see(known)
    assert formal(tracker.pursued) == "robot_in(kitchen)"


# --- prohibitions ------------------------------------------------------------------
def test_what_is_forbidden_is_broken_for_good() -> None:
    asked = goal("inside(mug, desk) and never is(fridge, open)".replace("inside(mug, desk)", "on(mug, desk)"))
    watch = GoalWatch(asked)
    for state, kept in (("closed", True), ("open", False), ("closed", False)):
        now = world(None, mug(1), fridge=state)
        assert progress(asked, now, watch.see(now))[1].reached is kept


def test_what_was_so_from_the_start_is_not_broken() -> None:
    asked = goal("never is(fridge, open) and never robot_in(kitchen)")
    watch = GoalWatch(asked)
    now = world(KITCHEN, mug(1), fridge="open")
    assert reached(asked, now, watch.see(now)), "nobody opened it, nobody entered"
    elsewhere = world(BEDROOM, fridge="open")
    watch.see(elsewhere)
    assert [p.reached for p in progress(asked, now, watch.see(now))] == [True, False]


@pytest.mark.parametrize(("text", "action"), [
    ("never is(fridge, open)", Action("open", ("fridge_1",))), ("never robot_in(bedroom)", Action("walk", ("bedroom_1",))),
    ("never robot_in(bedroom)", Action("walk", ("sofa_1",))), ("never done(drink, mug)", Action("drink", ("mug_1",))),
    ("never sitting(sofa)", Action("sit", ("sofa_1",))), ("never holds(mug)", Action("grab", ("mug_2",))),
    ("never inside(mug, fridge)", Action("put_in", ("mug_1", "fridge_1"))),
])
def test_an_action_that_would_break_the_goal_is_forbidden(text: str, action: Action) -> None:
    seen = world(AgentState("kitchen_1", holding=("mug_1",)), mug(1), mug(2))
    banned = forbidden(goal(text), seen)
    assert action in banned
    assert all(a.verb == action.verb for a in banned)
    assert not forbidden(goal(text.removeprefix("never ")), seen)


# --- a record never forgets ----------------------------------------------------------
POSTURES: tuple[Posture, ...] = ("standing", "sitting", "lying")
STATES = st.tuples(st.sampled_from(["kitchen_1", "bedroom_1"]), st.sampled_from(POSTURES), st.sampled_from(["open", "closed"]))


@given(st.lists(STATES, min_size=1, max_size=12))
def test_stages_only_advance_and_broken_stays_broken(states: list[tuple[str, Posture, str]]) -> None:
    asked = goal("robot_in(bedroom) then sitting(sofa) then standing() and never is(fridge, open)")
    watch, stage, broken = GoalWatch(asked), 0, False
    for room, posture, fridge in states:
        now = world(AgentState(room, posture=posture, seat="sofa_1" if posture != "standing" else ""), fridge=fridge)
        record = watch.see(now)
        assert record.stage(asked) >= stage
        assert bool(record.broken) >= broken
        stage, broken = record.stage(asked), bool(record.broken)
        assert watch.see(now) == record, "the same observation again changes nothing"
