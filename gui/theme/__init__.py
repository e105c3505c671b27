"""The look of the window: tokens, fonts, icons, and the theme that turns them into Qt objects."""

from __future__ import annotations

from gui.theme.theme import Theme, theme_named
from gui.theme.tokens import PALETTES, PaletteName, Role

__all__ = ["PALETTES", "PaletteName", "Role", "Theme", "theme_named"]
