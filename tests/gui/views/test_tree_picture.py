"""Trees drawn as pictures: folding, places, keys, the following of what is chosen, and the panel of BCR's tree made so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QAction, QWheelEvent
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.planners.bcr.recorded_types import BlockingNode, BlockingTree
from core.session.commands import Command, Edit, ListActions
from core.session.events import ActionsListed
from core.session.snapshot import Snapshot
from core.views.values import CHOSEN, Item, Tree
from core.world.vocabulary import ADMISSIBLE, Action
from gui.control.context import Context, Selected
from gui.panels.view_panel import ViewPanel
from gui.views.edit_strip import ActForm
from gui.views.item_rows import ItemsView
from gui.views.sections import SectionsView, renderer_of
from gui.views.tree_layout import FOLDED_FROM, MOST_ACROSS, boxes_of, lay_out
from gui.views.tree_picture import TreePicture
from gui.widgets.canvas import SMALLEST
from gui.window.docks import Card
from tests.gui.panels import blockings as b
from tests.gui.panels import searches, viewed, worlds


def shown(qtbot: QtBot, snapshot: Snapshot) -> tuple[ViewPanel, Context, list[Command]]:
    return viewed.shown(qtbot, "blocking", snapshot, (1420, 260))


def picture_in(panel: ViewPanel) -> TreePicture:
    found = panel.shown.parts[0].shown if isinstance(panel.shown, SectionsView) else panel.shown
    assert isinstance(found, TreePicture)
    return found


def tree_of(facet: BlockingTree) -> Tree:
    part = facet.view().parts[0]
    assert isinstance(part, Tree)
    return part


def node(tree: BlockingTree, text: str) -> BlockingNode:
    return next(n for n in tree.nodes if n.text == text)


def click(panel: ViewPanel, text: str, *, twice: bool = False) -> None:
    act: Callable[..., None] = QTest.mouseDClick if twice else QTest.mouseClick
    canvas = picture_in(panel).canvas
    k = next(k for k, box in enumerate(canvas.rect_layout.boxes) if box.item.text == text and not box.hidden)
    at = (canvas.item_rect(k).center() * canvas.scale + canvas._origin()).toPoint()
    act(canvas.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)


def press(panel: ViewPanel, key: Qt.Key) -> None:
    QTest.keyClick(picture_in(panel).canvas, key)


def tool(panel: ViewPanel, words: str) -> QAction:
    return next(action for action in panel.tools() if action.text().startswith(words))


def edits(said: list[Command]) -> list[BlockingTree]:
    return [c.facet for c in said if isinstance(c, Edit) and isinstance(c.facet, BlockingTree)]


def test_only_a_tree_whose_items_have_shapes_is_drawn_as_a_picture() -> None:
    plain = Tree((Item("a", "a"), Item("b", "b", parent=0)))
    assert renderer_of(plain) is ItemsView
    assert renderer_of(replace(plain, items=(replace(plain.items[0], shape="odd"), plain.items[1]))) is TreePicture  # type: ignore[arg-type]
    assert {box.shape for box in boxes_of(Tree((Item("a", "a", shape="odd"),)))} == {"box"}  # type: ignore[arg-type]


def test_says_what_it_waits_for(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, searches.snapshot())
    assert panel.shown is None
    assert panel.headline() == ""


def test_shows_the_tree_its_live_branch_and_what_was_resolved(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, searches.snapshot(b.tree()))
    assert panel.headline() == "5 candidates for the apple in view · 1 loop broken"
    words = picture_in(panel).canvas.accessibleDescription().split("; ")
    assert words[0] == "apple inside the fridge · kind goal · open"
    assert "open the fridge 1 · kind action · chosen · possibly" in words
    assert viewed.words_in(panel, "Resolved")[0] == (
        "the mug in the hand · turn 5 · by grab the mug · no longer blocks put the mug inside the coffee machine")


def test_what_was_resolved_stands_beside_the_tree_in_a_wide_panel_and_below_it_in_a_high_one(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, searches.snapshot(b.tree()))
    assert isinstance(panel.shown, SectionsView)
    tree, resolved = panel.shown.parts
    qtbot.waitUntil(lambda: resolved.x() >= tree.width() > 1000)
    panel.resize(480, 600)
    qtbot.waitUntil(lambda: resolved.y() >= tree.height() > 250)
    panel.receive(searches.snapshot(replace(b.tree(), history=())))
    assert resolved.isHidden(), "nothing was resolved"


def test_a_huge_tree_is_folded_around_what_is_chosen(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, searches.snapshot(b.huge()))
    canvas = picture_in(panel).canvas
    boxes = canvas.rect_layout.boxes
    assert len(boxes) < 30
    pill = next(k for k, box in enumerate(boxes) if box.hidden)
    assert boxes[pill].hidden == 5005 - (FOLDED_FROM - 1)
    assert any(CHOSEN in box.item.marks for box in boxes)
    canvas.unfold.emit(pill)
    assert len(canvas.rect_layout.boxes) == len(b.huge().nodes)
    panel.receive(searches.snapshot(b.huge(4000)))
    qtbot.waitUntil(lambda: len(canvas.rect_layout.boxes) == len(b.huge(4000).nodes))  # it stays unfolded


@pytest.mark.parametrize("facet", [b.tree(), b.huge(300)])
def test_nothing_lies_over_anything_else(facet: BlockingTree) -> None:
    tree = tree_of(facet)
    for unfolded in (frozenset[int](), frozenset({6})):
        places = lay_out(boxes_of(tree, unfolded), 1.25)
        for k, (x, y, w, h) in enumerate(places.rects):
            assert [j for j in places.within(x + 1, y + 1, w - 2, h - 2) if j != k] == []
            parent = places.boxes[k].parent
            assert parent < 0 or places.rects[parent, 0] + places.rects[parent, 2] < x


def test_clicks_select_and_arrow_keys_go_along_the_branches(qtbot: QtBot) -> None:
    panel, context, _ = shown(qtbot, searches.snapshot(b.tree()))
    click(panel, "grab the apple")
    assert context.selection.now == Selected("action", action=Action("grab", ("apple",)))
    for key, expected in ((Qt.Key.Key_Right, None), (Qt.Key.Key_Right, None), (Qt.Key.Key_Right, Action("open", ("fridge_1",))),
                          (Qt.Key.Key_Down, Action("open", ("cabinet_2",)))):
        press(panel, key)
        if expected is not None:
            assert context.selection.now == Selected("action", action=expected)
    context.selection.select(Selected("thing", "cabinet_3"))
    picture = picture_in(panel)
    assert [box.item.text for box in picture.canvas.rect_layout.boxes if picture.is_selected(box)] == ["open the cabinet 3"]


def test_finding_marks_what_is_found(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, searches.snapshot(b.tree()))
    panel.query.setText("closed blocks")
    picture = picture_in(panel)
    assert not [box for box in picture.canvas.rect_layout.boxes if picture.is_selected(box)], "it is resolved"
    panel.query.setText("closed reached")
    assert [box.item.text for box in picture.canvas.rect_layout.boxes if picture.is_selected(box)] == ["the fridge is closed"]


def test_a_double_click_and_enter_choose_and_are_undone(qtbot: QtBot) -> None:
    panel, context, said = shown(qtbot, searches.snapshot(b.tree()))
    click(panel, "open the cabinet 3", twice=True)
    made = edits(said)[-1]
    assert (node(made, "open the cabinet 3").state, node(made, "open the cabinet 3").by_operator) == ("chosen", True)
    assert node(made, "open the fridge 1").state == "candidate"
    context.undo.undo()
    assert node(edits(said)[-1], "open the cabinet 3").by_operator is False
    assert context.undo.undoText() == ""
    click(panel, "open the cabinet 2")
    press(panel, Qt.Key.Key_Return)
    assert node(edits(said)[-1], "open the cabinet 2").state == "chosen"


def test_keys_ban_resolve_and_undo_brings_back(qtbot: QtBot) -> None:
    panel, context, said = shown(qtbot, searches.snapshot(b.tree()))
    click(panel, "open the cabinet 2")
    press(panel, Qt.Key.Key_X)
    assert node(edits(said)[-1], "open the cabinet 2").state == "banned"
    press(panel, Qt.Key.Key_X)
    assert node(edits(said)[-1], "open the cabinet 2").state == "candidate"
    click(panel, "the apple in view")
    press(panel, Qt.Key.Key_R)
    pair = [node(edits(said)[-1], text).state for text in ("the apple is not in view", "the apple in view")]
    assert pair == ["reached", "reached"]
    context.undo.undo()
    pair = [node(edits(said)[-1], text).state for text in ("the apple is not in view", "the apple in view")]
    assert pair == ["blocked", "open"]


def test_a_resolution_is_typed_added_and_taken_out(qtbot: QtBot) -> None:
    panel, context, said = shown(qtbot, searches.snapshot(b.tree()))
    click(panel, "the apple is not in view")
    assert panel.strip.isHidden(), "the picture does not move for a click"
    press(panel, Qt.Key.Key_A)
    assert ListActions() in said
    form = panel.strip.form("add")
    assert isinstance(form, ActForm)
    listed = ActionsListed(((Action("walk", ("coffee_table_24",)), ADMISSIBLE),))
    panel.show_snapshot(replace(searches.snapshot(b.tree()), options=listed))
    QTest.keyClicks(form.field, "dance")
    assert form.match.text == "no such action"
    form.field.clear()
    QTest.keyClicks(form.field, "go to coffee table")
    assert form.match.text == "walk to the coffee table · Enter takes it"
    QTest.keyClick(form.field, Qt.Key.Key_Return)
    new = edits(said)[-1].nodes[-1]
    assert (new.id, new.parent, new.action, new.by_operator) == (-2, 9, Action("walk", ("coffee_table_24",)), True)
    assert panel.strip.isHidden()
    context.undo.undo()
    assert all(n.id >= 0 for n in edits(said)[-1].nodes)
    press(panel, Qt.Key.Key_A)
    assert panel.strip.isVisible()
    QTest.keyClick(form.field, Qt.Key.Key_Escape)
    assert panel.strip.isHidden()


def test_what_is_offered_fits_the_node_and_nothing_in_the_past(qtbot: QtBot) -> None:
    panel, context, _ = shown(qtbot, searches.snapshot(b.tree()))

    def offered(text: str) -> dict[str, str]:
        click(panel, text)
        return {offer.title.partition(":")[0]: offer.key for offer in panel.offers()}

    assert offered("open the cabinet 2") == {"Choose this next": "E", "Ban it from the candidates": "X"}
    assert offered("the apple is not in view") == {"Mark as resolved": "R", "Add a resolution": "E"}
    assert offered("the fridge is closed") == {"Mark as unresolved": "R", "Add a resolution": "E"}
    assert offered("grab the apple") == {}
    context.set_live(False)
    assert offered("open the cabinet 2") == {}


def test_an_edit_of_a_node_that_is_gone_is_dropped(qtbot: QtBot) -> None:
    panel, context, said = shown(qtbot, searches.snapshot(b.tree()))
    click(panel, "open the cabinet 3", twice=True)
    panel.show_snapshot(searches.snapshot(BlockingTree(b.nodes()[:2])))
    count = len(said)
    context.undo.undo()
    assert len(said) == count


def test_the_view_follows_until_it_is_dragged(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, searches.snapshot(b.tree()))
    follow = tool(panel, "Follow")
    assert follow.isChecked()
    picture_in(panel).canvas.moved.emit()
    assert not follow.isChecked()
    follow.trigger()
    assert follow.isChecked()


def test_the_header_of_its_panel_has_the_tools_of_the_picture_once_there_is_one(qtbot: QtBot) -> None:
    context, _ = worlds.context()
    card = Card(context, "blocking")
    qtbot.addWidget(card)
    card.fill()
    card.show()
    before = [offer.title for offer in card.offers()]
    for facet in (b.tree(), b.tree(chosen=1)):
        card.show_snapshot(searches.snapshot(facet))
    assert before == ["Find"]
    assert [(offer.title, offer.key) for offer in card.offers()] == [
        ("Find", "Ctrl+F"), ("Fit", "0"), ("Follow the chosen branch", "V")]


def test_a_tree_uses_its_panel_and_grows_with_it(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, searches.snapshot(b.tree()))
    picture = picture_in(panel)
    canvas = picture.canvas
    for width, height in ((1420, 260), (800, 260), (1900, 420)):
        panel.resize(width, height)
        qtbot.waitUntil(lambda: canvas.width() > 0.5 * panel.width())
        wide, high = (side * canvas.scale for side in canvas.rect_layout.size)
        room = canvas.viewport().size()
        assert canvas.scale >= SMALLEST, "what is smaller cannot be read"
        spread = picture.spread[0] >= MOST_ACROSS or high >= 0.9 * room.height()
        assert wide >= 0.9 * room.width() or spread, "the tree leaves its panel empty"


def test_a_scale_the_operator_chose_stays(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, searches.snapshot(b.tree()))
    canvas = picture_in(panel).canvas
    at = QPointF(100, 100)
    wheel = QWheelEvent(at, canvas.viewport().mapToGlobal(at), QPoint(), QPoint(0, 360), Qt.MouseButton.NoButton,
                        Qt.KeyboardModifier.ControlModifier, Qt.ScrollPhase.NoScrollPhase, False)
    canvas.wheelEvent(wheel)
    chosen = canvas.scale
    panel.resize(900, 400)
    panel.redraw()
    assert canvas.scale == chosen
    tool(panel, "Fit").trigger()
    assert canvas.fitted
