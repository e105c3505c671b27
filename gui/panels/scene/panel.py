"""The scene panel: a searchable tree of what is known of the world."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTreeView, QWidget

from core.goals.literals import Goal
from core.session.events import Began
from core.session.snapshot import Snapshot
from core.world.vocabulary import Observation
from gui.control.context import Context, Selected
from gui.panels.base import Panel, open_thing_menu
from gui.panels.scene.tree import ROBOT, Branch, BranchBuilder, arranged, matching, walk
from gui.panels.scene.view import SceneDelegate, SceneModel
from gui.theme.boxes import vbox
from gui.widgets import CardState, Namer, StateCard, tool_action
from gui.widgets.numbers import count
from gui.widgets.search import FindField

NAME_SHARE = 0.5
OPEN_BELOW = 400
"""Number of rows up to which a scene is shown expanded. Of a larger scene only the rooms are shown."""

NOTHING = CardState("empty", "No match", "Try a shorter word, or a state.", "search")


class ScenePanel(Panel):
    """The scene panel: rooms, their furniture and the objects in and on it, with states as chips."""

    name: ClassVar[str] = "scene"
    title: ClassVar[str] = "Scene"
    icon: ClassVar[str] = "scene"

    def __init__(self, context: Context):
        super().__init__(context)
        self._namer, self._builder = Namer(), BranchBuilder()
        self._began: Began | None = None
        self._seen: Observation | None = None
        self._goal: Goal | None = None
        self._branches: tuple[Branch, ...] = ()
        self._sorted = (0, False)
        self._opened = False
        self.model, self.view, self.query = SceneModel(self), QTreeView(), FindField("Find an object or a state")
        self.delegate = SceneDelegate(context.theme, self.model, self)
        self._empty = self.nothing(
            "scene", "scene", "What the robot sees and knows of its home appears here.",
            lambda snapshot: f"Nothing was observed up to turn {snapshot.turn}.")
        self._none = StateCard(context.theme, NOTHING)
        theme = context.theme
        self.search = tool_action(self, theme, "Find", "search", checkable=True, key="Ctrl+F")
        self.goal_only = tool_action(self, theme, "Only the goal's objects", "filter", self.redraw, checkable=True, key="F")
        self._build()
        self._connect()

    def _build(self) -> None:
        self.query.setAccessibleName("Find in the scene")
        view = self.view
        view.setModel(self.model)
        view.setItemDelegate(self.delegate)
        view.setAccessibleName("Things by room")
        view.setUniformRowHeights(True)
        view.setAnimated(False)
        view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        view.setExpandsOnDoubleClick(False)
        view.setMouseTracking(True)
        view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        header = view.header()
        header.setSectionsClickable(True)
        header.setSortIndicatorShown(True)
        header.setSortIndicator(0, Qt.SortOrder.AscendingOrder)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Interactive)
        header.setStretchLastSection(True)
        body = QWidget()
        vbox(self.context.theme, self.query, (self.view, 1), (self._none, 1), on=body, spacing=4, margins=(4, 4, 0, 0))
        self._none.hide()
        self._pages = self.stack(self._empty, body)
        self.restyle()

    def _connect(self) -> None:
        self.query.opened_by(self.search)
        self.query.textChanged.connect(lambda _: self.redraw())
        self.view.clicked.connect(self._pick)
        self.view.activated.connect(self._pick)
        self.view.doubleClicked.connect(self._override)
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.view.customContextMenuRequested.connect(self._open_menu)
        self.view.header().sortIndicatorChanged.connect(self._sort)
        self.context.selection.changed.connect(self._follow)

    # --- what it shows -------------------------------------------------------
    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Shows the newest observation."""
        if snapshot.began is not self._began:
            self._began, self._opened = snapshot.began, False
            self._namer.forget()
        self._seen, self._goal = snapshot.seen, snapshot.goal
        if self.has_changed(snapshot.seen, snapshot.goal):
            self.redraw()

    def headline(self) -> str:
        """Returns how many objects are in sight, and how many landmarks are known from the map."""
        if self._seen is None:
            return ""
        things = sum(1 for e in self._seen.entities if e.category == "object")
        known = count(len(self._seen.landmarks), "landmark")
        return f"{count(things, 'object')} in sight · {known} from the map"

    def tools(self) -> tuple[QAction, ...]:
        """Returns the actions for search and for the goal's filter."""
        return (self.search, self.goal_only)

    def restyle(self) -> None:
        """Takes the colours and sizes of the theme again."""
        theme = self.context.theme
        self.view.header().setFont(theme.font("small"))
        self.view.setIndentation(theme.px(14))
        self._share_width()
        self.view.doItemsLayout()

    def _share_width(self) -> None:
        self.view.header().resizeSection(0, int(self.width() * NAME_SHARE))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Keeps the share of the names column."""
        super().resizeEvent(event)
        self._share_width()

    def redraw(self) -> None:
        """Draws the panel again at once."""
        self._pages.setCurrentIndex(int(self._seen is not None))
        if self._seen is None:
            return
        names = self._namer.of(self._seen)
        self.delegate.goal = self._goal_ids()
        branches = self._builder.build(self._seen, names)
        column, backwards = self._sorted
        if self._sorted != (0, False):
            branches = tuple(arranged(b, by_states=column == 1, backwards=backwards) for b in branches)
        shown = self._filtered(branches)
        self._branches = shown
        self.model.show_branches(shown)
        self._open(narrowed=shown != branches)
        self._none.setVisible(not shown)
        self.view.setVisible(bool(shown))
        self.view.setAccessibleDescription(self.headline())
        self._follow(self.context.selection.now)

    def _goal_ids(self) -> frozenset[str]:
        if self._goal is None or self._seen is None:
            return frozenset()
        words = {word for literal in self._goal.literals for word in (literal.subject, literal.target) if word}
        return frozenset(e.id for e in (*self._seen.entities, *self._seen.landmarks) if e.cls in words or e.id in words)

    def _filtered(self, branches: tuple[Branch, ...]) -> tuple[Branch, ...]:
        words = tuple(self.query.text().casefold().split())
        if words:
            branches = tuple(found for b in branches if (found := matching(b, words)) is not None)
        if self.goal_only.isChecked():
            branches = tuple(found for b in branches if (found := _with_ids(b, self.delegate.goal)) is not None)
        return branches

    def _open(self, *, narrowed: bool) -> None:
        """Expands a small scene, or the rows that a search found. Later changes are left to the operator.

        Of a large scene only the rows of the robot are expanded.
        """
        if narrowed or not self._opened:
            size = sum(branch.size for branch in self._branches)
            if size <= OPEN_BELOW:
                self.view.expandAll()
            else:
                self.view.expand(self.model.index_of(ROBOT))
            self._opened = not narrowed

    # --- the operator ----------------------------------------------------------
    def _pick(self, index: QModelIndex) -> None:
        branch = self.model.branch_at(index)
        if branch.id and branch.id != ROBOT:
            self.context.selection.select(Selected("thing", branch.id))

    def _open_menu(self, at: QPoint) -> None:
        index = self.view.indexAt(at)
        branch = self.model.branch_at(index) if index.isValid() else None
        if branch is not None and branch.id and branch.id != ROBOT:
            self._pick(index)
            open_thing_menu(self.context, branch.id, self, self.view.viewport().mapToGlobal(at))

    def _override(self, index: QModelIndex) -> None:
        branch = self.model.branch_at(index)
        if branch.id and branch.id != ROBOT:
            self.context.selection.asked_override.emit(branch.id)

    def _follow(self, selected: Selected | None) -> None:
        index = self.model.index_of(selected.id) if selected is not None and selected.kind == "thing" else QModelIndex()
        if not index.isValid():
            self.view.clearSelection()
            self.view.setCurrentIndex(QModelIndex())
        elif index != self.view.currentIndex().siblingAtColumn(0):
            self.view.setCurrentIndex(index)
            self.view.scrollTo(index)

    def _sort(self, column: int, order: Qt.SortOrder) -> None:
        self._sorted = (column, order == Qt.SortOrder.DescendingOrder)
        self._opened = False
        self.redraw()


def _with_ids(branch: Branch, ids: frozenset[str]) -> Branch | None:
    """Returns the branch with only these ids and the rows above them, or None if it has none of them."""
    if not any(b.id in ids for b in walk((branch,))):
        return None
    under = tuple(found for b in branch.under if (found := _with_ids(b, ids)) is not None)
    return replace(branch, under=under)
