"""Goals that contradict themselves, against all states of a small world."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import pytest

from core.app.goal_reading import read_task
from core.goals.contradictions import opposed
from core.goals.formal_text import read_formal
from core.goals.literals import NOT_LASTING, Goal, GoalRecord, Literal
from core.goals.progress import held_now, satisfying
from core.world.vocabulary import AgentState, Entity, Observation, Posture, Relation
from tests.core.goals.measure_sentences import opened
from tests.long_tests import either

THINGS = ("mug_1", "mug_2", "tray_1")
FURNITURE = {"table_1": "kitchen_1", "fridge_1": "kitchen_1", "bed_1": "bedroom_1"}


def world(places: dict[str, str], room: str, posture: Posture, fridge: str, mugs: tuple[str, str]) -> Observation | None:
    """Returns a state; none if things are on each other in a circle, or two are in the one hand."""
    held = tuple(thing for thing in THINGS if places[thing] == "hand")
    rooms = {}
    for thing in THINGS:
        holder = thing
        for _ in THINGS:
            holder = places.get(holder, holder)
        if holder in THINGS or len(held) > 1:
            return None
        rooms[thing] = FURNITURE.get(holder, room)
    near = tuple(name for name, where in FURNITURE.items() if where == room)
    states = {"fridge_1": fridge, "mug_1": mugs[0], "mug_2": mugs[1]}
    entities = [Entity("kitchen_1", "kitchen", "kitchen", "room"), Entity("bedroom_1", "bedroom", "bedroom", "room")]
    for name in (*FURNITURE, *THINGS):
        entities.append(Entity(name, name[:-2], name[:-2], "furniture" if name in FURNITURE else "object",
                               FURNITURE.get(name) or rooms[name], frozenset({states[name]} if name in states else ()),
                               frozenset({"grabbable"} if name in THINGS else ())))
    relations = tuple(Relation("inside", thing, holder) if holder == "fridge_1" else Relation("on", thing, holder)
                      for thing, holder in places.items() if holder != "hand")
    seat = "" if posture == "standing" else "bed_1"
    return Observation(AgentState(room, near, held, posture=posture, seat=seat), tuple(entities), relations)


def worlds() -> Iterator[Observation]:
    choices = [[p for p in ("hand", *FURNITURE, *THINGS) if p != thing] for thing in THINGS]
    robots: list[tuple[str, Posture]] = [("kitchen_1", "standing"), ("bedroom_1", "standing"), ("bedroom_1", "sitting"),
                                         ("bedroom_1", "lying")]
    washed = [(a, b) for a in ("dirty", "clean") for b in ("dirty", "clean")]
    for places, (room, posture), fridge, mugs in itertools.product(
            itertools.product(*choices), robots, ("open", "closed"), washed):
        state = world(dict(zip(THINGS, places, strict=True)), room, posture, fridge, mugs)
        if state is not None:
            yield state


AT_FIRST = (Relation("on", "mug_1", "table_1"), Relation("inside", "mug_2", "fridge_1"),
            Relation("inside", "tray_1", "fridge_1"))
START = next(state for state in worlds() if state.relations == AT_FIRST)
RECORD = GoalRecord(known=True, sources=frozenset((thing, START.holder[thing].object) for thing in THINGS))
POOL = tuple(read_formal(text, START.entities).literals[0] for text in (
    "holds(mug)", "holds(mug_1)", "holds(tray)", "holds(mug, states=dirty)", "on(mug, table)", "on(mug_1, table)",
    "on(mug, table, count=2)", "on(mug, table, count=every)", "inside(mug, fridge)", "inside(mug_2, fridge)",
    "inside(mug, fridge, count=2)", "on(mug, tray)", "on(mug, tray, count=2)", "on(tray, mug)", "on(tray, mug_1)",
    "on(mug_1, mug_2)", "on(mug_2, mug_1)", "on(tray, table)", "inside(tray, fridge)", "on(mug|tray, table, count=3)",
    "inside(mug, kitchen)", "inside(tray, bedroom)", "is(fridge, open)", "is(fridge, closed)", "is(mug_1, dirty)",
    "is(mug_1, clean)", "is(mug, clean, count=2)", "is(mug, dirty)", "on(mug, table, states=dirty)",
    "inside(mug_1, fridge, states=clean)", "away(mug_1, table)", "away(mug, table, count=every)", "away(tray, fridge)",
    "robot_in(kitchen)", "robot_in(bedroom)", "sitting(bed)", "lying(bed)", "standing()", "robot_near(table)",
    "robot_near(bed)", "never holds(mug)", "never holds(tray)", "never on(mug, table)", "never on(mug_1, table)",
    "never inside(mug, fridge)", "never is(fridge, open)", "never is(mug, dirty)", "never robot_in(bedroom)",
    "never sitting(bed)"))


@cache
def states() -> tuple[Observation, ...]:
    return tuple(worlds())


def _holds(literal: Literal, state: Observation) -> bool:
    return not any(satisfying(literal, state, RECORD)) if literal.never else held_now(literal, state, RECORD).reached


@cache
def where_it_holds(literal: Literal) -> int:
    """Returns the states in which a literal holds, as bits."""
    return sum(1 << k for k, state in enumerate(states()) if _holds(literal, state))


def _can_be(goal: Goal) -> bool:
    """Returns True if some states satisfy the stages of a goal: the last one together with all that lasts."""
    for stage in range(goal.last_stage + 1):
        left = (1 << len(states())) - 1
        for x in goal.literals:
            if x.never or x.stage == stage or (stage == goal.last_stage and x.predicate not in NOT_LASTING):
                left &= where_it_holds(replace(x, stage=0))
        if not left:
            return False
    return True


def _refused(goal: Goal) -> str:
    return opposed(goal, lambda: START).reason


def test_two_parts_are_refused_exactly_if_no_state_has_both() -> None:
    for literal in POOL:
        assert where_it_holds(literal), f"{literal} alone is possible"
    for pair in list(itertools.permutations(POOL, 2))[::either(5, 1)]:
        goal = Goal(pair)
        assert bool(_refused(goal)) != _can_be(goal), f"{pair[0]}, {pair[1]}: {_refused(goal)}"


def test_no_goal_is_refused_that_some_states_satisfy() -> None:
    drawn, refused = random.Random(18), 0
    for _ in range(3000):
        some = drawn.sample(POOL, drawn.choice((2, 3, 4)))
        literals = [replace(x, stage=0 if x.never else drawn.choice((0, 0, 1))) for x in some]
        goal = Goal(tuple(literals))
        if reason := _refused(goal):
            refused += 1
            assert not _can_be(goal), f"{'; '.join(map(str, literals))}: {reason}"
            assert reason.count("“") == 2, f"it names the two parts: {reason}"
    assert refused > 500


@pytest.mark.parametrize(("text", "reason"), [
    ("holds(mug) and holds(tray)",
     "“mug in the robot's hand” and “tray in the robot's hand” cannot both be: the robot has one hand"),
    ("is(fridge, open) and is(fridge, closed)",
     "“fridge is open” and “fridge is closed” cannot both be: a thing is either closed or open"),
    ("on(tray, table) and inside(tray, fridge)",
     "“tray on the table” and “tray inside the fridge” cannot both be: a tray is in one place at a time"),
    ("on(tray, mug_1) and on(mug_1, tray)",
     "“tray on mug 1” and “mug 1 on the tray” cannot both be: "
     "one would have to be on or in the other, and the other way round"),
])
def test_the_reason_names_both_parts(text: str, reason: str) -> None:
    assert _refused(read_formal(text, START.entities)) == reason


@pytest.mark.parametrize(("text", "first"), [
    ("Pick up the plate and pick up the pear", "holds(plate) then holds(pear)"),
    ("Close the fridge and put the plate in the fridge and put the plate on the desk",
     "is(fridge, closed) and inside(plate, fridge)"),
    ("robot_in(kitchen) and sitting(sofa)", "robot_in(kitchen) then sitting(sofa)"),
])
def test_a_refusal_offers_what_can_be(text: str, first: str) -> None:
    home = opened("four-rooms-1")
    refusal = read_task(home, text, 0).reading.refusal
    assert refusal is not None
    assert refusal.suggestions[0] == first, "the nearest goal comes first"
    assert home.possible(read_task(home, first, 0).goal)
