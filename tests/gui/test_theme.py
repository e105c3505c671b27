"""Properties of the tokens: contrast, colours that everyone can tell apart, fonts of every weight."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt
import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QApplication, QCheckBox, QListWidget, QListWidgetItem, QWidget
from pytestqt.qtbot import QtBot

from gui.theme import PALETTES, PaletteName, Theme, theme_named
from gui.theme.icons import ICONS
from gui.theme.theme import load_fonts
from gui.theme.tokens import HEAT, PICTURE, contrast
from gui.widgets.names import glyph

Numbers = npt.NDArray[np.float64]
GROUNDS = ("surface", "raised", "canvas", "sunken", "hover")
TEXTS = ("text", "muted", "faint", "accent", "operator_act", "selection", "good", "warn", "bad", "condition", "resolution")
TINTED = (("accent", "accent_bg"), ("operator_act", "operator_bg"), ("selection", "selection_bg"), ("good", "good_bg"),
          ("warn", "warn_bg"), ("bad", "bad_bg"), ("text", "accent_bg"), ("text", "operator_bg"), ("text", "selection_bg"),
          ("on_accent", "accent"))
# Machado, Oliveira & Fernandes 2009, full severity, on linear RGB.
DEFICIENCIES = {
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def linear(colour: str) -> Numbers:
    srgb = np.array([int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)


def lab(rgb: Numbers) -> Numbers:
    to_xyz = np.array(((0.4124564, 0.3575761, 0.1804375), (0.2126729, 0.7151522, 0.0721750), (0.0193339, 0.1191920, 0.9503041)))
    xyz = to_xyz @ np.clip(rgb, 0, 1) / np.array((0.95047, 1.0, 1.08883))
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array((116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])))


@pytest.mark.parametrize("name", PALETTES)
def test_text_can_be_read_on_every_ground(name: PaletteName) -> None:
    palette = PALETTES[name]
    weak = [(t, g) for t in TEXTS for g in GROUNDS if contrast(palette[t], palette[g]) < 4.5]
    assert weak == []
    assert [(t, g) for t, g in TINTED if contrast(palette[t], palette[g]) < 4.5] == []


@pytest.mark.parametrize("deficiency", DEFICIENCIES)
def test_the_safe_palette_keeps_roles_apart(deficiency: str) -> None:
    matrix, palette = np.array(DEFICIENCIES[deficiency]), PALETTES["cvd"]
    roles = ("accent", "operator_act", "selection", "good", "warn", "bad")
    seen = {role: lab(matrix @ linear(palette[role])) for role in roles}
    near = [(a, b) for a, b in combinations(seen, 2) if round(float(np.linalg.norm(seen[a] - seen[b]))) < 18]
    assert near == []


def test_palettes_hold_the_same_tokens() -> None:
    assert len({frozenset(palette) for palette in PALETTES.values()}) == 1
    assert set(HEAT) == set(PICTURE) == set(PALETTES)


def test_bold_text_is_bold(qapp: QApplication) -> None:
    assert load_fonts() == ("Inter", "JetBrains Mono")
    theme = Theme("dark")
    plain, bold = theme.metrics("body", 400), theme.metrics("body", 700)
    assert bold.horizontalAdvance("kitchen table") > plain.horizontalAdvance("kitchen table")


def test_digits_are_of_one_width(qapp: QApplication) -> None:
    metrics = Theme("dark").metrics("small")
    assert metrics.horizontalAdvance("1111") == metrics.horizontalAdvance("8888")


def test_every_icon_is_there(qapp: QApplication) -> None:
    theme = Theme("light")
    for name in ICONS:
        picture = theme.pixmap(name, 14, "text").toImage()
        assert any(picture.pixelColor(x, y).alpha() > 64 for x in range(14) for y in range(14)), name
    assert glyph("put_in") in ICONS
    assert glyph("never heard of") in ICONS


def test_text_size_scales_fonts_and_lengths(qapp: QApplication) -> None:
    theme = Theme("dark", 1.5)
    assert theme.font("body").pixelSize() == 18
    assert theme.px(20) == 30
    theme.become("light", 9.0)
    assert (theme.name, theme.scale) == ("light", 1.5)
    assert theme.css("surface") == "#FFFFFF"


def test_heat_goes_from_ground_to_bright(qapp: QApplication) -> None:
    theme = Theme("dark")
    assert theme.heat(0).name().upper() == HEAT["dark"][0]
    assert theme.heat(1).name().upper() == HEAT["dark"][-1]
    levels = [theme.heat(p / 10).lightness() for p in range(11)]
    assert levels == sorted(levels)


def test_an_unknown_name_is_dark(qapp: QApplication) -> None:
    assert theme_named("mauve").name == "dark"
    with pytest.raises(KeyError):
        theme_named("dark").colour("mauve")


def test_a_theme_that_is_applied_already_styles_no_widget_again(qapp: QApplication) -> None:
    styled: list[QEvent.Type] = []

    class Noting(QWidget):
        def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
            styled.append(event.type())

    Theme("dark").apply(qapp)
    noting = Noting()
    noting.ensurePolished()
    styled.clear()
    Theme("dark").apply(qapp)
    assert not styled
    for other in (Theme("light"), Theme("light", 1.2), Theme("dark")):
        styled.clear()
        other.apply(qapp)
        assert QEvent.Type.StyleChange in styled


@pytest.mark.parametrize("name", PALETTES)
def test_ticked_boxes_show_a_tick_everywhere(qtbot: QtBot, name: PaletteName) -> None:
    """In the colour that can be read on their ground, at every text size."""
    app, before = QApplication.instance(), Theme("dark")
    assert isinstance(app, QApplication)
    for scale in (1.0, 1.5):
        theme = Theme(name, scale)
        theme.apply(app)
        box, entries = QCheckBox("ticked"), QListWidget()
        item = QListWidgetItem("ticked", entries)
        for widget in (box, entries):
            qtbot.addWidget(widget)
        for state in (Qt.CheckState.Checked, Qt.CheckState.Unchecked):
            box.setCheckState(state)
            item.setCheckState(state)
            for widget in (box, entries):
                picture = widget.grab().toImage()
                side = theme.px(22)
                ink = sum(picture.pixelColor(x, y) == theme.colour("on_accent") for x in range(side) for y in range(side))
                assert (ink >= 4) == (state == Qt.CheckState.Checked), (type(widget).__name__, scale, ink)
    before.apply(app)
