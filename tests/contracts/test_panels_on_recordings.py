"""What every panel promises of a finished recording: it shows something, or says truly why not and offers a live run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from PySide6.QtCore import QEventLoop
from PySide6.QtWidgets import QApplication, QWidget, QWidgetAction
from pytestqt.qtbot import QtBot

from core.common.parameters import described
from core.planners.registry import planner_class
from core.planning.search_facets import Ranking
from core.session import events as e
from core.session.commands import Command
from core.session.session import Session
from core.session.snapshot import Snapshot, fold
from gui.control.context import Context
from gui.panels.empty import EmptyPage
from gui.panels.registry import PANELS, make_panel
from gui.theme import Theme, theme_named
from gui.theme.theme import Lettering
from gui.widgets import Button, StateCard, Tool
from gui.window.docks import Card
from tests.contracts.test_quantities import setup_of
from tests.core.session.toys import Ear
from tests.long_tests import some_pairs

PLAYED = ("oracle", "uct", "bcr", "llm-state", "neoplanner", "progprompt")
BUT_FRAMES = [name for name in PANELS if name != "frames"]
EXPECTS = re.compile(r"\b(yet|waits?|waiting|once|will|appears?)\b")
"""Words that promise something to come."""


@cache
def recorded(planner: str) -> tuple[Snapshot, ...]:
    """Returns the snapshots of a finished run before its first turn, after its first decision and at its end."""
    run = Session(setup_of(planner))
    ear = Ear(run)
    run.run()
    now, found = Snapshot(), list[Snapshot]()
    for event in ear.events:
        now = fold(now, event)
        if isinstance(event.what, e.Began) or (isinstance(event.what, e.Decided) and event.turn == 1):
            found.append(now)
    return *found, now


@pytest.fixture
def context(qapp: QApplication) -> Iterator[Context]:
    theme = theme_named("dark")
    theme.apply(qapp)
    context = _of_recording(theme)
    yield context
    context.jobs.close()


def _of_recording(theme: Theme) -> Context:
    context = Context(theme, lambda command: None)
    context.set_live(False)
    context.is_recording = lambda: True
    context.kinds_of = lambda planner: planner_class(planner).shows
    return context


@pytest.mark.parametrize(("name", "planner"), some_pairs(BUT_FRAMES, PLAYED, 2))
def test_it_is_true_of_a_finished_recording(name: str, planner: str, context: Context, qtbot: QtBot,
                                            monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    context.decide_here = lambda: asked.append("live")
    panel = make_panel(name, context)
    qtbot.addWidget(panel)
    panel.resize(700, 500)
    panel.show()
    for snapshot in recorded(planner):
        panel.receive(snapshot)
        _finish_jobs(context)
        drawn = _drawn(panel, monkeypatch)
        cards = [card.state for card in panel.findChildren(StateCard) if card.isVisible() and card.state.heading]
        said = [*drawn, *(text for state in cards for text in (state.heading, state.text))]
        assert not [text for text in said if EXPECTS.search(text)]
        assert all(state.text for state in cards), "a reason"
        for page in panel.findChildren(EmptyPage):
            if page.isVisible():
                _check_offer(page, snapshot, panel.facets, asked)


def _finish_jobs(context: Context) -> None:
    """Returns when the work that a panel has asked for is done and delivered."""
    delivered = QEventLoop()
    for _ in range(2):  # a delivery may ask for more
        context.jobs.do(lambda: None, lambda _: delivered.quit(), lambda _: delivered.quit())
        delivered.exec()


def _drawn(panel: Any, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    drawn, lay_out = set[str](), Lettering.line

    def noted(lettering: Lettering, text: str) -> Any:
        drawn.add(text)
        return lay_out(lettering, text)

    with monkeypatch.context() as patch:
        patch.setattr(Lettering, "line", noted)
        panel.grab()
    return drawn


def _check_offer(page: EmptyPage, snapshot: Snapshot, facets: frozenset[type], asked: list[str]) -> None:
    """Asserts that nothing can be had only where the planner never shows it, and that the button is the way to it otherwise."""
    assert snapshot.began is not None
    shows = planner_class(snapshot.began.planner).shows
    buttons = [button for button in page.findChildren(Button) if button.isVisible()]
    if facets and not facets & shows:
        assert not buttons
        assert "shows none" in page.state.text
        return
    if not page.helps:
        assert not buttons
        assert not described(snapshot.began.parameters), "a live run has none either"
        return
    (button,) = buttons
    assert button.text().strip() == "Take over here"
    asked.clear()
    button.click()
    assert asked == ["live"]


@pytest.mark.parametrize(("name", "planner", "at"), [
    (name, planner, at) for at in (1, -1) for name, planner in some_pairs(BUT_FRAMES, PLAYED[::at], 1)])
def test_a_button_of_a_recording_does_something_or_is_not_there(
        name: str, planner: str, at: int, context: Context, qtbot: QtBot) -> None:
    card, posted = Card(context, name), list[Command]()
    context.post = posted.append
    qtbot.addWidget(card)
    card.resize(700, 500)
    card.show()
    card.show_snapshot(recorded(planner)[at])
    _finish_jobs(context)
    assert card.panel is not None
    if any(page.isVisible() for page in card.panel.findChildren(EmptyPage)):
        assert not [found for found in card.offers() if found.title in {action.text() for action in card.tools}]
        assert not [tool for tool in card.header.findChildren(Tool) if tool.isVisible()]
        return
    for action in card.tools:
        if isinstance(action, QWidgetAction) or action.isCheckable() or not action.isEnabled():
            continue  # a switch shows its own state
        before, windows = card.grab().toImage(), _windows()
        action.trigger()
        opened = _windows() - windows
        assert posted or opened or card.grab().toImage() != before or action.text().startswith("Fit"), action.text()
        for window in opened:
            window.close()


def _windows() -> set[QWidget]:
    return {window for window in QApplication.topLevelWidgets() if window.isVisible()}


def test_a_run_that_goes_on_is_awaited_and_one_that_is_over_is_not(context: Context, qtbot: QtBot) -> None:
    began, *_, end = recorded("uct")
    page = EmptyPage(context, "ranking", "ranked actions", "They appear here.", kinds=frozenset({Ranking}))
    qtbot.addWidget(page)
    page.tell(began)
    assert page.state.heading == "No ranked actions"
    context.set_live(True)
    assert page.state.heading == "No ranked actions yet"
    assert not page.state.actions
    page.tell(end)
    assert page.state.heading == "No ranked actions"
    context.is_recording = lambda: False
    context.set_live(False)
    assert [action.text for action in page.state.actions] == ["Go back here"]
