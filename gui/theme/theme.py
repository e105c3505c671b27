"""The theme: tokens as Qt colours, fonts, laid-out lines of text, palette and style sheet."""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from PySide6.QtCore import QDir, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QFontMetricsF,
    QIcon,
    QLinearGradient,
    QPalette,
    QPixmap,
    QStaticText,
    QTransform,
)
from PySide6.QtWidgets import QApplication

from core.common.installation import RESOURCES
from gui.theme.icons import ICONS, glyph_icon
from gui.theme.tokens import FAMILY, HEAT, LARGEST_SCALE, MONO, PALETTES, PICTURE, SMALLEST_SCALE, TYPE, PaletteName, Role

FONTS = RESOURCES / "fonts"
MOST_LINES = 8192
"""Number of lines that are kept. The cache is cleared when it is full."""
_APPLIED = "theme applied"
"""Property of the application: palette name and text size of the theme that it shows; unset without one."""
_PLACEHOLDER = re.compile(r"@(\w+)|px\((\d+)\)")
_ROLES: Mapping[QPalette.ColorRole, str] = {
    QPalette.ColorRole.Window: "canvas",
    QPalette.ColorRole.WindowText: "text",
    QPalette.ColorRole.Base: "surface",
    QPalette.ColorRole.AlternateBase: "raised",
    QPalette.ColorRole.Text: "text",
    QPalette.ColorRole.Button: "raised",
    QPalette.ColorRole.ButtonText: "text",
    QPalette.ColorRole.ToolTipBase: "raised",
    QPalette.ColorRole.ToolTipText: "text",
    QPalette.ColorRole.Highlight: "selection_bg",
    QPalette.ColorRole.HighlightedText: "text",
    QPalette.ColorRole.PlaceholderText: "faint",
    QPalette.ColorRole.Link: "accent",
}


