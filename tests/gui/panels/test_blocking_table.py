"""The panel of BCR's table: lines in words, edits that can be undone, files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from core.planners.bcr.recorded_types import ActionWords, BlockingTable, ConditionWords, TableRow
from core.session.commands import Command, Edit
from core.session.snapshot import Snapshot
from gui.control.context import Context
from gui.panels.blocking_table import BlockingTablePanel, lines_of, with_entries
from gui.theme import theme_named
from tests.gui.panels import searches as s
from tests.gui.panels import worlds

TABLE = BlockingTable(
    (TableRow("put_in", ("held 0", "open 1", "room 0 1")), TableRow("slice", ("held ?cuts",)), TableRow("walk", ())),
    (TableRow("held", ("grab 0",)), TableRow("open", ("open 0", "? come closer 0")), TableRow("inside", ("put_in 0 1",))),
    (ConditionWords("held", 1, "{0} is not in the hand"), ConditionWords("open", 1, "{0} is closed"),
     ConditionWords("room", 2, "there is no room for {0} at {1}"), ConditionWords("inside", 2, "{0} is not inside {1}"),
     ConditionWords("odd", 1, "{0.__class__} {2} {x}")),
    (ActionWords("put_in", 2), ActionWords("slice", 1), ActionWords("walk", 1), ActionWords("grab", 1), ActionWords("open", 1),
     ActionWords("come closer", 1)))


def shown(qtbot: QtBot, snapshot: Snapshot, palette: str = "dark", width: int = 332) -> tuple[BlockingTablePanel, Context,
                                                                                             list[Command]]:
    said: list[Command] = []
    context = worlds.dressed(Context(theme_named(palette), said.append))
    panel = BlockingTablePanel(context)
    qtbot.addWidget(panel)
    panel.resize(width, 357)
    panel.show()
    panel.show_snapshot(snapshot)
    return panel, context, said


def choose(panel: BlockingTablePanel, verb: str, kind: str) -> None:
    at = next(k for k, line in enumerate(panel.rows.items) if (line.verb, line.kind) == (verb, kind))
    panel.rows.choose(at, tell=True)


def enter(panel: BlockingTablePanel, part: str, text: str) -> None:
    field = panel.editor.fields[part]  # type: ignore[index]
    field.setText(text)
    field.returnPressed.emit()


def tables(said: list[Command]) -> list[BlockingTable]:
    return [command.facet for command in said if isinstance(command, Edit) and isinstance(command.facet, BlockingTable)]


def test_says_what_it_waits_for(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, Snapshot())
    assert not panel.rows.isVisible()
    assert panel.headline() == ""
    assert panel.offers() == ()


@pytest.mark.parametrize("palette", ["dark", "light", "cvd"])
@pytest.mark.parametrize("width", [140, 332, 900])
def test_each_line_is_an_action_a_condition_and_what_resolves_it(qtbot: QtBot, palette: str, width: int) -> None:
    panel, _, _ = shown(qtbot, s.snapshot(TABLE), palette, width)
    assert panel.headline() == "3 actions · 3 conditions"
    assert [panel.rows.row_words(k) for k in range(panel.rows.count())] == [
        "put in X, Y → X is not in the hand → grab X", "put in X, Y → Y is closed → open Y, ? come closer Y",
        "put in X, Y → there is no room for X at Y",
        "slice X → something that cuts is not in the hand → grab something that cuts",
        "walk X → never blocked", "X is not inside Y → put in X, Y"]
    choose(panel, "put_in", "open")
    assert panel.editor.fields["blocked_by"].text() == "held 0, open 1, room 0 1"
    assert panel.editor.fields["resolved_by"].text() == "open 0, ? come closer 0"
    assert not panel.grab().isNull()


def test_odd_texts_of_a_recording_are_only_texts() -> None:
    odd = replace(TABLE, blocked_by=(TableRow("put_in", ("odd 0", "unknown 0", "held 7", "")),))
    assert [line.condition for line in lines_of(odd)][:2] == ["{0.__class__} {2} {x}", "unknown 0"]


def test_an_entry_is_put_in_force_and_can_be_undone(qtbot: QtBot) -> None:
    panel, context, said = shown(qtbot, s.snapshot(TABLE))
    choose(panel, "put_in", "open")
    enter(panel, "blocked_by", " open  1 , held 0,")
    enter(panel, "resolved_by", "? open 0")
    first, second = tables(said)
    assert first == with_entries(TABLE, "blocked_by", "put_in", ("open 1", "held 0"))
    assert second == with_entries(first, "resolved_by", "open", ("? open 0",))
    assert panel.rows.row_words(0) == "put in X, Y → Y is closed → ? open Y", "shown before it is answered"
    assert context.undo.undoText() == "open is resolved by ? open 0"
    context.undo.undo()
    context.undo.undo()
    assert tables(said)[2:] == [first, TABLE]


def test_what_cannot_be_used_is_said_and_not_posted(qtbot: QtBot) -> None:
    panel, _, said = shown(qtbot, s.snapshot(TABLE))
    choose(panel, "put_in", "open")
    enter(panel, "resolved_by", "opeen 0")
    assert "opeen 0" in panel.editor.trouble.text()
    assert panel.editor.trouble.isVisible()
    enter(panel, "resolved_by", "open 0, ? come closer 0")
    assert not said
    choose(panel, "put_in", "held")
    assert not panel.editor.trouble.isVisible()


def test_a_condition_without_resolutions_gets_a_row_and_loses_it_again(qtbot: QtBot) -> None:
    panel, context, said = shown(qtbot, s.snapshot(TABLE))
    choose(panel, "put_in", "room")
    assert panel.editor.fields["resolved_by"].text() == ""
    enter(panel, "resolved_by", "grab 0")
    assert tables(said)[0].resolved_by[-1] == TableRow("room", ("grab 0",))
    context.undo.undo()
    assert tables(said)[1] == TABLE


def test_the_past_cannot_be_edited(qtbot: QtBot) -> None:
    panel, context, said = shown(qtbot, s.snapshot(TABLE))
    choose(panel, "put_in", "open")
    context.set_live(False)
    assert not panel.editor.fields["resolved_by"].isEnabled()
    enter(panel, "resolved_by", "? open 0")
    panel.load("nowhere.json")
    assert not said


def test_a_table_is_saved_and_loaded_as_one_edit(qtbot: QtBot, tmp_path: Path) -> None:
    panel, context, said = shown(qtbot, s.snapshot(TABLE))
    mine = with_entries(TABLE, "resolved_by", "held", ())
    (tmp_path / "mine.json").write_text(mine.to_json(), "utf-8")
    panel.load(str(tmp_path / "mine.json"))
    panel.save(str(tmp_path / "again.json"))
    assert tables(said) == [mine]
    assert (tmp_path / "again.json").read_text("utf-8") == mine.to_json()
    assert context.undo.undoText() == "conditions from mine.json"
    context.undo.undo()
    assert tables(said)[1] == TABLE


@pytest.mark.parametrize("text", ["", "[]", '{"kind": "bcr table", "version": 1, "blocked_by": {"grab": ["near 3"]}}'])
def test_a_damaged_file_and_a_full_disk_are_said_in_one_line(qtbot: QtBot, tmp_path: Path, text: str) -> None:
    panel, _, said = shown(qtbot, s.snapshot(TABLE))
    (tmp_path / "bad.json").write_text(text, "utf-8")
    panel.load(str(tmp_path / "bad.json"))
    assert "bad.json" in panel.editor.trouble.text()
    assert panel.editor.trouble.isVisible()
    panel.save(str(tmp_path / "no such folder" / "a.json"))
    assert "cannot write" in panel.editor.trouble.text()
    assert not said
