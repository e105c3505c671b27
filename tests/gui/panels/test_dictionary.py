"""The LLM-State panel: empty, usual, huge; edits that can be undone."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.planners.llm_state.recorded_types import Deed, PastSummary, StateDictionary, StateEntry, StateHistory
from core.session.commands import Command, Edit
from core.session.events import Shown
from core.session.snapshot import Snapshot
from gui.control.context import Context
from gui.panels.dictionary.entries import attribute_set, in_words, with_entry, with_summary
from gui.panels.dictionary.panel import DictionaryPanel
from gui.theme import theme_named
from tests.gui.panels import worlds

BOOK = StateDictionary((
    StateEntry("fridge1", "fridge_1", ("in_kitchen1", "open", "searched"), ("open", "searched"), ("closed",), turn=2),
    StateEntry("cabinet1", "cabinet_1", ("in_kitchen1", "closed", "contents_unknown"), turn=1),
    StateEntry("apple1", "apple_1", ("on_plate1", "clean", "ripe"), given=("ripe",), turn=1),
    StateEntry("kitchen1", "kitchen_1"),
    StateEntry("mug1", "mug_1", ("in_hand",), turn=1, locked=True),
), "The robot opened the fridge. Then it could not grab the mug, perhaps because no hand was free.", 2, "an action failed")


def told(book: StateDictionary) -> Snapshot:
    return worlds.Story().begin().tell(Shown(book)).snapshot


def shown(qtbot: QtBot, snapshot: Snapshot, palette: str = "dark") -> tuple[DictionaryPanel, Context, list[Command]]:
    said: list[Command] = []
    context = worlds.dressed(Context(theme_named(palette), said.append))
    panel = DictionaryPanel(context)
    qtbot.addWidget(panel)
    panel.resize(372, 420)
    panel.show()
    panel.show_snapshot(snapshot)
    return panel, context, said


def row(panel: DictionaryPanel, name: str) -> QPoint:
    found = next(r for r in panel.list.rows() if r.entry.name == name)
    return QPoint(60, int(found.top) + 8)


def chip(panel: DictionaryPanel, name: str, attribute: str) -> QPoint:
    found = next(r for r in panel.list.rows() if r.entry.name == name)
    piece = next(p for p in found.pieces if p.attribute == attribute)
    return QPoint(int(piece.rect.center().x()), int(found.top + piece.rect.center().y()))


def edits(said: list[Command]) -> list[StateDictionary]:
    return [c.facet for c in said if isinstance(c, Edit) and isinstance(c.facet, StateDictionary)]


def test_says_what_it_waits_for(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, Snapshot())
    assert not panel.list.isVisible()
    assert panel.headline() == ""


@pytest.mark.parametrize("palette", ["dark", "light", "cvd"])
def test_objects_chips_and_what_changed(qtbot: QtBot, palette: str) -> None:
    panel, _, _ = shown(qtbot, told(BOOK), palette)
    assert panel.headline() == "5 objects · 1 changed"
    rows = {r.entry.name: r for r in panel.list.rows()}
    assert panel.list.rows()[0].entry.name == "fridge1", "what changed comes first"
    assert [p.look.text for p in rows["fridge1"].pieces] == ["+ open", "+ searched", "closed"]
    assert rows["fridge1"].pieces[-1].struck
    assert rows["fridge1"].place == "in kitchen 1"
    assert [p.look.line for p in rows["cabinet1"].pieces] == ["none", "dashed"]
    assert rows["apple1"].pieces[-1].look.tone == "operator_act"
    assert [p.look.text for p in rows["kitchen1"].pieces] == ["nothing known"]
    assert "perhaps because no hand was free" in panel.summary.text.toPlainText()
    assert "an action failed" in panel.summary.heading.text
    panel.restyle()
    assert not panel.grab().isNull()


def test_the_same_again_draws_nothing(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    panel, _, _ = shown(qtbot, told(BOOK))
    snapshot = told(BOOK)
    panel.show_snapshot(snapshot)
    monkeypatch.setattr(panel, "redraw", None)
    panel.show_snapshot(snapshot)


def test_names_in_words() -> None:
    names = {"kitchencabinet2": "kitchen cabinet 2"}
    assert in_words("in_kitchencabinet2", names) == "in kitchen cabinet 2"
    assert in_words("no_room_for_cup1", {}) == "no room for cup1"


def test_a_chip_is_edited_and_the_edit_undone(qtbot: QtBot) -> None:
    panel, context, said = shown(qtbot, told(BOOK))
    QTest.mouseDClick(panel.list.viewport(), Qt.MouseButton.LeftButton, pos=chip(panel, "cabinet1", "closed"))
    field = panel.list._field
    assert field.isVisible()
    QTest.keyClicks(field, "ajar")
    QTest.keyClick(field, Qt.Key.Key_Return)
    entry = edits(said)[-1].entry("cabinet1")
    assert entry is not None
    assert entry.attributes == ("in_kitchen1", "ajar", "contents_unknown")
    assert (entry.given, entry.refused) == (("ajar",), ("closed",))
    assert context.undo.undoText() == "changed “closed” to “ajar” for cabinet 1"
    assert field.isHidden(), "Enter does not reach the list, where it would begin another edit"
    newer = replace(BOOK, summary="newer", turn=3)
    panel.show_snapshot(told(newer))
    context.undo.undo()
    assert edits(said)[-1] == newer, "what came meanwhile stays"


def test_an_edit_under_way_follows_its_chip_and_ends_with_its_entry(qtbot: QtBot) -> None:
    panel, _, said = shown(qtbot, told(BOOK))
    QTest.mouseDClick(panel.list.viewport(), Qt.MouseButton.LeftButton, pos=chip(panel, "cabinet1", "closed"))
    field = panel.list._field
    QTest.keyClicks(field, "aj")
    first = (StateEntry("zebra1", "", ("striped",), ("striped",), turn=9), *BOOK.entries)
    panel.show_snapshot(told(replace(BOOK, entries=first, turn=9)))
    assert field.geometry().contains(chip(panel, "cabinet1", "closed"))
    assert field.text() == "aj"
    panel.show_snapshot(told(replace(BOOK, entries=tuple(e for e in BOOK.entries if e.name != "cabinet1"))))
    assert field.isHidden()
    assert not edits(said)


def test_keys_add_remove_lock_and_take_out(qtbot: QtBot) -> None:
    panel, context, said = shown(qtbot, told(BOOK))
    QTest.mouseClick(panel.list.viewport(), Qt.MouseButton.LeftButton, pos=row(panel, "apple1"))
    assert context.selection.thing() == "apple_1"
    QTest.keyClicks(panel.list, "c")
    QTest.keyClicks(panel.list._field, "old")
    QTest.keyClick(panel.list._field, Qt.Key.Key_Return)
    made = edits(said)[-1].entry("apple1")
    assert made is not None
    assert made.given == ("ripe", "cold")
    QTest.mouseClick(panel.list.viewport(), Qt.MouseButton.LeftButton, pos=chip(panel, "apple1", "clean"))
    QTest.keyClick(panel.list, Qt.Key.Key_Delete)
    made = edits(said)[-1].entry("apple1")
    assert made is not None
    assert made.refused == ("clean",)
    QTest.keyClick(panel.list, Qt.Key.Key_L, Qt.KeyboardModifier.ControlModifier)
    made = edits(said)[-1].entry("apple1")
    assert made is not None
    assert made.locked
    QTest.mouseClick(panel.list.viewport(), Qt.MouseButton.LeftButton, pos=row(panel, "mug1"))
    QTest.keyClick(panel.list, Qt.Key.Key_Delete)
    assert edits(said)[-1].entry("mug1") is None
    assert edits(said)[-1].deleted == ("mug1",)
    context.undo.undo()
    assert edits(said)[-1].entry("mug1") == BOOK.entry("mug1")
    assert edits(said)[-1].deleted == ()


def test_objects_are_found_and_added(qtbot: QtBot) -> None:
    panel, _, said = shown(qtbot, told(BOOK))
    panel.tools()[0].trigger()
    QTest.keyClicks(panel.query, "cab")
    assert [r.entry.name for r in panel.list.rows()] == ["cabinet1"]
    panel.query.clear()
    QTest.keyClicks(panel.query, "Kitchen table 1")
    QTest.keyClick(panel.query, Qt.Key.Key_Return)
    entry = edits(said)[-1].entry("kitchentable1")
    assert entry is not None
    assert entry.thing == "kitchen_table_1"
    QTest.keyClick(panel.query, Qt.Key.Key_Escape)
    assert not panel.query.isVisible()


def test_the_summary_is_written_and_left(qtbot: QtBot) -> None:
    panel, context, said = shown(qtbot, told(BOOK))
    panel.summary.edit.trigger()
    panel.summary.text.setPlainText("I moved\nthe mug myself.")
    QTest.keyClick(panel.summary.text, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert (edits(said)[-1].summary, edits(said)[-1].summary_given) == ("I moved the mug myself.", True)
    assert panel.summary.heading.text.startswith("Your summary")
    context.undo.undo()
    assert edits(said)[-1].summary == BOOK.summary
    panel.summary.edit.trigger()
    panel.summary.text.setPlainText("nothing of this")
    QTest.keyClick(panel.summary.text, Qt.Key.Key_Escape)
    assert edits(said)[-1].summary == BOOK.summary
    assert panel.summary.text.isReadOnly()


def test_the_past_is_read_only(qtbot: QtBot) -> None:
    panel, context, said = shown(qtbot, told(BOOK))
    context.set_live(False)
    QTest.mouseDClick(panel.list.viewport(), Qt.MouseButton.LeftButton, pos=chip(panel, "apple1", "clean"))
    QTest.keyClick(panel.list, Qt.Key.Key_Delete)
    assert not panel.list._field.isVisible()
    assert not edits(said)
    assert not panel.summary.edit.isEnabled()


def test_huge(qtbot: QtBot) -> None:
    many = tuple(StateEntry(f"thing{k}", f"thing_{k}", tuple(f"attribute_{n}_of_{k}" for n in range(12)), turn=3)
                 for k in range(400))
    panel, _, _ = shown(qtbot, told(StateDictionary(many, "and then " * 2000, 3)))
    assert panel.list.verticalScrollBar().maximum() > 10_000
    panel.list.verticalScrollBar().setValue(panel.list.verticalScrollBar().maximum())
    assert not panel.grab().isNull()
    for width in (200, 900):
        panel.resize(width, 300)
        assert all(p.rect.right() <= panel.list.viewport().width() for r in panel.list.rows() for p in r.pieces)


def test_edits_leave_the_rest_alone() -> None:
    entry = BOOK.entries[2]
    assert attribute_set(entry, "", "clean") is entry
    assert attribute_set(attribute_set(entry, "clean", ""), "", "clean").refused == ()
    assert attribute_set(entry, "", " very | odd \n ").attributes[-1] == "very odd"
    assert with_entry(BOOK, "apple1", None).entries == tuple(e for e in BOOK.entries if e.name != "apple1")
    assert with_summary(BOOK, "").summary_given is False


PAST = StateHistory((Deed("move", ("fridge_1",), True), Deed("pickup", ("mug_1",), False, "reach", "the mug is out of reach"),
                     Deed("pickup", ("apple_1",), True, source="plate_1")),
                    (PastSummary("Nothing yet.", 1, "the first look"), PastSummary("Look there!", 2),
                     PastSummary(BOOK.summary, 3, BOOK.because)))


@pytest.mark.parametrize("width", [160, 372, 800])
def test_h_shows_the_actions_so_far(qtbot: QtBot, width: int) -> None:
    panel, _, _ = shown(qtbot, worlds.Story().begin().tell(Shown(BOOK), Shown(PAST)).snapshot)
    panel.resize(width, 300)
    panel._deeds.trigger()
    assert panel.headline() == "3 actions · 1 failed"
    assert [panel.history.row_words(k) for k in range(panel.history.count())] == [
        "1 · move fridge 1 · success", "2 · pickup mug 1 · failure · the mug is out of reach",
        "3 · pickup apple 1 · success · from plate 1"]
    assert not panel.grab().isNull()
    panel._deeds.trigger()
    assert panel.list.isVisible()
    assert panel.headline() == "5 objects · 1 changed"


def test_earlier_summaries_are_read_and_only_the_present_one_is_written(qtbot: QtBot) -> None:
    story = worlds.Story().begin().tell(Shown(BOOK), Shown(PAST))
    panel, _, _ = shown(qtbot, story.snapshot)
    box = panel.summary
    assert (box.earlier.isEnabled(), box.later.isEnabled(), box.edit.isEnabled()) == (True, False, True)
    box.earlier.trigger()
    assert (box.heading.text, box.text.toPlainText()) == ("Summary 2 of 3 · turn 2 · yours", "Look there!")
    assert not box.edit.isEnabled()
    box.earlier.trigger()
    assert box.heading.text == "Summary 1 of 3 · turn 1 · the first look"
    assert not box.earlier.isEnabled()
    longer = replace(PAST, summaries=(*PAST.summaries, PastSummary("Found it.", 4, "the plan is used up")))
    panel.show_snapshot(story.tell(Shown(replace(BOOK, summary="Found it.")), Shown(longer)).snapshot)
    assert box.text.toPlainText() == "Found it.", "a new summary is shown when it is written"
    box.earlier.trigger()
    box.later.trigger()
    assert box.edit.isEnabled()
    box.edit.trigger()
    assert not box.earlier.isEnabled(), "what is being written is not replaced"


def test_the_history_is_shown_where_no_state_is_kept(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, worlds.Story().begin().tell(Shown(replace(PAST, summaries=()))).snapshot)
    assert panel.headline() == ""
    panel._deeds.trigger()
    assert panel.history.isVisible()
    assert not panel.summary.earlier.isEnabled()
