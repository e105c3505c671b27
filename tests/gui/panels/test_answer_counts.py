"""The belief panel's other view: how many of the model's answers name each place."""

from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from core.planning.belief_facets import ClassAnswers, PositionAnswers
from core.session.commands import Command
from core.session.events import Shown
from core.session.snapshot import Snapshot
from gui.panels.belief.counts import cell_words, counted, summary
from gui.panels.belief.painting import BeliefShown
from gui.panels.belief.panel import BeliefPanel
from tests.gui.panels import worlds

COUNTS = np.array([6.0, 0.25, 2.25, 0.0, 1.5])
ANSWERS = PositionAnswers(worlds.PLACES[:5], (
    ClassAnswers("apple", 12, COUNTS, 2), ClassAnswers("mug", 0, np.array([0.2, 0.5, 0.1, 0.1, 0.1]), 0)))


def shown(qtbot: QtBot, snapshot: Snapshot, width: int = 420) -> tuple[BeliefPanel, list[Command]]:
    context, said = worlds.context()
    panel = BeliefPanel(context)
    qtbot.addWidget(panel)
    panel.resize(width, 401)
    panel.show()
    panel.show_snapshot(snapshot)
    return panel, said


@pytest.mark.parametrize("width", [200, 420, 900])
def test_counts_take_the_place_of_the_belief_and_cannot_be_edited(qtbot: QtBot, width: int) -> None:
    panel, said = shown(qtbot, worlds.Story().begin().tell(Shown(worlds.belief()), Shown(ANSWERS)).snapshot, width)
    assert panel.controls.counts.isEnabled()
    assert panel.headline().startswith("○ seen")
    panel.choose(0, 0)
    panel.controls.counts.trigger()
    assert panel.headline() == "apple: 12 answers, 2 without a place · mug: probabilities"
    assert "6 of 12 answers" in panel.cell._note.text
    editable = [panel.heatmap.editable]
    assert not panel.grab().isNull()
    panel.controls.counts.trigger()
    assert [*editable, panel.heatmap.editable] == [False, True]
    assert not said


def test_without_answers_there_is_nothing_to_count(qtbot: QtBot) -> None:
    panel, _ = shown(qtbot, worlds.usual())
    assert not panel.controls.counts.isEnabled()
    assert "answers" not in panel.cell._note.text


def test_the_words_of_a_cell() -> None:
    belief = worlds.belief()
    words = [cell_words(ANSWERS, belief, 0, place) for place in range(6)]
    assert words == ["6 of 12 answers", "0.2 of 12 answers", "2.2 of 12 answers", "0 of 12 answers", "1.5 of 12 answers", ""]
    assert cell_words(ANSWERS, belief, 1, 1) == ".50 by the model"
    assert cell_words(ANSWERS, belief, 2, 0) == cell_words(None, belief, 0, 0) == ""
    assert summary(PositionAnswers((), ())) == ""
    many = PositionAnswers((), tuple(ClassAnswers(f"cup_{k}", 1, np.zeros(0), 0) for k in range(9)))
    assert summary(many) == "cup 0: 1 answer · cup 1: 1 answer · cup 2: 1 answer · 6 more"


def test_cells_hold_counts_or_hundredths() -> None:
    belief, samples = counted(worlds.belief(), ANSWERS)
    assert samples == (12, 0, 0)
    view = BeliefShown(belief, samples=samples)
    assert [view.text(0, float(p)) for p in belief.probability[0]] == ["6", ".2", "2", "", "2", ""]
    assert [view.text(1, float(p)) for p in belief.probability[1]] == ["20", "50", "10", "10", "10", ""]
    assert belief.probability[2].sum() == 0, "nobody was asked about the book"
    assert BeliefShown(belief).text(0, 0.5) == "50"
