"""The program panel: what it waits for, a usual program, a huge one, and the operator's edits."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.planning.facets import LineState, Program, ProgramLine
from core.session.commands import Command, Edit
from core.session.events import Shown
from core.session.snapshot import Snapshot
from gui.control.context import Context
from gui.panels.program import ProgramPanel, with_text
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


def shown(qtbot: QtBot, now: Snapshot) -> tuple[ProgramPanel, Context, list[Command]]:
    context, said = worlds.context()
    panel = ProgramPanel(context)
    qtbot.addWidget(panel)
    panel.resize(420, 360)
    panel.show()
    panel.show_snapshot(now)
    return panel, context, said


def test_says_what_it_waits_for(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, Snapshot())
    assert not panel.code.isVisible()
    assert panel.headline() == ""
    assert not panel.tools()[0].isEnabled()


def test_lines_are_shown_and_described(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, snapshot(program()))
    assert panel.headline() == "line 11 of 12 · 1 failed · 1 skipped"
    described = panel.code.accessibleDescription()
    assert "under way: putin('apple', 'fridge') (looking for somewhere to put it)" in described
    assert "failed: else: open('fridge') (fridge 1 is running" in described
    panel.restyle()
    assert not panel.grab().isNull()


def test_the_line_under_way_stays_in_sight(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, snapshot(huge()))
    bar = panel.code.verticalScrollBar()
    assert 0 < bar.value() < bar.maximum()
    assert panel.code.line_at(0) < 300 < panel.code.line_at(panel.code.viewport().height() - 1)
    assert not panel.grab().isNull()


def test_the_same_program_is_not_drawn_again(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, snapshot(program()))
    now = snapshot(program(3))
    panel.show_snapshot(now)
    qtbot.waitUntil(lambda: panel.code.program.current == 3)
    before = panel.code.program
    panel.show_snapshot(now)
    assert panel.code.program is before


def test_an_edit_is_said_and_can_be_undone(qtbot: QtBot) -> None:
    panel, context, said = shown(qtbot, snapshot(program()))
    at = QPoint(120, round((panel.code._tops[11] + panel.code._tops[12]) / 2) - panel.code.verticalScrollBar().value())
    QTest.mouseDClick(panel.code.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert panel.editor.isVisible()
    assert panel.editor.field.textCursor().blockNumber() == 11
    panel.editor.field.insertPlainText("  # quietly")
    QTest.keyClick(panel.editor.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert panel.code.isVisible()
    (edit,) = said
    assert isinstance(edit, Edit)
    assert isinstance(edit.facet, Program)
    assert edit.facet.lines[11].text == "    close('fridge')  # quietly"
    assert edit.facet.lines[:11] == program().lines[:11]
    assert edit.why == "changed 1 line of the program"
    context.undo.undo()
    undone = said[1]
    assert isinstance(undone, Edit)
    assert isinstance(undone.facet, Program)
    assert undone.facet.text == program().text


def test_giving_up_says_nothing(qtbot: QtBot) -> None:
    panel, context, said = shown(qtbot, snapshot(program()))
    panel.edit()
    panel.editor.field.insertPlainText("nonsense")
    QTest.keyClick(panel.editor.field, Qt.Key.Key_Escape)
    assert panel.code.isVisible()
    assert not said
    assert not context.undo.canUndo()


def test_an_undo_leaves_a_program_alone_that_was_written_since(qtbot: QtBot) -> None:
    panel, context, said = shown(qtbot, snapshot(program()))
    panel.edit(0)
    panel.editor.field.insertPlainText("#")
    panel.editor.apply.click()
    panel.show_snapshot(snapshot(Program((ProgramLine("find('pear')"),), 0)))
    context.undo.undo()
    assert len(said) == 1


def test_the_past_is_not_edited(qtbot: QtBot) -> None:
    panel, context, _ = shown(qtbot, snapshot(program()))
    panel.edit()
    context.set_live(False)
    assert panel.code.isVisible()
    panel.edit()
    assert panel.code.isVisible()
    assert not panel.tools()[0].isEnabled()


def test_an_edit_above_the_line_under_way_goes_back_to_it() -> None:
    edited = with_text(program(), program().text.replace("grab('apple')", "grab('pear')"))
    assert edited.current == 3
    assert edited.lines[2].state == "done"
    assert edited.lines[3] == ProgramLine("    grab('pear')")
