"""Widgets for short texts that follow the theme: a line that is cut if necessary, text that wraps, a field, and chips."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QSizePolicy, QWidget

from gui.theme import Role, Theme
from gui.widgets.painting import LEFT, SMOOTH, draw_text, text_width


class ThemedWidget(QWidget):
    """A widget that takes the fonts and sizes of the theme again when the theme changes."""

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Calls `restyle` when the theme changed."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self.restyle()

    def restyle(self) -> None:
        """Tells the layout that the size hints changed."""
        self.updateGeometry()


class PaintedWidget(ThemedWidget):
    """A widget that a subclass paints, with smooth edges."""

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Calls `paint`."""
        del event
        painter = QPainter(self)
        painter.setRenderHint(SMOOTH)
        self.paint(painter)
        painter.end()

    def paint(self, painter: QPainter) -> None:
        """Paints the widget."""
        raise NotImplementedError


class Line(PaintedWidget):
    """One line of text, cut with … if there is too little room. The tooltip then holds the whole text."""

    def __init__(
        self,
        theme: Theme,
        text: str = "",
        role: Role = "body",
        tone: str = "text",
        weight: int = 400,
        *,
        align: Qt.AlignmentFlag = LEFT,
        mono: bool = False,
        shrinks: bool = True,
        room: int = 1,
        least: int = 0,
    ):
        """Builds a line.

        Args:
            theme: the fonts and colours.
            text: the initial text.
            role: its role in the type scale.
            tone: a colour token.
            weight: the weight of the font.
            align: its alignment in its room.
            mono: whether it is in the monospaced font.
            shrinks: whether it accepts less room than the text needs.
            least: width in pixels below which a cut text is left out, because three letters and dots say nothing.
            room: the step of its preferred width, in pixels, so that running numbers do not change the layout all the time.
        """
        super().__init__()
        self._theme, self._text, self._role, self._tone = theme, text, role, tone
        self._weight, self._align, self._mono, self._shrinks = weight, align, mono, shrinks
        self._room, self._least = room, least
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(text)

    @property
    def text(self) -> str:
        """The text."""
        return self._text

    def say(self, text: str, tone: str = "") -> None:
        """Changes the text, and the tone if one is given."""
        if text == self._text and tone in ("", self._tone):
            return
        before = self.sizeHint()
        if self.toolTip() == self._text != "":
            self.setToolTip(text)  # the tooltip of a cut line holds the whole text; the repaint comes later
        self._text, self._tone = text, tone or self._tone
        self.setAccessibleName(text)
        if self.toolTip():
            self.setToolTip(text)  # until the next painting decides whether one is needed
        if self.sizePolicy().horizontalPolicy() != QSizePolicy.Policy.Ignored and self.sizeHint() != before:
            self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Returns the size that shows the whole text."""
        width = int(text_width(self._theme, self._text, self._role, self._weight, self._mono)) + 2
        height = self._theme.metrics(self._role, self._weight, self._mono).height()
        room = self._theme.px(self._room)
        return QSize(-(-width // room) * room, int(height) + 2)

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Returns the least size. A line that `shrinks` may be cut."""
        hint = self.sizeHint()
        return QSize(min(hint.width(), self._theme.px(12)), hint.height()) if self._shrinks else hint

    def paint(self, painter: QPainter) -> None:
        """Paints the text, cut to the room, and sets the tooltip if it is cut."""
        rect = QRectF(self.rect())
        cut = text_width(self._theme, self._text, self._role, self._weight, self._mono) > rect.width() + 1
        tip = self._text if cut else ""
        if self.toolTip() != tip:
            self.setToolTip(tip)
        if not (cut and rect.width() < self._theme.px(self._least)):
            draw_text(painter, self._theme, rect, self._text, self._role, self._tone, self._weight, self._align, self._mono)


class Prose(QLabel):
    """Text that wraps and can be selected."""

    def __init__(self, theme: Theme, text: str = "", role: Role = "small", tone: str = "muted", weight: int = 400, *,
                 centred: bool = False, mono: bool = False):
        super().__init__(text)
        self._theme, self._role, self._tone, self._weight, self._mono = theme, role, tone, weight, mono
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        if centred:
            self.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
        self._restyle()

    def say(self, text: str, tone: str = "") -> None:
        """Changes the text, and the tone if one is given."""
        if text != self.text():
            self.setText(text)
        if tone and tone != self._tone:
            self._tone = tone
            self._restyle()

    def set_role(self, role: Role) -> None:
        """Changes the role in the type scale."""
        if role != self._role:
            self._role = role
            self._restyle()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Takes the theme again when it changed."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self._restyle()

    def _restyle(self) -> None:
        self.setFont(self._theme.font(self._role, self._weight, self._mono))
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.WindowText, self._theme.colour(self._tone))
        self.setPalette(palette)


class TextField(QPlainTextEdit):
    """A field for text of several lines. Ctrl+Enter emits `finished`.

    Args:
        may_cancel: if True, Escape emits `cancelled`. Otherwise it is left to the widgets around the field.
        indents: if True, Tab indents, as in code. Otherwise it goes to the next field, as everywhere in the window.
    """

    finished = Signal()
    cancelled = Signal()

    def __init__(self, *, may_cancel: bool = False, indents: bool = False):
        super().__init__()
        self._may_cancel = may_cancel
        self.setTabChangesFocus(not indents)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Emits `finished` on Ctrl+Enter and `cancelled` on Escape."""
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.finished.emit()
        elif event.key() == Qt.Key.Key_Escape and self._may_cancel:
            self.cancelled.emit()
        else:
            super().keyPressEvent(event)


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


class Chip(PaintedWidget):
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

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Emits `clicked`."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.clicked.emit()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Emits `double_clicked`."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.double_clicked.emit()

    def paint(self, painter: QPainter) -> None:
        """Paints the chip."""
        draw_chip(painter, self._theme, QRectF(self.rect()), self._look)


def chip_width(theme: Theme, look: ChipLook) -> float:
    """Returns the width in pixels that shows the whole chip."""
    width = text_width(theme, look.text, "small", 500, look.mono) + theme.px(15)
    width += text_width(theme, look.strong, "small", 650) + theme.px(5) if look.strong else 0
    return width + (theme.px(17) if look.icon else 0)


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
    if look.strong and x + took + strong <= rect.right():
        after = QRectF(x + took + theme.px(5), rect.y(), strong + 2, rect.height())
        draw_text(painter, theme, after, look.strong, "small", look.tone, 650, elide=False)


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
