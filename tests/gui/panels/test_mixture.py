"""How P is made, in the ranking panel and on the card of a search node."""

from __future__ import annotations

import dataclasses
from types import MappingProxyType

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.planning.facets import Moment
from core.planning.search_facets import MixtureKind, PolicyMixture, Ranking
from core.session.ranking_view import ranking_view
from core.session.snapshot import Snapshot
from gui.panels.ranking import RankingPanel
from tests.gui.panels import searches as s
from tests.gui.panels import worlds

COSINES = np.array([[1.0, 0.2, -0.1], [0.5, 0.9, 0.0]])


def mixture(how: MixtureKind = "softmax", samples: int = 2) -> PolicyMixture:
    """Three actions with shares .6, .3 and .1, mixed half and half."""
    shares, rows = np.array([0.6, 0.3, 0.1]), np.resize(COSINES, (samples, 3)) if how == "softmax" else np.zeros((0, 3))
    return PolicyMixture(((s.FRIDGE,), (s.FRIDGE, s.CABINET), (s.MUG,)), 0.5, shares, how, 1.0,
                         tuple(f"walk to place {k}" for k in range(samples)), rows)


def ranking() -> Ranking:
    priors = (0.5 / 3 + 0.3, 0.5 / 3 + 0.15, 0.99)
    actions = (s.ranked(s.FRIDGE, visits=9, prior=priors[0]), s.ranked(s.FRIDGE, s.CABINET, visits=5, prior=priors[1]),
               s.ranked(s.MUG, prior=priors[2]), s.ranked(s.TABLE))
    return Ranking(actions, 20, 100)


def shown(qtbot: QtBot, snapshot: Snapshot, width: int = 347) -> RankingPanel:
    context, _ = worlds.context()
    panel = RankingPanel(context)
    qtbot.addWidget(panel)
    panel.resize(width, 276)
    panel.show()
    panel.show_snapshot(snapshot)
    return panel


@pytest.mark.parametrize("width", [120, 240, 347, 900])
def test_u_shows_the_parts_in_place_of_visits(qtbot: QtBot, width: int) -> None:
    panel = shown(qtbot, s.snapshot(ranking(), mixture(samples=12)), width)
    assert "leads" in panel.headline()
    QTest.keyClick(panel.rows, Qt.Key.Key_U)
    assert panel.headline() == "λ .50 over 3 actions · softmax of 12 samples"
    assert panel.rows.row_words(0).startswith("walk to the fridge · P .47 · λ/|A| .17 · model .30 · 1 1 · 2 .50")
    assert panel.rows.row_words(2) == "grab the mug · P .99", "a prior that is not the sum of these parts has none"
    assert panel.rows.row_words(3) == "walk to the kitchen table · P .10", "nor has an action they do not name"
    tip = panel.rows.row_tip(0).splitlines()
    assert "1 1: walk to place 0" in tip
    assert "2 .50: walk to place 1" in tip
    assert any(line.startswith("Σ cos − η ") for line in tip)
    panel.grab()
    QTest.keyClick(panel.rows, Qt.Key.Key_U)
    assert "N 9" in panel.rows.row_words(0)


def test_without_parts_of_this_turn_there_is_nothing_to_show(qtbot: QtBot) -> None:
    old = s.snapshot(ranking(), mixture())
    facets = MappingProxyType({**old.facets, PolicyMixture: (mixture(), Moment(0, 3))})
    for snapshot in (s.snapshot(ranking()), dataclasses.replace(old, facets=facets)):
        panel = shown(qtbot, snapshot)
        QTest.keyClick(panel.rows, Qt.Key.Key_U)
        assert "leads" in panel.headline()
        panel.grab()


@pytest.mark.parametrize(("how", "words"), [
    ("votes", "votes of 2 samples"), ("probabilities", "the model's probabilities"), ("noise", "a random action in place"),
    ("none", "no usable answer"),
])
def test_it_says_how_the_shares_were_made(how: MixtureKind, words: str) -> None:
    found = mixture(how)
    assert words in found.summary()
    view = ranking_view(s.snapshot(ranking()), parts=found)
    assert [column.title for column in view.columns] == ["P", "λ/|A|", "model"]
    assert view.note == "Said: walk to place 0 · walk to place 1"


def test_a_score_of_a_softmax_is_a_sum_compared_to_the_mean_of_all() -> None:
    found = mixture()
    assert found.columns()[-1].title == "Σ cos − η"
    scores = [found.values(k, sum(found.parts(k)))[-1] for k in range(3)]
    assert scores == pytest.approx(COSINES.sum(axis=0) - COSINES.sum(axis=0).mean())


def test_a_softmax_of_each_sample_has_no_sum() -> None:
    found = dataclasses.replace(mixture(), how="mean-softmax")
    assert "mean softmax of 2 samples" in found.summary()
    assert [column.title for column in found.columns()] == ["λ/|A|", "model", "1", "2"]
    assert len(found.values(0, sum(found.parts(0)))) == 1 + 2 + 2
