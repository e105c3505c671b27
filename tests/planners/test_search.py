"""The search on problems small enough to know the answer."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.search.macros import admissible, greedy, look, macros
from core.search.model import CLOSE, GRAB, HELD, NEAR_TO, NOWHERE, OPEN, PUT, WALK, Layout, Place, Problem, State, Want, copied
from core.search.nodes import Knowledge, Options
from core.search.puct import Search
from core.search.uniform import UniformPolicy

LAYOUT = Layout(
    (("kitchen_1", "kitchen"), ("bedroom_1", "bedroom")),
    (Place("fridge_1", "fridge", "inside", 0, True), Place("table_1", "table", "on", 0, False),
     Place("box_1", "box", "inside", 1, True), Place("bed_1", "bed", "on", 1, False),
     Place("kitchen_1", "kitchen", "floor", 0, False), Place("bedroom_1", "bedroom", "floor", 1, False)))
FRIDGE, TABLE, BOX, BED = range(4)


def problem(things: int = 1) -> Problem:
    return Problem(LAYOUT, (Want(tuple(range(things)), (FRIDGE,), 1 << FRIDGE, things),), things)


def start(*where: int, room: int = 0) -> State:
    return [room, -1, -1, -1, 0, list(where)]


def test_actions_need_what_they_need() -> None:
    p, s = problem(), start(TABLE)
    assert not p.step(GRAB, s)
    assert p.step(NEAR_TO, s)
    assert p.step(GRAB, s)
    assert s[5] == [HELD]
    assert not p.step(PUT + FRIDGE, s)
    assert p.step(WALK + FRIDGE, s)
    assert not p.step(PUT + FRIDGE, s)
    assert p.step(OPEN + FRIDGE, s)
    assert not p.step(OPEN + FRIDGE, s)
    assert p.step(PUT + FRIDGE, s)
    assert p.satisfied(s[5]) == 1
    assert p.step(CLOSE + FRIDGE, s)
    assert not p.step(GRAB, s)
    assert p.step(1, s)
    assert not p.step(1, s)


@given(st.lists(st.integers(0, 40), max_size=40), st.integers(0, 3))
def test_every_admissible_action_can_be_done_and_a_refused_one_changes_nothing(picks: list[int], place: int) -> None:
    p, s = problem(), start(place)
    for pick in picks:
        options = admissible(p, s, 1, 0)
        assert p.step(options[pick % len(options)][0], s)
        refused = copied(s)
        if not p.step(PUT + BED, refused):
            assert refused == s


def test_the_greedy_searcher_fetches_delivers_and_looks() -> None:
    p = problem()
    assert greedy(p, start(TABLE), 1, 0, [0.0] * 6) == (NEAR_TO, GRAB)
    assert greedy(p, [0, -1, -1, 0, 0, [HELD]], 1, 0, [0.0] * 6) == (WALK + FRIDGE, OPEN + FRIDGE, PUT + FRIDGE)
    assert greedy(p, start(NOWHERE), 0, 1 << TABLE, [0.2, 0, 0.1, 0.7, 0, 0]) == (1,)
    assert greedy(p, start(NOWHERE), 0, 1 << TABLE, [0.9, 0, 0.05, 0.05, 0, 0]) == (WALK + FRIDGE, OPEN + FRIDGE)
    assert greedy(p, start(NOWHERE), 0, 63, [0.0] * 6) == ()


def test_a_room_is_worth_what_can_be_opened_in_it() -> None:
    assert look(problem(), start(NOWHERE), 0b11010 | 1 << 5, [0.1, 0, 0.9, 0, 0, 0]) == (1,)


def test_a_thing_that_another_literal_needs_is_left_there() -> None:
    wants = (Want((0, 1), (FRIDGE,), 1 << FRIDGE, 1), Want((0, 1), (BED,), 1 << BED, 1))
    p = Problem(LAYOUT, wants, 2)
    state = start(FRIDGE, TABLE)
    state[4] = 1 << FRIDGE
    assert greedy(p, state, 3, 63, [0.0] * 6) == (NEAR_TO + 1, GRAB + 1)


def search(p: Problem, state: State, known: int, looked: int, belief: list[float], **options: object) -> Search:
    ghosts = [i for i in range(p.slots) if not known >> i & 1]
    found = Search(p, Knowledge(state, known, looked), ghosts, np.array([belief] * len(ghosts)).reshape(-1, 6),
                   Options(**options), UniformPolicy(), np.random.default_rng(0), 20)  # type: ignore[arg-type]
    assert all(requests == () for requests in found.run(lambda: 200))
    return found


def test_it_looks_where_the_thing_is_believed() -> None:
    found = search(problem(), start(NOWHERE), 0, 1 << TABLE, [0, 0, 0.9, 0.1, 0, 0])
    assert found.root.actions is not None
    assert found.root.actions[found.ranked()[0]] == (1,)
    assert sum(found.root.counts) == 200
    assert found.simulations == 200


def test_values_are_discounted_returns() -> None:
    state = [0, FRIDGE, -1, 0, 1 << FRIDGE, [HELD]]
    found = search(problem(), state, 1, 63, [])
    best = found.ranked()[0]
    assert found.root.actions is not None
    assert found.root.actions[best] == (PUT + FRIDGE,)
    assert found.root.value(best) == pytest.approx(10)


@pytest.mark.parametrize("actions", ["macros", "relevant", "admissible"])
@pytest.mark.parametrize("rollout", ["greedy", "uniform", "none"])
def test_all_ways_of_searching_run(actions: str, rollout: str) -> None:
    found = search(problem(2), start(NOWHERE, NOWHERE), 0, 1 << TABLE, [0.1, 0, 0.5, 0.4, 0, 0], actions=actions,
                   rollout=rollout, reward="goal", urgency=False, worlds="one", final="value", depth=10)
    assert found.simulations == 200


def test_two_of_a_class_are_both_brought() -> None:
    found = search(problem(2), start(TABLE, BED), 3, 63, [])
    assert found.root.actions is not None
    assert found.root.actions[found.ranked()[0]] == (NEAR_TO, GRAB)


def test_nothing_useless_is_offered() -> None:
    offered = macros(problem(), start(TABLE), 1, 1 << TABLE)
    assert (NEAR_TO, GRAB) in offered
    assert not any(action >= CLOSE for macro in offered for action in macro)
