"""The Qt model of the scene's tree, and the delegate that paints its rows.

A change of states emits `dataChanged` for the changed rows only. Rows that appear or disappear are inserted or removed.
"""

from __future__ import annotations

import itertools

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from gui.panels.scene.tree import Branch
from gui.theme import Theme
from gui.widgets import SMOOTH, ChipLook, draw_chip, draw_text, text_width

Index = QModelIndex | QPersistentModelIndex
HEADS = ("Thing", "States")
NOWHERE = QModelIndex()


class Node:
    """A branch with its position in the tree. It is kept as long as its id stays under the same parent."""

    __slots__ = ("branch", "children", "number", "parent", "row")

    def __init__(self, branch: Branch, parent: Node | None, row: int, number: int):
        self.branch, self.parent, self.row, self.number = branch, parent, row, number
        self.children: list[Node] = []


class SceneModel(QAbstractItemModel):
    """A model with two columns: the object and its states. `data` returns text; the delegate paints from the branch itself."""

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self._numbers = itertools.count(1)
        self._root = Node(Branch("", "", ""), None, 0, 0)
        self._by_number: dict[int, Node] = {}  # an index holds a number, not a pointer that could outlive its node
        self._nodes: dict[str, Node] = {}

    def _grow(self, branch: Branch, parent: Node, row: int) -> Node:
        node = Node(branch, parent, row, next(self._numbers))
        self._by_number[node.number] = self._nodes[branch.id] = node
        node.children = [self._grow(under, node, k) for k, under in enumerate(branch.under)]
        return node

    def _forget(self, node: Node) -> None:
        del self._by_number[node.number]
        if self._nodes.get(node.branch.id) is node:  # the id may already have another node elsewhere
            del self._nodes[node.branch.id]
        for child in node.children:
            self._forget(child)

    # --- what it holds ---------------------------------------------------------
    def show_branches(self, branches: tuple[Branch, ...]) -> None:
        """Shows another tree. Rows that are the same are kept, so the view keeps what is expanded, selected and scrolled to."""
        self._merge(self._root, branches, QModelIndex())

    def _merge(self, node: Node, branches: tuple[Branch, ...], index: QModelIndex) -> None:
        if [c.branch.id for c in node.children] != [b.id for b in branches]:
            self._take_out(node, {b.id for b in branches}, index)
            if not self._put_in(node, branches, index):
                self._replace(node, branches, index)
        for row, branch in enumerate(branches):
            child = node.children[row]
            old, child.branch, child.row = child.branch, branch, row
            if old is branch or old == branch:
                continue
            if _differs(old, branch):
                self.dataChanged.emit(self.index(row, 0, index), self.index(row, 1, index))
            self._merge(child, branch.under, self.index(row, 0, index))

    def _take_out(self, node: Node, stay: set[str], index: QModelIndex) -> None:
        for row in range(len(node.children) - 1, -1, -1):
            if node.children[row].branch.id not in stay:
                self.beginRemoveRows(index, row, row)
                gone = node.children.pop(row)
                _number(node)
                self.endRemoveRows()
                self._forget(gone)

    def _put_in(self, node: Node, branches: tuple[Branch, ...], index: QModelIndex) -> bool:
        """Inserts the new rows, one insertion for each run of neighbours.

        Returns False, without a change, if the rows that stay are in another order.
        """
        stayed = {c.branch.id for c in node.children}
        if [c.branch.id for c in node.children] != [b.id for b in branches if b.id in stayed]:
            return False
        row = 0
        while row < len(branches):
            if branches[row].id in stayed:
                row += 1
                continue
            last = row
            while last + 1 < len(branches) and branches[last + 1].id not in stayed:
                last += 1
            self.beginInsertRows(index, row, last)
            node.children[row:row] = [self._grow(branch, node, row) for branch in branches[row:last + 1]]
            _number(node)
            self.endInsertRows()
            row = last + 1
        return True

    def _replace(self, node: Node, branches: tuple[Branch, ...], index: QModelIndex) -> None:
        if node.children:
            self.beginRemoveRows(index, 0, len(node.children) - 1)
            gone, node.children = node.children, []
            self.endRemoveRows()
            for old in gone:
                self._forget(old)
        if not branches:
            return
        self.beginInsertRows(index, 0, len(branches) - 1)
        node.children = [self._grow(branch, node, k) for k, branch in enumerate(branches)]
        self.endInsertRows()

    def branch_at(self, index: Index) -> Branch:
        """Returns the branch at an index."""
        return self._node(index).branch

    def index_of(self, entity_id: str) -> QModelIndex:
        """Returns the index of an entity; an invalid index if it has no row."""
        node = self._nodes.get(entity_id)
        return self.createIndex(node.row, 0, node.number) if node is not None else QModelIndex()

    def _node(self, index: Index) -> Node:
        return self._by_number.get(index.internalId(), self._root) if index.isValid() else self._root

    # --- Qt's questions ----------------------------------------------------------
    def index(self, row: int, column: int, parent: Index = NOWHERE) -> QModelIndex:
        """Returns the index of a row under a parent."""
        if not (0 <= row < self.rowCount(parent) and 0 <= column < len(HEADS)):
            return QModelIndex()
        return self.createIndex(row, column, self._node(parent).children[row].number)

    def parent(self, index: Index) -> QModelIndex:  # type: ignore[override]
        """Returns the index of the row above."""
        above = self._node(index).parent
        return QModelIndex() if above is None or above is self._root else self.createIndex(above.row, 0, above.number)

    def rowCount(self, parent: Index = NOWHERE) -> int:  # noqa: N802 - Qt's name
        """Returns the number of rows under an index."""
        return len(self._node(parent).children) if parent.column() <= 0 else 0

    def columnCount(self, parent: Index = NOWHERE) -> int:  # noqa: N802 - Qt's name
        """Returns the number of columns: the object and its states."""
        del parent
        return len(HEADS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> str | None:
        """Returns the text of a cell, for search and assistive tools."""
        branch = self._node(index).branch
        if role == Qt.ItemDataRole.DisplayRole:
            return branch.name if index.column() == 0 else ", ".join(branch.states)
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleDescriptionRole):
            return _described(branch)
        return None

    def headerData(self, section: int, orientation: Qt.Orientation,  # noqa: N802 - Qt's name
                   role: int = Qt.ItemDataRole.DisplayRole) -> str | None:
        """Returns the titles of the columns."""
        horizontal = orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole
        return HEADS[section] if horizontal else None


