"""The facet tree panel: a plain tree of the facets that no other panel claims."""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QTreeWidget, QTreeWidgetItem

from core.planning.facets import Facet, Plan
from core.session.snapshot import Snapshot
from core.views.fields import parts_of, short_text
from gui.control.context import Context
from gui.panels.base import Panel
from gui.panels.registry import CLAIMED
from gui.widgets.numbers import count

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
        self._pages = self.stack(self.nothing(
            "info", "other data", text, lambda snapshot: "All data of this turn has a panel of its own."), self._tree)

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Shows the snapshot's facets of kinds that no panel claims."""
        facets = tuple(facet for kind, (facet, _) in snapshot.facets.items()
                       if kind not in CLAIMED and kind not in self.context.claimed)
        if self.has_changed(*facets):
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
        self._pages.setCurrentIndex(int(bool(self._shown)))
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
            item.setText(1, short_text(part))
        else:
            fill(item, part, depth + 1)
