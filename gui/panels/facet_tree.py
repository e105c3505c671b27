"""The facet tree panel: a plain tree of the facets that no other panel claims."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import ClassVar

import numpy as np
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QStackedLayout, QTreeWidget, QTreeWidgetItem

from core.planners.bcr.recorded_types import BlockingTree
from core.planners.llm_state.recorded_types import StateDictionary
from core.planners.neoplanner.recorded_types import Learnings, Scores, StateGraph
from core.planners.progprompt.recorded_types import Program
from core.planning.facets import Belief, Facet, Frame, GoalProgress, Plan, Ranking, SearchTree, Steps
from core.session.snapshot import Snapshot
from gui.control.context import Context
from gui.panels.base import Panel
from gui.widgets import EmptyState
from gui.widgets.numbers import count

CLAIMED: frozenset[type[Facet]] = frozenset({
    Belief, BlockingTree, Frame, GoalProgress, Learnings, Program, Ranking, Scores, SearchTree, StateDictionary, StateGraph,
    Steps,
})
"""The kinds of facet that one of our other panels shows."""
MOST_CHILDREN = 200
MOST_DEPTH = 6


def unclaimed(snapshot: Snapshot, context: Context) -> frozenset[type[Facet]]:
    """Returns the kinds of facet in a snapshot that only this panel shows.

    `Plan` is excluded because the frames panel draws it and the timeline lists it.

    Args:
        snapshot: holds the facets.
        context: knows the kinds that panels of other packages claim.
    """
    return frozenset(snapshot.facets) - CLAIMED - context.claimed - {Plan}


class FacetTreePanel(Panel):
    """Shows the field names and values of facets without a panel of their own."""

    name: ClassVar[str] = "facets"
    title: ClassVar[str] = "Other planner data"
    icon: ClassVar[str] = "info"

    def __init__(self, context: Context):
        super().__init__(context)
        self._shown: tuple[Facet, ...] = ()
        self._filled = True
        self._tree = QTreeWidget()
        self._tree.setColumnCount(2)
        self._tree.setHeaderHidden(True)
        self._tree.setAccessibleName("Planner data")
        text = "Planner data without a panel of its own appears here."
        self._empty = EmptyState(context.theme, "info", "No other data yet", text)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self._tree)

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Shows the snapshot's facets of kinds that no panel claims."""
        facets = tuple(facet for kind, (facet, _) in snapshot.facets.items()
                       if kind not in CLAIMED and kind not in self.context.claimed)
        if len(facets) == len(self._shown) and all(a is b for a, b in zip(facets, self._shown, strict=True)):
            return
        self._shown, self._filled = facets, False
        self._fill()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        """Fills the tree when the panel becomes visible."""
        super().showEvent(event)
        self._fill()

    def _fill(self) -> None:
        """Fills the tree if the panel is visible. Hidden panels skip the work, because hundreds of items are slow to make."""
        if self._filled or not self.isVisible():
            return
        self._filled = True
        self._stack.setCurrentWidget(self._tree if self._shown else self._empty)
        self._tree.clear()
        for facet in self._shown:
            item = QTreeWidgetItem([type(facet).__name__, ""])
            self._tree.addTopLevelItem(item)
            fill(item, facet)
            item.setExpanded(True)
        self._tree.resizeColumnToContents(0)

    def headline(self) -> str:
        """Returns the number of facets shown, or an empty text."""
        return count(len(self._shown), "kind") if self._shown else ""


def fill(parent: QTreeWidgetItem, value: object, depth: int = 0) -> None:
    """Adds the parts of a value to a tree item as children.

    Nesting deeper than `MOST_DEPTH` and children beyond `MOST_CHILDREN` are replaced by an ellipsis.

    Args:
        parent: the item that receives the children.
        value: a dataclass, mapping or collection.
        depth: the nesting level of `value`, 0 for a facet.
    """
    if depth > MOST_DEPTH:
        parent.setText(1, "…")
        return
    for k, (name, part) in enumerate(parts_of(value)):
        if k == MOST_CHILDREN:
            parent.addChild(QTreeWidgetItem(["…", "more"]))
            return
        item = QTreeWidgetItem([name, ""])
        parent.addChild(item)
        if next(parts_of(part), None) is None:
            item.setText(1, shown(part))
        else:
            fill(item, part, depth + 1)


def parts_of(value: object) -> Iterator[tuple[str, object]]:
    """Yields the name and value of each part of a dataclass, mapping or collection. Yields nothing for other values."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [f.name for f in dataclasses.fields(value)]
        yield from ((name, object.__getattribute__(value, name)) for name in names)
    elif isinstance(value, Mapping):
        yield from ((str(key), part) for key, part in value.items())
    elif isinstance(value, tuple | list | frozenset | set):
        yield from ((str(k), part) for k, part in enumerate(value))


def shown(value: object) -> str:
    """Returns a value as short text: the shape of an array, a float with three significant digits, else `str(value)`."""
    if isinstance(value, np.ndarray):
        return f"array {' × '.join(map(str, value.shape))}"
    return f"{value:.3g}" if isinstance(value, float) else str(value)
