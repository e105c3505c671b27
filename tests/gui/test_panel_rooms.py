"""Each panel, with the content of a run, in each size that a dock may give it: no text is cut."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from gui.window.docks import LEAST_HIGH, LEAST_WIDE
from tests.gui.conftest import MakeApp
from tests.gui.looking import cut_labels
from tests.gui.parts import TASK, parts
from tests.gui.settling import settle
from tests.long_tests import combinations

WIDE, HIGH = (LEAST_WIDE, 230, 420), (LEAST_HIGH, 125, 160, 300)
"""Sizes of a card in pixels at 100 % text size, from the least."""
SCALES = (1.0, 1.5)
TURNS = 2
OFFERED = ("breakpoints", "companion_decision", "compare", "log", "runs")


@pytest.mark.timeout(300)
@pytest.mark.parametrize("planner", ["llm-mcts", "llm-state", "bcr"])
def test_no_room_cuts_words(qtbot: QtBot, make_app: MakeApp, planner: str) -> None:
    """Tries all panels of the first planner, and those that only the others have."""
    app = make_app(parts("llm-mcts", TASK))
    first = {name for name, dock in app.window.docks.items() if not dock.isHidden()} | set(OFFERED)
    app.console.choose(replace(app.console.request, planner=planner, preset="", parameters={}))
    app.console.run()
    qtbot.waitUntil(lambda: app.bridge.snapshot.turn >= TURNS or app.bridge.snapshot.ended is not None)
    app.console.pause()
    settle(app)
    docks = app.window.docks
    shown = {name for name, dock in docks.items() if not dock.isHidden()}
    shown = shown | set(OFFERED) if planner == "llm-mcts" else shown - first
    assert shown
    box = QWidget()  # a window of its own would grow to the least size of the panel; a dock does not
    qtbot.addWidget(box)
    box.resize(1000, 800)
    box.show()
    for name in sorted(shown):
        docks[name].setWidget(QWidget())
        docks[name].card.fill()
        docks[name].card.setParent(box)
    for scale in SCALES:
        app.window.set_theme("dark", scale)
        px = app.context.theme.px
        for name in sorted(shown):
            card = docks[name].card
            card.show()
            card.raise_()
            app.window._distributor.show_now(card)  # as a dock does that comes into view
            for wide, high in (size for *size, at in combinations(WIDE, HIGH, SCALES) if at == scale):
                card.resize(px(wide), px(high))
                QApplication.processEvents()
                if cut := list(cut_labels(card)):
                    settle(app, box)  # panels that redraw rarely are not fitted yet
                    cut = list(cut_labels(card))
                assert not cut, f"{name} at {wide} × {high}, {scale:.0%}"
            card.hide()
    for name in sorted(shown):
        docks[name].setWidget(docks[name].card)
