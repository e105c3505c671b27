"""The bundled fonts, so that pictures of the window are the same on every machine."""

from __future__ import annotations

from PySide6.QtGui import QFont, QFontDatabase

from core.common.installation import RESOURCES
from gui.theme.tokens import FAMILY, MONO, TYPE, Role

FONTS = RESOURCES / "fonts"


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
