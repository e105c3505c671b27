"""Windows fit the screens: the main window with what was saved, its dialogs, and all of them when a screen goes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QRegion
from pytestqt.qtbot import QtBot

from gui.app import App
from gui.theme.screens import LEAST, TITLE, largest_text, placed
from gui.theme.tokens import LARGEST_SCALE
from gui.window.screen_keeper import ScreenKeeper
from tests.gui.conftest import MakeApp
from tests.gui.dialogs import dialogs
from tests.gui.looking import cut_labels
from tests.gui.parts import parts
from tests.gui.settling import lay_out, settle
from tests.long_tests import some_pairs

screens = st.lists(st.builds(QRect, st.integers(-4000, 4000), st.integers(-2000, 2000), st.integers(640, 3840),
                             st.integers(430, 2160)), min_size=1, max_size=3)
places = st.builds(QRect, st.integers(-9000, 9000), st.integers(-9000, 9000), st.integers(140, 5000), st.integers(100, 4000))
FRAME = 2
"""Pixels of the frame that Qt gives a window without a display: it is moved down and to the right by so much."""
SCREENS = ((683, 400), (911, 512), (1024, 600), (1366, 768), (1920, 1080))
"""Widths and heights in pixels of the desktop: also those of 1024 × 600 and of 1366 × 768 at a scale of 1.5."""


def with_title(window: QRect) -> QRegion:
    return QRegion(window.adjusted(0, -TITLE, 0, 0))


@given(places, screens)
def test_a_window_is_wholly_on_the_screens_with_its_title_bar_and_no_smaller_than_it_must(
        place: QRect, screens: list[QRect]) -> None:
    found, union = placed(place, screens), QRegion()
    for screen in screens:
        union += screen
    assert (with_title(found) - union).isEmpty()
    assert placed(found, screens) == found, "it stays there at the next start"
    if (with_title(place) - union).isEmpty():
        assert found == place
    assert found.size() == place.size() or any(
        found.size() == place.size().boundedTo(screen.size() - QSize(0, TITLE)) for screen in screens)


@given(st.integers(100, 4000), st.integers(100, 3000))
def test_the_largest_text_leaves_the_main_window_its_least_size(width: int, height: int) -> None:
    most = largest_text(QSize(width, height))
    assert LEAST[0] * most <= width
    assert LEAST[1] * most <= height


class Desktop:
    """Screens of a test. The keeper of a window looks at them in place of the real ones."""

    def __init__(self, app: App, *sizes: tuple[int, int]):
        self.screens = [QRect(5000 * k, 0, *size) for k, size in enumerate(sizes)]
        self.keeper = ScreenKeeper(app.window, lambda: self.screens)


def hangs_out(app: App, desktop: Desktop) -> list[str]:
    """The parts of the window that are not on a screen: bars, timeline, status line, buttons."""
    window, wrong = app.window, []
    for part in (window, window.bar, window.timeline, window.status, window.bar.meters.palette_button, window.stage):
        place = QRect(part.mapToGlobal(part.rect().topLeft()), part.size())
        if not any(screen.adjusted(0, 0, FRAME, FRAME).contains(place) for screen in desktop.screens):
            wrong.append(f"{part.accessibleName() or type(part).__name__} {place.getRect()}")
    return wrong


@pytest.mark.parametrize("saved", [None, (2400, 1300)])
def test_the_main_window_starts_on_every_screen_with_all_its_parts(
        qtbot: QtBot, make_app: MakeApp, saved: tuple[int, int] | None) -> None:
    app = make_app(parts())
    for size, scale in some_pairs(SCREENS, (1.0, 1.5), 1):
        app.window.context.theme.most = LARGEST_SCALE
        app.window.showNormal()
        geometry = None
        if saved is not None:
            app.window.setMinimumSize(0, 0)
            app.window.resize(*saved)
            geometry = app.window.saveGeometry()
        app.window.set_theme("dark", scale)
        desktop = Desktop(app, size)
        desktop.keeper.begin(geometry)
        app.window.showNormal()  # there is no desktop here that would maximize it
        desktop.keeper.look()
        lay_out(app.window)
        qtbot.waitUntil(lambda desktop=desktop: not hangs_out(app, desktop))  # type: ignore[misc]
        theme = app.context.theme
        assert theme.wanted == scale, "the text size that was chosen is kept for a larger screen"
        assert theme.scale == min(scale, largest_text(QSize(size[0], size[1] - TITLE)))
        qtbot.waitUntil(lambda: not list(cut_labels(app.window)))
        desktop.keeper.deleteLater()


def test_windows_come_back_when_their_screen_is_unplugged(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    desktop = Desktop(app, (1366, 768), (1920, 1080))
    app.window.set_theme("dark", 1.5)
    dialog = app.run_dialogs.open_batch()
    app.window.setGeometry(5010, 40, 1800, 1000)
    dialog.move(5400, 200)
    desktop.keeper.look()
    assert app.window.geometry().getRect() == (5010, 40, 1800, 1000), "it is on the second screen"
    del desktop.screens[1]
    desktop.keeper.look()
    settle(app)
    assert not hangs_out(app, desktop)
    assert desktop.screens[0].contains(dialog.geometry())
    dialog.close()


def test_text_that_has_no_room_is_smaller_and_says_so_and_returns_with_the_screen(qtbot: QtBot, make_app: MakeApp) -> None:
    app, said = make_app(parts()), list[str]()
    app.console.message.connect(lambda words, _: said.append(words))
    desktop = Desktop(app, (853, 480))
    app.window.setGeometry(0, 40, 800, 430)
    desktop.keeper.look()
    app.window.set_theme("dark", 1.5)
    assert app.context.theme.scale < 1.5
    assert "larger text has no room on this screen" in said[-1]
    desktop.screens[0] = QRect(0, 0, 1920, 1080)
    desktop.keeper.look()
    assert app.context.theme.scale == 1.5


# --- dialogs ---------------------------------------------------------------------------
@pytest.mark.parametrize("scale", [1.0, 1.5])
def test_every_dialog_fits_the_smallest_screen(qtbot: QtBot, make_app: MakeApp, scale: float) -> None:
    app = make_app(parts())
    app.console.step()
    settle(app)
    desktop = Desktop(app, (1024, 600))
    app.window.setGeometry(0, TITLE, 1024, 600 - TITLE)
    app.window.set_theme("dark", scale)
    desktop.keeper.look()
    settle(app)
    for dialog in dialogs(app):
        settle(app)
        name = type(dialog).__name__
        assert dialog.width() <= 1024, name
        assert dialog.height() <= 600 - TITLE, name
        qtbot.waitUntil(lambda dialog=dialog: not list(cut_labels(dialog)))  # type: ignore[misc]
