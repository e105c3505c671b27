"""The strip under the graph: the actions tried at the end of the path, which are not to be proposed there again."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from gui.theme import Theme
from gui.widgets import SMOOTH, ChipLook, draw_chip, draw_mark, draw_text, text_width


class AvoidStrip(QWidget):
    """A line of chips, newest first; refused actions have an octagon.

    The strip counts the chips that do not fit. The tooltip lists them.
    """

    def __init__(self, theme: Theme):
        super().__init__()
        self._theme = theme
        self._avoid: tuple[str, ...] = ()
        self._refused: frozenset[str] = frozenset()
        self.setAccessibleName("Avoid list")
        self.setFixedHeight(theme.px(26))
        self.hide()

    def show_list(self, avoid: tuple[str, ...], refused: tuple[str, ...]) -> None:
        """Shows a list of actions."""
        self.setFixedHeight(self._theme.px(26))
        self._avoid, self._refused = avoid[::-1], frozenset(refused)
        words = [f"{a} (refused)" if a in self._refused else a for a in self._avoid]
        self.setAccessibleDescription("; ".join(words))
        self.setToolTip("Tried at the end of the path:\n" + "\n".join(words[:40]) if words else "")
        self.setVisible(bool(avoid))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Paints as many chips as fit."""
        del event
        theme, px = self._theme, self._theme.px
        painter = QPainter(self)
        painter.setRenderHint(SMOOTH)
        head = f"Avoid {len(self._avoid)}"
        room = QRectF(px(10), 0, self.width() - px(20), self.height())
        x = room.x() + draw_text(painter, theme, room, head, "small", "muted", 600) + px(8)
        for k, action in enumerate(self._avoid):
            mark = px(12) if action in self._refused else 0
            width = text_width(theme, action, "small", 500) + px(16) + mark
            left = len(self._avoid) - k
            if x + width + (px(36) if left > 1 else 0) > room.right():
                draw_text(painter, theme, QRectF(x, 0, px(60), self.height()), f"+{left}", "small", "muted", 500)
                break
            where = QRectF(x, (self.height() - px(18)) / 2, width, px(18))
            draw_chip(painter, theme, where, ChipLook("" if mark else action, "bad" if mark else "muted",
                                                      "bad_bg" if mark else "sunken"))
            if mark:
                draw_mark(painter, "octagon", where.x() + px(10), where.center().y(), px(4), theme.colour("bad"))
                draw_text(painter, theme, where.adjusted(px(18), 0, 0, 0), action, "small", "bad", 500,
                          Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
            x += width + px(4)
        painter.end()
