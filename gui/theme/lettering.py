"""A cache of laid-out lines of text, because painters draw the same few hundred lines ten times a second."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontMetricsF, QStaticText, QTransform

MOST = 8192
"""Number of lines that are kept. The cache is cleared when it is full."""


@dataclass(frozen=True, slots=True)
class Line:
    """One laid-out line of text in one font.

    Attributes:
        text: the laid-out text.
        width: the advance width of the text, in pixels.
        height: the height of the font, in pixels.
    """

    text: QStaticText
    width: float
    height: float


class Lettering:
    """The laid-out lines of one font, by their text."""

    def __init__(self, font: QFont):
        self.font, self.metrics = font, QFontMetricsF(font)
        self._height = self.metrics.height()
        self._lines: dict[str, Line] = {}
        self._widths: dict[str, float] = {}

    def width(self, text: str) -> float:
        """Returns the width of a text in pixels."""
        width = self._widths.get(text)
        if width is None:
            if len(self._widths) >= MOST:
                self._widths.clear()
            width = self._widths[text] = self.metrics.horizontalAdvance(text)
        return width

    def line(self, text: str) -> Line:
        """Returns the laid-out line of a text without line breaks."""
        line = self._lines.get(text)
        if line is None:
            if len(self._lines) >= MOST:
                self._lines.clear()
            line = self._lines[text] = self._laid(text)
        return line

    def _laid(self, text: str) -> Line:
        laid = QStaticText(text)
        laid.setTextFormat(Qt.TextFormat.PlainText)
        laid.setPerformanceHint(QStaticText.PerformanceHint.AggressiveCaching)
        laid.prepare(QTransform(), self.font)
        return Line(laid, self.width(text), self._height)
