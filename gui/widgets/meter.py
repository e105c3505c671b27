"""A meter of a budget: its name, the amount used, the limit, and a bar that turns amber at 80 % and red at 95 %."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter
from PySide6.QtWidgets import QSizePolicy

from gui.theme import Theme
from gui.widgets.painting import RIGHT, draw_text, text_width
from gui.widgets.text import PaintedWidget

AMBER, RED = 0.8, 0.95


@dataclass(frozen=True, slots=True)
class Reading:
    """The values of a meter: used (`64`), limit (`/100`), and the share of the bar from 0 to 1 (None for an empty bar)."""

    used: str
    limit: str = ""
    share: float | None = None


def tone_of(share: float) -> str:
    """Returns the colour token of a bar."""
    return "bad" if share >= RED else "warn" if share >= AMBER else "accent"


class Meter(PaintedWidget):
    """A meter of one budget. A click asks to change the budget."""

    clicked = Signal()

    def __init__(self, theme: Theme, name: str, width: int = 104, short: str = "", tone: str = ""):
        """Builds a meter.

        Args:
            theme: the fonts and colours.
            name: what is measured.
            width: in pixels at 100 % text size.
            short: the name shown if the full name does not fit beside the numbers.
            tone: the colour of the bar; empty: it warns as the limit comes near.
        """
        super().__init__()
        self._theme, self._name, self._width, self._short = theme, name, width, short or name
        self._tone = tone
        self._reading = Reading("–")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.read(self._reading)

    @property
    def reading(self) -> Reading:
        """The values that are shown."""
        return self._reading

    def read(self, reading: Reading, name: str = "") -> None:
        """Shows other values."""
        if reading == self._reading and name in ("", self._name) and self.accessibleName():
            return
        self._reading, self._name = reading, name or self._name
        self.setAccessibleName(f"{self._name}: {reading.used}{reading.limit}")
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Returns the preferred size; the height is 28 px at 100 % text size."""
        return QSize(self._theme.px(self._width), self._theme.px(28))

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Emits `clicked`."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.clicked.emit()

    def paint(self, painter: QPainter) -> None:
        """Paints the name at the left, the numbers at the right and the bar below."""
        theme, reading = self._theme, self._reading
        width, high = float(self.width()), float(theme.px(20))
        name, limit_text = self.words(width)
        limit = text_width(theme, limit_text)
        draw_text(painter, theme, QRectF(0, 0, width, high), name, "small", "muted")
        draw_text(painter, theme, QRectF(0, 0, width, high), limit_text, "small", "faint", align=RIGHT)
        draw_text(painter, theme, QRectF(0, 0, width - limit - 1, high), reading.used, "small", "text", 600, align=RIGHT)
        self._bar(painter, float(theme.px(22)), width)

    def words(self, width: float) -> tuple[str, str]:
        """Returns the name and the limit that fit into a width beside the amount used.

        It tries the full name first, then the short name, then no limit, then neither.
        """
        theme, reading = self._theme, self._reading
        used = text_width(theme, reading.used, "small", 600)
        ways = ((self._name, reading.limit), (self._short, reading.limit), (self._short, ""))
        for name, limit in ways:
            if text_width(theme, name) + used + text_width(theme, limit) + 6 <= width:
                return name, limit
        return "", ""

    def _bar(self, painter: QPainter, y: float, width: float) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour("line"))
        painter.drawRoundedRect(QRectF(0, y, width, 3), 1.5, 1.5)
        share = self._reading.share
        if share:
            painter.setBrush(self._theme.colour(self._tone or tone_of(share)))
            painter.drawRoundedRect(QRectF(0, y, max(3.0, width * min(1.0, share)), 3), 1.5, 1.5)
