"""The blocking tree panel: states, places, keys, and the operator's acts with their undoing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.planners.bcr.recorded_types import BlockingNode, BlockingTree
from core.session.commands import Command, Edit, ListActions
from core.session.events import ActionsListed
from core.session.snapshot import Snapshot
from core.world.vocabulary import ADMISSIBLE, Action
from gui.control.context import Context, Selected
from gui.panels.blocking.layout import FOLDED_FROM, MOST_ACROSS, lay_out
from gui.panels.blocking.panel import BlockingPanel
from gui.widgets.canvas import SMALLEST
from tests.gui.panels import blockings as b
from tests.gui.panels import searches, worlds


def shown(qtbot: QtBot, snapshot: Snapshot) -> tuple[BlockingPanel, Context, list[Command]]:
    context, said = worlds.context()
    panel = BlockingPanel(context)
    qtbot.addWidget(panel)
    panel.resize(1420, 260)
    panel.show()
    panel.show_snapshot(snapshot)
    panel.redraw()
    return panel, context, said


def node(tree: BlockingTree, text: str) -> BlockingNode:
    return next(n for n in tree.nodes if n.text == text)


def click(panel: BlockingPanel, node_id: int, *, twice: bool = False) -> None:
    act: Callable[..., None] = QTest.mouseDClick if twice else QTest.mouseClick
    x, y, width, height = panel.canvas.rect_of(panel.canvas.rect_layout.index(node_id)) or (0.0, 0.0, 0.0, 0.0)
    at = (QPointF(x + width / 2, y + height / 2) * panel.canvas.scale + panel.canvas._origin()).toPoint()
    act(panel.canvas.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)


def edits(said: list[Command]) -> list[BlockingTree]:
    return [c.facet for c in said if isinstance(c, Edit) and isinstance(c.facet, BlockingTree)]


def test_says_what_it_waits_for(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, searches.snapshot())
    assert not panel.canvas.isVisible()
    assert panel.headline() == ""
    panel.grab()


def test_shows_the_tree_its_live_branch_and_what_was_resolved(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, searches.snapshot(b.tree()))
    assert panel.headline() == "5 candidates for the apple in view · 1 loop broken"
    words = panel.canvas.accessibleDescription().split("; ")
    assert words[0] == "goal apple inside the fridge (open)"
    assert "action open the fridge 1 (chosen)" in words
    assert panel.resolved.isVisible()
    assert panel.resolved.row_words(0).startswith("the mug in the hand · by grab the mug · for put the mug")
    panel.grab()


def test_a_huge_tree_is_folded_around_what_is_chosen(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, searches.snapshot(b.huge()))
    items = panel.canvas.rect_layout.items
    assert len(items) < 30
    pill = next(k for k, item in enumerate(items) if item.hidden)
    assert items[pill].hidden == 5005 - (FOLDED_FROM - 1)
    assert any(item.node.state == "chosen" for item in items)
    panel.grab()
    panel.canvas.unfold.emit(pill)
    assert len(panel.canvas.rect_layout.items) == len(b.huge().nodes)
    panel.grab()


@pytest.mark.parametrize("tree", [b.tree(), b.huge(300)])
def test_nothing_lies_over_anything_else(tree: BlockingTree) -> None:
    for unfolded in (frozenset[int](), frozenset({9})):
        places = lay_out(tree, unfolded, 1.25)
        for k, (x, y, w, h) in enumerate(places.rects):
            assert [j for j in places.within(x + 1, y + 1, w - 2, h - 2) if j != k] == []
            parent = places.items[k].parent
            assert parent < 0 or places.rects[parent, 0] + places.rects[parent, 2] < x


def test_clicks_select_and_arrow_keys_go_along_the_branches(qtbot: QtBot) -> None:
    panel, context, _ = shown(qtbot, searches.snapshot(b.tree()))
    click(panel, 6)
    assert context.selection.now == Selected("action", action=Action("grab", ("apple",)))
    for key, expected in ((Qt.Key.Key_Right, None), (Qt.Key.Key_Right, None), (Qt.Key.Key_Right, Action("open", ("fridge_1",))),
                          (Qt.Key.Key_Down, Action("open", ("cabinet_2",)))):
        QTest.keyClick(panel.canvas, key)
        if expected is not None:
            assert context.selection.now == Selected("action", action=expected)
    context.selection.select(Selected("thing", "cabinet_3"))
    panel.grab()


def test_choosing_is_told_and_undone(qtbot: QtBot) -> None:
    panel, context, said = shown(qtbot, searches.snapshot(b.tree()))
    click(panel, 14, twice=True)
    made = edits(said)[-1]
    assert (node(made, "open the cabinet 3").state, node(made, "open the cabinet 3").by_operator) == ("chosen", True)
    assert node(made, "open the fridge 1").state == "candidate"
    context.undo.undo()
    assert node(edits(said)[-1], "open the cabinet 3").by_operator is False
    assert context.undo.undoText() == ""


def test_keys_ban_resolve_and_undo_brings_back(qtbot: QtBot) -> None:
    panel, context, said = shown(qtbot, searches.snapshot(b.tree()))
    click(panel, 12)
    QTest.keyClick(panel.canvas, Qt.Key.Key_X)
    assert node(edits(said)[-1], "open the cabinet 2").state == "banned"
    QTest.keyClick(panel.canvas, Qt.Key.Key_X)
    assert node(edits(said)[-1], "open the cabinet 2").state == "candidate"
    click(panel, 9)
    QTest.keyClick(panel.canvas, Qt.Key.Key_R)
    pair = [node(edits(said)[-1], text).state for text in ("the apple is not in view", "the apple in view")]
    assert pair == ["reached", "reached"]
    panel.grab()
    context.undo.undo()
    pair = [node(edits(said)[-1], text).state for text in ("the apple is not in view", "the apple in view")]
    assert pair == ["blocked", "open"]


def test_the_window_keeps_its_keys_but_for_those_of_the_chosen_node(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, searches.snapshot(b.tree()))
    claimed = panel.canvas.claims
    assert not claimed(Qt.Key.Key_R.value)
    click(panel, 9)
    assert claimed(Qt.Key.Key_R.value)
    assert not claimed(Qt.Key.Key_X.value)
    click(panel, 12)
    assert claimed(Qt.Key.Key_X.value)
    assert not claimed(Qt.Key.Key_R.value)


def test_a_resolution_is_typed_added_and_taken_out(qtbot: QtBot) -> None:
    panel, context, said = shown(qtbot, searches.snapshot(b.tree()))
    click(panel, 8)
    QTest.keyClick(panel.canvas, Qt.Key.Key_A)
    assert ListActions() in said
    listed = ActionsListed(((Action("walk", ("coffee_table_24",)), ADMISSIBLE),))
    panel.show_snapshot(replace(searches.snapshot(b.tree()), options=listed))
    panel.redraw()
    QTest.keyClicks(panel.adding.field, "dance")
    assert panel.adding.match.text == "no such action"
    panel.adding.field.clear()
    QTest.keyClicks(panel.adding.field, "go to coffee table")
    assert panel.adding.match.text == "walk to the coffee table · Enter adds it"
    QTest.keyClick(panel.adding.field, Qt.Key.Key_Return)
    new = edits(said)[-1].nodes[-1]
    assert (new.id, new.parent, new.action, new.by_operator) == (-2, 9, Action("walk", ("coffee_table_24",)), True)
    panel.grab()
    context.undo.undo()
    assert all(n.id >= 0 for n in edits(said)[-1].nodes)


def test_menus_offer_what_fits_and_nothing_in_the_past(qtbot: QtBot) -> None:
    panel, context, _ = shown(qtbot, searches.snapshot(b.tree()))

    def words(text: str) -> list[str]:
        return [a.text() for a in panel.node_menu(node(b.tree(), text)).actions()]

    assert words("open the cabinet 2") == ["Choose this next", "Ban it from the candidates"]
    assert words("the apple is not in view") == ["Mark as resolved", "Add a resolution …"]
    assert words("the fridge is closed") == ["Mark as unresolved", "Add a resolution …"]
    assert words("grab the apple") == []
    context.set_live(False)
    assert words("open the cabinet 2") == []


def test_an_edit_of_a_node_that_is_gone_is_dropped(qtbot: QtBot) -> None:
    panel, context, said = shown(qtbot, searches.snapshot(b.tree()))
    panel.edits.act(node(b.tree(), "open the cabinet 3"), "Return")
    panel.show_snapshot(searches.snapshot(BlockingTree(b.nodes()[:2])))
    panel.redraw()
    count = len(said)
    context.undo.undo()
    assert len(said) == count


def test_the_view_follows_until_it_is_dragged(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, searches.snapshot(b.tree()))
    follow = panel.tools()[-1]
    assert follow.isChecked()
    panel.canvas.moved.emit()
    assert not follow.isChecked()
    QTest.keyClick(panel.canvas, Qt.Key.Key_V)
    assert follow.isChecked()


def test_a_tree_uses_its_panel_and_grows_with_it(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, searches.snapshot(b.tree()))
    canvas = panel.canvas
    for width, height in ((1420, 260), (700, 260), (1900, 420)):
        panel.resize(width, height)
        qtbot.waitUntil(lambda: canvas.width() > 0.8 * panel.width() - 260)
        panel.redraw()
        wide, high = (side * canvas.scale for side in canvas.rect_layout.size)
        room = canvas.viewport().size()
        assert canvas.scale >= SMALLEST, "what is smaller cannot be read"
        spread = panel._spread[0] >= MOST_ACROSS or high >= 0.9 * room.height()
        assert wide >= 0.9 * room.width() or spread, "the tree leaves its panel empty"


def test_a_scale_the_operator_chose_stays(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, searches.snapshot(b.tree()))
    canvas = panel.canvas
    at = QPointF(100, 100)
    wheel = QWheelEvent(at, canvas.viewport().mapToGlobal(at), QPoint(), QPoint(0, 360), Qt.MouseButton.NoButton,
                        Qt.KeyboardModifier.ControlModifier, Qt.ScrollPhase.NoScrollPhase, False)
    canvas.wheelEvent(wheel)
    chosen = canvas.scale
    panel.resize(900, 400)
    panel.redraw()
    assert canvas.scale == chosen
    next(tool for tool in panel.tools() if tool.text() == "Fit").trigger()
    assert canvas.fitted
