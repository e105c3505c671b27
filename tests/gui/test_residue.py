"""After any sequence of sizes, layouts, text sizes and themes the window looks as it did when it was fresh: pixel by pixel."""

from __future__ import annotations

import random

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.app import App
from gui.theme import PALETTES
from tests.gui.conftest import MakeApp
from tests.gui.parts import TASK, parts
from tests.gui.settling import settle
from tests.long_tests import either
from tests.walk_seeds import walk_seeds

SIZES = ((640, 400), (800, 460), (1024, 600), (1280, 720), (1920, 1080), (2560, 1440))
TEXT = (0.9, 1.0, 1.25, 1.5)
SEQUENCES = either(2, 12)
TILE = 20
"""Pixels of the squares by which differences are named."""


def picture(app: App) -> QImage:
    """The window once all is painted, with the keyboard at the frames."""
    app.window.stage.card.take_focus()
    settle(app)
    return app.window.grab().toImage()


def differing(one: QImage, other: QImage) -> set[tuple[int, int]]:
    """The corners of the squares in which two pictures of one size differ."""
    assert one.size() == other.size()
    corners = ((x, y) for x in range(0, one.width(), TILE) for y in range(0, one.height(), TILE))
    return {(x, y) for x, y in corners if one.copy(x, y, TILE, TILE) != other.copy(x, y, TILE, TILE)}


class Acts:
    """Random changes of how the window looks, none of what it shows."""

    def __init__(self, app: App, seed: int):
        self.app, self.dice = app, random.Random(seed)

    def act(self) -> str:
        """Makes one, and returns what it was."""
        window, dice = self.app.window, self.dice
        match dice.randrange(6):
            case 0 | 1:
                size = dice.choice(SIZES)
                window.setMinimumSize(1, 1)  # as a desktop does that sets sizes itself
                window.resize(*size)
                return f"resize {size}"
            case 2:
                name = dice.choice([name for name, dock in window.docks.items() if not dock.isHidden()] or ["ranking"])
                window.docks[name].hide()
                return f"hide {name}"
            case 3:
                window.reset_layout()
                return "reset"
            case 4:
                palette, scale = dice.choice(list(PALETTES)), dice.choice(TEXT)
                window.set_theme(palette, scale)
                return f"{palette} {scale:.0%}"
            case _:
                window.toggle_visitors()
                QApplication.processEvents()
                window.toggle_visitors()
                return "only the frames, and back"

    def come_back(self, *, reset: bool) -> None:
        """Returns to the first size, text and theme in any order, and to the designed layout if it was changed."""
        window = self.app.window
        acts = [lambda: window.set_theme("dark", 1.0), lambda: window.resize(1440, 900), *([window.reset_layout] * reset)]
        for act in self.dice.sample(acts, len(acts)):
            act()
            if self.dice.random() < 0.5:
                settle(self.app)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("seed", walk_seeds(1))
def test_nothing_of_former_sizes_and_layouts_is_left_in_the_picture(qtbot: QtBot, make_app: MakeApp, seed: int) -> None:
    app = make_app(parts("llm-mcts", TASK))
    for _ in range(2):
        app.console.step()
        settle(app)
    app.window.status._measure.stop()  # the memory in use is no matter of sizes
    fresh, acts = picture(app), Acts(app, seed)
    for _ in range(SEQUENCES):
        done = []
        for _ in range(acts.dice.randrange(1, 6)):
            done.append(acts.act())
            if acts.dice.random() < 0.4:
                settle(app)
        acts.come_back(reset=any("hide" in one for one in done))
        left = differing(fresh, picture(app))
        assert not left, f"seed {seed}: {'; '.join(done)} left something at {sorted(left)[:8]}"
