"""Trees whose items have shapes, drawn from left to right as boxes joined by lines, on a canvas that is dragged and scaled."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QAction, QPainter, QPainterPath, QPen, QPolygonF

from core.views.addresses import Address, addresses_of
from core.views.values import BANNED, CHOSEN, DASHED, EDITED, Item, Shape, Tree
from core.views.wording import item_words
from gui.theme import Theme
from gui.theme.boxes import FLUSH, vbox
from gui.views.item_columns import item_tip
from gui.views.outline import searched
from gui.views.tones import edge_of, look_of
from gui.views.tree_layout import NOTHING, Box, TreeLayout, boxes_of, lay_out, spread_in
from gui.views.widget import AboutIndex, Choice, Key, ViewWidget, plain
from gui.widgets import CENTRE, LEFT, draw_text, tool_action
from gui.widgets.canvas import Canvas

READ_OUT = 40
"""The number of items described to assistive tools."""
CUT = 0.24
"""The share of an octagon's height by which its corners are cut."""


def draw_shape(painter: QPainter, shape: Shape, rect: QRectF) -> None:
    """Draws a shape with the painter's pen and brush. `rect`: the bounding rectangle."""
    x, y, right, low, middle = rect.left(), rect.top(), rect.right(), rect.bottom(), rect.center()
    if shape == "diamond":
        corners = [(x, middle.y()), (middle.x(), y), (right, middle.y()), (middle.x(), low)]
    elif shape == "octagon":
        cut = CUT * rect.height()
        corners = [(x + cut, y), (right - cut, y), (right, y + cut), (right, low - cut), (right - cut, low), (x + cut, low),
                   (x, low - cut), (x, y + cut)]
    else:
        radius = rect.height() / 2 if shape == "pill" else 3
        painter.drawRoundedRect(rect, radius, radius)
        return
    painter.drawPolygon(QPolygonF([QPointF(*corner) for corner in corners]))


