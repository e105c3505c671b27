"""How values are written, whatever they are."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.views.values import CHOSEN, Cell, Column, Item, Kind
from core.views.wording import MINUS, cell_text, item_words

KINDS: tuple[Kind, ...] = get_args(Kind)
CELLS = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.frozensets(st.text())


@pytest.mark.parametrize(("value", "kind", "text"), [
    (None, "count", "–"), (float("nan"), "value", "–"), (float("inf"), "count", "∞"), (float("-inf"), "time", f"{MINUS}∞"),
    (1140, "count", "1,140"), (6.3, "count", "6.3"), (-2, "count", f"{MINUS}2"), (12.0, "count", "12"),
    (0.46, "probability", ".46"), (1.0, "probability", "1"), (0.001, "probability", "<.01"), (0.0, "probability", "0"),
    (0, "probability", "0"), (1.5, "probability", "1.50"),
    (6.421, "value", "6.42"), (12345.678, "value", "12,345.68"), (7, "value", "7"), (-0.001, "value", f"{MINUS}0.001"),
    (-0.0, "value", "0.00"), (1.8, "time", "1.8 s"), (84.6, "time", "1:24.6"), (-3.0, "time", f"{MINUS}3.0 s"),
    (True, "state", "yes"), (frozenset({"on", "closed"}), "state", "closed, on"), ("open", "count", "open"),
    (0.5, "text", "0.5"), (0.0, "loss", "best"), (0.81, "loss", "0.8"), (0.02, "loss", ".02"), (None, "loss", "–"),
    (0.92, "similarity", ".92"), (-0.1, "similarity", f"{MINUS}.10"),
])
def test_a_value_is_written_as_its_kind(value: Cell, kind: Kind, text: str) -> None:
    assert cell_text(value, kind) == text


@given(CELLS, st.sampled_from(KINDS))
def test_any_value_of_any_kind_can_be_written(value: Cell, kind: Kind) -> None:
    assert isinstance(cell_text(value, kind), str)


def test_an_item_in_words_leaves_out_what_is_not_known() -> None:
    columns = (Column("visits", "count"), Column("Q", "value"))
    item = Item("k", "open  the\nfridge", (12, None, 0.5), (CHOSEN,), note="the cheapest", place="in the kitchen")
    assert item_words(item, columns) == "open the fridge · in the kitchen · visits 12 · 0.5 · chosen · the cheapest"
    assert item_words(Item("k", "open")) == "open"
