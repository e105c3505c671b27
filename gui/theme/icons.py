"""The icons of the window by meaning, drawn from the bundled font: Material Design Icons 6, cut down to the glyphs used.

`resources/fonts/icons/names.json` lists them in groups. A new name there needs another run of `build_icons.py`, which makes the
font.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QIcon, QIconEngine, QPainter, QPixmap

from core.common.errors import DataError
from core.common.installation import RESOURCES

FOLDER = RESOURCES / "fonts" / "icons"


def _read(name: str) -> Any:
    """Returns what a JSON file beside the font holds."""
    try:
        return json.loads((FOLDER / name).read_bytes())
    except (OSError, ValueError) as error:
        raise DataError(f"{FOLDER / name} cannot be read: {error}; install Belvedere again") from error


ICONS: Mapping[str, str] = MappingProxyType(
    {name: glyph for group in _read("names.json").values() for name, glyph in group.items()})
"""Maps the name in this window to the name in Material Design Icons 6."""
SHARE = 0.875
"""Height of a glyph as a share of the icon's height. The rest is room for the font's bearing."""


def glyph_icon(name: str, colour: QColor, disabled: QColor) -> QIcon:
    """Returns the icon of a glyph. Needs a QApplication.

    Raises:
        KeyError: the font has no such glyph.
        DataError: the font or its list of names cannot be read.
    """
    family, characters = _font()
    return QIcon(_Engine(family, characters[name], colour, disabled))


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


@cache
def _font() -> tuple[str, Mapping[str, str]]:
    """Registers the icon font with Qt. Returns its family name, and its characters by glyph name."""
    families = QFontDatabase.applicationFontFamilies(QFontDatabase.addApplicationFont(str(FOLDER / "icons.ttf")))
    codes: dict[str, str] = _read("icons.json")
    if not families:
        raise DataError(f"{FOLDER / 'icons.ttf'} cannot be read; install Belvedere again")
    return families[0], {name: chr(int(code, 16)) for name, code in codes.items()}
