"""Why an action and not another one, and stepping into a simulation, in the real window."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from pathlib import Path
from threading import current_thread
from types import MappingProxyType

import pytest
from PySide6.QtCore import QPointF, QUrl
from pytestqt.qtbot import QtBot

from core.goals.literals import Goal
from core.planning.belief_facets import Belief
from core.planning.explanation import DecisionEvidence, Evidence, Sentence
from core.planning.facets import Moment, Plan
from core.planning.planner import Answer, WhatIf
from core.planning.search_facets import Ranking, SearchTree
from core.planning.simulation_facets import Flip, Margin, Margins, Simulations, SimulationSteps
from core.recording.exports.decision_page import _PageNames
from core.session.commands import Step
from core.session.explaining import evidence_of
from core.session.flip_words import CHANGES, flip_of, flip_words, margin_lines, margin_words, nearest
from core.session.snapshot import Snapshot
from core.world.vocabulary import Action, in_words
from gui.app import App
from gui.control.context import Selected
from gui.control.margins import MarginFinder
from gui.control.previews import NOT_REAL
from gui.panels.belief.panel import BeliefPanel
from gui.panels.ranking import RankingPanel
from gui.panels.simulations import NEEDS_PLANNER, OLDER, SimulationsPanel
from gui.panels.why.panel import WhyPanel
from gui.panels.why.text import NO_OTHER, NOTHING, page
from gui.theme import Theme
from gui.widgets import Namer
from tests.gui.conftest import MakeApp
from tests.gui.parts import TASK, parts
from tests.gui.settling import settle


def paused(app: App, qtbot: QtBot) -> None:
    """Steps to the next decision, and waits until its search is finished and shown."""
    turn = app.bridge.snapshot.turn
    app.console.step()
    settle(app)
    snapshot = app.bridge.snapshot
    assert (snapshot.status, snapshot.turn) == ("paused", turn + 1)
    assert snapshot.fresh(Plan) is not None


@pytest.fixture
def app(qtbot: QtBot, make_app: MakeApp) -> App:
    """A console at its first decision."""
    app = make_app(parts("llm-mcts", TASK))
    app.console.begun = True
    app.runner.post(Step("decision"))
    settle(app)
    assert app.bridge.snapshot.fresh(Plan) is not None
    return app


def why(app: App, qtbot: QtBot) -> WhyPanel:
    app.window.show_panel("why")
    panel = app.window.docks["why"].card.panel
    assert isinstance(panel, WhyPanel)
    settle(app)  # it explains off the thread
    assert panel.sentences
    assert panel.shown.snapshot.moment == app.bridge.snapshot.moment
    assert panel.shown.snapshot.facet(Ranking) is app.bridge.snapshot.facet(Ranking)
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
    settle(app)
    assert panel.list.rows.count() > 0
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
    settle(app)
    assert about(panel).evidence[1].action == third


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


def test_what_is_said_of_a_choice_alone_does_not_answer_why_not_another(theme: Theme) -> None:
    walk, other, names = Action("walk", ("kitchen_1",)), Action("walk", ("bedroom_1",)), Namer().of(None)
    decision = DecisionEvidence(Moment(0, 1), Goal(()), walk, "the greedy rule")
    reason = Sentence("reason", "The planner gave a reason.", (Evidence("log", "the decision"),))
    assert NOTHING in page(decision, other, (reason,), None, names, theme)
    assert NO_OTHER in page(decision, None, (reason,), None, names, theme)
    assert "own reason" not in page(decision, None, (reason,), None, names, theme), "it is said once"
    assert NOTHING not in page(decision, other, (reason, replace(reason, claim="plan")), None, names, theme)


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
    belief = app.window.docks["belief"].card
    assert isinstance(belief.panel, BeliefPanel)
    drawn, sampled = belief.panel.heatmap, preview.facet(Belief)
    assert sampled is not app.bridge.snapshot.facet(Belief)
    qtbot.waitUntil(lambda: drawn.shown is not None and drawn.shown.belief is sampled)
    qtbot.waitUntil(lambda: NOT_REAL in belief.header.live.text)
    assert not drawn.editable, "a sampled world is not edited"
    first = panel.steps.choice()
    assert first is not None
    assert app.context.selection.now == Selected("action", action=shown.steps[0].action)
    panel.leave()
    qtbot.waitUntil(lambda: panel.shown is None)
    assert app.bridge.snapshot.moment == moment
    assert app.bridge.snapshot.facet(SearchTree) is tree
    qtbot.waitUntil(lambda: drawn.shown is not None and drawn.shown.belief is app.bridge.snapshot.facet(Belief))
    qtbot.waitUntil(lambda: NOT_REAL not in belief.header.live.text)


def test_a_running_planner_repeats_nothing(app: App, qtbot: QtBot) -> None:
    panel = simulations(app, qtbot)
    paused(app, qtbot)
    app.console.turn_by(-1)
    qtbot.waitUntil(lambda: not app.context.live)
    with qtbot.waitSignal(app.context.preview.troubled) as said:
        panel.step_into(0)
    assert said.args == [NEEDS_PLANNER]
    assert panel.shown is None


def test_what_would_change_the_decision_is_found_while_nobody_asks(app: App, qtbot: QtBot, tmp_path: Path) -> None:
    panel, finder = why(app, qtbot), app.context.margins
    app.context.preview.ask("simulations is 30", parameters=(("simulations", 30),))
    qtbot.waitUntil(lambda: app.context.preview.snapshot is not None)
    app.context.preview.cancel()
    qtbot.waitUntil(lambda: finder.margins is not None and finder.margins.complete)
    assert finder.margins is not None
    assert CHANGES in panel.text.toPlainText()
    assert app.context.preview.snapshot is None, "it is no preview"
    before, shared = finder.margins, tmp_path / "d.html"
    app.tools.sharing.write(app.console.shown.moment, shared)
    qtbot.waitUntil(shared.exists)
    text = unescape(shared.read_text("utf-8")).partition(f"<h2>{CHANGES}</h2>")[2].partition("</ul>")[0]
    assert re.findall("<li>(.*?)</li>", text) == margin_lines(before, _PageNames()), "the shared page says the same"
    paused(app, qtbot)
    qtbot.waitUntil(lambda: finder.margins is not before)
    app.console.turn_by(-1)
    qtbot.waitUntil(lambda: not app.context.live)
    assert CHANGES not in panel.text.toPlainText(), "the past has no live planner"


def test_flips_are_marked_on_the_belief_and_the_ranking_of_their_decision(qtbot: QtBot, make_app: MakeApp) -> None:
    made = parts("llm-mcts", "Put one apple on the kitchen table and one toothbrush inside the bathroom cabinet")
    app = make_app(replace(made, request=replace(made.request, seed=2, parameters={"simulations": 60})))
    finder, found = app.context.margins, Margins(Action("wait"), ())
    while not any(margin.kind == "belief" and margin.flips for margin in found.margins):
        paused(app, qtbot)
        if app.bridge.snapshot.fresh(Simulations) is not None:
            qtbot.waitUntil(lambda: finder.margins is not None and finder.margins.complete)
            found = finder.margins or found
    check_cells(app, found)
    check_rows(app, found)
    paused(app, qtbot)
    shown = belief(app).heatmap.shown
    assert shown is not None
    assert not {*shown.margins.values()} & {*found.margins}, "they were of another decision"
    app.console.turn_by(-1)
    qtbot.waitUntil(lambda: not app.context.live)
    shown = belief(app).heatmap.shown
    assert shown is not None
    assert not shown.margins
    assert "flip" not in ranking(app).headline()


def belief(app: App) -> BeliefPanel:
    panel = app.window.docks["belief"].card.panel
    assert isinstance(panel, BeliefPanel)
    return panel


def ranking(app: App) -> RankingPanel:
    panel = app.window.docks["ranking"].card.panel
    assert isinstance(panel, RankingPanel)
    return panel


def check_cells(app: App, margins: Margins) -> None:
    """Each cell of the belief with a margin has its marks and tells them when the pointer rests on it."""
    panel = belief(app)
    shown, grid = panel.heatmap.shown, panel.heatmap.geometry_now()
    assert shown is not None
    assert grid is not None
    known = [margin for margin in margins.margins if margin.kind == "belief"]
    assert [*shown.margins.values()] == known != []
    for (row, place), margin in shown.margins.items():
        column, x = next((c, x) for c, x in grid.columns if place in c.places)
        assert set(margin.flips) <= set(shown.flips(row, column))
        top = next(top for k, top, _ in grid.rows if k == row)
        tip = panel.heatmap.tip_at(QPointF(x + 1, top + 1))
        assert column.folded or flip_words(margin, shown.names) in tip


def check_rows(app: App, margins: Margins) -> None:
    """Each row tells from which prior on its action would be chosen, the chosen one also the nearest flip."""
    rows, names = ranking(app).rows, belief(app).heatmap.shown
    assert names is not None
    priors, near = {margin.name: margin for margin in margins.margins if margin.kind == "prior"}, nearest(margins)
    assert priors
    for k, item in enumerate(rows.view.items):
        action = item.about.action
        assert action is not None
        assert margin_words(priors[in_words(action)], names.names) in rows.row_tip(k)
        assert near is None or action != margins.chosen or margin_words(near, names.names) in rows.row_tip(k)


@pytest.mark.parametrize(("down", "up", "short", "words"), [
    (None, None, "", "no flip found from .04 to .54"),
    (None, 0.42, "≥.42", "at .42 or more the robot would open the fridge"),
    (0.1, None, "", "at .10 or less the robot would grab the plum; no flip found up to .54")])
def test_a_flip_is_told_in_words(down: float | None, up: float | None, short: str, words: str) -> None:
    fridge, plum = Action("open", ("fridge_1",)), Action("grab", ("plum_1",))
    names = Namer().of(None)
    margin = Margin("prior", "open fridge_1", "", "", 0.2, 0.04, 0.54, None if down is None else Flip(down, 0.2, plum),
                    None if up is None else Flip(up, 0.2, fridge))
    assert flip_words(margin, names).replace("fridge 1", "the fridge").replace("plum 1", "the plum") == words
    assert flip_of(margin, fridge, chosen=False) == short
    assert flip_of(margin, plum, chosen=False) == ""
    assert flip_of(margin, plum, chosen=True) == ("" if down is None else "≤.10")
    on_edge = replace(margin, on_edge=True)
    assert "rounding" in flip_words(on_edge, names)
    assert flip_of(on_edge, fridge, chosen=False) == flip_of(on_edge, plum, chosen=True) == ""


def test_why_no_margins_are_known_is_told(app: App, qtbot: QtBot) -> None:
    panel, finder = why(app, qtbot), app.context.margins
    asked: list[WhatIf | None] = []
    finder.ask = asked.append
    finder.take_snapshot(Snapshot())
    finder.take_snapshot(app.bridge.snapshot)
    qtbot.waitUntil(lambda: bool(asked) and asked[-1] is not None)
    assert asked[-1] is not None
    finder.take_answer(Answer(asked[-1].number - 1, trouble="another question's trouble"))
    assert finder.margins is None
    finder.take_answer(Answer(asked[-1].number, trouble="out of memory"))
    assert "out of memory" in panel.text.toPlainText()


def test_a_decision_after_one_that_was_asked_about_is_asked_about_too(app: App, qtbot: QtBot) -> None:
    finder, snapshot = MarginFinder(), app.bridge.snapshot
    asked: list[WhatIf | None] = []
    finder.ask = asked.append
    finder.take_snapshot(snapshot)
    qtbot.waitUntil(lambda: len(asked) == 1)
    simulations = snapshot.fresh(Simulations)
    assert simulations is not None
    other = {**snapshot.facets, Simulations: (replace(simulations), snapshot.moment)}
    finder.take_snapshot(replace(snapshot, facets=MappingProxyType(other)))
    qtbot.waitUntil(lambda: len(asked) == 3)
    assert asked[0] is not None
    assert asked[1] is None
    assert asked[2] is not None
    assert asked[2].number != asked[0].number


def test_flips_are_forgotten_when_a_search_of_the_same_turn_goes_on(app: App, qtbot: QtBot) -> None:
    finder, snapshot = MarginFinder(), app.bridge.snapshot
    finder.take_snapshot(snapshot)
    ranking = snapshot.fresh(Ranking)
    assert ranking is not None
    finder.margins = Margins(ranking.actions[0].steps[-1], ())
    finder.take_snapshot(replace(snapshot, event=snapshot.event + 1))
    assert finder.margins is not None
    begun = {**snapshot.facets, Ranking: (replace(ranking), snapshot.moment)}
    finder.take_snapshot(replace(snapshot, status="thinking", facets=MappingProxyType(begun)))
    assert finder.margins is None


def test_no_simulation_is_chosen_from_the_list_of_the_decision_before(app: App, qtbot: QtBot) -> None:
    panel, snapshot = simulations(app, qtbot), app.bridge.snapshot
    noted = snapshot.fresh(Simulations)
    assert noted is not None
    panel.show_snapshot(replace(snapshot, facets=MappingProxyType({Simulations: (replace(noted), Moment(0, 1))})))
    with qtbot.waitSignal(app.context.preview.troubled) as said:
        panel.step_into(0)
    assert said.args == [OLDER]
