"""The panel that any kind of facet has: its view, the selection both ways, its edits with undo, and what may go wrong."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass, replace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from core.common.errors import UsageError
from core.planning.facets import Facet, Steps
from core.session.commands import Command, Edit
from core.views import values as v
from core.views.addresses import Address, index_at
from core.views.values import EditValue
from core.world.vocabulary import Action
from gui.control.context import Context, Selected
from gui.panels.view_panel import ViewPanel, panel_for
from gui.views import source
from gui.views.edit_strip import PickForm, SliderForm, WriteForm
from gui.views.item_rows import ItemsView
from tests.core.views import drawn
from tests.gui.panels import searches as s
from tests.gui.panels import worlds
from tests.gui.settling import settle
from tests.waiting import PATIENCE

OPEN = Action("open", ("fridge_1",))


@dataclass(frozen=True, slots=True)
class Weights(Facet):
    """How much the planner likes each thing.

    A second paragraph.

    Attributes:
        weights: by thing.
    """

    weights: tuple[tuple[str, float], ...]
    note: str = ""

    def view(self) -> v.View:
        counted.append(self)
        if self.note == "raises":
            raise ValueError("no view\ntoday")
        if self.note in drawn.ABSURD:
            return drawn.ABSURD[self.note]  # type: ignore[return-value]
        items = tuple(v.Item(name, f"like {name}", (number,), (), v.About((name,), OPEN if name == "fridge_1" else None), (
            v.Edit("set", "Set", v.Slider(0, 1, number)), v.Edit("drop", "Drop it", v.Press(), "X", "ban"),
            v.Edit("call", "Call it", v.Write(name)), v.Edit("pick", "As much as", v.Pick(("little", "much"))),
            v.Edit("fail", "Fail", v.Press()))) for name, number in self.weights)
        return v.Table(items, (v.Column("weight", "probability"),), headline=f"{len(items)} weights", note=self.note)

    def edited(self, address: Address, edit: str, value: EditValue) -> Facet:
        view = self.view()
        k = index_at(view, address)
        name, number = self.weights[k]
        match edit, value:
            case "set", float(new):
                changed: tuple[tuple[str, float], ...] = ((name, new),)
            case "drop", None:
                changed = ()
            case "call", str(text):
                if " " in text:
                    raise UsageError("a name has no spaces")
                changed = ((text, number),)
            case "pick", str(text):
                changed = ((name, 0.9 if text == "much" else 0.1),)
            case _:
                raise KeyError(edit)
        return replace(self, weights=(*self.weights[:k], *changed, *self.weights[k + 1:]))


counted: list[Weights] = []
WEIGHTS = Weights((("fridge_1", 0.4), ("apple_1", 0.2), ("mug_33", 0.1)))


def shown(qtbot: QtBot, facet: Facet | None = WEIGHTS) -> tuple[ViewPanel, Context, list[Command]]:
    context, said = worlds.context()
    panel = panel_for(Weights)(context)
    qtbot.addWidget(panel)
    panel.resize(420, 380)
    panel.show()
    panel.receive(s.snapshot(*([facet] if facet is not None else [])))
    return panel, context, said


def rows_of(panel: ViewPanel) -> Any:
    assert isinstance(panel.shown, ItemsView)
    return panel.shown.rows


def weights(said: list[Command]) -> dict[str, float]:
    assert isinstance(said[-1], Edit)
    assert isinstance(said[-1].facet, Weights)
    return dict(said[-1].facet.weights)


def test_it_says_what_it_waits_for(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, None)
    assert panel.shown is None
    assert panel._empty_page is not None
    assert panel._empty_page.state.text == "How much the planner likes each thing."
    assert (panel.name, panel.title, panel.headline()) == ("weights", "Weights", "")


def test_it_shows_the_view_with_names_headline_and_note(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, replace(WEIGHTS, note="They fade."))
    assert panel.headline() == "3 weights"
    assert rows_of(panel).row_words(0) == "like the fridge · weight .40"
    assert panel._note.text() == "They fade."
    assert not panel.grab().isNull()


def test_the_view_is_made_once_for_each_facet_that_is_seen(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot)
    counted.clear()
    panel.show_snapshot(s.snapshot(WEIGHTS))
    panel.restyle()
    assert counted == [], "the same facet"
    panel.hide()
    for number in range(5):
        panel.show_snapshot(s.snapshot(Weights((("fridge_1", number / 10),))))
    assert counted == [], "a hidden panel"
    panel.show()
    assert counted == [Weights((("fridge_1", 0.4),))]


def test_a_large_view_is_made_beside_the_gui_thread_and_the_newest_counts(
        qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "LARGE", 3)
    panel, context, _ = shown(qtbot)
    made_on, view, goes_on = list[tuple[str, str]](), Weights.view, threading.Event()

    def watched(facet: Weights) -> v.View:
        made_on.append((facet.note, threading.current_thread().name))
        if facet.note == "slow":
            assert goes_on.wait(PATIENCE)
        return view(facet)

    monkeypatch.setattr(Weights, "view", watched)
    for note in ("slow", "skipped", "newest"):
        panel.show_snapshot(s.snapshot(replace(WEIGHTS, note=note)))
        panel.show_snapshot(s.snapshot(replace(WEIGHTS, note=note)))
        assert panel._note.text() == "", "the former view is still shown"
        assert "an earlier state" in panel._overlay.accessibleName(), "and says that it is"
    goes_on.set()
    settle(panel, context.jobs)
    assert (panel._note.text(), panel._overlay.accessibleName()) == ("newest", "")
    assert [note for note, _ in made_on if note] == ["slow", "newest"]
    assert {thread for _, thread in made_on} == {"panels"}
    panel.show_snapshot(s.snapshot(replace(WEIGHTS, note="raises")))
    settle(panel, context.jobs)
    assert "no view today" in panel._wrong.text()


def test_selection_goes_both_ways(qtbot: QtBot) -> None:
    panel, context, _ = shown(qtbot)
    rows = rows_of(panel)
    rows.choose(1, tell=True)
    assert context.selection.now == Selected("thing", "apple_1")
    rows.choose(0, tell=True)
    assert context.selection.now == Selected("action", action=OPEN)
    context.selection.select(Selected("thing", "mug_33"))
    assert (rows.current, rows.selected) == (2, frozenset({2}))
    context.selection.select(Selected("thing", "plate_1"))
    assert (rows.current, rows.selected) == (-1, frozenset())


def test_a_slider_drag_is_one_step_and_undo_keeps_what_came_since(qtbot: QtBot) -> None:
    panel, context, said = shown(qtbot)
    rows_of(panel).choose(1, tell=True)
    form = panel.strip.form("set")
    assert isinstance(form, SliderForm)
    form.slider.setSliderDown(True)
    for value in (300, 700):
        form.slider.setValue(value)
        settle(panel)
    form.slider.setSliderDown(False)
    settle(panel)
    assert weights(said) == {"fridge_1": 0.4, "apple_1": 0.7, "mug_33": 0.1}
    assert (context.undo.count(), context.undo.undoText()) == (1, "Set: like apple_1 → 0.70")
    assert rows_of(panel).row_words(1) == "like the apple · weight .70"
    since = Weights((("fridge_1", 0.4), ("apple_1", 0.7), ("mug_33", 0.1), ("plate_1", 0.3)))
    panel.show_snapshot(s.snapshot(since))
    context.undo.undo()
    assert weights(said) == {"fridge_1": 0.4, "apple_1": 0.2, "mug_33": 0.1, "plate_1": 0.3}
    context.undo.redo()
    assert weights(said)["apple_1"] == 0.7


def test_every_form_makes_its_edit(qtbot: QtBot) -> None:
    panel, context, said = shown(qtbot)
    rows_of(panel).choose(2, tell=True)
    write, pick = panel.strip.form("call"), panel.strip.form("pick")
    assert isinstance(write, WriteForm)
    assert isinstance(pick, PickForm)
    pick.box.setCurrentText("much")
    pick.box.activated.emit(1)
    assert weights(said)["mug_33"] == 0.9
    write.field.setText("cup")
    QTest.keyClick(write.field, Qt.Key.Key_Return)
    assert weights(said)["cup"] == 0.9
    context.undo.undo()
    context.undo.undo()
    assert weights(said) == dict(WEIGHTS.weights)


def test_keys_offers_and_the_menu_make_edits(qtbot: QtBot) -> None:
    panel, context, said = shown(qtbot)
    rows_of(panel).choose(1, tell=True)
    offered = {offer.title: offer for offer in panel.offers()}
    assert offered["Drop it: like the apple"].key == "X"
    QTest.keyClick(rows_of(panel), Qt.Key.Key_X)
    assert set(weights(said)) == {"fridge_1", "mug_33"}
    context.undo.undo()
    assert weights(said) == dict(WEIGHTS.weights)
    panel._open_menu(panel.mapToGlobal(panel.rect().center()))
    menu = panel.findChild(QMenu)
    assert menu is not None
    assert [action.text() for action in menu.actions()][:3] == ["Set …", "Drop it", "Call it …"]
    menu.close()


def test_what_is_refused_or_fails_is_said_in_one_line(qtbot: QtBot, caplog: pytest.LogCaptureFixture) -> None:
    panel, _, said = shown(qtbot)
    rows_of(panel).choose(1, tell=True)
    call, fail = (next(edit for edit in panel._edits() if edit.name == name) for name in ("call", "fail"))
    panel.make_edit(call, "a cup")
    assert panel.strip.trouble.text() == "a name has no spaces"
    panel.make_edit(call, 3.0)
    assert panel.strip.trouble.text() == "“Call it” is a text"
    with caplog.at_level(logging.ERROR):
        panel.make_edit(fail, None)
    assert "“Fail” failed: KeyError: 'fail'" in panel.strip.trouble.text()
    assert "KeyError" in caplog.text
    caplog.clear()
    assert said == []
    rows_of(panel).choose(0, tell=True)
    assert panel.strip.trouble.isHidden()


def test_the_past_cannot_be_edited(qtbot: QtBot) -> None:
    panel, context, said = shown(qtbot)
    context.set_live(False)
    rows_of(panel).choose(1, tell=True)
    assert not panel.strip.isVisible()
    QTest.keyClick(rows_of(panel), Qt.Key.Key_X)
    assert (said, list(panel.offers())) == ([], [])
    assert panel.offer.isVisible()


@pytest.mark.parametrize("what", ["raises", *drawn.ABSURD])
def test_a_view_that_fails_costs_its_panel_one_line(qtbot: QtBot, caplog: pytest.LogCaptureFixture, what: str) -> None:
    panel, _, _ = shown(qtbot)
    with caplog.at_level(logging.ERROR):
        panel.show_snapshot(s.snapshot(replace(WEIGHTS, note=what)))
    said = panel._wrong.text()
    assert panel._wrong.isVisible()
    assert said.startswith("The view of Weights cannot be shown: ")
    assert "\n" not in said
    assert ("Traceback" in caplog.text) == (what == "raises")
    assert caplog.records
    caplog.clear()
    assert (panel.headline(), panel.grab().isNull()) == ("", False)
    panel.show_snapshot(s.snapshot(Weights(WEIGHTS.weights)))
    assert not panel._wrong.isVisible()
    assert panel._place.isVisible()


def test_an_older_facet_is_marked(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot)
    later = replace(s.snapshot(WEIGHTS), turn=9)
    panel.show_snapshot(later)
    assert panel._overlay.accessibleName().startswith("From turn")


def test_finding_and_undoing_are_tools(qtbot: QtBot) -> None:
    panel, _, said = shown(qtbot)
    find, undo = panel.tools()
    find.trigger()
    QTest.keyClicks(panel.query, "apple")
    assert rows_of(panel).count() == 1
    QTest.keyClick(panel.query, Qt.Key.Key_Escape)
    assert rows_of(panel).count() == 3
    assert not undo.isEnabled()
    rows_of(panel).choose(0, tell=True)
    QTest.keyClick(rows_of(panel), Qt.Key.Key_X)
    assert undo.isEnabled()
    assert set(weights(said)) == {"apple_1", "mug_33"}


def test_only_what_can_be_edited_offers_to_undo(qtbot: QtBot) -> None:
    for kind, count in ((Weights, 2), (Steps, 1)):
        context, _ = worlds.context()
        panel = panel_for(kind)(context)
        qtbot.addWidget(panel)
        assert len(panel.tools()) == count
