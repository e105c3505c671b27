from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gui.drawing import Painted
from gui.drawing.slices import SLICE
from gui.theme import Theme

STRIPES = 20


class Stripes(QWidget):
    """Slowly painted stripes of one colour: half painted is seen."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.colour, self.shift, self.started, self.slow = "#ff0000", 0, 0, True
        self.theme = theme
        self.painted = Painted(self, theme, self.strokes, lambda: self.shift)
        self.resize(60, STRIPES * 3)

    def strokes(self, painter: QPainter) -> Iterator[None]:
        self.started += 1
        colour = QColor(self.colour)
        for k in range(STRIPES):
            if self.slow:
                time.sleep(SLICE / 4)
            painter.fillRect(QRect(self.shift, 3 * k, self.width(), 3), colour)
            yield

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        self.painted.paint()

    def seen(self) -> set[str]:
        """Colours of the stripes, as a picture of the widget shows them now."""
        image = self.grab().toImage()
        return {image.pixelColor(30, 3 * k + 1).name() for k in range(STRIPES)}


@pytest.fixture
def stripes(qtbot: QtBot) -> Stripes:
    made = Stripes(Theme("dark"))
    qtbot.addWidget(made)
    with qtbot.waitExposed(made):
        made.show()
    return made


def replaced(stripes: Stripes, colour: str, qtbot: QtBot) -> None:
    """News have been painted beside, and shown."""
    stripes.colour = colour
    stripes.painted.later()
    qtbot.waitUntil(lambda: not stripes.painted._slices.busy)
    assert stripes.seen() == {colour}


def test_the_first_picture_is_painted_at_once(stripes: Stripes) -> None:
    assert stripes.seen() == {"#ff0000"}


def test_what_was_painted_before_stays_until_the_next_is_whole(stripes: Stripes, qtbot: QtBot) -> None:
    replaced(stripes, "#00ff00", qtbot)
    stripes.colour = "#0000ff"
    stripes.painted.later()
    looks = [stripes.seen()]
    while looks[-1] != {"#0000ff"} and len(looks) < 500:
        qtbot.wait(1)
        looks.append(stripes.seen())
    assert all(look in ({"#00ff00"}, {"#0000ff"}) for look in looks)
    assert {"#00ff00"} in looks
    assert looks[-1] == {"#0000ff"}


def test_a_picture_that_is_kept_is_not_painted_again(stripes: Stripes, qtbot: QtBot) -> None:
    replaced(stripes, "#00ff00", qtbot)
    before = stripes.started
    assert stripes.seen() == {"#00ff00"}
    assert stripes.started == before


def test_what_the_operator_does_shows_at_once(stripes: Stripes, qtbot: QtBot) -> None:
    replaced(stripes, "#00ff00", qtbot)
    stripes.painted.later()
    stripes.colour = "#ffffff"
    stripes.painted.now()
    assert stripes.seen() == {"#ffffff"}


def test_another_part_or_size_or_palette_is_painted_at_once(stripes: Stripes, qtbot: QtBot) -> None:
    replaced(stripes, "#00ff00", qtbot)
    changes: tuple[Callable[[], None], ...] = (lambda: stripes.resize(80, STRIPES * 3), lambda: setattr(stripes, "shift", 5),
                                               lambda: stripes.theme.become("light"))
    for change in changes:
        stripes.colour = "#123456" if stripes.colour != "#123456" else "#654321"
        change()
        assert stripes.seen() == {stripes.colour}
        stripes.painted.later()
        qtbot.waitUntil(lambda: not stripes.painted._slices.busy)


def test_a_resize_meanwhile_ends_in_a_picture_of_the_new_size(stripes: Stripes, qtbot: QtBot) -> None:
    replaced(stripes, "#00ff00", qtbot)
    stripes.colour = "#0000ff"
    stripes.painted.later()
    qtbot.wait(2)
    stripes.resize(100, STRIPES * 3)
    qtbot.waitUntil(lambda: not stripes.painted._slices.busy)
    assert stripes.grab().toImage().pixelColor(95, 4).name() == "#0000ff"
    assert stripes.seen() == {"#0000ff"}


def test_out_of_sight_nothing_is_painted(qtbot: QtBot) -> None:
    hidden = Stripes(Theme("dark"))
    qtbot.addWidget(hidden)
    hidden.painted.later()
    qtbot.wait(20)
    assert hidden.started == 0


class Watched(Stripes):
    """Keeps what is on the screen: each paint event changes its own part of it only."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.slow = False
        self.sight = QPixmap(self.size())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        super().paintEvent(event)
        painter = QPainter(self.sight)
        painter.setClipRegion(event.region())
        if self.painted._kept is not None:
            painter.drawPixmap(0, 0, self.painted._kept[1])
        painter.end()

    def colours(self) -> set[str]:
        image = self.sight.toImage()
        return {image.pixelColor(30, 3 * k + 1).name() for k in range(STRIPES)}


@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize("part", [QRect(0, 30, 60, 30), QRect(0, 0, 20, 60), QRect(5, 5, 1, 1)])
def test_a_repaint_of_a_part_never_leaves_two_pictures(part: QRect, kept: bool, qtbot: QtBot) -> None:
    """Such as the part that a dialog uncovers while news wait to be painted."""
    stripes = Watched(Theme("dark"))
    qtbot.addWidget(stripes)
    with qtbot.waitExposed(stripes):
        stripes.show()
    if kept:
        stripes.colour = "#00ff00"
        stripes.painted.later()
        qtbot.waitUntil(lambda: stripes.colours() == {"#00ff00"})
    stripes.colour = "#0000ff"
    stripes.painted.later()
    if not kept:
        stripes.painted._kept = None
    stripes.repaint(part)
    qtbot.waitUntil(lambda: stripes.colours() == {"#0000ff"}, timeout=2000)
