"""The Qt model of the scene's tree, and the delegate that paints its rows.

A change of states emits `dataChanged` for the changed rows only. Rows that appear or disappear are inserted or removed.
"""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from gui.panels.scene.tree import Branch
from gui.theme import Theme
from gui.widgets import SMOOTH, ChipLook, draw_chip, draw_text, text_width

Index = QModelIndex | QPersistentModelIndex
HEADS = ("Thing", "States")
NOTHING = Branch("", "", "")


class Row(QStandardItem):
    """A row of the tree: its branch, and the rows under it."""

    def __init__(self, branch: Branch):
        super().__init__()
        self.branch = branch
        self.setColumnCount(len(HEADS))
        for under in branch.under:
            self.appendRow(Row(under))


class SceneModel(QStandardItemModel):
    """A model with two columns: the object and its states. `data` returns text; the delegate paints from the branch itself."""

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self.setHorizontalHeaderLabels(HEADS)
        self._rows: dict[str, Row] = {}

    def show_branches(self, branches: tuple[Branch, ...]) -> None:
        """Shows another tree. Rows that are the same are kept, so the view keeps what is expanded, selected and scrolled to."""
        self._merge(self.invisibleRootItem(), branches)

    def branch_at(self, index: Index) -> Branch:
        """Returns the branch at an index."""
        row = self.itemFromIndex(self.index(index.row(), 0, index.parent()))
        return row.branch if isinstance(row, Row) else NOTHING

    def index_of(self, entity_id: str) -> QModelIndex:
        """Returns the index of an entity; an invalid index if it has no row."""
        row = self._rows.get(entity_id)
        return row.index() if row is not None else QModelIndex()

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> str | None:
        """Returns the text of a cell, for search and assistive tools."""
        if role == Qt.ItemDataRole.DisplayRole:
            branch = self.branch_at(index)
            return branch.name if index.column() == 0 else ", ".join(branch.states)
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleDescriptionRole):
            return _described(self.branch_at(index))
        return None

    def _merge(self, above: QStandardItem, branches: tuple[Branch, ...]) -> None:
        rows = _rows_under(above)
        if [row.branch.id for row in rows] != [branch.id for branch in branches]:
            self._insert_and_remove(above, rows, branches)
            rows = _rows_under(above)
        for row, branch in zip(rows, branches, strict=True):
            old, row.branch = row.branch, branch
            if old is branch or old == branch:
                continue
            if _differs(old, branch):
                self.dataChanged.emit(row.index(), row.index().siblingAtColumn(1))
            self._merge(row, branch.under)

    def _insert_and_remove(self, above: QStandardItem, rows: list[Row], branches: tuple[Branch, ...]) -> None:
        wanted = [branch.id for branch in branches]
        known = {row.branch.id for row in rows}
        if [row.branch.id for row in rows if row.branch.id in wanted] != [i for i in wanted if i in known]:
            known = set()  # rows that stay are in another order: all are made again
        for row in reversed(rows):
            if row.branch.id not in known.intersection(wanted):
                self._forget(row)
                above.removeRow(row.row())
        for number, branch in enumerate(branches):
            if branch.id not in known:
                row = Row(branch)
                self._remember(row)
                above.insertRow(number, row)

    def _remember(self, row: Row) -> None:
        self._rows[row.branch.id] = row
        for under in _rows_under(row):
            self._remember(under)

    def _forget(self, row: Row) -> None:
        if self._rows.get(row.branch.id) is row:  # the id may already have another row elsewhere
            del self._rows[row.branch.id]
        for under in _rows_under(row):
            self._forget(under)


def _rows_under(above: QStandardItem) -> list[Row]:
    return [row for k in range(above.rowCount()) if isinstance(row := above.child(k), Row)]


def _differs(one: Branch, other: Branch) -> bool:
    return (one.name, one.relation, one.states, one.seen, one.also, len(one.under)) != (
        other.name, other.relation, other.states, other.seen, other.also, len(other.under))


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