class TreeCanvas(Canvas[TreeLayout]):
    """The canvas of a tree."""

    def __init__(self, theme: Theme, owner: TreePicture):
        super().__init__(theme, "Tree", NOTHING)
        self._owner = owner

    def paint_sight(self, painter: QPainter, sight: QRectF) -> None:
        """Paints what is visible. The lines to what is chosen are painted above the others."""
        layout = self.rect_layout
        for live in (False, True):
            for k, box in enumerate(layout.boxes):
                if box.parent >= 0 and box.live == live:
                    self._line(painter, k, sight)
        for k in layout.within(sight.x(), sight.y(), sight.width(), sight.height()):
            rect, box = self.item_rect(k), layout.boxes[k]
            self._box(painter, box, rect, under=k == self.under)
            if self._owner.is_selected(box):
                painter.setPen(QPen(self.theme.colour("selection"), 2))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                draw_shape(painter, box.shape, rect.adjusted(-3, -3, 3, 3))

    def _line(self, painter: QPainter, k: int, sight: QRectF) -> None:
        layout, box = self.rect_layout, self.rect_layout.boxes[k]
        x, y, w, h = layout.rects[box.parent].tolist()
        cx, cy, _, ch = layout.rects[k].tolist()
        start, end = QPointF(x + w, y + h / 2), QPointF(cx, cy + ch / 2)
        if not QRectF(start, end).normalized().adjusted(-1, -1, 1, 1).intersects(sight):
            return
        path, bend = QPainterPath(start), (end.x() - start.x()) * 0.5
        path.cubicTo(start + QPointF(bend, 0), end - QPointF(bend, 0), end)
        pen = QPen(self.theme.colour("text" if box.live else "line_strong"), 2 if box.live else 1.2)
        if box.hidden:
            pen.setStyle(Qt.PenStyle.DotLine)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(path)

    def _box(self, painter: QPainter, box: Box, rect: QRectF, *, under: bool) -> None:
        theme, item = self.theme, box.item
        tone = None if box.hidden else edge_of([mark for mark in item.marks if mark != EDITED])
        look = look_of(tone or "plain")
        line = look.ink if tone else "line_strong" if box.shape == "pill" else "text"
        is_edited = EDITED in item.marks and not box.hidden
        pen = QPen(theme.colour("operator_act" if is_edited else line), 2 if tone or is_edited or box.shape != "pill" else 1.2)
        if box.hidden or (tone is None and DASHED.intersection(item.marks)):
            pen.setStyle(Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.setBrush(theme.colour("hover" if under else look.fill or "raised"))
        draw_shape(painter, box.shape, rect)
        ink = look.ink if tone else "text"
        if box.hidden:
            draw_text(painter, theme, rect, f"+{box.hidden:,} more", "small", "muted", 500, CENTRE)
        elif box.shape == "pill":
            self._pill(painter, item, rect, ink)
        else:
            self._two_lines(painter, box, rect, ink)

    def _two_lines(self, painter: QPainter, box: Box, rect: QRectF, ink: str) -> None:
        theme, px, item = self.theme, self.theme.px, box.item
        first, _, second = (item.brief or item.text).partition("\n")
        second = second or next((mark.word for mark in item.marks), "")
        if any(mark.tone == "good" for mark in item.marks):
            second = f"✓ {second}"
        is_diamond = box.shape == "diamond"
        inset, narrow = rect.width() * 0.12 if is_diamond else px(6), rect.width() * 0.1 if is_diamond else 0.0
        room, middle = rect.adjusted(inset, 0, -inset, 0), rect.center().y()
        above = QRectF(room.x(), middle - (px(14) if second else px(8)), room.width(), px(16))
        draw_text(painter, theme, above, self._owner.named(plain(first)), "small", ink, 650, CENTRE)
        below = QRectF(room.x() + narrow, middle, room.width() - 2 * narrow, px(14))
        draw_text(painter, theme, below, self._owner.named(plain(second)), "micro", "muted", 400, CENTRE)

    def _pill(self, painter: QPainter, item: Item, rect: QRectF, ink: str) -> None:
        theme, px = self.theme, self.theme.px
        is_chosen, is_banned = CHOSEN in item.marks, BANNED in item.marks
        x = rect.x() + px(13)
        if is_chosen or is_banned:
            picture = theme.pixmap("check" if is_chosen else "ban", px(12), ink)
            painter.drawPixmap(int(x - px(3)), int(rect.center().y() - px(6)), picture)
            x += px(14)
        room = QRectF(x, rect.y(), rect.right() - x - px(9), rect.height())
        text = self._owner.named(plain(item.text))
        took = draw_text(painter, theme, room, text, "small", ink, 650 if is_chosen else 500, LEFT)
        if is_banned:
            painter.setPen(QPen(theme.colour("faint"), 1.2))
            y = room.center().y() + 0.5
            painter.drawLine(QPointF(x, y), QPointF(x + min(took, room.width()), y))


class TreePicture(ViewWidget[Tree]):
    """Shows a tree as a picture, at first fitted into the room and following what is marked as chosen.

    Arrow keys go to the parent, the first child and the neighbours of a column. A double click on folded items unfolds them.
    """

    is_picture = True

    def __init__(self, theme: Theme):
        super().__init__(theme)
        self.view = Tree(())
        self.canvas = TreeCanvas(theme, self)
        self.spread = (0.0, 0.0)
        self._about, self._addresses = AboutIndex(()), tuple[Address, ...]()
        self._current, self._marked, self._unfolded = -1, frozenset[int](), frozenset[Address]()
        self._follow = tool_action(self, theme, "Follow the chosen branch", "follow", self._go, checkable=True, checked=True,
                                   key="V")
        self._all = tool_action(self, theme, "Fit", "fit", self._fit, key="0")
        vbox(theme, self.canvas, on=self, spacing=0, margins=FLUSH)
        self.setFocusProxy(self.canvas)
        self.canvas.clicked.connect(self._click)
        self.canvas.unfold.connect(self._open)
        self.canvas.menu.connect(self._ask_menu)
        self.canvas.hovered.connect(lambda k: self.canvas.show_tip(self._tip(k)))
        self.canvas.stepped.connect(self._step)
        self.canvas.resized.connect(self._place)
        self.canvas.moved.connect(lambda: self._follow.setChecked(False))
        self.canvas.keep_fitted()

    def tools(self) -> tuple[QAction, ...]:
        """Returns fitting and following."""
        return self._all, self._follow

    def restyle(self) -> None:
        """Lays the tree out again in the theme's sizes."""
        super().restyle()
        self._place()

    def show_view(self, view: Tree) -> None:
        """Shows another tree; the chosen item stays chosen, and what was unfolded stays so."""
        address = self._addresses[self._current] if self._current >= 0 else None
        self.view, self._about, self._addresses = view, AboutIndex(view.items), addresses_of(view)
        self._current = self._addresses.index(address) if address is not None and address in self._addresses else -1
        self._marked = frozenset()
        self._place()
        live = [box.item for box in self.canvas.rect_layout.boxes if box.live]
        words = "; ".join(plain(self.named(item_words(item, view.columns))) for item in (*live, *view.items)[:READ_OUT])
        self.canvas.setAccessibleName(view.title or "Tree")
        self.canvas.setAccessibleDescription(words)
        self._go()

    def _place(self) -> None:
        """Lays the tree out. While it is fitted, the gaps grow to fill the room."""
        scale, canvas = self.theme.scale, self.canvas
        unfolded = {k for k, address in enumerate(self._addresses) if address in self._unfolded} if self._unfolded else ()
        boxes = boxes_of(self.view, unfolded)
        if canvas.fitted:
            near = lay_out(boxes, scale)
            zoom, room = canvas.scale_for(near.size), canvas.viewport().size()
            self.spread = spread_in(near, room.width() / zoom, room.height() / zoom, scale)
        canvas.rect_layout = lay_out(boxes, scale, self.spread)
        canvas.picture_changed()

    def _fit(self) -> None:
        """Fits the whole tree into the room, and keeps it fitted."""
        self.canvas.keep_fitted()
        self._place()

    def _go(self) -> None:
        """Scrolls to the end of the chosen branch if following is on."""
        if self._follow.isChecked():
            live = [k for k, box in enumerate(self.canvas.rect_layout.boxes) if box.live]
            self.canvas.show_item(live[-1] if live else 0)

    # --- what is chosen and marked -------------------------------------------
    def is_selected(self, box: Box) -> bool:
        """Returns whether a box is outlined: it is chosen, or about something that is selected elsewhere."""
        return not box.hidden and (box.index == self._current or box.index in self._marked)

    def choice(self) -> Choice | None:
        """Returns the chosen item."""
        if self._current < 0:
            return None
        item = self.view.items[self._current]
        return Choice(self._addresses[self._current], item.text, item.about, item.edits)

    def mark(self, keys: frozenset[Key]) -> None:
        """Marks the items about what is selected elsewhere."""
        self._show_marked(self._about.of(keys) if keys else ())
        if self._marked and self._current not in self._marked:
            self._current = -1

    def search(self, words: Sequence[str]) -> bool:
        """Marks the items that have all words."""
        found = [k for k, item in enumerate(self.view.items) if all(word in searched(item) for word in words)] if words else []
        self._show_marked(found)
        return True

    def _show_marked(self, found: Sequence[int]) -> None:
        if (marked := frozenset(found)) != self._marked:
            self._marked = marked
            if marked and self._current not in marked:
                self.canvas.show_item(self.canvas.rect_layout.of(min(marked)))
            self.canvas.viewport().update()

    def natural_height(self) -> int:
        """Returns the height of the picture at 100 %."""
        return max(self.theme.px(160), int(self.canvas.rect_layout.size[1]))

    def natural_width(self) -> int:
        """Returns the width of the picture at 100 %."""
        return int(self.canvas.rect_layout.size[0])

    # --- the operator --------------------------------------------------------
    def _choose(self, k: int) -> bool:
        """Chooses the item of a box. Returns False if there is none."""
        boxes = self.canvas.rect_layout.boxes
        if not 0 <= k < len(boxes) or boxes[k].hidden:
            return False
        self._current = boxes[k].index
        self.canvas.viewport().update()
        self.chosen.emit()
        return True

    def _click(self, k: int) -> None:
        boxes = self.canvas.rect_layout.boxes
        if not self._choose(k) and 0 <= k < len(boxes):
            self._unfold(boxes[k])

    def _open(self, k: int) -> None:
        """Opens an item, or unfolds a pill of folded items."""
        if self._choose(k):
            self.opened.emit()
        else:
            self._unfold(self.canvas.rect_layout.boxes[k])

    def _unfold(self, box: Box) -> None:
        self._unfolded |= {self._addresses[box.item.parent]}
        self._place()

    def _ask_menu(self, k: int, at: QPoint) -> None:
        if self._choose(k):
            self.menu.emit(at)

    def _step(self, key: int) -> None:
        """Moves to the parent (left), the first child (right), or the neighbour in the same column (up, down)."""
        boxes, at = self.canvas.rect_layout.boxes, self.canvas.rect_layout.of(self._current)
        if at < 0:
            target = 0 if boxes else -1
        elif key == Qt.Key.Key_Left:
            target = boxes[at].parent
        elif key == Qt.Key.Key_Right:
            target = next((k for k, box in enumerate(boxes) if box.parent == at), -1)
        else:
            same = [k for k, box in enumerate(boxes) if box.depth == boxes[at].depth]
            place = same.index(at) + (1 if key == Qt.Key.Key_Down else -1)
            target = same[place] if 0 <= place < len(same) else -1
        if target >= 0:
            self._click(target)
            self.canvas.show_item(target)

    def _tip(self, k: int) -> str:
        boxes = self.canvas.rect_layout.boxes
        return item_tip(boxes[k].item, self.view, self.named) if 0 <= k < len(boxes) and not boxes[k].hidden else ""
