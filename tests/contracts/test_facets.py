"""What every kind of facet promises: it is recorded exactly, shown somewhere, and never changes."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.planners.registry import PLANNERS, planner_class
from core.planning.facets import Facet, Frame, view_of
from core.recording.codec import Codec
from core.recording.types import FACETS, registered_facets
from core.views.addresses import items_of
from core.views.checking import fault
from core.views.values import Matrix
from gui.control.context import Context
from gui.panels.registry import DRAWN_WITHIN, PANELS, panel_class
from gui.panels.view_panel import panel_for
from gui.theme import theme_named
from tests.core.recording import strategies
from tests.core.recording.common import same
from tests.gui.panels import blockings, graphs, searches, worlds
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


def test_every_kind_has_a_panel_or_is_drawn_within_another() -> None:
    claimed = {kind for name in PANELS for kind in panel_class(name).facets}
    assert claimed == set(KINDS) - DRAWN_WITHIN | {Frame}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@EASY
@given(data=st.data())
def test_its_view_is_drawn_whatever_it_holds(qtbot: QtBot, qapp: QApplication, caplog: pytest.LogCaptureFixture, kind: type,
                                              data: st.DataObject) -> None:
    facet: Facet = data.draw(strategies.of(kind))
    assert fault(view_of(facet)) == ""
    theme = theme_named("dark")
    theme.apply(qapp)
    panel = panel_for(kind)(Context(theme, lambda command: None))
    qtbot.addWidget(panel)
    panel.show()
    panel.receive(searches.snapshot(facet))
    assert panel.shown is not None
    assert not panel.grab().isNull()
    caplog.clear()  # of arrays that do not fit each other no view can be made
    panel.close()


def test_planners_show_only_kinds_that_are_recorded() -> None:
    for name in PLANNERS:
        assert planner_class(name).shows <= set(KINDS), f"{name} shows what no recording holds"


SHOWN: tuple[Facet, ...] = (worlds.belief(), blockings.tree(), graphs.learnings(), graphs.usual(), graphs.scores(),
                            searches.ranking(), searches.tree())


@pytest.mark.parametrize("facet", SHOWN, ids=lambda facet: type(facet).__name__)
def test_a_kind_whose_view_offers_edits_carries_them_out(facet: Facet) -> None:
    view = facet.view()
    offered = [edit for part in view.children() for edit in (
        *part.own_edits, *(edit for item in items_of(part) for edit in item.edits),
        *(part.edits if isinstance(part, Matrix) else ()))]
    assert bool(offered) == (type(facet).edited is not Facet.edited)
