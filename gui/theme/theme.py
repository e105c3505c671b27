"""Tokens turned into Qt: colours, fonts, icons, the application's palette and style sheet."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QIcon, QLinearGradient, QPalette, QPixmap
from PySide6.QtWidgets import QApplication

from gui.theme.fonts import load_fonts, make_font
from gui.theme.glyphs import glyph_icon
from gui.theme.icons import ICONS
from gui.theme.lettering import Lettering
from gui.theme.sheet import sheet
from gui.theme.tokens import HEAT, LARGEST_SCALE, PALETTES, PICTURE, SMALLEST_SCALE, PaletteName, Role

_DRESSED = "in Fusion"
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
    """One palette at one text size, handed to every widget, never global.

    The object stays the same when the operator chooses another palette or text size (`become`): whoever paints with it only has
    to paint again. Tokens are those of `gui.theme.tokens`; an unknown one is a KeyError.
    """

    def __init__(self, name: PaletteName, scale: float = 1.0):
        self.motion = True
        """False: reduced motion, nothing turns or slides."""
        self.become(name, scale)

    def become(self, name: PaletteName, scale: float | None = None) -> None:
        """Change palette and text size (0.9 to 1.5) in place; `apply` afterwards."""
        if scale is not None:
            self.scale = min(LARGEST_SCALE, max(SMALLEST_SCALE, scale))
        self.name = name
        self._colours, self._picture = PALETTES[name], PICTURE[name]
        self._heat = tuple(QColor(stop) for stop in HEAT[name])
        self._shades: dict[str, QColor] = {}
        self._letterings: dict[tuple[Role, int, bool], Lettering] = {}
        self._icons: dict[tuple[str, str], QIcon] = {}
        self._pixmaps: dict[tuple[str, int, str], QPixmap] = {}

    # --- colours -----------------------------------------------------------
    def colour(self, token: str) -> QColor:
        """A token's colour."""
        shade = self._shades.get(token)
        if shade is None:
            shade = self._shades[token] = QColor(self._colours[token])
        return QColor(shade)

    def css(self, token: str) -> str:
        """A token as `#RRGGBB`."""
        return self._colours[token]

    def tinted(self, token: str, alpha: float) -> QColor:
        """A token's colour, partly transparent (`alpha` 0..1)."""
        colour = QColor(self._colours[token])
        colour.setAlphaF(alpha)
        return colour

    def picture(self, token: str, alpha: float = 1.0) -> QColor:
        """A colour to draw over a camera picture, light or dark alike: selection, goal, belief, path, good, ink."""
        colour = QColor(self._picture[token])
        colour.setAlphaF(alpha)
        return colour

    def heat(self, probability: float) -> QColor:
        """Probability 0..1 to a colour, on a square-root scale so that small beliefs stay visible."""
        at = max(0.0, min(1.0, probability)) ** 0.5 * 5
        k = min(4, int(at))
        one, other, part = self._heat[k], self._heat[k + 1], at - k
        return QColor.fromRgbF(
            one.redF() + (other.redF() - one.redF()) * part,
            one.greenF() + (other.greenF() - one.greenF()) * part,
            one.blueF() + (other.blueF() - one.blueF()) * part,
        )

    def heat_gradient(self, left: float, right: float) -> QLinearGradient:
        """The heat scale from probability 0 at x = `left` to 1 at `right`."""
        gradient = QLinearGradient(left, 0, right, 0)
        for k in range(11):
            gradient.setColorAt(k / 10, self.heat(k / 10))
        return gradient

    # --- type and sizes ----------------------------------------------------
    def font(self, role: Role = "body", weight: int = 400, mono: bool = False) -> QFont:
        """A font of the type scale, at the chosen text size."""
        return QFont(self.lettering(role, weight, mono).font)

    def metrics(self, role: Role = "body", weight: int = 400, mono: bool = False) -> QFontMetricsF:
        """The measures of a font, kept, because painters ask for them with every text."""
        return self.lettering(role, weight, mono).metrics

    def lettering(self, role: Role = "body", weight: int = 400, mono: bool = False) -> Lettering:
        """The lines of a font, kept, because painters draw the same ones again and again."""
        key = (role, weight, mono)
        found = self._letterings.get(key)
        if found is None:
            found = self._letterings[key] = Lettering(make_font(role, weight, mono, self.scale))
        return found

    def px(self, n: float) -> int:
        """A length in pixels, scaled with the text."""
        return round(n * self.scale)

    # --- icons -------------------------------------------------------------
    def icon(self, name: str, tone: str = "muted") -> QIcon:
        """A glyph of `gui.theme.icons`, in a token's colour."""
        key = (name, tone)
        if key not in self._icons:
            self._icons[key] = glyph_icon(ICONS[name], self.colour(tone), self.colour("line_strong"))
        return self._icons[key]

    def pixmap(self, name: str, size: int = 14, tone: str = "muted") -> QPixmap:
        """A glyph as a picture of `size` pixels a side (give `theme.px(14)` to follow the text), kept for the next time."""
        key = (name, size, tone)
        if key not in self._pixmaps:
            self._pixmaps[key] = self.icon(name, tone).pixmap(QSize(size, size))
        return self._pixmaps[key]

    # --- the application ---------------------------------------------------
    def palette(self) -> QPalette:
        """Qt's palette, for what no style sheet reaches."""
        palette = QPalette()
        for role, token in _ROLES.items():
            palette.setColor(role, self.colour(token))
        for role in (QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText, QPalette.ColorRole.WindowText):
            palette.setColor(QPalette.ColorGroup.Disabled, role, self.colour("faint"))
        return palette

    def sheet(self) -> str:
        """The style sheet."""
        return sheet(self._colours, self.px)

    def apply(self, app: QApplication) -> None:
        """Dress the whole application: fonts, palette, style sheet."""
        load_fonts()
        if not app.property(_DRESSED):  # once: replacing the style under living widgets brings nothing but danger
            app.setStyle("Fusion")
            app.setProperty(_DRESSED, True)
        app.setFont(self.font())
        app.setPalette(self.palette())
        app.setStyleSheet(self.sheet())


def theme_named(name: str, scale: float = 1.0) -> Theme:
    """The theme of a name from settings or a command line; an unknown name gives the dark one."""
    known: PaletteName = "light" if name == "light" else "cvd" if name == "cvd" else "dark"
    return Theme(known, scale)
