"""How P is made, in the ranking panel and on the card of a search node."""

from __future__ import annotations

import dataclasses
import itertools
from types import MappingProxyType

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.planning.facets import Moment
from core.planning.search_facets import MixtureKind, PolicyMixture, Ranking
from core.session.snapshot import Snapshot
from gui.panels.ranking.mixture import mixture_columns, sample_words, shares_of, summary
from gui.panels.ranking.panel import RankingPanel
from gui.theme import theme_named
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
    assert panel.rows.row_words(0) == "walk to the fridge, 9 visits, value 1.00, loss 5.4, prior .47 = .17 uniform + .30 model"
    assert panel.rows.row_words(2).endswith("5.4"), "a prior that is not the sum of these parts has none"
    assert panel.rows.row_words(3).endswith("5.4"), "nor has an action they do not name"
    tip = panel.rows.row_tip(0).splitlines()
    assert len(tip) == 1 + 12 + 1
    assert tip[1] == "1.00  walk to place 0"
    assert tip[-1].startswith("Σ cos − η = 9.00 −")
    panel.grab()
    QTest.keyClick(panel.rows, Qt.Key.Key_U)
    assert panel.rows.row_tip(0) == ""


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
    shares = shares_of(found, ranking())
    assert words in summary(found)
    assert shares is not None
    assert sample_words(shares, 0) == ("said: walk to place 0", "said: walk to place 1")


def test_a_softmax_of_each_sample_has_no_sum() -> None:
    found = dataclasses.replace(mixture(), how="mean-softmax")
    shares = shares_of(found, ranking())
    assert "mean softmax of 2 samples" in summary(found)
    assert shares is not None
    assert len(sample_words(shares, 0)) == 2


def test_columns_give_way_in_order() -> None:
    theme = theme_named("dark")
    wide, middle, narrow = (mixture_columns(theme, width, 4) for width in (500, 280, 150))
    assert (wide.more, wide.bar[1] > 0) == (0, True)
    assert (middle.more < 4, middle.bar[1], middle.model[1] > 0) == (True, 0, True)
    assert (narrow.more, narrow.model[1], narrow.prior[1] > 0) == (4, 0, True)
    for columns in (wide, middle, narrow):
        numbers = (columns.action, columns.bar, columns.prior, columns.uniform, columns.model)
        placed = sorted(c for c in (*numbers, *columns.samples) if c[1])
        assert all(x + w <= after for (x, w), (after, _) in itertools.pairwise(placed)), "they do not overlap"
