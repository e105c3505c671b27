"""The icons of the window by meaning, drawn from the bundled font: Material Design Icons 6, cut down to the glyphs used.

`resources/fonts/icons/build_icons.py` makes the font; a name that is new in `ICONS` needs another run of it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QIcon, QIconEngine, QPainter, QPixmap

from core.common.errors import DataError
from core.common.installation import RESOURCES

ICONS: Mapping[str, str] = MappingProxyType({
    # run controls and operator actions
    "run": "play",
    "pause": "pause",
    "step": "debug-step-over",
    "stop": "stop",
    "record": "record-circle-outline",
    "recording": "record-circle",
    "override": "hand-back-right-outline",
    "edit": "pencil",
    "pin": "pin",
    "zero": "numeric-0-circle-outline",
    "ban": "cancel",
    "loop": "repeat",
    "undo": "undo",
    "redo": "redo",
    "retry": "refresh",
    "rewind": "history",
    "fork": "source-branch",
    "add": "plus",
    "copy": "content-copy",
    "save": "content-save-outline",
    "bookmark": "bookmark",
    "note": "tag",
    "breakpoint": "circle-outline",
    "breakpoint_on": "circle",
    "dice": "dice-5-outline",
    "runs": "playlist-play",
    # parts of a run request, and window functions
    "planner": "head-cog-outline",
    "simulator": "cube-outline",
    "scene": "floor-plan",
    "provider": "message-processing-outline",
    "goal": "flag-checkered",
    "palette": "magnify",
    "keys": "keyboard-outline",
    "folder": "folder-open-outline",
    "key": "key-outline",
    "theme": "theme-light-dark",
    "text_size": "format-size",
    "layout": "view-dashboard-outline",
    # panels and their tools
    "fit": "fit-to-screen-outline",
    "follow": "crosshairs-gps",
    "more": "dots-horizontal",
    "search": "magnify",
    "filter": "filter-variant",
    "equal": "equal",
    "boxes": "vector-square",
    "labels": "tag-outline",
    "path": "map-marker-path",
    "glow": "weather-sunny",
    "float": "dock-window",
    "close": "close",
    "down": "chevron-down",
    "right": "chevron-right",
    "left": "chevron-left",
    "check": "check-bold",
    "help": "help-circle-outline",
    "info": "information-outline",
    "frames": "image-outline",
    "tree": "file-tree-outline",
    "ranking": "format-list-numbered",
    "belief": "grid",
    "scatter": "chart-scatter-plot",
    "log": "text-box-outline",
    "parameters": "tune-variant",
    "plan": "format-list-checks",
    "state": "table-large",
    "graph": "graph-outline",
    "learnings": "lightbulb-outline",
    "blocking": "octagon-outline",
    "compare": "compare-horizontal",
    # sources of replies
    "model": "message-text-outline",
    "rules": "script-text-outline",
    "cache": "database-outline",
    "user": "account",
    # the timeline
    "first": "skip-backward",
    "prev": "skip-previous",
    "next": "skip-next",
    "last": "skip-forward",
    "clock": "clock-outline",
    "fault": "alert",
    "seen": "eye",
    # verbs
    "walk": "walk",
    "open": "door-open",
    "close_door": "door-closed",
    "grab": "hand-back-left-outline",
    "putin": "tray-arrow-down",
    "puton": "tray-full",
    "switchon": "power",
    "look": "eye-outline",
    "slice": "knife",
    "cook": "pot-steam-outline",
    "wash": "water-outline",
    "fill": "cup-water",
    "drop": "arrow-down-bold-outline",
    "turn": "rotate-right",
    "act": "gesture-tap",
    "unknown": "help",
})
"""Maps the name in this window to the name in Material Design Icons 6."""
FOLDER = RESOURCES / "fonts" / "icons"
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
    try:
        codes: dict[str, str] = json.loads((FOLDER / "icons.json").read_bytes())
    except (OSError, ValueError) as error:
        raise DataError(f"{FOLDER / 'icons.json'} cannot be read: {error}; install Belvedere again") from error
    if not families:
        raise DataError(f"{FOLDER / 'icons.ttf'} cannot be read; install Belvedere again")
    return families[0], {name: chr(int(code, 16)) for name, code in codes.items()}
