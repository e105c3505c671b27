"""Glyphs of Material Design Icons 6 as icons, drawn with the font that the package `qtawesome` contains.

The package itself is not imported, because it loads twelve fonts and every enum of Qt, which takes a fifth of a second at each
start.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QIcon, QIconEngine, QPainter, QPixmap

from core.common.errors import MissingPart

SHARE = 0.875
"""Height of a glyph as a share of the icon's height. The rest is room for the font's bearing."""


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The icon font's family name in Qt, and its characters by glyph name."""

    family: str
    characters: Mapping[str, str]


@cache
def glyphs() -> Glyphs:
    """Registers Material Design Icons 6 with Qt and returns it. Needs a QApplication.

    Raises:
        MissingPart: qtawesome is not installed, or does not contain the font.
    """
    package = find_spec("qtawesome")
    folder = Path(package.origin).parent / "fonts" if package is not None and package.origin else Path()
    fonts, names = (sorted(folder.glob(f"materialdesignicons6-webfont-{rest}")) for rest in ("[0-9]*.ttf", "charmap-*.json"))
    families = QFontDatabase.applicationFontFamilies(QFontDatabase.addApplicationFont(str(fonts[-1]))) if fonts else []
    if not (families and names):
        raise MissingPart("the icons' font is not there: pip install 'qtawesome>=1.3'")
    codes: dict[str, str] = json.loads(names[-1].read_bytes())
    return Glyphs(families[0], {name: chr(int(code, 16)) for name, code in codes.items()})


class _Engine(QIconEngine):
    """Draws one glyph at any size."""

    def __init__(self, family: str, character: str, colour: QColor, disabled: QColor):
        super().__init__()
        self._family, self._character, self._colour, self._disabled = family, character, colour, disabled

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        """Paints the glyph in the centre of a rectangle."""
        del state
        font = QFont(self._family)
        font.setPixelSize(max(1, round(SHARE * rect.height())))
        painter.save()
        painter.setPen(self._disabled if mode == QIcon.Mode.Disabled else self._colour)
        painter.setFont(font)
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, self._character)
        painter.restore()

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        """Returns the glyph on a transparent background."""
        pixmap = QPixmap(size)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        self.paint(painter, QRect(QPoint(0, 0), size), mode, state)
        painter.end()
        return pixmap


def glyph_icon(name: str, colour: QColor, disabled: QColor) -> QIcon:
    """Returns the icon of a glyph.

    Raises:
        KeyError: the font has no such glyph.
        MissingPart: as `glyphs`.
    """
    font = glyphs()
    return QIcon(_Engine(font.family, font.characters[name], colour, disabled))
