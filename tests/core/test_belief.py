from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.belief import BeliefTable, from_counts
from core.errors import UsageError

PLACES = ("fridge_1", "kitchen_table_1", "sofa_1", "desk_1", "bed_1")
ROOMS = (0, 0, 1, 2, 2)
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


def test_looking_rules_out_and_finding_settles() -> None:
    belief = table()
    belief.look([0, 1])
    assert belief.row(0)[:2] == pytest.approx([0, 0])
    assert belief.row(0)[2] == pytest.approx(0.5)
    belief.locate(0, "apple_7", 1)
    assert belief.row(0) == pytest.approx([0, 1, 0, 0, 0])
    assert belief.facet().located == ("apple_7", None)


def test_a_ghost_is_exhausted_when_all_was_looked_into_yet_its_row_sums_to_one() -> None:
    belief = table()
    belief.look(range(len(PLACES)))
    assert belief.exhausted(0)
    assert belief.probability().sum(axis=1) == pytest.approx([1, 1])


def test_entropy_falls_to_nothing_when_found() -> None:
    belief = table([0.2] * 5)
    assert belief.entropy()[0] == pytest.approx(np.log2(5))
    belief.locate(0, "apple_1", 0)
    assert belief.entropy()[0] == pytest.approx(0)


def test_probabilities_by_room_add_up() -> None:
    assert table().by_room(ROOMS, 3)[0] == pytest.approx([0.8, 0.1, 0.1])


def test_banned_places_are_left_out_unless_nothing_else_is_left() -> None:
    belief = table()
    banned = np.array([True, False, False, False, False])
    assert belief.row(0, banned)[0] == 0
    belief.look([1, 2, 3, 4])
    assert belief.row(0, banned)[0] == pytest.approx(1)


def test_looking_beats_a_pin() -> None:
    belief = table()
    belief.pin(0, 0, 0.9)
    belief.look([0])
    assert belief.row(0)[0] == 0


def test_pins_beyond_one_are_refused() -> None:
    belief = table()
    belief.pin(0, 0, 0.7)
    with pytest.raises(UsageError, match="more than 1"):
        belief.pin(0, 1, 0.4)


def test_a_belief_about_other_places_is_refused() -> None:
    with pytest.raises(UsageError, match="other places"):
        table().take(BeliefTable(("shelf_1",)).facet())


def test_samples_follow_the_row() -> None:
    belief, rng = table(), np.random.default_rng(0)
    belief.zero(0, 0)
    draws = [belief.sample(0, rng) for _ in range(500)]
    assert 0 not in draws
    assert 0.45 < draws.count(1) / 500 < 0.75


kinds = st.sampled_from(["pin", "zero", "set", "look", "reset"])


@given(priors, st.lists(st.tuples(kinds, cells, st.floats(0, 1)), max_size=12))
def test_rows_sum_to_one_whatever_is_done(row: list[float], edits: list[tuple[str, tuple[int, int], float]]) -> None:
    belief = table(row, row)
    for kind, (r, place), value in edits:
        edit(belief, kind, r, place, value)
        assert belief.probability().sum(axis=1) == pytest.approx([1, 1])
        assert (belief.probability() >= 0).all()


@given(priors, cells, st.floats(0, 1), st.lists(cells, max_size=5))
def test_a_pinned_cell_stays_and_the_rest_shares_what_is_left(row: list[float], cell: tuple[int, int], value: float,
                                                             zeros: list[tuple[int, int]]) -> None:
    belief = table(row, row)
    belief.pin(*cell, value)
    for other in zeros:
        if other[0] == cell[0] and other != cell and len({z for z in zeros if z[0] == cell[0]}) < len(PLACES) - 1:
            belief.zero(*other)
            assert belief.probability()[other] == pytest.approx(0)
    assert belief.probability()[cell] == pytest.approx(value)


@given(priors, cells, st.lists(st.integers(0, len(PLACES) - 1), max_size=3, unique=True))
def test_a_zeroed_cell_stays_while_anything_else_is_possible(row: list[float], cell: tuple[int, int], looks: list[int]) -> None:
    belief = table(row, row)
    belief.zero(*cell)
    belief.look(looks)
    assert belief.probability()[cell] == pytest.approx(0)


@given(priors, st.sampled_from(["pin", "zero", "set"]), cells, st.floats(0, 1),
       st.lists(st.integers(0, len(PLACES) - 1), max_size=3, unique=True))
def test_an_edit_is_undone_by_taking_the_facet_of_before(row: list[float], kind: str, cell: tuple[int, int], value: float,
                                                         looks: list[int]) -> None:
    belief = table(row, row)
    belief.look(looks)
    before = belief.facet()
    edit(belief, kind, *cell, value)
    belief.take(before)
    assert belief.probability() == pytest.approx(before.probability)
    assert (belief.pinned == before.pinned).all()
    assert (belief.zeroed == before.zeroed).all()


def edit(belief: BeliefTable, kind: str, row: int, place: int, value: float) -> None:
    if kind == "look":
        belief.look([place])
    elif kind == "reset":
        belief.reset(row)
    elif kind == "zero":
        belief.zero(row, place)
    elif kind == "set":
        belief.set(row, place, value)
    else:
        belief.pinned[row] = False
        belief.pin(row, place, value)
