from __future__ import annotations

from dataclasses import replace
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.common.errors import UsageError
from core.planning.belief import Act, BeliefTable, edited, from_counts

PLACES = ("fridge_1", "kitchen_table_1", "sofa_1", "desk_1", "bed_1")
cells = st.tuples(st.integers(0, 1), st.integers(0, len(PLACES) - 1))
priors = st.lists(st.floats(0.001, 1.0), min_size=len(PLACES), max_size=len(PLACES))


def table(*rows: list[float]) -> BeliefTable:
    found = BeliefTable(PLACES)
    for row in rows or ([0.5, 0.3, 0.1, 0.05, 0.05],) * 2:
        found.add("apple", np.array(row))
    return found


def test_samples_become_probabilities_with_a_lower_bound() -> None:
    vector = from_counts([40, 10, 0, 0, 0])
    assert vector.sum() == pytest.approx(1.0)
    assert vector[0] == pytest.approx(0.8 / 1.003)
    assert vector[2] == pytest.approx(0.001 / 1.003)


def test_no_samples_leave_all_alike() -> None:
    assert from_counts([0, 0, 0, 0]) == pytest.approx(np.full(4, 0.25))


def test_rows_of_one_class_are_numbered() -> None:
    assert table().labels == ["apple", "apple 2"]


def test_a_found_object_is_called_by_its_id_and_the_others_by_no_number_that_could_be_an_id() -> None:
    belief = table(*[[1.0] * 5] * 4)
    assert [belief.facet().called(row) for row in range(4)] == ["apple", "apple 2", "apple 3", "apple 4"]
    belief.locate(0, "apple_2", 0)
    assert [belief.facet().called(row) for row in range(4)] == [
        "apple_2", "another apple", "another apple (2)", "another apple (3)"]
    belief.locate(2, "apple_7", 1)
    assert [belief.facet().called(row) for row in range(4)] == ["apple_2", "another apple", "apple_7", "another apple (2)"]


def test_looking_rules_out_and_finding_settles() -> None:
    belief = table()
    belief.look([0, 1])
    assert belief.row(0)[:2] == pytest.approx([0, 0])
    assert belief.row(0)[2] == pytest.approx(0.5)
    belief.locate(0, "apple_7", 1)
    assert belief.row(0) == pytest.approx([0, 1, 0, 0, 0])
    assert belief.facet().located == ("apple_7", None)


def test_a_found_object_that_is_in_no_column_is_nowhere() -> None:
    belief = BeliefTable(("fridge_1", "desk_1"))
    belief.add("apple", np.ones(2))
    belief.locate(0, "apple_7", 1)
    belief.locate(0, "apple_7", -1)  # taken into the hand
    assert belief.probability().tolist() == [[0.0, 0.0]]
    belief.locate(0, "apple_7", 0)
    assert belief.probability().tolist() == [[1.0, 0.0]]


def test_a_ghost_is_exhausted_when_all_was_looked_into_yet_its_row_sums_to_one() -> None:
    belief = table()
    belief.look(range(len(PLACES)))
    assert belief.exhausted(0)
    assert belief.probability().sum(axis=1) == pytest.approx([1, 1])


def barred_table() -> BeliefTable:
    """One thing, that the goal wants in the fridge."""
    belief = BeliefTable(PLACES)
    belief.add("apple", np.array([0.5, 0.3, 0.1, 0.05, 0.05]), np.arange(len(PLACES)) == 0)
    return belief


def test_barred_places_are_left_out_unless_nothing_else_is_left() -> None:
    belief = barred_table()
    assert belief.row(0) == pytest.approx([0, 0.6, 0.2, 0.1, 0.1])
    assert belief.facet().probability[0, 0] == 0
    belief.look([1, 2, 3, 4])
    assert belief.row(0)[0] == pytest.approx(1)


def edit(belief: BeliefTable, act: str | float, row: int, place: int) -> None:
    """What an operator, looking, or starting again comes to."""
    if act == "look":
        belief.look([place])
    elif act == "start again":
        belief.reset(row)
    else:
        belief.take(edited(belief.facet(), row, place, cast(float | Act, act)))


