"""What every kind of facet promises: it is recorded exactly, shown somewhere, and never changes."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtWidgets import QApplication, QTreeWidget
from pytestqt.qtbot import QtBot

from core.planners.registry import PLANNERS, planner_class
from core.planning.facets import Facet
from core.recording.codec import Codec
from core.recording.types import FACETS, registered_facets
from gui.control.context import Context
from gui.panels.facet_tree import FacetTreePanel
from gui.panels.registry import CLAIMED, PANELS, claimed_by_others, panel_class
from gui.theme import theme_named
from tests.core.recording import strategies
from tests.core.recording.common import same
from tests.gui.panels import searches
from tests.long_tests import either

EASY = settings(max_examples=either(5, 100), deadline=None,
                suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture])
CODEC = Codec()
KINDS = (*FACETS, *registered_facets())
"""Ours and those of other packages."""


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@EASY
@given(st.data())
def test_it_comes_back_from_a_recording_as_it_was(kind: type, data: st.DataObject) -> None:
    facet: Facet = data.draw(strategies.of(kind))
    assert same(CODEC.loads(CODEC.dumps(facet), Facet), facet)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@EASY
@given(st.data())
def test_it_never_changes(kind: type, data: st.DataObject) -> None:
    facet: Any = data.draw(strategies.of(kind))
    assert copy.deepcopy(facet) is facet, "facets are values: a copy would cost, and say nothing"
    first = dataclasses.fields(facet)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(facet, first, None)


def test_every_kind_is_claimed_by_a_panel_or_shown_by_the_plain_tree() -> None:
    claimed = {kind for name in PANELS for kind in panel_class(name).facets}
    assert claimed <= set(KINDS)
    assert claimed >= CLAIMED, "the plain tree leaves out what no panel shows"
    assert FacetTreePanel.facets == frozenset()


@pytest.mark.parametrize("kind", [k for k in KINDS if k not in CLAIMED | claimed_by_others()], ids=lambda kind: kind.__name__)
@settings(EASY, max_examples=3)
@given(data=st.data())
def test_the_plain_tree_shows_what_nobody_claims(qtbot: QtBot, qapp: QApplication, kind: type,
                                                 data: st.DataObject) -> None:
    facet: Facet = data.draw(strategies.of(kind))
    theme = theme_named("dark")
    theme.apply(qapp)
    panel = FacetTreePanel(Context(theme, lambda command: None))
    qtbot.addWidget(panel)
    panel.show()
    panel.show_snapshot(searches.snapshot(facet))
    tree = panel.findChild(QTreeWidget)
    assert tree is not None
    item = tree.topLevelItem(0)
    assert item is not None
    assert item.text(0) == kind.__name__


def test_planners_show_only_kinds_that_are_recorded() -> None:
    for name in PLANNERS:
        assert planner_class(name).shows <= set(KINDS), f"{name} shows what no recording holds"
