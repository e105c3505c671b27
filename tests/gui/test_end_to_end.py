"""One episode played by an operator: real household, LLM-MCTS, the offline provider, the whole window."""

from __future__ import annotations

import multiprocessing
import threading
from dataclasses import replace
from multiprocessing.process import BaseProcess

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.planning.belief_facets import Belief
from core.planning.search_facets import Ranking
from gui.app import App
from gui.panels.belief.panel import BeliefPanel
from tests.gui.conftest import MakeApp
from tests.gui.parts import TASK, parts
from tests.gui.settling import settle

LONG = 1_000_000
"""Simulations that take seconds, so that the operator acts during the search. No test waits for its end."""
ENOUGH = 60


def ranking(app: App) -> Ranking | None:
    """The newest ranking, if it is of the present turn."""
    return app.bridge.snapshot.fresh(Ranking)


def belief(app: App) -> Belief:
    found = app.bridge.snapshot.facet(Belief)
    assert found is not None
    return found


def plans(app: App) -> str:
    """The expected line of play, once the present search has one."""
    found = ranking(app)
    if found is None or not found.actions or found.simulations < ENOUGH:
        return ""
    return " ".join(str(step) for step in found.expected)


def pause(qtbot: QtBot, app: App) -> None:
    """Presses Space while the planner searches."""
    assert app.console.running
    QTest.keyClick(app.window.windowHandle(), Qt.Key.Key_Space)
    settle(app)
    assert app.bridge.snapshot.status == "paused"


def go_on(qtbot: QtBot, app: App) -> None:
    """Presses Space while the run is paused."""
    qtbot.waitUntil(lambda: not app.console.running)
    QTest.keyClick(app.window.windowHandle(), Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: app.bridge.snapshot.status != "paused")


def test_a_whole_episode_under_the_operators_hand(qtbot: QtBot, make_app: MakeApp) -> None:
    before = living()
    given = parts("llm-mcts", TASK)
    app = make_app(replace(given, request=replace(given.request, max_steps=60)))
    console, window = app.console, app.window

    # The operator pauses in the middle of the search.
    console.run_request.set_parameter("simulations", LONG)
    go_on(qtbot, app)
    qtbot.waitUntil(lambda: plans(app) != "")
    pause(qtbot, app)
    first = plans(app)
    searched = ranking(app)
    assert searched is not None
    assert searched.simulations < LONG
    assert app.bridge.snapshot.turn == 1

    # The belief puts the apple where the planner would not look. The search adapts at once.
    window.show_panel("belief")
    panel = window.docks["belief"].card.panel
    assert isinstance(panel, BeliefPanel)
    settle(app)
    assert panel.editor.belief is app.bridge.snapshot.facet(Belief)
    then = belief(app)
    row = then.classes.index("apple")
    open_to = [k for k, place in enumerate(then.places)
               if then.probability[row, k] > 0 and place not in first and not place.startswith("fridge")]
    wrong = min(open_to, key=lambda k: then.probability[row, k])
    panel.choose(row, wrong)
    panel.cell.typed.emit(1.0)
    edited = panel.editor.belief
    assert edited is not None
    assert edited.probability[row, wrong] > 0.999
    qtbot.waitUntil(lambda: float(belief(app).probability[row, wrong]) > 0.999)
    qtbot.waitUntil(lambda: then.places[wrong] in plans(app))

    # Undo restores the belief, and with it the kind of plan chosen first.
    console.pause()
    settle(app)
    assert app.bridge.snapshot.status == "paused"
    window.activateWindow()
    console.context.undo.undo()
    qtbot.waitUntil(lambda: np.allclose(belief(app).probability[row], then.probability[row]))
    qtbot.waitUntil(lambda: then.places[wrong] not in plans(app) and plans(app) != "")
    assert app.bridge.snapshot.turn == 1

    # Another action is done instead of the planner's choice, while the run is paused.
    console.pause()
    settle(app)
    assert app.bridge.snapshot.status == "paused"
    dialog = app.run_dialogs.override
    window.asked_override.emit()
    qtbot.waitUntil(lambda: bool(dialog.card.rows.items) and dialog.card.act.isEnabled())
    option = dialog.card.rows.option(dialog.card.rows.current)
    assert option is not None
    chosen = option.action
    console.run_request.set_parameter("simulations", ENOUGH)
    QTest.keyClick(dialog.card.field, Qt.Key.Key_Return)
    assert not dialog.isVisible()
    settle(app)
    assert app.bridge.snapshot.line[0].done == chosen
    assert app.bridge.snapshot.turns[0].by == "operator"

    # The run goes on and reaches the goal.
    assert app.bridge.snapshot.status == "paused"
    go_on(qtbot, app)
    settle(app)
    ended = app.bridge.snapshot.ended
    assert ended is not None
    assert ended.success, ended.reason
    qtbot.waitUntil(lambda: bool(app.bridge.snapshot.frames))
    qtbot.waitUntil(lambda: bool(window.timeline.story.ended))
    told = [line.text for line in console.context.event_log.lines]
    for words in ("Turn 1 began", "Paused", "Belief: apple · ", "Override: ", "Operator chose: ", "Run ended: goal reached"):
        assert any(text.startswith(words) for text in told), f"the log tells of it: {words}"

    window.close()

    def has_ended() -> None:
        assert left_over(before) == [], "threads and processes end with the window"

    qtbot.waitUntil(has_ended)


def living() -> set[threading.Thread | BaseProcess]:
    """The present threads and child processes; other tests may have left pools behind."""
    return {*threading.enumerate(), *multiprocessing.active_children()}


def left_over(before: set[threading.Thread | BaseProcess]) -> list[str]:
    """Threads and child processes that outlive the window."""
    return [one.name for one in living() - before]
