"""The search on problems small enough to know the answer."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.search.macros import ADMISSIBLE, MACROS
from core.search.model import (
    CLOSE,
    FETCH,
    GO,
    GRAB,
    IN_HAND,
    KIND,
    LAY,
    LOOK,
    NEAR_TO,
    NOWHERE,
    OPEN,
    PUT,
    WALK,
    State,
    satisfied,
)
from core.search.problem import Layout, Place, Problem, Want, knowledge_of
from core.search.search import Options, Search
from tests.core.search.problems import is_same

LAYOUT = Layout(
    (("kitchen_1", "kitchen"), ("bedroom_1", "bedroom")),
    (Place("fridge_1", "fridge", "inside", 0, True), Place("table_1", "table", "on", 0, False),
     Place("box_1", "box", "inside", 1, True), Place("bed_1", "bed", "on", 1, False),
     Place("kitchen_1", "kitchen", "floor", 0, False), Place("bedroom_1", "bedroom", "floor", 1, False)))
FRIDGE, TABLE, BOX, BED, KITCHEN_FLOOR, BEDROOM_FLOOR = range(6)
BEDROOM = GO + 1


def problem(things: int = 1) -> Problem:
    return Problem(LAYOUT, (Want(tuple(range(things)), (FRIDGE,), things),), things)


def start(*where: int, looked: tuple[int, ...] = (), held: int = -1, at: int = -1, opened: tuple[int, ...] = ()) -> State:
    """Known are the objects that are somewhere."""
    return knowledge_of((0, at, -1, held), among(opened), where, among(looked))


def among(places: tuple[int, ...]) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.isin(np.arange(6), places)


def steps(p: Problem, state: State, kind: int) -> list[tuple[int, ...]]:
    return [move.steps for move in p.moves(state, kind)]


def test_actions_need_what_they_need() -> None:
    p, s = problem(), start(TABLE)
    assert not p.step(s, GRAB)
    assert p.step(s, NEAR_TO)
    assert p.step(s, GRAB)
    assert s.where.tolist() == [IN_HAND]
    assert not p.step(s, PUT + FRIDGE)
    assert p.step(s, WALK + FRIDGE)
    assert not p.step(s, PUT + FRIDGE)
    assert p.step(s, OPEN + FRIDGE)
    assert not p.step(s, OPEN + FRIDGE)
    assert p.step(s, PUT + FRIDGE)
    assert satisfied(p.model, s.where) == 1
    assert p.step(s, CLOSE + FRIDGE)
    assert not p.step(s, GRAB)
    assert p.step(s, BEDROOM)
    assert not p.step(s, BEDROOM)


@given(st.lists(st.integers(0, 40), max_size=40), st.integers(0, 3))
def test_every_admissible_action_can_be_done_and_a_refused_one_changes_nothing(picks: list[int], place: int) -> None:
    p, s = problem(), start(place)
    for pick in picks:
        options = p.moves(s, ADMISSIBLE)
        assert p.step(s, options[pick % len(options)].action)
        refused = s.copy()
        if not p.step(refused, PUT + BED):
            assert is_same(refused, s)


def test_a_floor_is_neither_walked_to_nor_laid_upon() -> None:
    p, s = problem(), start(KITCHEN_FLOOR)
    floor = LAYOUT.spots.index("kitchen_1")
    assert not p.step(s, WALK + floor)
    assert p.step(s, NEAR_TO)
    assert p.step(s, GRAB)
    assert not p.step(s, PUT + KITCHEN_FLOOR)


def test_the_greedy_searcher_fetches_delivers_and_looks() -> None:
    p, nothing = problem(), np.zeros(6)
    everywhere, table = tuple(range(6)), (TABLE,)
    assert p.greedy(start(TABLE), nothing) == (NEAR_TO, GRAB)
    assert p.greedy(start(IN_HAND, held=0), nothing) == (WALK + FRIDGE, OPEN + FRIDGE, PUT + FRIDGE)
    assert p.greedy(start(NOWHERE, looked=table), np.array([0.2, 0, 0.1, 0.7, 0, 0])) == (BEDROOM,)
    assert p.greedy(start(NOWHERE, looked=table), np.array([0.9, 0, 0.05, 0.05, 0, 0])) == (WALK + FRIDGE, OPEN + FRIDGE)
    assert p.greedy(start(NOWHERE, looked=everywhere), nothing) == ()


def test_a_room_is_worth_what_can_be_opened_in_it() -> None:
    looked = (TABLE, BED, KITCHEN_FLOOR, BEDROOM_FLOOR)
    assert problem().look(start(NOWHERE, looked=looked), np.array([0.1, 0, 0.9, 0, 0, 0])) == (BEDROOM,)


def test_a_thing_that_another_literal_needs_is_left_there() -> None:
    p = Problem(LAYOUT, (Want((0, 1), (FRIDGE,), 1), Want((0, 1), (BED,), 1)), 2)
    state = start(FRIDGE, TABLE, looked=tuple(range(6)), opened=(FRIDGE,))
    assert p.greedy(state, np.zeros(6)) == (NEAR_TO + 1, GRAB + 1)


def search(p: Problem, knowledge: State, belief: list[float], **options: object) -> Search:
    ghosts = [i for i, known in enumerate(knowledge.known) if not known]
    found = Search(p, knowledge, ghosts, np.array([belief] * len(ghosts)).reshape(-1, 6), Options(**options),  # type: ignore[arg-type]
                   None, np.random.default_rng(0), 20)
    assert all(requests == () for requests in found.run(lambda: 200))
    return found


def test_it_looks_where_the_thing_is_believed() -> None:
    found = search(problem(), start(NOWHERE, looked=(TABLE,)), [0, 0, 0.9, 0.1, 0, 0])
    assert found.best().steps == (BEDROOM,)
    assert found.visits().sum() == 200
    assert found.simulations == 200


def test_values_are_discounted_returns() -> None:
    state = start(IN_HAND, looked=tuple(range(6)), held=0, at=FRIDGE, opened=(FRIDGE,))
    found = search(problem(), state, [])
    assert found.best() == (LAY + FRIDGE, (PUT + FRIDGE,))
    assert found.values()[found.ranked()[0]] == pytest.approx(10)


@pytest.mark.parametrize("actions", ["macros", "relevant", "admissible"])
@pytest.mark.parametrize("rollout", ["greedy", "uniform", "none"])
def test_all_ways_of_searching_run(actions: str, rollout: str) -> None:
    found = search(problem(2), start(NOWHERE, NOWHERE, looked=(TABLE,)), [0.1, 0, 0.5, 0.4, 0, 0], actions=actions,
                   rollout=rollout, reward="goal", urgency=False, worlds="one", final="value", depth=10)
    assert found.simulations == 200


def test_two_of_a_class_are_both_brought() -> None:
    found = search(problem(2), start(TABLE, BED, looked=tuple(range(6))), [])
    assert found.best() == (FETCH, (NEAR_TO, GRAB))


def test_nothing_useless_is_offered() -> None:
    offered = problem().moves(start(TABLE, looked=(TABLE,)), MACROS)
    assert (FETCH, (NEAR_TO, GRAB)) in offered
    assert {move.action & KIND for move in offered} == {GO, LOOK, FETCH}
    assert not any(step & KIND == CLOSE for move in offered for step in move.steps)
