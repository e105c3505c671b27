"""A chip: a rounded label.

The tone sets text and background. An outline marks what the operator set, a dashed outline what is unknown.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.theme import Theme
from gui.widgets.painting import SMOOTH, draw_text, text_width


@dataclass(frozen=True, slots=True)
class ChipLook:
    """The content and look of a chip.

    Attributes:
        text: its text.
        tone: colour token of the text and of the outline.
        fill: colour token of the background, or empty.
        icon: name of the icon before the text, or empty.
        strong: bold text after the text, such as 0/1.
        line: the outline: none, solid or dashed.
        mono: whether the text is in the monospaced font.
    """

    text: str
    tone: str = "muted"
    fill: str = "raised"
    icon: str = ""
    strong: str = ""
    line: Literal["none", "solid", "dashed"] = "none"
    mono: bool = False


class Chip(QWidget):
    """A chip widget. It can be clicked and double-clicked. Its text is cut if there is too little room."""

    clicked = Signal()
    double_clicked = Signal()

    def __init__(self, theme: Theme, look: ChipLook, height: int = 22):
        super().__init__()
        self._theme, self._look, self._height = theme, look, height
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.show_look(look)

    @property
    def look(self) -> ChipLook:
        """The look that is shown."""
        return self._look

    def show_look(self, look: ChipLook) -> None:
        """Shows another look."""
        self._look = look
        self.setAccessibleName(f"{look.text} {look.strong}".strip())
        self.setToolTip(self.accessibleName())
        self.updateGeometry()
        self.update()

    def say(self, text: str) -> None:
        """Changes the text only."""
        self.show_look(replace(self._look, text=text))

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Returns the size that shows the whole chip."""
        return QSize(int(chip_width(self._theme, self._look)) + 1, self._theme.px(self._height))

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Returns the least size, at which the text is cut."""
        hint, theme, look = self.sizeHint(), self._theme, self._look
        kept = theme.px(40 + (17 if look.icon else 0))
        kept += int(text_width(theme, look.strong, "small", 650)) + theme.px(5) if look.strong else 0
        return QSize(min(hint.width(), kept), hint.height())

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Updates its size."""
        if event.type() == QEvent.Type.StyleChange:
            self.updateGeometry()
        super().changeEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Emits `clicked`."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.clicked.emit()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Emits `double_clicked`."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.double_clicked.emit()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Paints the chip."""
        del event
        painter = QPainter(self)
        painter.setRenderHint(SMOOTH)
        draw_chip(painter, self._theme, QRectF(self.rect()), self._look)
        painter.end()


def chip_width(theme: Theme, look: ChipLook) -> float:
    """Returns the width in pixels that shows the whole chip."""
    width = text_width(theme, look.text, "small", 500, look.mono) + theme.px(15)
    width += text_width(theme, look.strong, "small", 650) + theme.px(5) if look.strong else 0
    return width + (theme.px(17) if look.icon else 0)


def flow_chips(theme: Theme, looks: Iterable[ChipLook], width: float, height: int = 22) -> list[QRectF]:
    """Returns the rectangles of chips that wrap to the next line, in pixels from the corner of the first chip.

    Args:
        theme: gives text widths and the text scale.
        looks: the chips.
        width: of a line, in pixels. Chips are at most as wide.
        height: of a chip, in pixels at text size 100 %.
    """
    px, x, y, rects = theme.px, 0.0, 0.0, list[QRectF]()
    for look in looks:
        wide = min(chip_width(theme, look) + 1, width)
        if x and x + wide > width:
            x, y = 0.0, y + px(height) + px(4)
        rects.append(QRectF(x, y, wide, px(height)))
        x += wide + px(5)
    return rects


def draw_chip(painter: QPainter, theme: Theme, rect: QRectF, look: ChipLook) -> None:
    """Draws a chip, for painters that draw many."""
    pen = QPen(theme.colour(look.tone), 1)
    if look.line == "dashed":
        pen.setStyle(Qt.PenStyle.DashLine)
    painter.setPen(Qt.PenStyle.NoPen if look.line == "none" else pen)
    painter.setBrush(theme.colour(look.fill) if look.fill else Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
    x = rect.x() + theme.px(7)
    if look.icon:
        side = theme.px(13)
        painter.drawPixmap(int(x - 1), int(rect.center().y() - side / 2 + 0.5), theme.pixmap(look.icon, side, look.tone))
        x += theme.px(16)
    strong = text_width(theme, look.strong, "small", 650) + theme.px(5) if look.strong else 0.0
    room = QRectF(x, rect.y(), rect.right() - theme.px(6) - strong - x, rect.height())
    took = draw_text(painter, theme, room, look.text, "small", look.tone, 500, mono=look.mono)
    if look.strong:
        after = QRectF(x + took + theme.px(5), rect.y(), strong + 2, rect.height())
        draw_text(painter, theme, after, look.strong, "small", look.tone, 650, elide=False)
