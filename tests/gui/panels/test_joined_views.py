"""A panel of several kinds of facet: their views as sections, each with its own edits, age and faults."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.common.errors import UsageError
from core.planning.facets import Facet, FacetPanel, Moment
from core.session.commands import Command, Edit
from core.session.snapshot import Snapshot
from core.views import values as v
from core.views.addresses import Address, section_at
from core.views.values import EditValue
from gui.control.context import Context, Selected
from gui.panels.view_panel import ViewPanel, panel_for
from gui.views.edit_strip import WriteForm
from gui.views.item_rows import ItemsView
from gui.views.sections import SectionsView
from tests.gui.panels import searches as s
from tests.gui.panels import worlds
from tests.gui.panels.test_view_panel import WEIGHTS, Weights

ADD = v.Edit("add", "Add", v.Write())


@dataclass(frozen=True, slots=True)
class Notes(Facet):
    """What was written down, in two sections."""

    texts: tuple[str, ...]
    pinned: str = "mug_33"

    def view(self) -> v.Sections:
        edits = (v.Edit("strike", "Strike", v.Press(), "X"),)
        rows = tuple(v.Item(text, text, edits=edits) for text in self.texts)
        pinned = v.Item(self.pinned, self.pinned, about=v.About((self.pinned,)))
        return v.Sections((v.Table(rows, title="Weights", headline="as written"), v.Table((pinned,), title="Pinned")),
                          headline=f"{len(rows)} notes", note="Not in order.", own_edits=(ADD,))

    def edited(self, address: Address, edit: str, value: EditValue) -> Notes:
        if edit == "add":
            return replace(self, texts=(*self.texts, str(value)))
        _, (key,) = section_at(self.view(), address)
        if key == "second":
            raise UsageError("this one stays")
        return replace(self, texts=tuple(text for text in self.texts if text != key))


NOTES = Notes(("first", "second"))


def shown(qtbot: QtBot, snapshot: Snapshot) -> tuple[ViewPanel, Context, list[Command]]:
    context, said = worlds.context()
    panel = panel_for(Weights, Notes, panel=FacetPanel("weights", "Both"))(context)
    qtbot.addWidget(panel)
    panel.resize(420, 600)
    panel.show()
    panel.receive(snapshot)
    return panel, context, said


def part(panel: ViewPanel, number: int) -> ItemsView:
    assert isinstance(panel.shown, SectionsView)
    found = panel.shown.parts[number].shown
    assert isinstance(found, ItemsView)
    return found


def titles(panel: ViewPanel) -> list[tuple[str, str]]:
    assert isinstance(panel.shown, SectionsView)
    return [(one.head.title.text, one.head.headline.text) for one in panel.shown.parts]


def sent(said: list[Command]) -> Facet:
    assert isinstance(said[-1], Edit)
    return said[-1].facet


def test_the_views_are_sections_in_order(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, s.snapshot(NOTES, WEIGHTS))
    assert titles(panel) == [("Weights", ""), ("Notes: Weights", "as written"), ("Pinned", "")]
    assert (panel.title, panel.name, panel.headline(), panel._note.text()) == (
        "Both", "weights", "3 weights · 2 notes", "Not in order.")
    panel.show_snapshot(s.snapshot(NOTES))
    assert titles(panel) == [("Weights", "as written"), ("Pinned", "")], "of what is there"
    panel.show_snapshot(s.snapshot())
    assert panel._pages.currentIndex() == 0
    assert not panel.grab().isNull()


def test_an_edit_goes_to_the_facet_of_its_section(qtbot: QtBot) -> None:
    panel, context, said = shown(qtbot, s.snapshot(WEIGHTS, NOTES))
    for number, row in ((1, 0), (0, 1)):
        part(panel, number).rows.choose(row, tell=True)
        QTest.keyClick(part(panel, number).rows, Qt.Key.Key_X)
    assert [type(c.facet) for c in said if isinstance(c, Edit)] == [Notes, Weights]
    assert (part(panel, 0).rows.count(), part(panel, 1).rows.count()) == (2, 1)
    undo = panel.tools()[1]
    undo.trigger()
    context.undo.undo()
    assert (sent(said), part(panel, 0).rows.count()) == (WEIGHTS, 3)
    undo.trigger()
    context.undo.undo()
    assert getattr(sent(said), "texts", ()) == NOTES.texts
    assert not undo.isEnabled()


def test_what_is_refused_is_said_and_each_kind_is_added_to_by_itself(qtbot: QtBot) -> None:
    panel, _, said = shown(qtbot, s.snapshot(WEIGHTS, NOTES))
    part(panel, 1).rows.choose(1, tell=True)
    QTest.keyClick(part(panel, 1).rows, Qt.Key.Key_X)
    assert (panel.strip.trouble.text(), said) == ("this one stays", [])
    assert panel.sources[0].own.isHidden()
    form = panel.sources[1].own.form("add")
    assert isinstance(form, WriteForm)
    form.field.setText("third")
    QTest.keyClick(form.field, Qt.Key.Key_Return)
    assert getattr(sent(said), "texts", ()) == ("first", "second", "third")


def test_selection_and_search_are_about_all_sections(qtbot: QtBot) -> None:
    panel, context, _ = shown(qtbot, s.snapshot(WEIGHTS, NOTES))
    context.selection.select(Selected("thing", "mug_33"))
    assert (part(panel, 0).rows.current, part(panel, 2).rows.current) == (2, 0)
    panel.tools()[0].trigger()
    QTest.keyClicks(panel.query, "first")
    assert [part(panel, k).rows.count() for k in range(3)] == [0, 1, 0]


def test_a_section_says_its_age_while_another_is_new(qtbot: QtBot) -> None:
    now = s.snapshot(WEIGHTS, NOTES)
    later = replace(now, turn=9, facets={**now.facets, Notes: (NOTES, Moment(0, 9))})
    panel, _, _ = shown(qtbot, later)
    assert [headline.split(" · ")[0] for _, headline in titles(panel)] == ["From turn 7", "as written", ""]
    assert panel._overlay.isHidden()
    panel.show_snapshot(replace(now, turn=9))
    assert panel._overlay.accessibleName().startswith("From turn")
    assert titles(panel)[0] == ("Weights", "")


def test_a_view_that_fails_leaves_the_others(qtbot: QtBot, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        panel, _, _ = shown(qtbot, s.snapshot(replace(WEIGHTS, note="raises"), NOTES))
    caplog.clear()
    assert panel._wrong.text() == "The view of Weights cannot be shown: ValueError: no view today"
    assert titles(panel)[1:] == [("Notes: Weights", "as written"), ("Pinned", "")]
