"""A panel of another package that raises is replaced by the reason, and the window goes on."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from PySide6.QtGui import QAction
from pytestqt.qtbot import QtBot

from core.common.registry import Foreign
from core.session.snapshot import Snapshot
from gui.control.context import Context
from gui.panels.base import BrokenPanel, Offer, Panel
from gui.panels.registry import PANELS
from gui.widgets import StateCard
from gui.window.docks import Card
from tests.gui.panels import worlds

failing: set[str] = set()
"""The methods of the foreign panel that raise now."""


def fail(method: str) -> None:
    if method in failing:
        raise ValueError(f"no {method} today")


class ForeignPanel(Panel):
    """A panel of another package."""

    name, title = "foreign", "Foreign"

    @classmethod
    def missing(cls) -> str:
        fail("missing")
        return "the package 'maps': pip install maps" if "maps" in failing else ""

    def __init__(self, context: Context):
        super().__init__(context)
        fail("__init__")
        self.shown = 0

    def show_snapshot(self, snapshot: Snapshot) -> None:
        fail("show_snapshot")
        self.shown += 1

    def headline(self) -> str:
        fail("headline")
        return "well"

    def tools(self) -> tuple[QAction, ...]:
        fail("tools")
        return ()

    def offers(self) -> Sequence[Offer]:
        fail("offers")
        return ()

    def restyle(self) -> None:
        fail("restyle")


@pytest.fixture
def card(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Card:
    monkeypatch.setattr(PANELS, "_found", {"foreign": Foreign("foreign_panels:ForeignPanel", "foreign-panels 2.0")})
    monkeypatch.setattr(PANELS, "_loaded", {**PANELS._loaded, "foreign": ForeignPanel})
    failing.clear()
    made = Card(worlds.context()[0], "foreign")
    qtbot.addWidget(made)
    made.show()
    return made


def use(card: Card) -> None:
    """Does with a card what the window does."""
    card.show_snapshot(Snapshot())
    list(card.offers())
    card.restyle()


def reason(card: Card) -> str:
    assert isinstance(card.panel, BrokenPanel)
    shown = card.panel.findChild(StateCard)
    assert shown is not None
    return shown.state.text


def test_a_panel_that_works_is_left_alone(card: Card) -> None:
    use(card)
    assert isinstance(card.panel, ForeignPanel)
    assert card.panel.shown == 1


@pytest.mark.parametrize("method", ["missing", "__init__", "tools", "show_snapshot", "headline", "offers", "restyle"])
@pytest.mark.parametrize("at_once", [True, False])
def test_a_panel_that_raises_is_replaced_by_the_reason(qtbot: QtBot, card: Card, method: str, at_once: bool) -> None:
    if not at_once and method not in ("missing", "__init__", "tools"):
        use(card)
    failing.add(method)
    use(card)
    said = reason(card)
    assert "'foreign' of foreign-panels 2.0" in said
    assert f"ValueError: no {method} today" in said
    use(card)
    qtbot.waitUntil(lambda: card.panel is not None and card.panel.isVisible())
    assert not card.grab().isNull()


def test_a_panel_with_a_missing_part_says_what_to_install(card: Card) -> None:
    failing.add("maps")
    use(card)
    assert "pip install maps" in reason(card)


def test_the_window_is_told_of_faults_of_our_own(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = Card(worlds.context()[0], "goal")
    qtbot.addWidget(ours)
    panel = ours.fill()
    failing.add("headline")
    monkeypatch.setattr(panel, "headline", lambda: fail("headline"))
    with pytest.raises(ValueError, match="no headline today"):
        ours.show_snapshot(Snapshot())