@pytest.mark.parametrize("pinned", [False, True])
def test_an_operator_may_believe_in_a_barred_place_until_it_is_reset(pinned: bool) -> None:
    belief = barred_table()
    edit(belief, 0.7, 0, 0)
    if pinned:
        edit(belief, "pin", 0, 0)
    assert belief.row(0) == pytest.approx([0.7, 0.18, 0.06, 0.03, 0.03])
    belief.look([1])
    assert belief.row(0)[0] >= 0.7 - 1e-9
    edit(belief, "reset", 0, 0)
    assert belief.row(0)[:2] == pytest.approx([0, 0])
    edit(belief, 0.7, 0, 0)
    belief.reset(0)
    assert belief.row(0)[:2] == pytest.approx([0, 0])


def test_an_edit_that_takes_a_barred_place_back_bars_it_again() -> None:
    belief = barred_table()
    for value in (0.7, 0.0):
        edit(belief, value, 0, 0)
    edit(belief, 0.4, 0, 2)
    belief.look([1])
    assert belief.row(0)[:2] == pytest.approx([0, 0])


def test_a_new_table_adopts_what_an_operator_did_and_what_was_looked_into_since() -> None:
    old, new = barred_table(), barred_table()
    for act, place in ((0.5, 2), ("pin", 2), ("zero", 3), (0.2, 0)):
        edit(old, act, 0, place)
    new.look([1])
    new.adopt(old)
    row = new.row(0)
    assert row[2] == pytest.approx(0.5)
    assert row[1] == row[3] == 0
    assert row[0] > 0


def test_looking_beats_a_pin() -> None:
    belief = table()
    edit(belief, "pin", 0, 0)
    belief.look([0])
    assert belief.row(0)[0] == 0


def test_pins_that_add_up_to_more_than_one_share_the_row() -> None:
    belief = table()
    pinned = np.array([[True, True, False, False, False]] * 2)
    belief.take(replace(belief.facet(), probability=np.array([[0.9, 0.3, 0, 0, 0]] * 2), pinned=pinned))
    assert belief.row(0) == pytest.approx([0.75, 0.25, 0, 0, 0])


def test_a_belief_about_other_places_is_refused() -> None:
    with pytest.raises(UsageError, match="other places"):
        table().take(BeliefTable(("shelf_1",)).facet())


acts = st.one_of(st.floats(0, 1), st.sampled_from(["pin", "unpin", "zero", "allow", "reset", "look", "start again"]))


@given(priors, st.lists(st.tuples(cells, acts), max_size=12))
def test_rows_sum_to_one_whatever_is_done(row: list[float], edits: list[tuple[tuple[int, int], str | float]]) -> None:
    belief = table(row, row)
    for cell, act in edits:
        edit(belief, act, *cell)
        assert belief.probability().sum(axis=1) == pytest.approx([1, 1])
        assert (belief.probability() >= 0).all()


@given(priors, cells, st.floats(0, 1), st.lists(cells, max_size=5))
def test_a_pinned_cell_stays_and_the_rest_shares_what_is_left(row: list[float], cell: tuple[int, int], value: float,
                                                             zeros: list[tuple[int, int]]) -> None:
    belief = table(row, row)
    edit(belief, value, *cell)
    edit(belief, "pin", *cell)
    for other in zeros:
        if other[0] == cell[0] and other != cell and len({z for z in zeros if z[0] == cell[0]}) < len(PLACES) - 1:
            edit(belief, "zero", *other)
            assert belief.probability()[other] == pytest.approx(0)
    assert belief.probability()[cell] == pytest.approx(value)


@given(priors, cells, st.lists(st.integers(0, len(PLACES) - 1), max_size=3, unique=True))
def test_a_zeroed_cell_stays_while_anything_else_is_possible(row: list[float], cell: tuple[int, int], looks: list[int]) -> None:
    belief = table(row, row)
    edit(belief, "zero", *cell)
    belief.look(looks)
    assert belief.probability()[cell] == pytest.approx(0)


@given(priors, st.one_of(st.floats(0, 1), st.sampled_from(["pin", "zero"])), cells,
       st.lists(st.integers(0, len(PLACES) - 1), max_size=3, unique=True))
def test_an_edit_is_undone_by_taking_the_facet_of_before(row: list[float], act: str | float, cell: tuple[int, int],
                                                         looks: list[int]) -> None:
    belief = table(row, row)
    belief.look(looks)
    before = belief.facet()
    edit(belief, act, *cell)
    belief.take(before)
    assert belief.probability() == pytest.approx(before.probability)
    assert (belief.pinned == before.pinned).all()
    assert (belief.zeroed == before.zeroed).all()