class Theme:
    """One palette at one text size. It is passed to every widget and is never global.

    The object stays the same when the operator chooses another palette or text size (`become`), so its users only have to paint
    again. The tokens are those of `gui.theme.tokens`; an unknown token raises KeyError.
    """

    def __init__(self, name: PaletteName, scale: float = 1.0):
        self.motion = True
        """False for reduced motion: nothing turns or slides."""
        self.wanted, self.most = 1.0, LARGEST_SCALE
        """The text size that was chosen, and the largest one for which the screen has room."""
        self.become(name, scale)

    def become(self, name: PaletteName, scale: float | None = None) -> None:
        """Changes palette and text size (0.9 to 1.5) in place. Call `apply` afterwards.

        The text is smaller than that where the screen has no room for it: see `most`.
        """
        if scale is not None:
            self.wanted = min(LARGEST_SCALE, max(SMALLEST_SCALE, scale))
        self.scale = min(self.wanted, self.most)
        self.name = name
        self._colours, self._picture = PALETTES[name], PICTURE[name]
        self._heat = tuple(QColor(stop) for stop in HEAT[name])
        self._shades: dict[str, QColor] = {}
        self._letterings: dict[tuple[Role, int, bool], Lettering] = {}
        self._icons: dict[tuple[str, str], QIcon] = {}
        self._pixmaps: dict[tuple[str, int, str], QPixmap] = {}

    # --- colours -----------------------------------------------------------
    def colour(self, token: str) -> QColor:
        """Returns the colour of a token. It is shared, so it must not be changed: `tinted` returns another one."""
        shade = self._shades.get(token)
        if shade is None:
            shade = self._shades[token] = QColor(self._colours[token])
        return shade

    def css(self, token: str) -> str:
        """Returns the colour of a token as `#RRGGBB`."""
        return self._colours[token]

    def tinted(self, token: str, alpha: float) -> QColor:
        """Returns the colour of a token, partly transparent (`alpha` from 0 to 1)."""
        colour = QColor(self._colours[token])
        colour.setAlphaF(alpha)
        return colour

    def picture(self, token: str, alpha: float = 1.0) -> QColor:
        """Returns a colour to draw over a camera picture: selection, goal, belief, path, good or ink.

        The light and the dark palette share these colours.
        """
        colour = QColor(self._picture[token])
        colour.setAlphaF(alpha)
        return colour

    def heat(self, probability: float) -> QColor:
        """Returns the colour of a probability (0 to 1), on a square-root scale so that small probabilities stay visible."""
        at = max(0.0, min(1.0, probability)) ** 0.5 * 5
        k = min(4, int(at))
        one, other, part = self._heat[k], self._heat[k + 1], at - k
        return QColor.fromRgbF(
            one.redF() + (other.redF() - one.redF()) * part,
            one.greenF() + (other.greenF() - one.greenF()) * part,
            one.blueF() + (other.blueF() - one.blueF()) * part,
        )

    def heat_gradient(self, left: float, right: float) -> QLinearGradient:
        """Returns the heat scale from probability 0 at x = `left` to 1 at x = `right`."""
        gradient = QLinearGradient(left, 0, right, 0)
        for k in range(11):
            gradient.setColorAt(k / 10, self.heat(k / 10))
        return gradient

    # --- type and sizes ----------------------------------------------------
    def font(self, role: Role = "body", weight: int = 400, mono: bool = False) -> QFont:
        """Returns a font of the type scale, at the chosen text size."""
        return QFont(self.lettering(role, weight, mono).font)

    def metrics(self, role: Role = "body", weight: int = 400, mono: bool = False) -> QFontMetricsF:
        """Returns the metrics of a font. They are cached, because painters need them for every text."""
        return self.lettering(role, weight, mono).metrics

    def lettering(self, role: Role = "body", weight: int = 400, mono: bool = False) -> Lettering:
        """Returns the laid-out lines of a font. They are cached, because painters draw the same ones repeatedly."""
        key = (role, weight, mono)
        found = self._letterings.get(key)
        if found is None:
            found = self._letterings[key] = Lettering(make_font(role, weight, mono, self.scale))
        return found

    def px(self, n: float) -> int:
        """Returns a length in pixels, scaled with the text."""
        return round(n * self.scale)

    # --- icons -------------------------------------------------------------
    def icon(self, name: str, tone: str = "muted") -> QIcon:
        """Returns an icon of `gui.theme.icons` in the colour of a token."""
        key = (name, tone)
        if key not in self._icons:
            self._icons[key] = glyph_icon(ICONS[name], self.colour(tone), self.colour("line_strong"))
        return self._icons[key]

    def pixmap(self, name: str, size: int = 14, tone: str = "muted") -> QPixmap:
        """Returns an icon as a picture with sides of `size` pixels; `theme.px(14)` follows the text size. It is cached."""
        key = (name, size, tone)
        if key not in self._pixmaps:
            self._pixmaps[key] = self.icon(name, tone).pixmap(QSize(size, size))
        return self._pixmaps[key]

    # --- the application ---------------------------------------------------
    def palette(self) -> QPalette:
        """Returns Qt's palette, for what the style sheet does not reach."""
        palette = QPalette()
        for role, token in _ROLES.items():
            palette.setColor(role, self.colour(token))
        for role in (QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText, QPalette.ColorRole.WindowText):
            palette.setColor(QPalette.ColorGroup.Disabled, role, self.colour("faint"))
        return palette

    def sheet(self) -> str:
        """Returns the style sheet: `resources/style.qss` with this theme's colours and sizes."""
        known = {**self._colours, "palette": self.name}
        return _PLACEHOLDER.sub(lambda found: known[found[1]] if found[1] else f"{self.px(int(found[2]))}px",
                                (RESOURCES / "style.qss").read_text(encoding="utf-8"))

    def apply(self, app: QApplication) -> None:
        """Applies fonts, palette and style sheet to the whole application.

        Qt goes through all widgets for each of them, so only what differs from the theme applied before is set.
        """
        load_fonts()
        before = app.property(_APPLIED)
        if not before:  # only once: replacing the style of existing widgets is dangerous
            app.setStyle("Fusion")
            QDir.setSearchPaths("ticks", [str(RESOURCES / "ticks")])  # pictures of the style sheet, wherever it is installed
        name, scale = before or ("", 0.0)
        with _without_collection():
            if scale != self.scale:
                app.setFont(self.font())
            if name != self.name:
                app.setPalette(self.palette())
            if (name, scale) != (self.name, self.scale):
                app.setStyleSheet(self.sheet())
        app.setProperty(_APPLIED, [self.name, self.scale])


