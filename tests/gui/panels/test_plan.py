"""The plan panel: numbered steps, how far they are, and nothing to edit."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from pytestqt.qtbot import QtBot

from core.planning.facets import ProgramLine, Steps
from core.session.events import Shown
from core.session.snapshot import Snapshot
from gui.panels.registry import make_panel
from gui.panels.view_panel import ViewPanel
from gui.views.item_rows import ItemsView
from tests.gui.panels import worlds

STEPS = Steps((
    ProgramLine("move(kitchen1)", "done"), ProgramLine("open(fridge1)", "failed", "fridge 1 is already open"),
    ProgramLine("pickup(apple1)", "skipped"), ProgramLine("placeon(apple1, table1)"),
), 1)
Show = Callable[[Snapshot], ViewPanel]


@pytest.fixture
def show(qtbot: QtBot) -> Iterator[Show]:
    """Shows a snapshot in a panel that lives as long as the test."""
    context, said = worlds.context()
    panels: list[ViewPanel] = []

    def shown(now: Snapshot) -> ViewPanel:
        panel = make_panel("plan", context)
        assert isinstance(panel, ViewPanel)
        panels.append(panel)
        qtbot.addWidget(panels[-1])
        panels[-1].resize(372, 268)
        panels[-1].show()
        panels[-1].show_snapshot(now)
        return panels[-1]

    yield shown
    assert not said


@pytest.mark.parametrize("told", [False, True])
def test_says_what_it_waits_for(show: Show, told: bool) -> None:
    panel = show(worlds.Story().begin().tell(Shown(Steps(()))).snapshot if told else Snapshot())
    assert panel._empty_page is not None
    assert panel._empty_page.isVisible()
    assert panel.headline() == ""
    assert not panel.grab().isNull()


def test_steps_are_shown_and_described(show: Show, qtbot: QtBot) -> None:
    story = worlds.Story().begin().tell(Shown(STEPS))
    panel = show(story.snapshot)
    assert isinstance(panel.shown, ItemsView)
    assert panel.headline() == "step 2 of 4 · 1 failed · 1 skipped"
    assert panel.shown.rows.row_words(1) == "step 2: open(fridge1) · now · fridge 1 is already open"
    panel.show_snapshot(story.tell(Shown(Steps(STEPS.lines[:1], 0))).snapshot)
    qtbot.waitUntil(lambda: panel.headline() == "step 1 of 1")
    panel.restyle()
    assert not panel.grab().isNull()


def test_the_step_under_way_is_kept_in_view(show: Show) -> None:
    lines = tuple(ProgramLine(f"step({k})") for k in range(60))
    panel = show(worlds.Story().begin().tell(Shown(Steps(lines, 0))).snapshot)
    assert isinstance(panel.shown, ItemsView)
    bar = panel.shown.rows.verticalScrollBar()
    assert bar.value() == 0
    panel.show_snapshot(worlds.Story().begin().tell(Shown(Steps(lines, 50))).snapshot)
    assert bar.value() > 0
