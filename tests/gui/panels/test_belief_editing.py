"""Edits of a belief: rows stay distributions, what is held stays held, and the planner's own table agrees."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.planning.belief import Act, BeliefTable, edited, most, put_back, row_of, with_row
from core.planning.belief_facets import Belief

PLACES = ("fridge_1", "cabinet_1", "cabinet_2", "table_1", "desk_1")
shares = st.lists(st.floats(0.01, 1.0), min_size=len(PLACES), max_size=len(PLACES))
ACTS: tuple[Act, ...] = ("pin", "unpin", "zero", "allow", "reset")
acts: st.SearchStrategy[float | Act] = st.one_of(st.floats(0.0, 1.0), st.sampled_from(ACTS))
steps = st.lists(st.tuples(st.integers(0, 1), st.integers(0, len(PLACES) - 1), acts), max_size=12)
looks = st.sets(st.integers(0, len(PLACES) - 1), max_size=3)


def table(priors: list[list[float]], looked: set[int]) -> BeliefTable:
    made = BeliefTable(PLACES)
    for cls, prior in zip(("apple", "mug"), priors, strict=True):
        made.add(cls, np.array(prior))
    made.look(looked)
    return made


def edits(belief: Belief, acted: list[tuple[int, int, float | Act]]) -> Belief:
    for row, column, act in acted:
        belief = edited(belief, row, column, act)
    return belief


@given(st.tuples(shares, shares), looks, steps)
def test_rows_stay_distributions(priors: tuple[list[float], list[float]], looked: set[int],
                                 acted: list[tuple[int, int, float | Act]]) -> None:
    belief = edits(table(list(priors), looked).facet(), acted)
    assert np.allclose(belief.probability.sum(axis=1), 1.0)
    assert (belief.probability >= 0).all()
    assert not (belief.pinned & belief.zeroed).any()
    assert (belief.probability[belief.zeroed] == 0).all()


@given(st.tuples(shares, shares), looks, steps, st.integers(0, 4), st.floats(0, 1))
def test_what_is_held_stays(priors: tuple[list[float], list[float]], looked: set[int],
                            acted: list[tuple[int, int, float | Act]], column: int, value: float) -> None:
    belief = edits(table(list(priors), looked).facet(), acted)
    after = edited(belief, 0, column, value)
    held = belief.pinned[0].copy()
    held[column] = False
    assert np.allclose(after.probability[0][held], belief.probability[0][held])
    assert (after.pinned == belief.pinned).all()
    assert after.probability[0][column] <= most(belief, 0, column) + 1e-12
    assert (after.probability[1] == belief.probability[1]).all()


@given(st.tuples(shares, shares), looks, steps)
def test_the_planner_takes_what_was_shown(priors: tuple[list[float], list[float]], looked: set[int],
                                          acted: list[tuple[int, int, float | Act]]) -> None:
    planners = table(list(priors), looked)
    belief = edits(planners.facet(), acted)
    planners.take(belief)
    taken = planners.facet()
    assert np.allclose(taken.probability, belief.probability, atol=1e-9)
    assert (taken.pinned == belief.pinned).all()


@given(st.tuples(shares, shares), looks, steps, st.integers(0, 4), acts)
def test_an_edit_can_be_put_back(priors: tuple[list[float], list[float]], looked: set[int],
                                 acted: list[tuple[int, int, float | Act]], column: int, act: float | Act) -> None:
    belief = edits(table(list(priors), looked).facet(), acted)
    after = edited(belief, 0, column, act)
    back = with_row(after, 0, row_of(belief, 0))
    assert (back.probability == belief.probability).all()
    assert (back.pinned == belief.pinned).all()
    assert (back.zeroed == belief.zeroed).all()


def plain(looked: set[int] | None = None) -> Belief:
    return table([[4, 3, 2, 1, 0.5], [1, 1, 1, 1, 1]], looked or set()).facet()


def test_the_rest_shares_in_proportion() -> None:
    after = edited(plain(), 0, 0, 0.0)
    assert after.probability[0][1] / after.probability[0][2] == pytest.approx(1.5)
    assert not after.zeroed.any()


def test_places_looked_into_take_nothing() -> None:
    after = edited(plain({1}), 0, 0, 0.1)
    assert after.probability[0][1] == 0.0


def test_pins_and_zeros() -> None:
    belief = edited(edited(plain(), 0, 0, "pin"), 0, 1, "zero")
    assert belief.pinned[0][0]
    assert belief.zeroed[0][1]
    assert belief.probability[0][0] == plain().probability[0][0]
    assert edited(belief, 0, 0, "unpin").pinned.sum() == 0
    assert edited(belief, 0, 1, "allow").probability[0][1] > 0
    reset = edited(belief, 0, 0, "reset")
    assert np.allclose(reset.probability, plain().probability)


def test_the_last_place_cannot_be_ruled_out() -> None:
    belief = plain({0, 1, 2, 3})
    assert edited(belief, 0, 4, "zero").probability[0][4] == 1.0


def test_a_thing_that_was_found_is_not_edited() -> None:
    found = table([[1, 1, 1, 1, 1], [1, 1, 1, 1, 1]], set())
    found.locate(0, "apple_1", 2)
    belief = found.facet()
    assert edited(belief, 0, 0, 0.5) is belief


def test_arrays_stay_read_only() -> None:
    with pytest.raises(ValueError, match="read-only"):
        edited(plain(), 0, 0, 0.5).probability[0, 0] = 1.0


def test_undoing_after_more_was_seen() -> None:
    before, after = plain(), edited(plain(), 0, 0, 0.9)
    newer = plain({0})
    back = put_back(newer, "apple", PLACES, row_of(before, 0))
    assert back is not None
    assert back.probability[0][0] == 0.0
    assert back.probability[0].sum() == pytest.approx(1.0)
    assert put_back(newer, "pear", PLACES, row_of(after, 0)) is None
