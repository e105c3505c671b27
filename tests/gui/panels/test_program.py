"""The program panel: the view of a program, a huge one, and the operator's edits of its text."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.planning.facets import LineState, Program, ProgramLine
from core.session.commands import Command, Edit
from core.session.events import Shown
from core.session.snapshot import Snapshot
from gui.control.context import Context
from gui.panels.registry import make_panel
from gui.panels.view_panel import ViewPanel
from gui.views.item_rows import ItemRows, ItemsView
from gui.views.text_editor import TextEditor
from tests.gui.panels import worlds

LINES: tuple[tuple[str, LineState, str], ...] = (
    ("def put_one_apple_inside_the_fridge():", "plain", ""),
    ("    # take the apple", "plain", ""),
    ("    find('apple')", "done", ""),
    ("    grab('apple')", "done", ""),
    ("    # put the apple inside the fridge", "plain", ""),
    ("    find('fridge')", "done", ""),
    ("    assert('close' to 'fridge')", "done", "holds"),
    ("        else: find('fridge')", "skipped", "not needed"),
    ("    assert('fridge' is 'opened')", "done", "does not hold"),
    ("        else: open('fridge')", "failed", "fridge 1 is running: switch it off first, then open it again"),
    ("    putin('apple', 'fridge')", "waiting", "looking for somewhere to put it"),
    ("    close('fridge')", "waiting", ""),
)


def program(current: int = 10) -> Program:
    return Program(tuple(ProgramLine(*line) for line in LINES), current)


def huge() -> Program:
    text = "    find('a thing with a rather long name, number {}')"
    return Program(tuple(ProgramLine(text.format(k), "done" if k < 300 else "waiting") for k in range(400)), 300)


def snapshot(shown: Program) -> Snapshot:
    return worlds.Story().begin().tell(Shown(shown)).snapshot


def shown(qtbot: QtBot, now: Snapshot) -> tuple[ViewPanel, Context, list[Command]]:
    context, said = worlds.context()
    panel = make_panel("program", context)
    assert isinstance(panel, ViewPanel)
    qtbot.addWidget(panel)
    panel.resize(420, 420)
    panel.show()
    panel.show_snapshot(now)
    return panel, context, said


def rows(panel: ViewPanel) -> ItemRows:
    assert isinstance(panel.shown, ItemsView)
    return panel.shown.rows


def editor(panel: ViewPanel) -> TextEditor:
    assert panel.editor is not None
    return panel.editor


def sent(command: Command) -> Program:
    assert isinstance(command, Edit)
    assert isinstance(command.facet, Program)
    return command.facet


def test_says_what_it_waits_for(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, Snapshot())
    assert panel.shown is None
    assert (panel.headline(), list(panel.offers())) == ("", [])


def test_lines_are_shown_and_described(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, snapshot(program()))
    assert panel.headline() == "line 11 of 12 · 1 failed · 1 skipped"
    assert rows(panel).row_words(10) == "line 11: putin('apple', 'fridge') · now · looking for somewhere to put it"
    assert rows(panel).row_words(9).startswith("line 10: else: open('fridge') · failed · fridge 1 is running")
    high = rows(panel).row_height()
    assert [k for k in range(12) if rows(panel).rowHeight(k) > high] == [9], "a note that has no room beside its line"
    panel.resize(900, 420)
    assert [k for k in range(12) if rows(panel).rowHeight(k) > high] == []
    panel.restyle()
    assert not panel.grab().isNull()


def test_the_line_under_way_stays_in_sight(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, snapshot(huge()))
    found = rows(panel)
    assert found.rowAt(0) < 300 < found.rowAt(found.viewport().height() - 1)
    assert not panel.grab().isNull()


def test_an_edit_begins_in_its_line_and_can_be_undone(qtbot: QtBot) -> None:
    panel, context, said = shown(qtbot, snapshot(program()))
    at = QPoint(120, rows(panel).visualRect(rows(panel).model().index(11, 0)).center().y())
    QTest.mouseClick(rows(panel).viewport(), Qt.MouseButton.LeftButton, pos=at)
    QTest.mouseDClick(rows(panel).viewport(), Qt.MouseButton.LeftButton, pos=at)
    field = editor(panel).field
    assert field.textCursor().blockNumber() == 11
    field.insertPlainText("  # quietly")
    QTest.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert panel.editor is None
    assert rows(panel).isVisible()
    assert sent(said[-1]).lines[11].text == "    close('fridge')  # quietly"
    assert sent(said[-1]).lines[:11] == program().lines[:11]
    last = ProgramLine("    close('fridge')  # quietly")
    further = Program((*sent(said[-1]).lines[:10], ProgramLine(LINES[10][0], "done"), last), 11)
    panel.show_snapshot(snapshot(further))
    context.undo.undo()
    assert (sent(said[-1]).text, sent(said[-1]).lines[:11]) == (program().text, further.lines[:11]), "it went on meanwhile"


def test_what_is_written_for_one_run_is_not_put_into_the_next(qtbot: QtBot) -> None:
    panel, _, said = shown(qtbot, snapshot(program()))
    panel.offers()[0].run()
    editor(panel).field.insertPlainText("nonsense")
    panel.receive(snapshot(program(3)))  # of another run
    assert panel.editor is None
    assert not said
    assert rows(panel).isVisible()


def test_a_key_begins_where_the_program_is(qtbot: QtBot) -> None:
    panel, context, said = shown(qtbot, snapshot(program()))
    assert "Edit the program" in [offer.title for offer in panel.offers()]
    QTest.keyClick(rows(panel), Qt.Key.Key_E)
    assert editor(panel).field.textCursor().blockNumber() == 10
    editor(panel).field.insertPlainText("nonsense")
    QTest.keyClick(editor(panel).field, Qt.Key.Key_Escape)
    assert rows(panel).isVisible()
    panel.offers()[0].run()
    editor(panel).apply.click()
    assert (said, context.undo.canUndo()) == ([], False), "nothing was changed"


def test_an_undo_leaves_a_program_alone_that_was_written_since(qtbot: QtBot) -> None:
    panel, context, said = shown(qtbot, snapshot(program()))
    panel.offers()[0].run()
    editor(panel).field.insertPlainText("\n    wait()")
    editor(panel).apply.click()
    panel.show_snapshot(snapshot(Program((ProgramLine("find('pear')"),), 0)))
    context.undo.undo()
    assert len(said) == 1


def test_the_past_is_not_edited(qtbot: QtBot) -> None:
    panel, context, _ = shown(qtbot, snapshot(program()))
    panel.offers()[0].run()
    context.set_live(False)
    assert panel.editor is None
    assert list(panel.offers()) == []
    QTest.keyClick(rows(panel), Qt.Key.Key_E)
    assert panel.editor is None
    assert panel.offer.isVisible()


def test_an_edit_above_the_line_under_way_goes_back_to_it() -> None:
    edited = program().edited((), "rewrite", program().text.replace("grab('apple')", "grab('pear')"))
    assert edited.current == 3
    assert edited.lines[2].state == "done"
    assert edited.lines[3] == ProgramLine("    grab('pear')")
    assert program().edited((), "rewrite", program().text + "\n") == program()
