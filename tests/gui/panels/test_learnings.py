"""The learnings panel: lines, edits, undo."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.planners.neoplanner.memory import checked
from core.planners.neoplanner.recorded_types import Axiom, Learnings
from core.session.commands import Command, Edit
from core.session.snapshot import Snapshot
from gui.control.context import Context
from gui.panels import learnings
from gui.panels.learnings import LearningsPanel
from tests.gui.panels import graphs, worlds
from tests.gui.panels import searches as s


def shown(qtbot: QtBot, snapshot: Snapshot) -> tuple[LearningsPanel, Context, list[Command]]:
    context, said = worlds.context()
    panel = LearningsPanel(context)
    qtbot.addWidget(panel)
    panel.resize(420, 380)
    panel.show()
    panel.show_snapshot(snapshot)
    panel.restyle()
    return panel, context, said


def texts(said: list[Command]) -> list[str]:
    assert isinstance(said[-1], Edit)
    assert isinstance(said[-1].facet, Learnings)
    return [a.text for a in said[-1].facet.axioms]


def edited(said: list[Command]) -> set[Axiom]:
    assert isinstance(said[-1], Edit)
    assert isinstance(said[-1].facet, Learnings)
    return set(said[-1].facet.axioms)


def test_says_what_it_waits_for(qtbot: QtBot) -> None:
    panel, _, said = shown(qtbot, s.snapshot())
    assert not panel.rows.isVisible()
    assert panel.headline() == ""
    assert not panel.strip.field.isEnabled(), "there is no planner to tell"
    panel.grab()
    panel, _, said = shown(qtbot, s.snapshot(Learnings(())))
    QTest.keyClicks(panel.strip.field, "stove heats water")
    QTest.keyClick(panel.strip.field, Qt.Key.Key_Return)
    assert texts(said) == ["stove heats water"]


def test_lines_with_their_authors(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, s.snapshot(graphs.learnings()))
    assert panel.headline() == "4 lines · after 3 episodes · 2 yours · 1 pinned · 1 deleted"
    assert panel.rows.model().index(0, 0).data() == "thermometer is in kitchen · operator · pinned"
    assert not panel.grab().isNull()


def test_edits_are_told_and_can_be_undone(qtbot: QtBot) -> None:
    panel, context, said = shown(qtbot, s.snapshot(graphs.learnings()))
    QTest.mouseClick(panel.rows.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(100, 34))
    QTest.keyClick(panel.rows, Qt.Key.Key_P)
    assert isinstance(said[-1], Edit)
    assert said[-1].why == "pin “sink gives water”"
    QTest.keyClick(panel.rows, Qt.Key.Key_E)
    assert panel.strip.field.text() == "sink gives water"
    QTest.keyClicks(panel.strip.field, "sink gives cold water")
    QTest.keyClick(panel.strip.field, Qt.Key.Key_Return)
    assert texts(said)[1] == "sink gives cold water"
    QTest.keyClick(panel.rows, Qt.Key.Key_Delete)
    assert "sink gives cold water" not in texts(said)
    assert panel.rows.model().rowCount() == 3
    for expected in ("sink gives cold water", "sink gives water", "sink gives water"):
        context.undo.undo()
        assert expected in texts(said)
    assert edited(said) == set(graphs.learnings().axioms)
    context.undo.redo()
    assert Axiom("sink gives water", True, "operator", 1) in edited(said)


def test_the_past_cannot_be_edited(qtbot: QtBot) -> None:
    panel, context, said = shown(qtbot, s.snapshot(graphs.learnings()))
    context.set_live(False)
    panel.rows.choose(0)
    QTest.keyClick(panel.rows, Qt.Key.Key_Delete)
    assert said == []
    assert not panel.strip.field.isEnabled()


def test_finding_shows_only_what_has_the_words(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, s.snapshot(graphs.learnings(50)))
    panel.tools()[0].trigger()
    QTest.keyClicks(panel.query, "room 17")
    assert panel.rows.count() == 1
    QTest.keyClick(panel.query, Qt.Key.Key_Escape)
    assert panel.rows.count() == 50


def test_huge(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, s.snapshot(graphs.learnings(5000)))
    assert panel.headline().startswith("5,000 lines")
    assert panel.rows.verticalScrollBar().maximum() > 0
    assert not panel.grab().isNull()


LINES = st.lists(st.text("abc ", min_size=1, max_size=6).map(str.strip).filter(bool), unique=True, max_size=6)
KINDS = st.sampled_from(["pin", "delete", "change", "add"])
ACTS = st.lists(st.tuples(KINDS, st.integers(0, 5), st.text("abc \n", max_size=8)), max_size=8)


def acted(now: Learnings, act: str, text: str, words: str) -> Learnings:
    match act:
        case "pin":
            return learnings.pinned(now, text, True)
        case "delete":
            return learnings.deleted(now, text)
        case "change":
            return learnings.rewritten(now, text, words)
        case _:
            return learnings.added(now, words)


@given(LINES, ACTS)
def test_whatever_is_done_the_planner_takes_it_and_undoing_gives_the_lines_back(lines: list[str],
                                                                               acts: list[tuple[str, int, str]]) -> None:
    now = Learnings(tuple(Axiom(t) for t in lines))
    for act, number, words in acts:
        text = now.axioms[number % len(now.axioms)].text if now.axioms else "none"
        after = acted(now, act, text, words)
        checked(after)
        back = learnings.undone(after, now, after)
        checked(back)
        assert sorted(a.text for a in back.axioms) == sorted(a.text for a in now.axioms)
        assert set(back.axioms) == set(now.axioms)
        now = after


def test_what_the_model_wrote_since_stays_when_an_edit_is_undone() -> None:
    before = graphs.learnings()
    after = learnings.deleted(before, "sink gives water")
    newer = Learnings((*after.axioms, Axiom("the model goes on", episode=4)), after.struck, 4)
    back = learnings.undone(newer, before, after)
    assert {a.text for a in back.axioms} == {a.text for a in before.axioms} | {"the model goes on"}
    assert back.struck == before.struck


@pytest.mark.parametrize("words", ["", "  ", "x" * 601, "thermometer is in kitchen"])
def test_what_is_no_line_changes_nothing(words: str) -> None:
    now = graphs.learnings()
    assert learnings.added(now, words) is now
    assert learnings.rewritten(now, "sink gives water", words) is now