@contextmanager
def _without_collection() -> Iterator[None]:
    """Keeps Python from collecting garbage.

    Qt goes through a list of all widgets and calls overrides of ours meanwhile. A widget that is collected in between leaves an
    invalid pointer in that list: a segmentation fault.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def theme_named(name: str, scale: float = 1.0) -> Theme:
    """Returns the theme of a name from settings or the command line. An unknown name gives the dark theme."""
    known: PaletteName = "light" if name == "light" else "cvd" if name == "cvd" else "dark"
    return Theme(known, scale)


def load_fonts() -> tuple[str, ...]:
    """Registers the bundled fonts with Qt and returns the families found. Qt replaces missing ones by the system's fonts."""
    known = set(QFontDatabase.families())
    if not {FAMILY, MONO} <= known:
        for path in sorted(FONTS.glob("*/*.ttf")):
            QFontDatabase.addApplicationFont(str(path))
        known = set(QFontDatabase.families())
    return tuple(family for family in (FAMILY, MONO) if family in known)


def make_font(role: Role, weight: int, mono: bool, scale: float) -> QFont:
    """Returns a font of the type scale. One variable font file holds all weights, so the weight axis is set too."""
    font = QFont(MONO if mono else FAMILY)
    font.setStyleHint(QFont.StyleHint.Monospace if mono else QFont.StyleHint.SansSerif)
    font.setPixelSize(max(8, round(TYPE[role] * scale)))
    font.setWeight(QFont.Weight(weight))
    font.setVariableAxis(QFont.Tag("wght"), weight)
    font.setLetterSpacing(QFont.SpacingType.PercentageSpacing, 100 if mono else 98.5)
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    if not mono:
        font.setFeature(QFont.Tag("tnum"), 1)
        font.setFeature(QFont.Tag("cv11"), 1)
    return font


class Lettering:
    """The laid-out lines of one font, by their text."""

    def __init__(self, font: QFont):
        self.font, self.metrics = font, QFontMetricsF(font)
        self._height = self.metrics.height()
        self._lines: dict[str, LaidLine] = {}
        self._widths: dict[str, float] = {}

    def width(self, text: str) -> float:
        """Returns the width of a text in pixels."""
        width = self._widths.get(text)
        if width is None:
            if len(self._widths) >= MOST_LINES:
                self._widths.clear()
            width = self._widths[text] = self.metrics.horizontalAdvance(text)
        return width

    def line(self, text: str) -> LaidLine:
        """Returns the laid-out line of a text without line breaks."""
        line = self._lines.get(text)
        if line is None:
            if len(self._lines) >= MOST_LINES:
                self._lines.clear()
            laid = QStaticText(text)
            laid.setTextFormat(Qt.TextFormat.PlainText)
            laid.setPerformanceHint(QStaticText.PerformanceHint.AggressiveCaching)
            laid.prepare(QTransform(), self.font)
            line = self._lines[text] = LaidLine(laid, self.width(text), self._height)
        return line


@dataclass(frozen=True, slots=True)
class LaidLine:
    """One laid-out line of text in one font.

    Attributes:
        text: the laid-out text.
        width: the advance width of the text, in pixels.
        height: the height of the font, in pixels.
    """

    text: QStaticText
    width: float
    height: float
