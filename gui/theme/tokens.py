"""The design tokens: palettes, type scale, spacing, motion. Pure data without Qt."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

PaletteName = Literal["dark", "light", "cvd"]
Role = Literal["micro", "small", "body", "title", "heading", "display"]

_DARK = {
    "canvas": "#0E1116",
    "surface": "#151A21",
    "raised": "#1C222B",
    "sunken": "#10141A",
    "hover": "#242C37",
    "line": "#29313D",
    "line_strong": "#435064",
    "text": "#E7ECF3",
    "muted": "#9DA9B8",
    "faint": "#8A96A6",
    "on_accent": "#0B1020",
    "accent": "#8CA2FF",
    "planner_act": "#8CA2FF",
    "operator_act": "#F19AD6",
    "selection": "#3DDCE8",
    "good": "#5FD39A",
    "warn": "#F5B34C",
    "bad": "#FF7B72",
    "blocked": "#E5484D",
    "condition": "#F59E42",
    "resolution": "#62B0FF",
    "idle": "#6B7686",
    "glow": "#FFC94D",
    "good_bg": "#15301F",
    "warn_bg": "#352814",
    "bad_bg": "#3A1C1E",
    "accent_bg": "#232B4A",
    "operator_bg": "#3A2034",
    "selection_bg": "#12343A",
}
_LIGHT = {
    "canvas": "#E3E7ED",
    "surface": "#FFFFFF",
    "raised": "#F4F6F9",
    "sunken": "#EDF0F5",
    "hover": "#E6EAF1",
    "line": "#D5DBE4",
    "line_strong": "#9AA6B6",
    "text": "#161B23",
    "muted": "#4E5A6A",
    "faint": "#586474",
    "on_accent": "#FFFFFF",
    "accent": "#3A4FD0",
    "planner_act": "#3A4FD0",
    "operator_act": "#B0269A",
    "selection": "#00626F",
    "good": "#136B42",
    "warn": "#855400",
    "bad": "#B3201F",
    "blocked": "#C9252D",
    "condition": "#974B00",
    "resolution": "#135CB0",
    "idle": "#7A8696",
    "glow": "#E08A00",
    "good_bg": "#DDF3E6",
    "warn_bg": "#FCEBCB",
    "bad_bg": "#FBE0DE",
    "accent_bg": "#E2E6FB",
    "operator_bg": "#F8E1F2",
    "selection_bg": "#D3F0F3",
}
# Based on dark: good and bad are blue and orange, lightness always differs, and shapes repeat every meaning.
_CVD = _DARK | {
    "accent": "#CBD2FF",
    "planner_act": "#CBD2FF",
    "operator_act": "#D983B4",
    "selection": "#FFFFFF",
    "good": "#3BA2EE",
    "warn": "#F4DF55",
    "bad": "#FF7D2B",
    "blocked": "#D9541E",
    "condition": "#F4DF55",
    "resolution": "#CBD2FF",
    "glow": "#FDE945",
    "good_bg": "#0F2C40",
    "warn_bg": "#35300F",
    "bad_bg": "#3D2312",
    "accent_bg": "#272F4D",
    "operator_bg": "#3A2034",
    "selection_bg": "#28303B",
}
PALETTES: Mapping[PaletteName, Mapping[str, str]] = MappingProxyType({"dark": _DARK, "light": _LIGHT, "cvd": _CVD})
TITLES: Mapping[PaletteName, str] = MappingProxyType({"dark": "Dark", "light": "Light", "cvd": "Colour-blind-safe"})
HEAT: Mapping[PaletteName, tuple[str, ...]] = MappingProxyType({
    "dark": ("#151A21", "#2E2A26", "#5A4423", "#94691F", "#D29A2A", "#FFD978"),
    "light": ("#FFFFFF", "#FFF1CF", "#FCD98A", "#F2B23A", "#CC7F0A", "#8A4B00"),
    "cvd": ("#10203F", "#2F3E6C", "#5C6175", "#8F8973", "#C9B559", "#FDE945"),
})
"""Six colour stops from probability 0 to 1, spaced on a square-root scale."""
_PICTURE = {"selection": "#3DDCE8", "goal": "#FFFFFF", "belief": "#FFC94D", "path": "#A9B8FF", "good": "#5FD39A",
            "ink": "#0A0D12"}
_PICTURE_CVD = {"selection": "#FFFFFF", "goal": "#CBD2FF", "belief": "#FDE945", "path": "#CBD2FF", "good": "#3BA2EE",
                "ink": "#0A0D12"}
PICTURE: Mapping[PaletteName, Mapping[str, str]] = MappingProxyType({"dark": _PICTURE, "light": _PICTURE, "cvd": _PICTURE_CVD})
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
