"""Where an item stands in a view: its key, after those of the items above it. The address is the same in every turn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.common.errors import UsageError
from core.views.values import Graph, Item, Matrix, Sections, Table, Tree, View, numbered

Address = tuple[str, ...]
"""The keys that lead to an item: of a table or graph its own, of a tree those of its ancestors and its own, of a matrix's cell
those of row and column; before them the title of the section. The second of two equal keys ends in ` #2`."""


def items_of(view: View) -> tuple[Item, ...]:
    """Returns the items of a plain view that have an address: rows, nodes; of a matrix its rows."""
    match view:
        case Table(items) | Tree(items):
            return items
        case Graph(nodes):
            return nodes
        case Matrix(rows):
            return rows
    return ()


def addresses_of(view: View) -> tuple[Address, ...]:
    """Returns the address of each item of a plain view, in their order."""
    items = items_of(view)
    if not isinstance(view, Tree):
        return tuple((key,) for key in _told_apart(items))
    found: list[Address] = []
    seen: dict[Address, int] = {}
    for item in items:
        address = (*(found[item.parent] if item.parent >= 0 else ()), item.key)
        seen[address] = seen.get(address, 0) + 1
        found.append(address if seen[address] == 1 else (*address[:-1], f"{item.key} #{seen[address]}"))
    return tuple(found)


def _told_apart(items: Sequence[Item]) -> Iterator[str]:
    yield from (str(key) if n == 1 else f"{key} #{n}" for key, n in numbered(item.key for item in items))


def section_at(view: View, address: Address) -> tuple[View, Address]:
    """Returns the plain view that an address lies in, and the rest of the address.

    Raises:
        UsageError: there is no such section.
    """
    while isinstance(view, Sections):
        part = next((part for part in view.parts if address and part.title == address[0]), None)
        if part is None:
            raise UsageError(f"there is no section “{''.join(address[:1])}” here now: choose one that is shown")
        view, address = part, address[1:]
    return view, address


def index_at(view: View, address: Address) -> int:
    """Returns the index of the item at an address of a plain view.

    Raises:
        UsageError: there is no such item now.
    """
    found = next((k for k, other in enumerate(addresses_of(view)) if other == address), None)
    if found is None:
        raise UsageError(f"there is no “{' › '.join(address)}” here now: choose one that is shown")
    return found


def cell_at(matrix: Matrix, address: Address) -> tuple[int, int]:
    """Returns the row and the column of a cell.

    Raises:
        UsageError: there is no such cell now.
    """
    found = [next((k for k, key in enumerate(_told_apart(items)) if key == name), None)
             for items, name in zip((matrix.rows, matrix.columns), address, strict=False)]
    match found:
        case [int(row), int(column)]:
            return row, column
    raise UsageError(f"there is no cell “{' · '.join(address)}” here now: choose one that is shown")
