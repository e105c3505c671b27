"""The guided tour: waits for the real state, never touches a run of the operator, is offered once."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from gui.app import App
from gui.window.task_card import FirstRun
from gui.window.tour import SEEN, STEPS
from tests.gui.conftest import MakeApp
from tests.gui.looking import cut_labels
from tests.gui.parts import parts

Key = Qt.Key


def heading(app: App) -> str:
    assert app.actions.tour.card is not None
    return app.actions.tour.card.heading.text


def test_it_waits_for_the_step_and_ends_with_escape(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    tour = app.actions.tour
    tour.begin()
    card = tour.card
    assert card is not None
    assert app.settings.value(SEEN)
    for _ in range(2):
        QTest.keyClick(card, Key.Key_Return)
    assert heading(app) == "One action at a time"
    assert card.next.text().strip() == "Step"
    QTest.keyClick(card, Key.Key_Return)
    assert heading(app) == "One action at a time", "it goes on when the robot has acted, not before"
    qtbot.waitUntil(lambda: card.next.text().strip() == "Next" and card.next.isEnabled())
    assert len(app.console.snapshot.line) == 1
    QTest.keyClick(card, Key.Key_Return)
    assert heading(app) == STEPS[3].heading
    QTest.keyClick(card, Key.Key_Backspace)
    assert heading(app) == "One action at a time"
    QTest.keyClick(card, Key.Key_Escape)
    assert not tour.shown
    assert app.console.snapshot.ended is None, "the episode stays"


@pytest.mark.parametrize(("size", "scale"), [((1280, 720), 1.0), ((1280, 720), 1.5), ((3840, 2160), 1.25)])
def test_no_card_is_cut_or_outside_the_window(qtbot: QtBot, make_app: MakeApp, size: tuple[int, int], scale: float) -> None:
    app = make_app(parts())
    app.window.resize(*size)
    app.window.set_theme("light", scale)
    tour = app.actions.tour
    tour.begin()
    for step in range(len(STEPS)):
        tour.step = step
        tour._show()
        qtbot.waitUntil(lambda: tour.card is not None and not tour.card.visibleRegion().isEmpty())
        assert tour.card is not None
        assert app.window.rect().contains(tour.card.geometry()), STEPS[step].heading
        assert list(cut_labels(tour.card)) == []


def test_it_does_not_touch_a_run_under_way(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    app.console.step()
    qtbot.waitUntil(lambda: len(app.console.snapshot.line) == 1)
    said: list[str] = []
    app.console.message.connect(lambda text, tone: said.append(text))
    app.actions.tour.begin()
    assert not app.actions.tour.shown
    assert said == ["The tour plays the sample episode: stop your run first. It stays in the Runs list"]
    assert len(app.console.snapshot.line) == 1


def test_the_first_card_offers_it_once(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())

    def offered() -> list[QPushButton]:
        app.window.ask_task()
        card = app.window.findChildren(FirstRun)[-1]
        return [button for button in card.findChildren(QPushButton) if button.text().strip() == "Tour"]

    offered()[0].click()
    assert app.actions.tour.shown
    assert not app.window.task_card.shown
    app.actions.tour.end()
    assert not offered()
