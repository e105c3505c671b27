"""The selected nodes of a drawn tree, and the targets of arrow keys."""

from __future__ import annotations

from PySide6.QtCore import Qt

from gui.control.context import Selected
from gui.panels.tree.layout import Layout


def selected_items(layout: Layout, now: Selected | None, clicked: int | None) -> frozenset[int]:
    """Returns the indices of the selected items.

    This is the clicked node while its action is selected. Otherwise it is the nodes with the selected action that are nearest
    to the root.
    """
    if now is None or now.kind != "action":
        return frozenset()
    items = layout.items
    at = layout.index_of(clicked) if clicked is not None else None
    node = items[at].node if at is not None else None
    if at is not None and node is not None and node.action == now.action:
        return frozenset({at})
    same = [k for k, i in enumerate(items) if i.node is not None and i.node.action == now.action]
    least = min((items[k].depth for k in same), default=0)
    return frozenset(k for k in same if items[k].depth == least)


def next_item(layout: Layout, clicked: int | None, key: int) -> int:
    """Returns the index that an arrow key leads to, or -1.

    This is the parent, the first child, or the next branch in the same column; without a clicked node it is the first node.
    """
    items = layout.items
    nodes = [k for k, i in enumerate(items) if i.node is not None and i.node.action is not None]
    at = next((k for k in nodes if items[k].key == clicked), None)
    if at is None:
        return nodes[0] if nodes else -1
    if key == Qt.Key.Key_Left:
        return items[at].parent
    if key == Qt.Key.Key_Right:
        return next((k for k in nodes if items[k].parent == at), -1)
    column = [k for k in nodes if items[k].depth == items[at].depth]
    place = column.index(at) + (1 if key == Qt.Key.Key_Down else -1)
    return column[place] if 0 <= place < len(column) else -1
