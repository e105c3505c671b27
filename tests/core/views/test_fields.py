"""A value without a view of its own is shown as the tree of its fields: nothing is left out silently."""

from dataclasses import dataclass

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.planning.facets import Facet
from core.views.fields import MOST_FIELDS, fields_tree
from core.views.values import Tree
from core.world.vocabulary import Action

LEAVES = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=5))
NESTED = st.recursive(LEAVES, lambda inner: st.lists(inner, min_size=1, max_size=3).map(tuple)
                      | st.dictionaries(st.text("ab", min_size=1, max_size=2), inner, min_size=1, max_size=3), max_leaves=20)


@dataclass(frozen=True, slots=True)
class Guess(Facet):
    """A facet of somebody else."""

    room: str
    chances: object


def leaves(value: object) -> list[object]:
    """Returns the values without parts, from left to right."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, tuple) else None
    return [value] if parts is None else [leaf for part in parts for leaf in leaves(part)]


@given(NESTED)
def test_every_leaf_is_in_the_tree_in_its_order(value: object) -> None:
    tree = Guess("kitchen", value).view()
    assert isinstance(tree, Tree)
    parents = {item.parent for item in tree.items}
    shown = [item.values[0] for k, item in enumerate(tree.items) if k not in parents]
    assert shown[0] == "kitchen"
    assert shown[1:] == leaves(value)


def test_arrays_actions_and_sets_are_readable() -> None:
    tree = fields_tree({"grid": np.array([[1.5, 2.0]]), "next": Action("open", ("fridge_1",)), "on": frozenset({"a", "b"})})
    assert {item.text: item.values[0] for item in tree.items} == {
        "grid": None, "[0]": 1.5, "[1]": 2.0, "next": "open fridge_1", "on": frozenset({"a", "b"})}


def test_a_large_value_says_what_is_left_out() -> None:
    tree = fields_tree({"many": tuple(range(2 * MOST_FIELDS))})
    assert len(tree.items) == MOST_FIELDS
    assert f"{MOST_FIELDS:,}" in tree.note
