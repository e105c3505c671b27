"""Random walks of an operator who asks questions: why, what would change it, simulations, what-if, the second planner, drops.

The acts are added to those of `test_truth_walks.py`; what the panels answer must be about the decision that they name.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import chain
from random import Random

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from core.app.launch import build
from core.planning.belief_facets import Belief
from core.planning.companion import CompanionDecision
from core.planning.search_facets import Ranking
from core.planning.simulation_facets import Simulations, SimulationSteps
from core.session.commands import ChangeWorld, EditCompanion
from core.session.explaining import evidence_of, explain
from core.simulator.base import WorldChange
from core.world.vocabulary import in_words
from gui.app import App
from gui.panels.compare.moments import BEFORE, BESIDE, BRANCHES
from gui.panels.compare.panel import ComparePanel
from gui.panels.simulations import SimulationsPanel
from gui.panels.why.panel import WhyPanel
from sim.registry import simulator_class
from tests.gui.conftest import MakeApp
from tests.gui.ledger import Ledgers
from tests.gui.parts import TASK, parts
from tests.gui.test_truth_walks import Operator, walk
from tests.walk_seeds import number_of_walks, walk_seeds

CHANGES = (WorldChange("fridge_1", "state", "open"), WorldChange("apple_1", "inside", "fridge_1"),
           WorldChange("apple_1", "on", "kitchen_counter_1"), WorldChange("fridge_1", "inside", "fridge_1"))


class Asker(Operator):
    """Also asks questions."""

    def __init__(self, app: App, dice: Random):
        super().__init__(app, dice)
        preview = app.context.preview
        self._acts |= {
            "why": (4, partial(app.window.show_panel, "why")), "why not": (4, self._why_not), "evidence": (4, self._follow),
            "simulations": (3, partial(app.window.show_panel, "simulations")), "step into": (6, self._step_into),
            "leave": (2, simulations(app).leave),
            "what if": (4, lambda: preview.ask("simulations is 9", parameters=(("simulations", 9),))),
            "let go": (2, preview.release), "cancel": (2, preview.cancel), "drop": (3, self._drop),
            "compare": (4, self._compare), "edit second": (4, self._edit_second), "give": (2, compare(app).give),
            "divergence": (2, app.console.run_to_divergence),
            "take over": (2, lambda: app.viewer.take_over() if app.console.replaying else None),
        }

    def _why_not(self) -> None:
        if others := why(self.app).shown.others:
            why(self.app).picker.picked.emit(str(self.dice.randrange(len(others))))

    def _follow(self) -> None:
        if found := [seen for said in why(self.app).sentences for seen in said.evidence]:
            why(self.app).open_evidence(self.dice.choice(found))

    def _step_into(self) -> None:
        panel = simulations(self.app)
        if panel.list.rows.count():
            panel.step_into(self.dice.randrange(panel.list.rows.count()))

    def _drop(self) -> None:
        self.app.console.fork(self.dice.choice((None, self._moment())), ChangeWorld(self.dice.choice(CHANGES)))

    def _compare(self) -> None:
        self.app.window.show_panel("compare")
        compare(self.app).compare(self.dice.choice((BEFORE, BESIDE, BRANCHES)))

    def _edit_second(self) -> None:
        decision = self.app.console.snapshot.facet(CompanionDecision)
        belief = decision.facet(Belief) if decision is not None else None
        if belief is not None and belief.probability.size:
            values = np.zeros_like(belief.probability)
            values[:, self.dice.randrange(values.shape[1])] = 1.0
            self.app.runner.post(EditCompanion(replace(belief, probability=values)))


def why(app: App) -> WhyPanel:
    panel = app.window.docks["why"].card.fill()
    assert isinstance(panel, WhyPanel)
    return panel


def simulations(app: App) -> SimulationsPanel:
    panel = app.window.docks["simulations"].card.fill()
    assert isinstance(panel, SimulationsPanel)
    return panel


def compare(app: App) -> ComparePanel:
    panel = app.window.docks["compare"].card.fill()
    assert isinstance(panel, ComparePanel)
    return panel


# --- what must hold at any moment -------------------------------------------------------
def check_answers(qtbot: QtBot, app: App, ledgers: Ledgers) -> None:
    """Checks that each answer in the window is about the decision that it names."""
    check_why(why(app))
    qtbot.waitUntil(lambda: is_about_the_window(why(app)))
    qtbot.waitUntil(lambda: is_of_the_preview(app))
    check_margins(app)
    check_preview(app)
    check_simulation(app)
    check_comparison(app, ledgers)


def check_why(panel: WhyPanel) -> None:
    shown = panel.shown
    if shown.decision is None:
        return
    assert shown.decision.moment == shown.snapshot.moment or shown.snapshot.ended is not None
    assert shown.sentences == explain(shown.snapshot, shown.other, shown.decision)
    for seen in chain.from_iterable(said.evidence for said in shown.sentences):
        assert seen.moment is None or seen.moment.turn <= shown.decision.moment.turn
        assert seen.call < 0 or seen.call in {call.id for call in shown.snapshot.calls}


def is_about_the_window(panel: WhyPanel) -> bool:
    """Returns whether the panel shows the decision of the window's turn, or is hidden. It answers a moment later."""
    shown, wanted = panel.shown, panel._snapshot
    if not panel.isVisible() or panel.visibleRegion().isEmpty():
        return True
    if shown.decision is None:
        return evidence_of(wanted) is None
    return shown.snapshot.moment == wanted.moment and shown.snapshot.began is wanted.began


