"""The candidates, a section of the tree's view: what the operator does with them, and undoing."""

from __future__ import annotations

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from core.planners.bcr.recorded_types import BlockingTree
from core.session.commands import Command, Edit
from core.world.vocabulary import Action
from tests.gui.panels import blockings as b
from tests.gui.panels import searches, viewed


def states(said: list[Command]) -> dict[str, str]:
    """What the last edit makes of each leaf, by its words."""
    last = [c.facet for c in said if isinstance(c, Edit) and isinstance(c.facet, BlockingTree)][-1]
    return {n.text: n.state for n in last.nodes if n.kind == "action"}


def test_the_panel_shows_the_section_of_the_candidates_alone(qtbot: QtBot) -> None:
    panel, _, _ = viewed.shown(qtbot, "candidates", searches.snapshot(b.tree(chosen=2)))
    assert panel.headline() == "for the apple in view"
    assert viewed.words_in(panel)[:2] == ["open the cabinet 3 · chosen · may lead to the apple in view",
                                          "open the fridge 1 · may lead to the apple in view"]
    assert len(viewed.words_in(panel)) == 5


def test_enter_previews_e_chooses_x_bans_and_undo_takes_it_back(qtbot: QtBot) -> None:
    panel, context, said = viewed.shown(qtbot, "candidates", searches.snapshot(b.tree()))
    asked: list[tuple[Action, ...]] = []
    context.selection.asked_actions.connect(asked.append)
    viewed.choose(panel, "open the cabinet 3")
    assert context.selection.now is not None
    assert context.selection.now.action == b.action("open", "cabinet_3")
    viewed.press(panel, Qt.Key.Key_Return)
    assert asked == [(b.action("open", "cabinet_3"),)]
    assert said == [], "the robot is sent by the override card only"
    next(offer for offer in panel.offers() if offer.key == "E").run()
    assert states(said)["open the cabinet 3"] == "chosen"
    assert states(said)["open the fridge 1"] == "candidate"
    assert viewed.words_in(panel)[0].startswith("open the cabinet 3 · chosen · by the operator")
    viewed.press(panel, Qt.Key.Key_X)
    assert states(said)["open the cabinet 3"] == "banned"
    assert "banned" in viewed.words_in(panel)[4]
    context.undo.undo()
    assert states(said)["open the cabinet 3"] != "banned"


def test_nothing_is_said_in_the_past(qtbot: QtBot) -> None:
    panel, context, said = viewed.shown(qtbot, "candidates", searches.snapshot(b.tree()))
    context.set_live(False)
    viewed.choose(panel, "open the cabinet 2")
    viewed.press(panel, Qt.Key.Key_Return)
    viewed.press(panel, Qt.Key.Key_X)
    assert not said


def test_a_huge_tree_is_listed_whole(qtbot: QtBot) -> None:
    panel, _, _ = viewed.shown(qtbot, "candidates", searches.snapshot(b.huge()))
    assert len(viewed.words_in(panel)) == 5005
    assert "chosen" in viewed.words_in(panel)[0]
