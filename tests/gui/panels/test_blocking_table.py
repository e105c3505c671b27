"""The panel of BCR's table, which is made from its view: edits that can be undone, files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from core.planners.bcr.recorded_types import BlockingTable, TableRow
from core.session.commands import Command, Edit
from core.session.snapshot import Snapshot
from gui.panels.view_panel import FilePanel, ViewPanel
from tests.core.planners.bcr.test_views import TABLE
from tests.gui.panels import searches as s
from tests.gui.panels import viewed

NAME = "blocking_table"


def files(panel: ViewPanel) -> FilePanel:
    assert isinstance(panel, FilePanel)
    return panel


def tables(said: list[Command]) -> list[BlockingTable]:
    return [command.facet for command in said if isinstance(command, Edit) and isinstance(command.facet, BlockingTable)]


def test_says_what_it_waits_for(qtbot: QtBot) -> None:
    panel, _, _ = viewed.shown(qtbot, NAME, Snapshot())
    assert panel.shown is None
    assert panel.headline() == ""
    assert panel.offers() == ()
    assert not any(tool.isEnabled() for tool in panel.tools()[:2]), "there is nothing to save"


def test_entries_are_put_in_force_and_can_be_undone(qtbot: QtBot) -> None:
    panel, context, said = viewed.shown(qtbot, NAME, s.snapshot(TABLE))
    viewed.choose(panel, "put in X, Y")
    viewed.write(panel, "blocks", " open  1 , held 0,")
    viewed.choose(panel, "Y is closed")
    viewed.write(panel, "resolutions", "? open 0")
    first, second = tables(said)
    assert first.blocked_by[0] == TableRow("put_in", ("open 1", "held 0"))
    assert second == replace(first, resolved_by=(TABLE.resolved_by[0], TableRow("open", ("? open 0",)), *TABLE.resolved_by[2:]))
    assert viewed.words_in(panel)[1] == "Y is closed · resolved by ? open Y", "shown before it is answered"
    assert context.undo.undoText() == "“open” is resolved by: Y is closed → ? open 0"
    context.undo.undo()
    context.undo.undo()
    assert tables(said)[2:] == [first, TABLE]


def test_what_cannot_be_used_is_said_and_not_posted(qtbot: QtBot) -> None:
    panel, _, said = viewed.shown(qtbot, NAME, s.snapshot(TABLE))
    viewed.choose(panel, "Y is closed")
    viewed.write(panel, "resolutions", "opeen 0")
    assert "opeen 0" in panel.strip.trouble.text()
    assert panel.strip.trouble.isVisible()
    viewed.write(panel, "resolutions", "open 0, ? come closer 0")
    assert not said, "these are in force already"
    viewed.choose(panel, "slice X")
    assert not panel.strip.trouble.isVisible()


def test_a_condition_without_resolutions_gets_a_row_and_loses_it_again(qtbot: QtBot) -> None:
    panel, context, said = viewed.shown(qtbot, NAME, s.snapshot(TABLE))
    viewed.choose(panel, "there is no room for X at Y")
    viewed.write(panel, "resolutions", "grab 0")
    assert tables(said)[0].resolved_by[-1] == TableRow("room", ("grab 0",))
    context.undo.undo()
    assert tables(said)[1] == TABLE


def test_the_past_cannot_be_edited(qtbot: QtBot) -> None:
    panel, context, said = viewed.shown(qtbot, NAME, s.snapshot(TABLE))
    viewed.choose(panel, "Y is closed")
    context.set_live(False)
    assert panel.strip.isHidden()
    assert [tool.isEnabled() for tool in panel.tools()[:2]] == [False, True], "it can be saved, but not loaded"
    files(panel).load("nowhere.json")
    assert not said


def test_a_table_is_saved_and_loaded_as_one_edit(qtbot: QtBot, tmp_path: Path) -> None:
    panel, context, said = viewed.shown(qtbot, NAME, s.snapshot(TABLE))
    mine = TABLE.edited(("put_in", "held 0"), "resolutions", "")
    (tmp_path / "mine.json").write_text(mine.file_text(), "utf-8")
    files(panel).load(str(tmp_path / "mine.json"))
    files(panel).save(str(tmp_path / "again.json"))
    assert tables(said) == [mine]
    assert (tmp_path / "again.json").read_text("utf-8") == mine.file_text()
    assert context.undo.undoText() == "blocking table from mine.json"
    context.undo.undo()
    assert tables(said)[1] == TABLE


@pytest.mark.parametrize("text", ["", "[]", '{"kind": "bcr table", "version": 1, "blocked_by": {"grab": ["near 3"]}}'])
def test_a_damaged_file_and_a_full_disk_are_said_in_one_line(qtbot: QtBot, tmp_path: Path, text: str) -> None:
    panel, _, said = viewed.shown(qtbot, NAME, s.snapshot(TABLE))
    (tmp_path / "bad.json").write_text(text, "utf-8")
    files(panel).load(str(tmp_path / "bad.json"))
    assert "bad.json" in panel.strip.trouble.text()
    assert panel.strip.trouble.isVisible()
    files(panel).save(str(tmp_path / "no such folder" / "a.json"))
    assert "cannot write" in panel.strip.trouble.text()
    assert not said
