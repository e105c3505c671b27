"""The values of facets of any kind: names, short texts, equality, and what differs."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.planning.facets import GoalProgress, Program, ProgramLine, heading_of
from core.planning.search_facets import SearchTree
from core.recording.types import FACETS
from core.session.snapshot import Snapshot
from core.views.changes import same
from core.views.fields import short_text
from gui.control.facet_values import facet_differences
from tests.core.recording import strategies
from tests.gui.panels import searches

NAN = float("nan")


@pytest.mark.parametrize(("left", "right", "equal"), [
    (1, 1, True), (1, 1.0, False), (NAN, float("nan"), True), ("a", "b", False),
    (np.array([1.0, NAN]), np.array([1.0, NAN]), True), (np.zeros(2), np.zeros(3), False), (np.zeros(2), np.ones(2), False),
    ((1, (np.zeros(1),)), (1, (np.zeros(1),)), True), ((1,), (1, 2), False), (frozenset("ab"), frozenset("ba"), True),
    (MappingProxyType({"a": NAN}), MappingProxyType({"a": float("nan")}), True), ({"a": 1}, {"b": 1}, False),
])
def test_values_are_equal_down_to_the_last_item(left: object, right: object, equal: bool) -> None:
    assert same(left, right) is equal


def test_names_and_short_texts() -> None:
    assert [heading_of(kind) for kind in (SearchTree, GoalProgress, Program)] == ["Search tree", "Goal progress", "Program"]
    assert [short_text(v) for v in (np.zeros((2, 3)), 0.12345, "x")] == ["array 2 × 3", "0.123", "x"]


def test_kinds_that_differ_come_first_and_say_in_what() -> None:
    left = searches.snapshot(GoalProgress(()), Program((ProgramLine("find"), ProgramLine("grab")), 0))
    right = searches.snapshot(GoalProgress(()), Program((ProgramLine("find"), ProgramLine("open")), 1))
    program, goal = facet_differences(left, right)
    assert (program.title, program.same) == ("Program", False)
    assert (program.left, program.right) == ("lines: 1 of 2 items differ · current 0", "lines: 1 of 2 items differ · current 1")
    assert (goal.title, goal.same, goal.left) == ("Goal progress", True, "")
    alone = facet_differences(left, Snapshot())
    assert {(row.left, row.right) for row in alone} == {("shown", "not shown")}


@pytest.mark.parametrize("kind", FACETS, ids=lambda kind: kind.__name__)
@settings(max_examples=5, deadline=None)
@given(data=st.data())
def test_any_two_facets_of_a_kind_can_be_compared(kind: type, data: st.DataObject) -> None:
    left, right = data.draw(strategies.of(kind)), data.draw(strategies.of(kind))
    assert same(left, left)
    for row in facet_differences(searches.snapshot(left), searches.snapshot(right)):
        assert row.same == same(left, right)
