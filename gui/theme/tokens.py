"""The design tokens: palettes (`resources/palettes.json`), type scale, spacing, motion. Pure data without Qt."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from core.common.installation import RESOURCES

PaletteName = Literal["dark", "light", "cvd"]
Role = Literal["micro", "small", "body", "title", "heading", "display"]

_COLOURS = json.loads((RESOURCES / "palettes.json").read_bytes())
_DARK = _COLOURS["tokens"]["dark"]
# The colour-blind-safe palette is based on dark: good and bad are blue and orange, lightness always differs, and shapes repeat
# every meaning.
PALETTES: Mapping[PaletteName, Mapping[str, str]] = MappingProxyType(
    {"dark": _DARK, "light": _COLOURS["tokens"]["light"], "cvd": _DARK | _COLOURS["tokens"]["cvd"]})
TITLES: Mapping[PaletteName, str] = MappingProxyType({"dark": "Dark", "light": "Light", "cvd": "Colour-blind-safe"})
HEAT: Mapping[PaletteName, tuple[str, ...]] = MappingProxyType({name: tuple(stops) for name, stops in _COLOURS["heat"].items()})
"""Six colour stops from probability 0 to 1, spaced on a square-root scale."""
PICTURE: Mapping[PaletteName, Mapping[str, str]] = MappingProxyType(
    {"dark": _COLOURS["picture"]["dark"], "light": _COLOURS["picture"]["dark"], "cvd": _COLOURS["picture"]["cvd"]})
"""Colours drawn over a camera picture. They suit the picture, so the light and the dark palette share them."""

FAMILY, MONO = "Inter", "JetBrains Mono"
TYPE: Mapping[Role, int] = MappingProxyType({"micro": 10, "small": 11, "body": 12, "title": 12, "heading": 15, "display": 22})
"""Sizes in pixels at a text size of 100 %."""
GUTTER = 6
MOTION: Mapping[str, int] = MappingProxyType({"publish": 150})
"""Durations in milliseconds. Data is never animated: `publish` is the least time between two repaints of it."""
SMALLEST_SCALE, LARGEST_SCALE = 0.9, 1.5


def luminance(colour: str) -> float:
    """Returns the relative luminance of `#RRGGBB`, 0 to 1 (WCAG 2.2)."""
    channels = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Returns the WCAG 2.2 contrast ratio of two colours, 1 to 21."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)
