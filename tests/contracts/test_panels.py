"""What every panel promises, whichever it is. A new one is taken up by its line in the registry or its entry point."""

from __future__ import annotations

import re
from typing import Any

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtWidgets import QApplication, QTreeWidget, QWidgetAction
from pytestqt.qtbot import QtBot

from core.session.commands import Command, Look
from core.session.snapshot import Snapshot
from gui.control.context import Context
from gui.panels.base import Panel
from gui.panels.registry import PANELS, make_panel, needs, panel_class
from gui.theme import Theme, theme_named
from gui.theme.theme import Lettering
from gui.widgets.lists import Rows
from gui.window.layouts import BY_FACET, PLAIN, Layout
from gui.window.pages import page_of
from tests.gui.panels import branches, searches, worlds
from tests.long_tests import either

SIZES = ((120, 80), (360, 300), (900, 600))


@pytest.fixture(params=["dark", "light", "cvd"])
def theme(request: pytest.FixtureRequest, qapp: QApplication) -> Theme:
    found = theme_named(request.param)
    found.apply(qapp)
    return found


def made(name: str, theme: Theme, qtbot: QtBot) -> tuple[Panel, list[Command]]:
    said: list[Command] = []
    panel = make_panel(name, Context(theme, said.append))
    qtbot.addWidget(panel)
    panel.show()
    return panel, said


@pytest.mark.parametrize("name", PANELS)
def test_it_says_what_it_is(name: str) -> None:
    cls = panel_class(name)
    assert cls.name == name
    assert cls.title == PANELS.title(name)
    assert name == "frames" or cls.facets == needs(name)
    assert (cls.__doc__ or "").strip()


@pytest.mark.parametrize("name", PANELS)
def test_empty_usual_and_huge_are_drawn_in_every_palette_and_size(name: str, theme: Theme, qtbot: QtBot) -> None:
    panel, said = made(name, theme, qtbot)
    shown = (Snapshot(), worlds.usual(), searches.snapshot(searches.ranking(500), searches.tree()), worlds.huge(800, 60),
             branches.usual().snapshot, Snapshot())
    for snapshot in shown:
        for size in either(SIZES[::2], SIZES):
            panel.resize(*size)
            panel.show_snapshot(snapshot)
            assert not panel.grab().isNull()
        assert isinstance(panel.headline(), str)
        panel.restyle()
    unasked = [command for command in said if not isinstance(command, Look)]  # the frames ask for pictures of their size
    assert not unasked, "a panel says something only when the operator does"


@pytest.mark.parametrize("name", PANELS)
def test_it_always_says_something(name: str, qtbot: QtBot, qapp: QApplication) -> None:
    """Before anything happened, a panel shows a state or holds something: never nothing at all."""
    theme = theme_named("dark")
    theme.apply(qapp)
    panel, _ = made(name, theme, qtbot)
    panel.resize(420, 360)
    panel.show_snapshot(Snapshot())
    picture = panel.grab().toImage()
    colours = {picture.pixelColor(x, y).rgb() for x in range(0, picture.width(), 3) for y in range(0, picture.height(), 3)}
    assert len(colours) > 1, "an empty panel"


@pytest.mark.parametrize("name", PANELS)
def test_it_has_a_name_for_those_who_do_not_see_it(name: str, qtbot: QtBot, qapp: QApplication) -> None:
    theme = theme_named("dark")
    theme.apply(qapp)
    panel, _ = made(name, theme, qtbot)
    assert panel.accessibleName() == panel.title
    plain = [action for action in panel.tools() if not isinstance(action, QWidgetAction)]  # those name their own widgets
    assert all(action.toolTip() and action.text() for action in plain)


@pytest.mark.parametrize("layout", [PLAIN, *BY_FACET.values()])
def test_layouts_place_panels_there_are_once(layout: Layout) -> None:
    assert set(layout.names) <= set(PANELS) - {"frames"}
    assert len(layout.names) == len(set(layout.names))
    assert len(layout.left_shares) in (0, len(layout.left))
    assert len(layout.right_shares) in (0, len(layout.right))


# --- what you see --------------------------------------------------------------------
SHORT = re.compile(r"\b[NQPVKn](?= )")
"""Symbols before a number: `N 27  Q 6.4`."""


@pytest.mark.parametrize("name", PANELS)
def test_its_page_explains_every_column_and_symbol_it_draws(name: str, qtbot: QtBot, qapp: QApplication,
                                                           monkeypatch: pytest.MonkeyPatch) -> None:
    page = page_of(name)
    assert page.about
    assert page.title == PANELS.title(name)
    theme, drawn = theme_named("dark"), set[str]()
    theme.apply(qapp)
    panel, _ = made(name, theme, qtbot)
    lay_out = Lettering.line

    def noted(lettering: Lettering, text: str) -> Any:
        drawn.add(text)
        return lay_out(lettering, text)

    monkeypatch.setattr(Lettering, "line", noted)
    panel.resize(1100, 600)
    for snapshot in (worlds.usual(), searches.snapshot(searches.ranking(5), searches.tree()), branches.usual().snapshot):
        panel.show_snapshot(snapshot)
        panel.grab()
    symbols = {found for text in drawn for found in SHORT.findall(text)}
    drawn.clear()
    canvas = QPixmap(1100, 30)
    for rows in panel.findChildren(Rows):
        painter = QPainter(canvas)
        rows.paint_head(painter, QRectF(canvas.rect()))
        painter.end()
    heads = {text for text in drawn if text and not re.search(r"\d", text)}
    for tree in panel.findChildren(QTreeWidget):
        if not tree.isHeaderHidden():
            heads |= {tree.headerItem().text(k) for k in range(tree.columnCount())}
    assert heads | symbols <= page.meanings.keys()
