"""Text widgets that follow the theme: a single line that is cut if necessary, and text that wraps, and a field."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QSizePolicy, QWidget

from gui.theme import Role, Theme
from gui.widgets.painting import LEFT, draw_text, text_width


class Line(QWidget):
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

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Takes the theme again when it changed."""
        if event.type() == QEvent.Type.StyleChange:
            self.updateGeometry()
        super().changeEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Paints the text, cut to the room, and sets the tooltip if it is cut."""
        del event
        painter = QPainter(self)
        rect = QRectF(self.rect())
        cut = text_width(self._theme, self._text, self._role, self._weight, self._mono) > rect.width() + 1
        tip = self._text if cut else ""
        if self.toolTip() != tip:
            self.setToolTip(tip)
        if not (cut and rect.width() < self._theme.px(self._least)):
            draw_text(painter, self._theme, rect, self._text, self._role, self._tone, self._weight, self._align, self._mono)
        painter.end()


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
    """

    finished = Signal()
    cancelled = Signal()

    def __init__(self, *, may_cancel: bool = False):
        super().__init__()
        self._may_cancel = may_cancel

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Emits `finished` on Ctrl+Enter and `cancelled` on Escape."""
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.finished.emit()
        elif event.key() == Qt.Key.Key_Escape and self._may_cancel:
            self.cancelled.emit()
        else:
            super().keyPressEvent(event)