def check_margins(app: App) -> None:
    """Checks that flips are those of the decision at which the run is paused."""
    margins, now = app.context.margins.margins, app.console.snapshot
    if app.console.replaying or margins is None or margins.trouble:
        return
    ranking = now.fresh(Ranking)
    assert ranking is not None
    assert now.fresh(Simulations) is not None
    assert any(margins.chosen in row.steps for row in ranking.actions)
    names = {in_words(row.steps[-1]) for row in ranking.actions}
    assert {margin.name for margin in margins.margins if margin.kind == "prior"} <= names


def check_preview(app: App) -> None:
    """Checks that a preview is of the present, and that all of it but the answer is the run's own."""
    preview, now = app.context.preview.snapshot, app.console.snapshot
    if preview is None:
        return
    assert app.context.live, "the past has no preview"
    assert (preview.began, preview.moment, preview.status) == (now.began, now.moment, "paused")
    assert list(preview.turns) == list(now.turns)
    assert app.context.preview.title


def check_simulation(app: App) -> None:
    """Checks that the simulation shown is one of this decision, and returned what the planner noted."""
    preview = app.context.preview.snapshot
    steps = preview.facet(SimulationSteps) if preview is not None else None
    assert SimulationSteps not in app.console.snapshot.facets, "it is no part of the run"
    if steps is not None:
        noted, turn = app.console.snapshot.facets[Simulations]  # of an earlier turn, if this one goes on with its choice
        assert isinstance(noted, Simulations)
        assert app.context.preview.title == f"Simulation {steps.number + 1} of the decision in turn {turn.turn}"
        assert sum(step.discounted for step in steps.steps) == pytest.approx(noted.returned[steps.number])


def is_of_the_preview(app: App) -> bool:
    """Returns whether the panel shows the simulation of the preview, or none, or is hidden. It follows a moment later."""
    panel, preview = simulations(app), app.context.preview.snapshot
    steps = preview.facet(SimulationSteps) if preview is not None else None
    return panel.shown is steps or not panel.isVisible() or panel.visibleRegion().isEmpty()


def check_comparison(app: App, ledgers: Ledgers) -> None:
    """Checks that the sides of a comparison were shown in the turns that they name."""
    panel = compare(app)
    pair, ledger = panel._showing.pair, ledgers.of(panel._snapshot)
    if pair is None or ledger is None or panel._mode not in (BEFORE, BESIDE) or not panel.isVisible():
        return
    words = f"{panel._showing.title}, {pair[0].began} {pair[0].moment}, {panel._snapshot.began} {panel._snapshot.moment}"
    assert pair[0].began == pair[1].began == panel._snapshot.began, words
    assert pair[0].line[:pair[0].turn - 1] == panel._snapshot.line[:pair[0].turn - 1], words
    if panel._mode == BESIDE:
        assert pair[0].moment == pair[1].moment == panel._snapshot.moment
        told = [facet for facet in ledger.shown(panel._snapshot.event).get((pair[0].moment, CompanionDecision), [])
                if isinstance(facet, CompanionDecision)]
        assert {id(facet) for facet, _ in pair[1].facets.values()} >= {id(facet) for facet in told[-1].facets}


@pytest.mark.timeout(180 + 120 * number_of_walks(1))
def test_what_is_answered_is_about_what_it_names(qtbot: QtBot, make_app: MakeApp) -> None:
    for seed in walk_seeds(1):
        given = parts("llm-mcts", TASK)
        request = replace(given.request, parameters={"simulations": 20}, max_steps=9, beside="llm-mcts+simulations=20",
                          cache=False)
        app = make_app(replace(given, make_setup=lambda request: build(request, simulator_class), request=request))
        operator = Asker(app, Random(seed))
        try:
            walk(qtbot, app, operator, partial(check_answers, qtbot))
        except Exception as error:
            raise AssertionError(f"BELVEDERE_WALK_SEED={seed}: {operator.did[-12:]}: {error}") from error
        app.window.close()
