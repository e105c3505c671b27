"""The painter of the scene's rows: an object's relation, its name, and its states as chips."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRectF, QSize
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from gui.panels.scene.model import SceneModel
from gui.panels.scene.tree import Branch
from gui.theme import Theme
from gui.widgets import SMOOTH, ChipLook, draw_chip, draw_text, text_width

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
