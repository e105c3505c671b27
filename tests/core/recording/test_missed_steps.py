"""Steps towards the goal that a run knew and did not take: each was open by the record alone, and taken ones are not missed."""

from __future__ import annotations

import random
from collections.abc import Iterable
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.goals.progress import progress
from core.recording.failures.causes import propose
from core.recording.failures.missed import Step, missed_steps, step_of
from core.recording.failures.run import RecordedRun, read_run
from core.session.commands import Override
from core.session.events import Ended, Event
from core.world.vocabulary import Action
from sim.household.simulator import HouseholdSimulator
from tests.core.recording.failing import Says, back_and_forth, events_of, place_of, setup
from tests.long_tests import either

APPLE = "Put one apple on the kitchen table"
DEGRADED = ("llm-policy", "llm-mcts", "inner-monologue", "llm-state", "bcr", "uct", "greedy", "cloned-policy")


@cache
def played(planner: str, seed: int, steps: int = 14) -> tuple[Event, ...]:
    changes: dict[str, Any] = {"wrong_answers": "0.6"} if planner in ("llm-policy", "llm-mcts") else {}
    changes |= {"simulations": "20"} if planner in ("llm-mcts", "uct") else {}
    return tuple(events_of(setup(planner, seed=seed, scene="four-rooms-2", task="", steps=steps, **changes)))


def is_success(events: Iterable[Event]) -> bool:
    return any(event.what.success for event in events if isinstance(event.what, Ended))


def to_the_table() -> list[Action]:
    """Returns the actions that bring an apple within reach of a kitchen table, in the first home, without putting it there."""
    with HouseholdSimulator.open("four-rooms-1", {}) as home:
        home.reset(3)
        world = home.reveal()
        apple = next(e for e in world.entities if e.cls == "apple")
        table = next(e for e in world.entities if e.cls == "kitchen_table")
        holder = place_of(world, "apple")
        way = [Action("walk", (apple.room or "",)), Action("walk", (holder,))]
        way += [Action("open", (holder,))] if "closed" in world.by_id[holder].states else []
        way += [Action("grab", (apple.id,)), Action("walk", (table.room or "",)), Action("walk", (table.id,))]
        done = []
        for action in way:
            if home.step(action).ok:
                done.append(action)
        assert apple.id in home.observe().agent.holding
        return done


@cache
def walked_away() -> tuple[tuple[Event, ...], int]:
    """Returns a run that an operator leads to the table and whose policy then walks away, and the number of the first turns."""
    way = to_the_table()
    made = setup("llm-policy", "admissible", {"policy": back_and_forth}, steps=len(way) + 8, task=APPLE)
    return tuple(events_of(made, *map(Override, way))), len(way)


def test_an_offered_step_that_is_not_taken_is_named() -> None:
    events, way = walked_away()
    found = propose(events)
    assert found is not None
    main = found.evidence[0]
    assert main.instead is not None
    assert main.instead.verb == "put_on"
    assert f"was possible in turn {way + 1}" in main.text or f"from turn {way + 1} on" in main.text
    assert "would have reached “apple on the kitchen table”" in main.text
    assert "the reply was “walk to the" in main.text


def test_a_step_is_missed_only_until_it_is_taken() -> None:
    run = read_run(events_of(setup("oracle", steps=6)))
    taken = [step for step in missed_steps(run) if step.taken]
    assert taken
    for step in taken:
        later = [t.number for t in run.turns if t.action is not None and set(step.objects) <= set(t.action.args)]
        assert max(step.turns) < max(later)


def test_every_possible_step_would_have_reached_its_part() -> None:
    """The simulator is the judge: a possible step is admissible in it, and raises the progress of its literal."""
    way, checked = to_the_table(), 0
    for seed in range(6):
        made = setup("llm-policy", "admissible", {"policy": random_choice(seed)}, steps=len(way) + 14, task=APPLE)
        run = read_run(events_of(made, *map(Override, way)))
        for step in missed_steps(run):
            assert step.since <= min(step.turns)
            assert set(step.possible) <= set(step.turns)
            for number in step.possible if step.kind == "possible" else ():
                assert_reaches(run, step, number)
                checked += 1
    assert checked >= 3


def random_choice(seed: int) -> Says:
    dice = random.Random(seed)
    return lambda ask: dice.choice(ask.expects.choices)


def assert_reaches(run: RecordedRun, step: Step, number: int) -> None:
    assert run.began is not None
    with HouseholdSimulator.open(run.began.scene, dict(run.began.world)) as home:
        home.reset(run.began.seed)
        for turn in run.turns:
            if turn.number == number:
                break
            assert turn.action is not None
            home.step(turn.action)
        before = {p.literal: p.have for p in progress(run.goal, home.reveal())}
        outcome = home.step(step.action)
        after = {p.literal: p.have for p in progress(run.goal, home.reveal())}
    assert (outcome.ok and after[step.literal] > before[step.literal]) or outcome.precondition == "free floor"


@settings(max_examples=either(20, 200))
@given(planner=st.sampled_from(DEGRADED), seed=st.sampled_from((9241, 9242)), number=st.integers(1, 14))
def test_a_turn_misses_the_step_that_is_nearest_to_the_goal(planner: str, seed: int, number: int) -> None:
    steps = missed_steps(read_run(played(planner, seed)))
    mine = step_of(steps, number)
    fits = [step for step in steps if number in step.turns]
    assert (mine is None) == (not fits)
    assert all(set(step.possible) <= set(step.turns) for step in fits)
    if mine is not None and mine.kind != "possible":
        assert all(step.kind != "possible" for step in fits)


@pytest.mark.parametrize("planner", DEGRADED)
def test_a_lost_turn_is_counted_once(planner: str) -> None:
    found = propose(played(planner, 9241))
    if found is None:
        assert is_success(played(planner, 9241))
        return
    costly = [turn for one in found.evidence if one.cost for turn in one.turns]
    assert sum(one.cost for one in found.evidence) == found.lost
    assert len(costly) == len(set(costly))
