"""The candidates panel: what is listed, why, and the operator's acts with their undoing."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.common.shared_list import SharedList
from core.planners.bcr.recorded_types import BlockingTree
from core.session.commands import Command, Edit
from core.session.snapshot import Snapshot
from core.session.turns import Turn
from core.world.vocabulary import AgentState, Done, Observation, Outcome
from gui.control.context import Context
from gui.panels.candidates import CandidatesPanel, candidates_of, wanted
from tests.gui.panels import blockings as b
from tests.gui.panels import searches, worlds


def shown(qtbot: QtBot, snapshot: Snapshot) -> tuple[CandidatesPanel, Context, list[Command]]:
    context, said = worlds.context()
    panel = CandidatesPanel(context)
    qtbot.addWidget(panel)
    panel.resize(332, 357)
    panel.show()
    panel.show_snapshot(snapshot)
    panel.redraw()
    return panel, context, said


def states(said: list[Command]) -> dict[str, str]:
    """What the last edit makes of each leaf, by its words."""
    last = [c.facet for c in said if isinstance(c, Edit) and isinstance(c.facet, BlockingTree)][-1]
    return {n.text: n.state for n in last.nodes if n.kind == "action"}


def test_the_chosen_one_is_first_and_each_says_why_it_is_there(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, searches.snapshot(b.tree(chosen=2)))
    assert panel.headline() == "for the apple in view"
    assert [panel.rows.row_words(k) for k in range(3)] == [
        "open the cabinet 3: chosen", "open the fridge 1: may lead to the apple in view",
        "open the cabinet 2: may lead to the apple in view"]
    assert panel.rows.row_words(panel.rows.count() - 1) == "5 candidates"
    assert not panel.grab().isNull()


def test_what_was_tried_says_when() -> None:
    seen = Observation(AgentState("kitchen_1"), (), ())
    done = Outcome(b.action("open", "cabinet_2"), True, "", seen)
    turns = SharedList([Turn(3, 0, 0.0, seen.agent, outcome=Done.of(done)), Turn(4, 1, 0.0, seen.agent, outcome=Done.of(done))])
    listed = candidates_of(b.tree(), replace(searches.snapshot(b.tree()), turns=turns))
    assert {c.node.text: c.note for c in listed}["open the cabinet 2"] == "tried in turn 3"


def test_without_leaves_nothing_is_wanted() -> None:
    bare = BlockingTree(b.nodes()[:2])
    assert candidates_of(bare, Snapshot()) == ()
    assert wanted(bare) == ""


def test_enter_previews_e_chooses_x_bans_and_undo_takes_it_back(qtbot: QtBot) -> None:
    panel, context, said = shown(qtbot, searches.snapshot(b.tree()))
    asked: list[object] = []
    context.selection.asked_actions.connect(asked.append)
    panel.rows.choose(2, tell=True)
    assert context.selection.now is not None
    assert context.selection.now.action == b.action("open", "cabinet_3")
    QTest.keyClick(panel.rows, Qt.Key.Key_Return)
    assert asked == [(b.action("open", "cabinet_3"),)]
    assert said == [], "the robot is sent by the override card only"
    next(offer for offer in panel.offers() if offer.key == "E").run()
    assert states(said)["open the cabinet 3"] == "chosen"
    assert states(said)["open the fridge 1"] == "candidate"
    assert panel.rows.row_words(0) == "open the cabinet 3: your choice"
    QTest.keyClick(panel.rows, Qt.Key.Key_X)
    assert states(said)["open the cabinet 3"] == "banned"
    assert "banned" in panel.rows.row_words(4)
    context.undo.undo()
    assert states(said)["open the cabinet 3"] != "banned"


def test_nothing_is_said_in_the_past(qtbot: QtBot) -> None:
    panel, context, said = shown(qtbot, searches.snapshot(b.tree()))
    context.set_live(False)
    panel.rows.choose(1, tell=True)
    QTest.keyClick(panel.rows, Qt.Key.Key_Return)
    QTest.keyClick(panel.rows, Qt.Key.Key_X)
    assert not said


def test_a_huge_tree_is_listed_whole(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, searches.snapshot(b.huge()))
    assert panel.rows.count() == 5006
    assert panel.rows.row_words(0).endswith(": chosen")
    assert not panel.grab().isNull()
