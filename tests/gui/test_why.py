"""Why an action and not another one, and stepping into a simulation, in the real window."""

from __future__ import annotations

from threading import current_thread

import pytest
from PySide6.QtCore import QUrl
from pytestqt.qtbot import QtBot

from core.planning.explanation import DecisionEvidence, Sentence
from core.planning.facets import Plan, Ranking, SearchTree, SimulationSteps
from core.session.explaining import evidence_of
from core.session.snapshot import Snapshot
from core.world.vocabulary import Action
from gui.app import App
from gui.control.context import Selected
from gui.panels.simulations.panel import NEEDS_PLANNER, SimulationsPanel
from gui.panels.why.panel import WhyPanel
from gui.panels.why.text import CHANGES
from tests.gui.conftest import MakeApp
from tests.gui.parts import TASK, parts


def paused(app: App, qtbot: QtBot) -> None:
    """Steps to the next decision, and waits until its search is finished and shown."""
    turn = app.bridge.snapshot.turn
    app.console.step()

    def is_shown() -> bool:
        snapshot = app.bridge.snapshot
        plan = snapshot.fresh(Plan)
        return snapshot.status == "paused" and snapshot.turn > turn and plan is not None and app.window.has_shown(snapshot)

    qtbot.waitUntil(is_shown, timeout=60_000)


@pytest.fixture
def app(qtbot: QtBot, make_app: MakeApp) -> App:
    app = make_app(parts("llm-mcts", TASK))
    paused(app, qtbot)
    return app


def why(app: App, qtbot: QtBot) -> WhyPanel:
    app.window.show_panel("why")
    panel = app.window.docks["why"].card.panel
    assert isinstance(panel, WhyPanel)
    qtbot.waitUntil(lambda: bool(panel.sentences) and panel.shown.snapshot.moment == app.bridge.snapshot.moment)
    return panel


def compares_with(panel: WhyPanel, action: Action | None, qtbot: QtBot) -> None:
    """Waits until the choice is compared with an action."""
    qtbot.waitUntil(lambda: bool(panel.sentences) and about(panel).evidence[1].action == action)


def about(panel: WhyPanel) -> Sentence:
    """The sentence about visits, which names both actions."""
    return next(said for said in panel.sentences if said.claim == "visits")


def simulations(app: App, qtbot: QtBot) -> SimulationsPanel:
    app.window.show_panel("simulations")
    panel = app.window.docks["simulations"].card.panel
    assert isinstance(panel, SimulationsPanel)
    qtbot.waitUntil(lambda: panel.list.count() > 0)
    return panel


def test_the_choice_is_explained_against_the_next_best_action(app: App, qtbot: QtBot) -> None:
    panel = why(app, qtbot)
    text = panel.text.toPlainText()
    ranking = app.bridge.snapshot.facet(Ranking)
    assert ranking is not None
    assert str(ranking.actions[0].visits) in text
    assert {"visits", "value", "prior"} <= {said.claim for said in panel.sentences}
    assert "_1" not in text, "entities have their names"


def test_it_follows_the_selected_action_and_the_list(app: App, qtbot: QtBot) -> None:
    panel = why(app, qtbot)
    ranking = app.bridge.snapshot.facet(Ranking)
    assert ranking is not None
    second, third = (row.steps[-1] for row in ranking.actions[1:3])
    app.context.selection.select(Selected("action", action=third))
    compares_with(panel, third, qtbot)
    panel.picker.picked.emit("0")
    compares_with(panel, second, qtbot)
    app.context.selection.select(Selected("thing", third.args[-1]))
    compares_with(panel, next(action for action in panel.shown.others if third.args[-1] in action.args), qtbot)
    panel.picker.picked.emit("1")
    app.context.selection.select(Selected("action", action=Action("walk", ("nowhere_1",))))
    app.context.selection.select(Selected("thing", "nowhere_1"))
    compares_with(panel, third, qtbot)
    qtbot.wait(50)
    compares_with(panel, third, qtbot)


