"""A window whose text became larger is the same as one that had it from the start; marks and buttons are whole in both."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from gui.app import App
from gui.theme import Theme
from gui.widgets import CardState, Meter, StateAction, StateCard
from gui.widgets.state_card import Command, Glyph
from gui.window.status_line import StatusLine
from tests.gui.conftest import MakeApp
from tests.gui.parts import parts
from tests.gui.settling import lay_out, settle
from tests.long_tests import some_pairs

Rects = list[tuple[int, int, int, int]]
MARGINS = 12
"""Pixels by which parts may differ: margins and cut texts keep a little of the text size they were made with."""
RUNNING = (Meter, StatusLine)
"""What depends on how long something took."""


def places(app: App) -> dict[str, Rects]:
    """Returns where each visible part of a window is, by what it is."""
    found: dict[str, Rects] = {}
    for part in app.window.findChildren(QWidget):
        if part.window() is app.window and not part.visibleRegion().isEmpty() and not isinstance(part, RUNNING) and not any(
                isinstance(above, RUNNING) for above in parents(part)):
            at = QRect(part.mapTo(app.window, QPoint(0, 0)), part.size())
            rect = (at.x(), at.y(), at.width(), at.height())
            found.setdefault(f"{type(part).__name__} {part.accessibleName()}", []).append(rect)
    return {what: sorted(rects) for what, rects in found.items()}


def alike(some: Rects, others: Rects) -> bool:
    """Returns True if parts have the same sizes, but for a few pixels of margins."""
    return len(some) == len(others) and all(
        abs(one[2] - other[2]) <= MARGINS and abs(one[3] - other[3]) <= MARGINS / 2
        for one, other in zip(some, others, strict=True))


def parents(part: QWidget) -> list[QWidget]:
    above, found = part.parentWidget(), []
    while above is not None:
        found.append(above)
        above = above.parentWidget()
    return found


def ready(qtbot: QtBot, app: App, stepped: bool) -> App:
    app.window.resize(1600, 1000)
    if stepped:
        app.console.step()
        qtbot.waitUntil(lambda: app.bridge.snapshot.turn > 1 and app.bridge.snapshot.status == "paused")
    lay_out(app.window)
    settle(app)
    return app


@pytest.mark.parametrize(("sizes", "stepped"), some_pairs(((1.5,), (1.5, 0.9, 1.25)), (False, True), 1))
def test_a_window_is_the_same_whenever_its_text_became_so_large(qtbot: QtBot, make_app: MakeApp, theme: Theme,
                                                                sizes: tuple[float, ...], stepped: bool) -> None:
    app = ready(qtbot, make_app(parts()), stepped)
    for size in sizes:
        app.window.set_theme("dark", size)
        lay_out(app.window)
        settle(app)
    changed = places(app)
    app.window.hide()
    assert theme.scale == sizes[-1]
    fresh = places(ready(qtbot, make_app(parts()), stepped))
    assert changed.keys() == fresh.keys()
    assert not {what: (changed[what], fresh[what]) for what in changed if not alike(changed[what], fresh[what])}


FAILED = CardState("failed", "The model did not answer", "object positions: no server answers at 127.0.0.1:9",
                   actions=tuple(map(StateAction, ("Try again", "Use commonsense", "Answer myself"))), mono="make install")


@pytest.mark.parametrize("wide", [220, 290, 420, 560])
@pytest.mark.parametrize("sizes", [(1.0,), (1.0, 1.5), (1.5, 0.9)], ids=str)
def test_the_mark_and_the_buttons_of_a_state_are_whole_at_every_text_size(
        qtbot: QtBot, theme: Theme, qapp: QApplication, wide: int, sizes: tuple[float, ...]) -> None:
    card = StateCard(theme, FAILED)
    qtbot.addWidget(card)
    card.show()
    for size in sizes:
        theme.become("dark", size)
        theme.apply(qapp)
        card.resize(wide, 700)
        qapp.processEvents()
    glyph, command = card.findChild(Glyph), card.findChild(Command)
    assert glyph is not None
    assert command is not None
    assert glyph.isVisible()
    assert glyph.height() >= 2 * theme.px(20) + 2, "the circle is not cut above and below"
    assert command.height() == theme.px(26)
    buttons = card.findChildren(QPushButton)
    assert len(buttons) == 3
    for button in buttons:
        assert card.rect().contains(QRect(button.mapTo(card, QPoint(0, 0)), button.size()))
        assert button.width() >= button.sizeHint().width() or button.sizeHint().width() > wide - theme.px(32), button.text()
