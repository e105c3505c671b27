"""The state-space graph by hand: the paper's equations, plan selection, saving."""

from __future__ import annotations

import copy
import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.planners.neoplanner import memory
from core.planners.neoplanner.prompts import Notes, actions_in, axioms_in, listed
from core.planners.neoplanner.recorded_types import Axiom, Learnings
from core.planners.neoplanner.state_space import (
    INVALID,
    PAPER,
    ROOT,
    TUNED,
    NeoParameters,
    StateSpace,
    bonus,
    exploring,
    select,
    shown,
    sweep,
    transformed,
    untried,
    worth,
)

STEPS = st.lists(st.tuples(st.integers(0, 6), st.sampled_from("abcd"), st.integers(-1, 6), st.floats(-5, 5)), max_size=40)


def chain(*rewards: float) -> StateSpace:
    """States 0, 1, 2 … in a row, each step with its reward."""
    space = StateSpace()
    space.begin(space.add("0", "room", 10))
    for k, reward in enumerate(rewards):
        source, target = space.add(str(k), "room", 10), space.add(str(k + 1), "room", 10)
        space.record(source, f"go {k + 1}", target, reward)
    return space


def built(steps: list[tuple[int, str, int, float]]) -> StateSpace:
    space = StateSpace()
    space.begin(space.add("0", "room", 10))
    for source, action, target, reward in steps:
        to = INVALID if target < 0 else space.add(str(target), "room", 10)
        space.record(space.add(str(source), "room", 10), action, to, 0.0 if target < 0 else reward)
    return space


def test_rewards_are_carried_back_by_td() -> None:
    """Eq. 5 by hand, alpha .2, gamma .9: later states first, so one sweep reaches the beginning."""
    space = chain(0.0, 0.0, 2.0)
    assert sweep(space, replace(PAPER, sweeps=1, threshold=0)) == 1
    first, second, third, last = (space[n].value for n in space)
    assert last == 0.0
    assert third == pytest.approx(0.2 * 2.0)
    assert second == pytest.approx(0.2 * 0.9 * third)
    assert first == pytest.approx(0.2 * 0.9 * second)


def test_sweeps_end_when_the_mean_absolute_change_is_small() -> None:
    """Changes up and down must not cancel out, as they do in the released code."""
    space = StateSpace()
    for name, reward in (("up", 10.0), ("down", -10.0)):
        space.record(space.add(name, "room", 5), "go", space.add(f"{name} end", "room", 5), reward)
    assert sweep(space, replace(PAPER, sweeps=3)) == 3
    assert sweep(space, replace(PAPER, threshold=9.0)) == 1


def test_what_is_left_to_explore() -> None:
    """Eq. 4 and eq. 2 by hand."""
    space = chain(0.0)
    start = space.find("0")
    assert start is not None
    space.record(start, "eat picture", INVALID, 0.0)
    assert untried(space, start, PAPER) == pytest.approx(((10 - 2) / 10) ** 3)
    space.visit(start)
    assert exploring(space, start, PAPER) == pytest.approx(0.512 * 0.9 * math.sqrt(math.log(2)))
    for k in range(20):
        space.record(start, f"try {k}", INVALID, 0.0)
    assert untried(space, start, PAPER) == 0.0, "more was tried than thought of"


def test_the_upper_bound_counts_the_visits_of_all_parents() -> None:
    """Eq. 1 by hand."""
    space = chain(0.0, 0.0)
    second = space.find("1")
    assert second is not None
    for _ in range(3):
        space.visit(next(iter(space)))
    assert bonus(space, second, PAPER) == pytest.approx(0.9 * math.sqrt(math.log(4) / 1))


def test_a_path_ends_at_a_leaf_a_loop_or_where_exploring_wins() -> None:
    space = chain(1.0, 1.0)
    start, middle, last = list(space)
    found = select(space, start, TUNED)
    assert [leg.action for leg in found.path] == ["go 1", "go 2"]
    assert (found.because, found.end, found.avoid) == ("leaf", last, ())
    space.record(last, "back", start, 9.0)
    assert select(space, start, replace(TUNED, skip_loops=False)).because == "loop"
    assert select(space, start, TUNED).because == "leaf", "ways back are not taken"
    for _ in range(300):
        space.visit(middle)
    assert select(space, start, replace(TUNED, default_value=5.0)).because == "exploring"
    assert select(space, start, TUNED, banned={"go 2"}).end == middle


def test_the_reward_on_the_way_counts_only_where_it_is_meant_to() -> None:
    space = StateSpace()
    start, poor, rich = (space.add(name, "room", 3) for name in ("start", "poor", "rich"))
    space.record(start, "to the poor", poor, 0.0)
    space.record(start, "to the rich", rich, 4.0)
    assert worth(space, space[start].tried["to the rich"], TUNED) == 4.0
    assert worth(space, space[start].tried["to the rich"], PAPER) == 0.0
    assert select(space, start, TUNED).path[0].target == rich


def test_actions_are_not_forgotten_and_the_best_reward_stays() -> None:
    space = chain(3.0)
    start, other = list(space)
    space.record(start, "go 1", other, 0.0)
    assert space[start].tried["go 1"].reward == 3.0
    assert space[other].visits == 2
    space.record(start, "go 1", INVALID, 0.0)
    assert space[start].tried["go 1"].target == INVALID
    assert space.valid(start) == []
    assert space.parents(other) == []


