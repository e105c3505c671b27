"""The LLM-State panel: the views of the dictionary and of its history, with edits that can be undone."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.planners.llm_state.recorded_types import StateDictionary, StateEntry
from core.session.commands import Command, Edit
from core.session.events import Shown
from core.session.snapshot import Snapshot
from gui.control.context import Context
from gui.panels.registry import make_panel
from gui.panels.view_panel import ViewPanel
from gui.theme import theme_named
from gui.views.edit_strip import WriteForm
from gui.views.item_rows import ItemRows, ItemsView
from gui.views.sections import SectionsView
from tests.core.planners.llm_state.test_dictionary import BOOK, PAST
from tests.gui.panels import worlds


def told(book: StateDictionary) -> Snapshot:
    return worlds.Story().begin().tell(Shown(book), Shown(PAST)).snapshot


def shown(qtbot: QtBot, snapshot: Snapshot, palette: str = "dark") -> tuple[ViewPanel, Context, list[Command]]:
    said: list[Command] = []
    context = worlds.dressed(Context(theme_named(palette), said.append))
    panel = make_panel("dictionary", context)
    assert isinstance(panel, ViewPanel)
    qtbot.addWidget(panel)
    panel.resize(372, 420)
    panel.show()
    panel.show_snapshot(snapshot)
    return panel, context, said


def rows(panel: ViewPanel, section: int = 0) -> ItemRows:
    assert isinstance(panel.shown, SectionsView)
    view = panel.shown.parts[section].shown
    assert isinstance(view, ItemsView)
    return view.rows


def chip(panel: ViewPanel, name: str, attribute: str) -> QPoint:
    """Returns the middle of a chip in the viewport of the list."""
    found = rows(panel)
    index = found.outline.index_of((name, attribute))
    row = found.outline.row_of(index)
    assert found._blocks is not None
    piece = next(piece for piece in found._blocks.of(found.index_of_row(row)).chips if piece.index == index)
    return piece.rect.center().toPoint() + QPoint(0, found.rowViewportPosition(row))


def edits(said: list[Command]) -> list[StateDictionary]:
    return [c.facet for c in said if isinstance(c, Edit) and isinstance(c.facet, StateDictionary)]


def of(said: list[Command], name: str) -> StateEntry:
    entry = edits(said)[-1].entry(name)
    assert entry is not None
    return entry


@pytest.mark.parametrize("palette", ["dark", "light", "cvd"])
def test_objects_chips_and_what_changed(qtbot: QtBot, palette: str) -> None:
    panel, _, _ = shown(qtbot, Snapshot(), palette)
    assert panel.headline() == ""
    panel.show_snapshot(told(BOOK))
    assert panel.headline() == "5 objects · 1 changed"
    found = rows(panel)
    assert found.count() == 5
    assert found.row_words(0) == "fridge 1 · in kitchen 1 · turn 2 · changed · − closed: open · new, searched · new"
    assert isinstance(panel.shown, SectionsView)
    assert [part.head.accessibleName() for part in panel.shown.parts] == [
        "Objects", "Summary · estimated because an action failed", "Actions · 3 actions · 1 failed", "Summaries · 3"]
    assert [part.head.is_folded for part in panel.shown.parts] == [False, False, True, True]
    panel.restyle()
    assert not panel.grab().isNull()


def test_a_chip_is_changed_in_the_strip_and_the_edit_undone(qtbot: QtBot) -> None:
    panel, context, said = shown(qtbot, told(BOOK))
    QTest.mouseClick(rows(panel).viewport(), Qt.MouseButton.LeftButton, pos=chip(panel, "cabinet1", "closed"))
    assert context.selection.thing() == "cabinet_1"
    QTest.mouseDClick(rows(panel).viewport(), Qt.MouseButton.LeftButton, pos=chip(panel, "cabinet1", "closed"))
    form = panel.strip.form("change")
    assert isinstance(form, WriteForm)
    assert panel.focusWidget() is form.field
    QTest.keyClicks(form.field, "ajar")
    QTest.keyClick(form.field, Qt.Key.Key_Return)
    assert of(said, "cabinet1").attributes == ("in_kitchen1", "ajar", "contents_unknown")
    assert rows(panel).chosen_index == rows(panel).outline.index_of(("cabinet1",)), "what is left of the choice"
    context.undo.undo()
    assert edits(said)[-1] == BOOK


def test_keys_add_remove_lock_and_delete(qtbot: QtBot) -> None:
    panel, context, said = shown(qtbot, told(BOOK))
    found = rows(panel)
    found.choose(2, tell=True)
    assert context.selection.thing() == "apple_1"
    QTest.keyClick(found, Qt.Key.Key_A)
    form = panel.strip.form("attribute")
    assert isinstance(form, WriteForm)
    QTest.keyClicks(form.field, "cold")
    QTest.keyClick(form.field, Qt.Key.Key_Return)
    assert of(said, "apple1").given == ("ripe", "cold")
    found.setFocus()
    QTest.keyClick(found, Qt.Key.Key_Right)
    QTest.keyClick(found, Qt.Key.Key_Delete)
    assert of(said, "apple1").refused == ("clean",)
    QTest.keyClick(found, Qt.Key.Key_L, Qt.KeyboardModifier.ControlModifier)
    assert of(said, "apple1").locked
    found.choose(3, tell=True)
    QTest.keyClick(found, Qt.Key.Key_Delete)
    assert edits(said)[-1].deleted == ("mug1",)
    context.undo.undo()
    assert edits(said)[-1].entry("mug1") == BOOK.entry("mug1")


def test_objects_are_found_and_added(qtbot: QtBot) -> None:
    panel, _, said = shown(qtbot, told(BOOK))
    panel.tools()[0].trigger()
    QTest.keyClicks(panel.query, "contents")
    assert [rows(panel).row_words(k)[:7] for k in range(rows(panel).count())] == ["cabinet"]
    form = panel.sources[0].own.form("add")
    assert isinstance(form, WriteForm)
    QTest.keyClicks(form.field, "Kitchen table 1")
    QTest.keyClick(form.field, Qt.Key.Key_Return)
    assert of(said, "kitchentable1") == StateEntry("kitchentable1", turn=2)


def test_the_summary_is_written_in_the_place_of_the_panel(qtbot: QtBot) -> None:
    panel, context, said = shown(qtbot, told(BOOK))
    for text, key, modifier in (("nothing of this", Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier),
                                ("I moved\nthe mug.", Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)):
        panel.sources[0].own.buttons["summary"].click()
        assert panel.editor is not None
        assert panel.editor.field.toPlainText() == BOOK.summary
        panel.editor.field.setPlainText(text)
        QTest.keyClick(panel.editor.field, key, modifier)
        assert panel.editor is None
    assert [book.summary for book in edits(said)] == ["I moved the mug."]
    assert isinstance(panel.shown, SectionsView)
    assert panel.shown.parts[1].head.headline.text == "yours"
    context.undo.undo()
    assert edits(said)[-1] == BOOK


def test_the_past_is_read_only(qtbot: QtBot) -> None:
    panel, context, said = shown(qtbot, told(BOOK))
    panel.sources[0].own.buttons["summary"].click()
    context.set_live(False)
    assert panel.editor is None
    rows(panel).choose(0, tell=True)
    QTest.keyClick(rows(panel), Qt.Key.Key_Delete)
    assert (said, panel.strip.isVisible(), panel.sources[0].own.isVisible()) == ([], False, False)


def test_the_history_opens_below_and_shows_earlier_summaries_in_full(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, told(BOOK))
    assert isinstance(panel.shown, SectionsView)
    part = panel.shown.parts[3]
    assert part.shown.isHidden()
    QTest.keyClick(part.head, Qt.Key.Key_Space)
    assert part.shown.isVisible()
    assert rows(panel, 3).rowHeight(2) > rows(panel, 3).row_height(), "a summary wraps"
    alone = worlds.Story().begin().tell(Shown(PAST)).snapshot
    panel.show_snapshot(alone)
    assert [part.head.is_folded for part in panel.shown.parts] == [False, False], "where no state is kept"


def test_it_holds_until_the_next_estimate(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, replace(told(BOOK), turn=9))
    assert isinstance(panel.shown, SectionsView)
    assert panel._overlay.isHidden()
    assert [part.head.headline.text for part in panel.shown.parts][:2] == ["", "estimated because an action failed"]


def test_huge(qtbot: QtBot) -> None:
    many = tuple(StateEntry(f"thing{k}", f"thing_{k}", tuple(f"attribute_{n}_of_{k}" for n in range(12)), turn=3)
                 for k in range(400))
    panel, _, _ = shown(qtbot, told(StateDictionary(many, "and then " * 2000, 3)))
    bar = rows(panel).verticalScrollBar()
    assert bar.maximum() > 10_000
    bar.setValue(bar.maximum())
    assert not panel.grab().isNull()
    for width in (200, 900):
        panel.resize(width, 300)
        found = rows(panel)
        assert found._blocks is not None
        assert all(piece.rect.right() <= found.viewport().width() for k in range(400)
                   for piece in found._blocks.of(found.index_of_row(k)).chips)
