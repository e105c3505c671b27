"""Icons drawn from the bundled font: Material Design Icons 6, cut down to the glyphs of the window.

`resources/fonts/icons/build_icons.py` makes the font; a name that is new in `icons.py` needs another run of it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QIcon, QIconEngine, QPainter, QPixmap

from core.common.errors import DataError
from core.common.installation import RESOURCES

FOLDER = RESOURCES / "fonts" / "icons"
SHARE = 0.875
"""Height of a glyph as a share of the icon's height. The rest is room for the font's bearing."""


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The icon font's family name in Qt, and its characters by glyph name."""

    family: str
    characters: Mapping[str, str]


@cache
def glyphs() -> Glyphs:
    """Registers the icon font with Qt and returns it. Needs a QApplication.

    Raises:
        DataError: the font or its list of names cannot be read.
    """
    families = QFontDatabase.applicationFontFamilies(QFontDatabase.addApplicationFont(str(FOLDER / "icons.ttf")))
    try:
        codes: dict[str, str] = json.loads((FOLDER / "icons.json").read_bytes())
    except (OSError, ValueError) as error:
        raise DataError(f"{FOLDER / 'icons.json'} cannot be read: {error}; install Belvedere again") from error
    if not families:
        raise DataError(f"{FOLDER / 'icons.ttf'} cannot be read; install Belvedere again")
    return Glyphs(families[0], {name: chr(int(code, 16)) for name, code in codes.items()})


class _Engine(QIconEngine):
    """Draws one glyph at any size."""

    def __init__(self, family: str, character: str, colour: QColor, disabled: QColor):
        super().__init__()
        self._family, self._character, self._colour, self._disabled = family, character, colour, disabled

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        """Paints the glyph in the middle of a rectangle."""
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
        DataError: as `glyphs`.
    """
    font = glyphs()
    return QIcon(_Engine(font.family, font.characters[name], colour, disabled))