def _differs(one: Branch, other: Branch) -> bool:
    return (one.name, one.relation, one.states, one.seen, one.also, len(one.under)) != (
        other.name, other.relation, other.states, other.seen, other.also, len(other.under))


def _number(node: Node) -> None:
    for row, child in enumerate(node.children):
        child.row = row


def _described(branch: Branch) -> str:
    known = "" if branch.seen else "known from the map, not in sight"
    return " · ".join(filter(None, (branch.name, branch.relation, ", ".join(branch.states), branch.also, known)))


ICONS = {"open": "open", "closed": "close_door", "on": "switchon", "off": "switchon", "sliced": "slice", "cooked": "cook",
         "clean": "wash", "dirty": "wash", "filled": "fill"}
ROW, CHIP = 22, 17


class SceneDelegate(QStyledItemDelegate):
    """The delegate that paints both columns."""

    def __init__(self, theme: Theme, model: SceneModel, parent: QObject):
        super().__init__(parent)
        self._theme, self._model = theme, model
        self.goal: frozenset[str] = frozenset()
        """Ids that the goal names. Their rows get a flag."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:  # noqa: N802
        """Returns the size of a row."""
        del option, index
        return QSize(40, self._theme.px(ROW))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        """Paints the background, then the name or the states."""
        branch = self._model.branch_at(index)
        selected, hovered = (bool(option.state & state) for state in (QStyle.StateFlag.State_Selected,
                                                                       QStyle.StateFlag.State_MouseOver))
        rect = QRectF(option.rect)
        painter.save()
        painter.setRenderHint(SMOOTH)
        if selected or hovered:
            painter.fillRect(rect, self._theme.colour("selection_bg" if selected else "hover"))
        if index.column() == 0:
            self._paint_name(painter, rect, branch, selected=selected)
        else:
            self._paint_states(painter, rect, branch)
        painter.restore()

    def _paint_name(self, painter: QPainter, rect: QRectF, branch: Branch, *, selected: bool) -> None:
        theme, px = self._theme, self._theme.px
        x = rect.x() + px(2)
        if branch.relation:
            x += draw_text(painter, theme, rect.adjusted(px(2), 0, 0, 0), branch.relation, "small", "faint") + px(5)
        strong = branch.category in ("room", "robot")
        tone = "selection" if selected else "text" if branch.seen else "muted"
        room = QRectF(x, rect.y(), rect.right() - x - (px(18) if branch.id in self.goal else px(2)), rect.height())
        took = draw_text(painter, theme, room, branch.name, "small", tone, 600 if strong or selected else 400)
        if branch.id in self.goal:
            side = px(12)
            top = rect.center().y() - side / 2
            painter.drawPixmap(int(x + took + px(5)), int(top + 0.5), theme.pixmap("goal", side, "muted"))

    def _paint_states(self, painter: QPainter, rect: QRectF, branch: Branch) -> None:
        theme, px = self._theme, self._theme.px
        x = rect.x() + px(2)
        for state in branch.states:
            look = ChipLook(state, "text", "raised", ICONS.get(state, ""))
            width = text_width(theme, state, "small", 500) + px(15) + (px(16) if look.icon else 0)
            if x + px(28) > rect.right():
                return
            chip = QRectF(x, rect.center().y() - px(CHIP) / 2, min(width, rect.right() - x - 2), px(CHIP))
            draw_chip(painter, theme, chip, look)
            x += width + px(4)
        quiet = branch.also if branch.seen else "" if branch.category == "room" else "not in sight"
        draw_text(painter, theme, QRectF(x, rect.y(), rect.right() - x - px(4), rect.height()), quiet, "small", "faint")
