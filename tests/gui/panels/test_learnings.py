"""The learnings: lines, their edits in the panel that is made from their view, and undo."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.common.errors import UsageError
from core.planners.neoplanner.memory import checked
from core.planners.neoplanner.recorded_types import LONGEST_LINE, Axiom, Learnings
from core.session.commands import Command, Edit
from core.session.snapshot import Snapshot
from core.views.addresses import addresses_of
from core.views.changes import carried
from gui.control.context import Context
from gui.panels.registry import panel_class
from gui.panels.view_panel import ViewPanel
from gui.views.edit_strip import WriteForm
from gui.views.item_rows import ItemsView
from tests.gui.panels import graphs, worlds
from tests.gui.panels import searches as s


def shown(qtbot: QtBot, snapshot: Snapshot) -> tuple[ViewPanel, Context, list[Command]]:
    context, said = worlds.context()
    panel = panel_class("learnings")(context)
    assert isinstance(panel, ViewPanel)
    qtbot.addWidget(panel)
    panel.resize(420, 380)
    panel.show()
    panel.receive(snapshot)
    return panel, context, said


def rows_of(panel: ViewPanel) -> ItemsView:
    assert isinstance(panel.shown, ItemsView)
    return panel.shown


def write(panel: ViewPanel, name: str, text: str) -> None:
    """Writes a text into the form of an edit and presses Enter."""
    form = panel.strip.form(name) or panel.sources[0].own.form(name)
    assert isinstance(form, WriteForm)
    form.field.setFocus()
    form.field.selectAll()
    QTest.keyClicks(form.field, text)
    QTest.keyClick(form.field, Qt.Key.Key_Return)


def newest(said: list[Command]) -> Learnings:
    assert isinstance(said[-1], Edit)
    assert isinstance(said[-1].facet, Learnings)
    return said[-1].facet


def texts(said: list[Command]) -> list[str]:
    return [axiom.text for axiom in newest(said).axioms]


def test_a_line_can_be_added_before_any_was_learnt(qtbot: QtBot) -> None:
    panel, _, said = shown(qtbot, s.snapshot())
    assert panel.headline() == ""
    assert panel.sources[0].own.isHidden(), "there is no planner to tell"
    panel, _, said = shown(qtbot, s.snapshot(Learnings(())))
    write(panel, "add", "stove heats water")
    assert texts(said) == ["stove heats water"]
    form = panel.sources[0].own.form("add")
    assert isinstance(form, WriteForm)
    assert form.field.text() == "", "the next line can be written"
    write(panel, "add", "stove heats water")
    assert len(said) == 1
    assert "there already" in panel.sources[0].own.trouble.text()


def test_lines_with_their_authors(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, s.snapshot(graphs.learnings()))
    assert panel.headline() == "4 lines · after 3 episodes · 2 yours · 1 pinned · 1 deleted"
    [first, *_] = graphs.learnings().view().items
    assert [mark.word for mark in first.marks] == ["pinned", "by the operator"]


def test_edits_are_told_and_can_be_undone(qtbot: QtBot) -> None:
    panel, context, said = shown(qtbot, s.snapshot(graphs.learnings()))
    rows = rows_of(panel).rows
    rows.choose(1, tell=True)
    rows.setFocus()
    QTest.keyClick(rows, Qt.Key.Key_P)
    assert isinstance(said[-1], Edit)
    assert said[-1].why == "Pin: sink gives water"
    write(panel, "change", "sink gives cold water")
    assert texts(said)[1] == "sink gives cold water"
    rows.choose(1, tell=True)
    rows.setFocus()
    QTest.keyClick(rows, Qt.Key.Key_Delete)
    assert "sink gives cold water" not in texts(said)
    for expected in ("sink gives cold water", "sink gives water", "sink gives water"):
        context.undo.undo()
        assert expected in texts(said)
    assert set(newest(said).axioms) == set(graphs.learnings().axioms)
    context.undo.redo()
    assert Axiom("sink gives water", True, "operator", 1) in newest(said).axioms


def test_the_past_cannot_be_edited(qtbot: QtBot) -> None:
    panel, context, said = shown(qtbot, s.snapshot(graphs.learnings()))
    context.set_live(False)
    rows = rows_of(panel).rows
    rows.choose(0, tell=True)
    rows.setFocus()
    QTest.keyClick(rows, Qt.Key.Key_Delete)
    assert said == []
    assert panel.sources[0].own.isHidden()
    assert panel.strip.isHidden()


LINES = st.lists(st.text("abc ", min_size=1, max_size=6).map(str.strip).filter(bool), unique=True, max_size=6)
KINDS = st.sampled_from(["pin", "delete", "change", "add"])
ACTS = st.lists(st.tuples(KINDS, st.integers(0, 5), st.text("abc \n", max_size=8)), max_size=8)


def acted(now: Learnings, act: str, number: int, words: str) -> Learnings:
    """Returns the learnings after an edit of one line, as they were if it is refused."""
    address = addresses_of(now.view())[number % len(now.axioms)] if now.axioms and act != "add" else ()
    try:
        return now.edited(address, act, words if act in ("add", "change") else None)
    except UsageError:
        return now


@given(LINES, ACTS)
def test_whatever_is_done_the_planner_takes_it_and_undoing_gives_the_lines_back(lines: list[str],
                                                                               acts: list[tuple[str, int, str]]) -> None:
    now = Learnings(tuple(Axiom(t) for t in lines))
    for act, number, words in acts:
        after = acted(now, act, number, words)
        checked(after)
        back = carried(after, after, now)
        checked(back)
        assert set(back.axioms) == set(now.axioms)
        now = after


def test_what_the_model_wrote_since_stays_when_an_edit_is_undone() -> None:
    before = graphs.learnings()
    after = acted(before, "delete", [a.text for a in before.axioms].index("sink gives water"), "")
    newer = Learnings((*after.axioms, Axiom("the model goes on", episode=4)), after.struck, 4)
    back = carried(newer, after, before)
    assert {a.text for a in back.axioms} == {a.text for a in before.axioms} | {"the model goes on"}
    assert back.struck == before.struck


@pytest.mark.parametrize("words", ["", "  ", "x" * (LONGEST_LINE + 1), "thermometer is in kitchen"])
def test_what_is_no_line_is_refused(words: str) -> None:
    now = graphs.learnings()
    for address, edit in (((), "add"), (addresses_of(now.view())[1], "change")):
        with pytest.raises(UsageError, match="line"):
            now.edited(address, edit, words)