def test_evidence_is_not_collected_on_the_gui_thread(app: App, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[str] = []

    def collect(now: Snapshot) -> DecisionEvidence | None:
        threads.append(current_thread().name)
        return evidence_of(now)

    monkeypatch.setattr("gui.panels.why.panel.evidence_of", collect)
    panel = why(app, qtbot)
    paused(app, qtbot)
    qtbot.waitUntil(lambda: panel.shown.snapshot.moment == app.bridge.snapshot.moment)
    assert set(threads) == {"panels"}


def test_a_planner_that_cannot_explain_itself_does_not_break_the_panel(
    app: App, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel = why(app, qtbot)

    def broken(*_: object) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr("gui.panels.why.panel.explain", broken)
    panel.picker.picked.emit("1")
    qtbot.waitUntil(lambda: "cannot be explained: a bug" in panel.text.toPlainText())
    monkeypatch.undo()
    paused(app, qtbot)
    qtbot.waitUntil(lambda: bool(panel.sentences))


def test_a_link_selects_its_evidence(app: App, qtbot: QtBot) -> None:
    panel = why(app, qtbot)
    for number, said in enumerate(panel.sentences):
        for k, seen in enumerate(said.evidence):
            panel.text.anchorClicked.emit(QUrl(f"evidence:{number}/{k}"))
            now = app.context.selection.now
            assert now is not None or not (seen.action or seen.entity or seen.call >= 0 or seen.simulation >= 0)
            if seen.simulation >= 0:
                assert now == Selected("simulation", number=seen.simulation)


def test_a_simulation_is_stepped_into_and_left(app: App, qtbot: QtBot) -> None:
    panel = simulations(app, qtbot)
    moment = app.bridge.snapshot.moment
    tree = app.bridge.snapshot.facet(SearchTree)
    panel.step_into(3)
    qtbot.waitUntil(lambda: panel.shown is not None)
    shown = panel.shown
    assert shown is not None
    assert shown.number == 3
    assert sum(step.discounted for step in shown.steps) == pytest.approx(shown.returned)
    preview = app.context.preview.snapshot
    assert preview is not None
    assert preview.facet(SearchTree) is not tree
    assert SimulationSteps not in app.bridge.snapshot.facets, "it is no part of the run"
    first = panel.steps.chosen_item
    assert first is not None
    assert app.context.selection.now == Selected("action", action=shown.steps[0].action)
    panel.leave()
    qtbot.waitUntil(lambda: panel.shown is None)
    assert app.bridge.snapshot.moment == moment
    assert app.bridge.snapshot.facet(SearchTree) is tree


def test_a_running_planner_repeats_nothing(app: App, qtbot: QtBot) -> None:
    panel = simulations(app, qtbot)
    paused(app, qtbot)
    app.console.turn_by(-1)
    qtbot.waitUntil(lambda: not app.context.live)
    with qtbot.waitSignal(app.context.preview.troubled) as said:
        panel.step_into(0)
    assert said.args == [NEEDS_PLANNER]
    assert panel.shown is None


def test_what_would_change_the_decision_is_found_while_nobody_asks(app: App, qtbot: QtBot) -> None:
    panel, finder = why(app, qtbot), app.context.margins
    app.context.preview.ask("simulations is 30", parameters=(("simulations", 30),))
    qtbot.waitUntil(lambda: app.context.preview.snapshot is not None)
    app.context.preview.cancel()
    qtbot.waitUntil(lambda: finder.margins is not None and finder.margins.complete, timeout=60_000)
    assert finder.margins is not None
    assert CHANGES in panel.text.toPlainText()
    assert app.context.preview.snapshot is None, "it is no preview"
    before = finder.margins
    paused(app, qtbot)
    qtbot.waitUntil(lambda: finder.margins is not before)
    app.console.turn_by(-1)
    qtbot.waitUntil(lambda: not app.context.live)
    assert CHANGES not in panel.text.toPlainText(), "the past has no live planner"
