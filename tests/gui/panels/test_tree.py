"""The search tree panel: folding, places, finding, and the operator's acts."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.planning.facets import Moment
from core.planning.search_facets import SearchTree
from core.session.breakpoints import Breakpoint
from core.session.commands import Command, SetBreakpoint
from core.session.snapshot import Snapshot
from gui.control.context import Context, Selected
from gui.panels.tree.explanation import NodeCard, evidence
from gui.panels.tree.layout import Folding, lay_out, path_keys
from gui.panels.tree.panel import TreePanel
from gui.widgets import Names
from tests.gui.panels import searches as s
from tests.gui.panels import worlds

FOLDED = Folding()


def shown(qtbot: QtBot, snapshot: Snapshot) -> tuple[TreePanel, Context, list[Command]]:
    context, said = worlds.context()
    panel = TreePanel(context)
    qtbot.addWidget(panel)
    panel.resize(649, 284)
    panel.show()
    panel.show_snapshot(snapshot)
    panel.redraw()
    return panel, context, said


def middle(tree: SearchTree, panel: TreePanel, node: int, folding: Folding = FOLDED) -> QPoint:
    """The middle of a drawn node, in the canvas's viewport."""
    layout = lay_out(tree, folding)
    index = next(k for k, i in enumerate(layout.items) if i.node is not None and i.node.id == node)
    x, y, w, h = (float(v) for v in layout.rects[index])
    canvas = panel.canvas
    spare = max(0.0, canvas.viewport().height() - layout.size[1] * canvas.scale) / 2
    left = x + w / 2
    return QPointF(left * canvas.scale - canvas.horizontalScrollBar().value(), (y + h / 2) * canvas.scale + spare).toPoint()


def test_says_what_it_waits_for(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, s.snapshot())
    assert not panel.canvas.isVisible()
    assert panel.headline() == ""
    panel.grab()


def test_shows_the_best_line_first(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, s.snapshot(s.tree(), s.ranking()))
    assert panel.headline() == "21 nodes · 6 shown · principal variation 3 deep, value 6.42"
    words = panel.canvas.accessibleDescription().split("; ")
    assert words[1] == "walk to the fridge · N 27 · Q 6.42"
    assert words[2].endswith("saw apple in fridge (.59)")
    assert words[3].endswith("goal reached")
    panel.grab()


def test_a_search_that_still_holds_is_told_of_the_turn_it_holds_in(qtbot: QtBot) -> None:
    now = s.snapshot(s.tree())
    panel, _, _ = shown(qtbot, now)
    (tree, moment), before = now.facets[SearchTree], panel.canvas._marks.root
    turn = moment.turn
    panel.show_snapshot(replace(now, turn=turn + 1, facets={**now.facets, SearchTree: (tree, Moment(0, turn + 1))}))
    qtbot.waitUntil(lambda: panel.canvas._marks.root == f"turn {turn + 1}")
    assert before == f"turn {turn}"


def test_a_huge_tree_is_folded_and_can_be_shown(qtbot: QtBot) -> None:
    few = replace(s.huge_tree(), nodes=tuple(replace(n, visits=1) if n.id >= 60 else n for n in s.huge_tree().nodes))
    panel, _, _ = shown(qtbot, s.snapshot(few))
    qtbot.waitUntil(lambda: panel.folded.isVisible())
    assert "4,940 nodes folded" in panel.folded.words.text
    panel.grab()
    QTest.mouseClick(panel.folded.opener, Qt.MouseButton.LeftButton)
    panel.redraw()
    qtbot.waitUntil(lambda: "5,000 shown" in panel.headline())
    assert not panel.folded.isVisible()
    panel.grab()


def test_click_selects_and_arrow_keys_go_along_branches(qtbot: QtBot) -> None:
    panel, context, _ = shown(qtbot, s.snapshot(s.tree()))
    QTest.mouseClick(panel.canvas.viewport(), Qt.MouseButton.LeftButton, pos=middle(s.tree(), panel, 2))
    assert context.selection.now == Selected("action", action=s.TABLE)
    QTest.keyClick(panel.canvas, Qt.Key.Key_Up)
    assert context.selection.now == Selected("action", action=s.FRIDGE)
    QTest.keyClick(panel.canvas, Qt.Key.Key_Right)
    assert context.selection.now == Selected("action", action=s.OPEN)
    QTest.keyClick(panel.canvas, Qt.Key.Key_Left)
    assert context.selection.now == Selected("action", action=s.FRIDGE)
    context.selection.select(Selected("thing", "fridge_1"))
    panel.grab()