def test_notes_tell_what_no_text_shows() -> None:
    notes = Notes().after("focus on cup", valid=True, changed=False, scored=True)
    notes = notes.after("wait", valid=True, changed=False, scored=False).after("wait1", valid=True, changed=True, scored=False)
    assert str(notes) == "focus on cup; waited 2"
    assert str(notes.after("open door", valid=True, changed=True, scored=False)) == "focus on cup"
    assert str(Notes().after("focus on air", valid=False, changed=False, scored=True)) == ""
    assert str(Notes().after("mix cup", valid=True, changed=False, scored=True)) == "mix cup"


@pytest.mark.parametrize(("reward", "value"), [(0, 0.0), (1, math.log(2)), (-1, -math.log(2)), (99, math.log(100))])
def test_rewards_are_log_transformed(reward: float, value: float) -> None:
    assert transformed(reward) == pytest.approx(value)


@pytest.mark.parametrize("settings", [PAPER, TUNED])
@given(STEPS)
def test_what_is_shown_of_a_path_is_what_decided_where_it_ends(settings: NeoParameters,
                                                               steps: list[tuple[int, str, int, float]]) -> None:
    space = built(steps)
    sweep(space, settings)
    chosen = select(space, 2, settings)
    graph = shown(space, 2, chosen, settings)
    assert graph.bounds == chosen.bounds
    assert [bound.state for bound in graph.bounds] == [2, *(leg.target for leg in chosen.path)]
    *passed, last = graph.bounds
    assert [bound.way for bound in passed] == [leg.action for leg in chosen.path]
    assert all(bound.known_bound is not None and bound.known_bound >= bound.new_bound for bound in passed)
    ends = {"leaf": last.known_bound is None, "exploring": last.known_bound is not None and last.new_bound > last.known_bound,
            "loop": last.known_bound is not None and last.new_bound <= last.known_bound}
    assert ends[chosen.because]
    for node in graph.nodes:
        assert node.untried == untried(space, node.id, settings)
        assert node.new_bound == exploring(space, node.id, settings)
        assert (node.known_bound is None) == (not space.valid(node.id, skip_idle=settings.skip_idle))


@given(STEPS)
def test_values_stay_bounded_and_paths_are_ways_that_exist(steps: list[tuple[int, str, int, float]]) -> None:
    space = built(steps)
    for p in (TUNED, PAPER):
        for _ in range(5):
            sweep(space, p)
        assert all(abs(space[n].value) <= 5 / (1 - p.decay) for n in space)
        for here in space:
            found, node = select(space, here, p), here
            for leg in found.path:
                assert space[node].tried[leg.action].target == leg.target != INVALID
                node = leg.target
            assert node == found.end
            assert len({here, *(leg.target for leg in found.path)}) == len(found.path) + 1


@given(STEPS, st.lists(st.text(min_size=1, max_size=20).filter(lambda t: t.strip() and "\n" not in t), unique=True, max_size=5))
def test_what_is_saved_comes_back(steps: list[tuple[int, str, int, float]], lines: list[str]) -> None:
    space, learnings = built(steps), Learnings(tuple(Axiom(t, len(t) > 3, "operator", 2) for t in lines), ("gone for good",), 3)
    sweep(space, TUNED)
    text = memory.written(space, learnings, "a task")
    again, learnt = memory.read(text, "a task")
    assert memory.written(again, learnt, "a task") == text
    assert learnt == learnings
    assert [again[n] for n in again] == [space[n] for n in space]
    assert all(sorted(again.parents(n)) == sorted(space.parents(n)) for n in space)
    assert again[ROOT].visits == space[ROOT].visits
    other, learnt = memory.read(text, "another task")
    assert (len(other), learnt) == (0, learnings)


@given(STEPS, STEPS)
def test_a_copy_shares_nothing_that_changes(steps: list[tuple[int, str, int, float]],
                                            more: list[tuple[int, str, int, float]]) -> None:
    space = built(steps)
    before, copied = memory.written(space, Learnings(()), ""), copy.deepcopy(space)
    for source, action, target, reward in more:
        copied.record(copied.add(str(source), "room", 10), action, copied.add(str(target), "room", 10), reward)
        sweep(copied, TUNED)
    assert memory.written(space, Learnings(()), "") == before


@pytest.mark.parametrize(("text", "found"), [
    ('["open box", "go barn"]', ("open box", "go barn")), ('Sure: ["open box"] good luck', ("open box",)),
    ("1. open box\n2) go barn\n- Open the lid", ("open box", "go barn", "Open the lid")),
    ('["open box", 3, null]', ("open box",)),
    ('["open box', ("open box",)), ("reset task", ()), ("", ()), ("openbox", ()),
])
def test_actions_are_read_from_lists_and_lines(text: str, found: tuple[str, ...]) -> None:
    assert actions_in(text, ("open OBJ", "go OBJ")) == found


@given(st.text(max_size=300))
def test_any_reply_is_read(text: str) -> None:
    assert all(line == line.strip() and line for line in listed(text))
    assert all(len(line.split()) >= 3 for line in axioms_in(text))
