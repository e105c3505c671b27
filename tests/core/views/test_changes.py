"""A change is carried over to another version: what differs elsewhere stays."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.views.changes import carried, same


@dataclass(frozen=True)
class Note:
    text: str
    pinned: bool = False


@dataclass(frozen=True)
class Notes:
    notes: tuple[Note, ...]
    struck: frozenset[str] = frozenset()
    weights: npt.NDArray[np.float64] | None = None
    turn: int = 0


BEFORE = Notes((Note("a"), Note("b"), Note("c")), weights=np.array([1.0, np.nan, 3.0]), turn=1)


def newer(notes: Notes) -> Notes:
    """The planner went on: one note more, and another turn."""
    return replace(notes, notes=(*notes.notes, Note("d")), turn=2)


@pytest.mark.parametrize("after", [
    replace(BEFORE, notes=(Note("a"), Note("b", True), Note("c"))),
    replace(BEFORE, notes=(Note("a"), Note("c")), struck=frozenset({"b"})),
    replace(BEFORE, notes=(Note("new"), *BEFORE.notes)),
    replace(BEFORE, weights=np.array([1.0, 5.0, 3.0])),
])
def test_an_edit_is_undone_and_done_again_in_what_the_planner_wrote_since(after: Notes) -> None:
    undone = carried(newer(after), after, BEFORE)
    assert {note.text for note in undone.notes} == {"a", "b", "c", "d"}
    assert undone.turn == 2
    assert undone.struck == BEFORE.struck
    assert same(undone.weights, BEFORE.weights)
    again = carried(undone, BEFORE, after)
    assert set(again.notes) == set(newer(after).notes)
    assert same(again.weights, after.weights)
    assert (again.struck, again.turn) == (after.struck, 2)


def test_mappings_and_arrays_change_where_they_were_changed() -> None:
    assert carried({"x": 1, "y": 5, "z": 0}, {"x": 1, "y": 2, "w": 4}, {"x": 3, "y": 2}) == {"x": 3, "y": 5, "z": 0}
    found = carried(np.array([1, 9, 3]), np.array([1, 2, 3]), np.array([7, 2, 3]))
    assert found.tolist() == [7, 9, 3]
    assert not found.flags.writeable


VALUES = st.recursive(st.integers(0, 3) | st.text("ab", max_size=2) | st.none(),
                      lambda inner: st.lists(inner, max_size=4).map(tuple) | st.frozensets(st.integers(0, 4), max_size=4),
                      max_leaves=6)


@given(VALUES, VALUES, VALUES)
def test_whatever_changed_nothing_is_raised_and_the_ends_are_exact(now: object, before: object, after: object) -> None:
    assert same(carried(before, before, after), after)
    assert same(carried(now, before, before), now)
    carried(now, before, after)
