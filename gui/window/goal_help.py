"""A card under the goal field, shown while typing: why a task is not understood, and tasks that are possible."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from gui.theme import Theme
from gui.widgets import SMOOTH, Prose, draw_block, draw_text


class SuggestionRow(QWidget):
    """One suggested task. It never takes the focus, which stays in the field; the field's arrow keys choose among the rows."""

    clicked = Signal(str)

    def __init__(self, theme: Theme, text: str):
        super().__init__()
        self._theme, self.text, self._chosen = theme, text, False
        self.setFixedHeight(theme.px(28))
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(f"Use “{text}”")
        self.setToolTip(text)

    def choose(self, chosen: bool) -> None:
        """Marks or unmarks the row as the one that Enter takes."""
        if chosen != self._chosen:
            self._chosen = chosen
            self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Takes the suggestion."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.clicked.emit(self.text)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Paints a flag and the text."""
        del event
        painter, theme, px = QPainter(self), self._theme, self._theme.px
        painter.setRenderHint(SMOOTH)
        rect = QRectF(self.rect())
        on = self._chosen or self.underMouse()
        draw_block(painter, theme, rect, "hover" if on else "raised", "accent" if self._chosen else "line", 5)
        side = px(14)
        painter.drawPixmap(px(9), int((self.height() - side) / 2), theme.pixmap("goal", side))
        draw_text(painter, theme, rect.adjusted(px(31), 0, -px(10), 0), self.text, "body", "text", 500)
        painter.end()


class GoalHelp(QFrame):
    """The cause, then rows of suggestions. A child of the window, placed under the widget it explains."""

    chosen = Signal(str)
    """A suggested task."""

    def __init__(self, theme: Theme, below: QWidget):
        super().__init__(below.window())
        self._theme, self._below = theme, below
        self._rows: list[SuggestionRow] = []
        self._at = -1
        self.setObjectName("Dialog")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._cause = Prose(theme, "", "small", "warn")
        self._offer = Prose(theme, "These can be done here:", "small", "muted")
        self._column = QVBoxLayout(self)
        self._column.addWidget(self._cause)
        self._column.addWidget(self._offer)
        self.hide()

    @property
    def suggestions(self) -> tuple[str, ...]:
        """The tasks it suggests now."""
        return tuple(row.text for row in self._rows)

    @property
    def current(self) -> str:
        """The row chosen with the arrow keys; empty if none."""
        return self._rows[self._at].text if 0 <= self._at < len(self._rows) else ""

    def explain(self, cause: str, suggestions: tuple[str, ...]) -> None:
        """Shows the cause and the suggestions."""
        self._cause.say(cause[:1].upper() + cause[1:])
        self._offer.setVisible(bool(suggestions))
        self._at = -1
        for old in self._rows:
            self._column.removeWidget(old)
            old.hide()
            old.deleteLater()
        self._rows = [SuggestionRow(self._theme, text) for text in suggestions]
        for row in self._rows:
            row.clicked.connect(self.chosen)
            self._column.addWidget(row)
        self.setAccessibleName(cause)
        self.setAccessibleDescription("; ".join(suggestions))
        self.show()
        self.place()
        self.raise_()

    def move_by(self, step: int) -> None:
        """Chooses the next row, or the previous one. Before the first row is the field."""
        self._at = max(-1, min(len(self._rows) - 1, self._at + step))
        for k, row in enumerate(self._rows):
            row.choose(k == self._at)

    def place(self) -> None:
        """Places the card under the widget, with the same width."""
        px, below = self._theme.px, self._below
        self._column.setContentsMargins(px(12), px(9), px(12), px(10))
        self._column.setSpacing(px(6))
        width = below.width()
        inner = width - px(24) - 2
        high = sum(part.heightForWidth(inner) + px(6) for part in (self._cause, self._offer) if not part.isHidden())
        high += len(self._rows) * px(34) + px(18)
        corner = below.mapTo(below.window(), QPoint(0, below.height() + px(3)))
        self.setGeometry(corner.x(), corner.y(), width, high)

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """The present size."""
        return self.size()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Adapts to a change of theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange and self.isVisible():
            self.place()