def test_double_click_unfolds(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, s.snapshot(s.tree()))
    at = middle(s.tree(), panel, 0)
    QTest.mouseDClick(panel.canvas.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert "8 shown" in panel.headline()
    at = middle(s.tree(), panel, 0, Folding(unfolded=frozenset({0})))
    QTest.mouseDClick(panel.canvas.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert "6 shown" in panel.headline()


def test_the_menu_breaks_pins_and_says_why(qtbot: QtBot) -> None:
    panel, context, said = shown(qtbot, s.snapshot(s.tree()))
    node = s.tree().nodes[8]
    menu = panel.node_menu(node, QPoint(0, 0))
    names = [a.text() for a in menu.actions()]
    assert names == ["Pin the variation", "About this node", "Break here"]
    menu.actions()[2].trigger()
    assert said == [SetBreakpoint(Breakpoint('action == "walk kitchen_table_11"', once=True))]
    menu.actions()[0].trigger()
    assert "8 shown" in panel.headline()  # the pinned way is drawn, however little it was visited
    menu.actions()[1].trigger()
    context.set_live(False)
    assert len(panel.node_menu(node, QPoint(0, 0)).actions()) == 2


def test_finding_unfolds_the_way_to_a_node(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, s.snapshot(s.tree()))
    QTest.keyClick(panel.canvas, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(panel.query, "grab the mug")
    assert panel.found.text == "1 found"
    assert "7 shown" in panel.headline()
    QTest.keyClicks(panel.query, "x")
    assert panel.found.text == "0 found"
    QTest.keyClick(panel.query, Qt.Key.Key_Escape)
    assert not panel.strip.isVisible()
    assert "6 shown" in panel.headline()


def test_following_ends_when_the_operator_drags(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, s.snapshot(s.tree()))
    follow = panel.tools()[0]
    assert follow.isChecked()
    panel.canvas.moved.emit()
    assert not follow.isChecked()
    QTest.keyClick(panel.canvas, Qt.Key.Key_V)
    assert follow.isChecked()
    QTest.keyClick(panel.canvas, Qt.Key.Key_0)
    assert panel.canvas.scale >= 0.9


def test_folding_makes_pills_that_count() -> None:
    items = lay_out(s.tree(), Folding()).items
    pill = next(i for i in items if i.node is None)
    assert (pill.hidden, pill.visits) == (2, 3)
    assert [i.node.id for i in items if i.expected and i.node is not None] == [0, 1, 3, 5]
    chances = {i.node.id: i.chance for i in items if i.node is not None and i.chance is not None}
    assert chances == {3: pytest.approx(13 / 22), 4: pytest.approx(9 / 22)}
    assert lay_out(s.tree(), Folding(least=1)).shown == len(s.tree().nodes)
    assert lay_out(SearchTree((), 0), Folding()).items == ()


def test_keys_stay_the_same_when_nodes_are_numbered_anew() -> None:
    nodes = (replace(n, id=n.id + 100, parent=n.parent + 100 if n.parent >= 0 else -1) for n in s.tree().nodes)
    moved = SearchTree(tuple(nodes), 0, ())
    assert path_keys(s.tree(), 5) == path_keys(moved, 105)


@pytest.mark.parametrize("tree", [s.tree(), s.huge_tree(800)])
def test_nothing_lies_over_anything_else(tree: SearchTree) -> None:
    layout = lay_out(tree, Folding(least=1))
    for k, (x, y, w, h) in enumerate(layout.rects):
        assert [j for j in layout.within(x + 1, y + 1, w - 2, h - 2) if j != k] == []
        parent = layout.items[k].parent
        assert parent < 0 or layout.rects[parent, 0] + layout.rects[parent, 2] < x
        if layout.items[k].expected:
            assert y == layout.rects[0, 1]


def test_a_node_below_the_root_is_told_from_evidence() -> None:
    lines = evidence(s.tree().nodes[1], s.tree(), Names.of(s.seen()))
    assert lines[0] == "Prior .30."
    assert lines[1] == "Tried in 27 of 41 simulations through this node."
    assert lines[2] == "Value 6.42, 0.8 above the next: walk to the kitchen table."
    assert evidence(s.tree().nodes[0], s.tree(), Names()) == ()


@pytest.mark.parametrize("index", [1, 8])
def test_why_leads_to_the_panel_with_the_action_at_the_root(index: int, qtbot: QtBot) -> None:
    panel, context, _ = shown(qtbot, s.snapshot(s.tree()))
    asked: list[str] = []
    context.selection.asked_panel.connect(asked.append)
    tree = s.tree()
    node = root_action = tree.nodes[index]
    while root_action.parent != tree.nodes[0].id:
        root_action = tree.nodes[root_action.parent]
    panel.node_menu(node, QPoint(0, 0)).actions()[1].trigger()
    if node is not root_action:
        card = panel.findChild(NodeCard)
        assert isinstance(card, NodeCard)
        card.why.click()
    assert asked == ["why"]
    assert context.selection.now == Selected("action", action=root_action.action)
