"""Items of a view are found by their address, whatever their keys; an address that is not there is refused in one line."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.common.errors import UsageError
from core.views.addresses import addresses_of, cell_at, index_at, section_at
from core.views.values import Item, Matrix, Sections, Table, Text, Tree, tree_of

KEYS = st.sampled_from(["a", "b", "open fridge", ""])


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    """Returns a tree with few different keys, so that siblings are often equal."""
    items: list[Item] = []
    for k in range(draw(st.integers(0, 12))):
        items.append(Item(draw(KEYS), "", parent=draw(st.integers(-1, k - 1))))
    return Tree(tuple(items))


@given(trees())
def test_each_node_of_a_tree_has_an_address_of_its_own(tree: Tree) -> None:
    addresses = addresses_of(tree)
    assert len(set(addresses)) == len(tree.items)
    assert [index_at(tree, address) for address in addresses] == list(range(len(addresses)))
    for item, address in zip(tree.items, addresses, strict=True):
        assert address[:-1] == (addresses[item.parent] if item.parent >= 0 else ())


@given(st.lists(KEYS, max_size=8), st.lists(KEYS, max_size=8))
def test_each_cell_of_a_matrix_has_an_address_of_its_own(rows: list[str], columns: list[str]) -> None:
    matrix = Matrix(tuple(Item(key, key) for key in rows), tuple(Item(key, key) for key in columns),
                    np.zeros((len(rows), len(columns))))
    down = [address for (address,) in addresses_of(matrix)]
    across = [address for (address,) in addresses_of(Table(matrix.columns))]
    assert {cell_at(matrix, (a, b)) for a in down for b in across} == set(np.ndindex(len(rows), len(columns)))


def test_what_is_not_there_is_refused_in_one_line() -> None:
    table = Table((Item("a", "A"),), title="Rows")
    both = Sections((table, Text("said", title="Text")))
    assert section_at(both, ("Rows", "a")) == (table, ("a",))
    for call in (lambda: section_at(both, ("Columns", "a")), lambda: section_at(both, ()), lambda: index_at(table, ("b",)),
                 lambda: cell_at(Matrix((), (), np.zeros((0, 0))), ("a", "b"))):
        with pytest.raises(UsageError, match="choose one that is shown") as raised:
            call()
        assert "\n" not in str(raised.value)


def test_a_tree_that_contains_itself_ends() -> None:
    tree = tree_of(["x"], lambda name: [name], lambda name: Item(name, name), most=50)
    assert len(tree.items) == 50
    assert "50" in tree.note
