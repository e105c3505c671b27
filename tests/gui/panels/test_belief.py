"""The belief panel: what it shows, and what the operator's hand says."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLayout
from pytestqt.qtbot import QtBot

from core.planning.belief_facets import Belief
from core.planning.simulation_facets import Flip, Margin, Margins
from core.session.commands import Command, Edit
from core.session.events import Shown
from core.session.snapshot import Snapshot
from core.world.vocabulary import Action
from gui.control.context import Context, Selected
from gui.control.margins import of_cells
from gui.panels.belief.cell import read_number
from gui.panels.belief.layout import columns_of, folded, known_rooms, rows_in_order
from gui.panels.belief.painting import BeliefShown, HeatmapPainter, rows_that_differ
from gui.panels.belief.panel import BeliefPanel
from gui.widgets import SMOOTH, Line, Names
from tests.gui.panels import worlds


def shown(qtbot: QtBot, snapshot: Snapshot, width: int = 420, height: int = 401) -> tuple[BeliefPanel, Context, list[Command]]:
    context, said = worlds.context()
    panel = BeliefPanel(context)
    qtbot.addWidget(panel)
    panel.resize(width, height)
    panel.show()
    panel.show_snapshot(snapshot)
    panel.restyle()
    return panel, context, said


def at(panel: BeliefPanel, row: int, place: int) -> QPoint:
    """The middle of a cell, in the heatmap's viewport."""
    grid = panel.heatmap.geometry_now()
    assert grid is not None
    top, high = next((t, h) for r, t, h in grid.rows if r == row)
    left = next(x for c, x in grid.columns if place in c.places)
    return QPointF(left + grid.wide / 2, top + high / 2).toPoint()


def edits(said: list[Command]) -> list[Belief]:
    return [c.facet for c in said if isinstance(c, Edit) and isinstance(c.facet, Belief)]


def test_says_what_it_waits_for(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, Snapshot())
    assert panel.cell.isVisible() is False
    assert panel.headline() == ""


def test_shows_and_describes_a_belief(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, worlds.usual())
    assert panel.heatmap.isVisible()
    assert panel.heatmap.accessibleDescription().startswith("apple: fridge .5")
    assert "seen" in panel.headline()
    assert not panel.grab().isNull()


def test_clicking_a_cell_selects_its_place_everywhere(qtbot: QtBot) -> None:
    panel, context, _ = shown(qtbot, worlds.usual())
    QTest.mouseClick(panel.heatmap.viewport(), Qt.MouseButton.LeftButton, pos=at(panel, 0, 4))
    assert context.selection.thing() == "coffee_table_1"


def test_a_selection_elsewhere_moves_the_cell(qtbot: QtBot) -> None:
    panel, context, _ = shown(qtbot, worlds.usual())
    context.selection.select(Selected("thing", "desk_1"))
    assert panel.heatmap.shown is not None
    assert panel.heatmap.shown.selected == (0, 5)
    context.selection.select(Selected("thing", "mug_1"))
    assert panel.heatmap.shown.selected == (1, 1)


def test_dragging_a_cell_up_is_one_edit_that_can_be_undone(qtbot: QtBot) -> None:
    panel, context, said = shown(qtbot, worlds.usual())
    port, start = panel.heatmap.viewport(), at(panel, 0, 0)
    QTest.mousePress(port, Qt.MouseButton.LeftButton, pos=start)
    QTest.mouseMove(port, start - QPoint(0, 20))
    QTest.mouseMove(port, start - QPoint(0, 40))
    assert not edits(said)
    assert panel.heatmap.shown is not None
    before, moved = worlds.belief().probability[0, 0], panel.heatmap.shown.belief.probability[0, 0]
    assert moved == pytest.approx(before + 0.25)
    QTest.mouseRelease(port, Qt.MouseButton.LeftButton, pos=start - QPoint(0, 40))
    assert len(edits(said)) == 1
    assert edits(said)[0].probability[0].sum() == pytest.approx(1.0)
    context.undo.undo()
    assert edits(said)[-1].probability[0, 0] == pytest.approx(before)
    context.undo.redo()
    assert edits(said)[-1].probability[0, 0] == pytest.approx(moved)


def test_what_is_heard_during_a_drag_is_kept(qtbot: QtBot) -> None:
    panel, _, said = shown(qtbot, worlds.usual())
    port, start = panel.heatmap.viewport(), at(panel, 0, 0)
    QTest.mousePress(port, Qt.MouseButton.LeftButton, pos=start)
    QTest.mouseMove(port, start - QPoint(0, 40))
    table = worlds.table()
    table.look([5])
    panel.show_snapshot(worlds.Story().begin().tell(Shown(table.facet({"apple": True}))).snapshot)
    QTest.mouseRelease(port, Qt.MouseButton.LeftButton, pos=start)
    made = edits(said)[-1]
    assert made.looked[5]
    assert made.probability[0, 5] == 0
    assert made.probability[0].sum() == pytest.approx(1.0)


def test_typing_a_number_sets_it(qtbot: QtBot) -> None:
    panel, _, said = shown(qtbot, worlds.usual())
    panel.choose(0, 1)
    QTest.keyClicks(panel.heatmap, ".")
    QTest.keyClicks(panel.cell.number, "3")
    QTest.keyClick(panel.cell.number, Qt.Key.Key_Return)
    assert edits(said)[-1].probability[0, 1] == pytest.approx(0.3)


def test_pin_and_zero_by_key(qtbot: QtBot) -> None:
    panel, _, said = shown(qtbot, worlds.usual())
    panel.choose(0, 0)
    QTest.keyClick(panel.heatmap, Qt.Key.Key_P)
    assert edits(said)[-1].pinned[0, 0]
    panel.choose(0, 1)
    QTest.keyClick(panel.heatmap, Qt.Key.Key_Z)
    assert edits(said)[-1].zeroed[0, 1]
    assert edits(said)[-1].pinned[0, 0]
    QTest.keyClick(panel.heatmap, Qt.Key.Key_Z)
    assert not edits(said)[-1].zeroed[0, 1]
    QTest.keyClick(panel.heatmap, Qt.Key.Key_Backspace)
    assert not edits(said)[-1].pinned.any()


def test_the_sessions_answer_takes_the_place_of_the_local_one(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, worlds.usual())
    panel.choose(0, 0)
    QTest.keyClick(panel.heatmap, Qt.Key.Key_Z)
    assert panel.heatmap.shown is not None
    assert panel.heatmap.shown.belief.zeroed[0, 0]
    newer = worlds.Story().begin().tell(Shown(worlds.belief())).snapshot
    panel.show_snapshot(newer)
    panel.restyle()
    assert not panel.heatmap.shown.belief.zeroed[0, 0]


def test_nudges_of_one_cell_are_one_step(qtbot: QtBot) -> None:
    panel, context, said = shown(qtbot, worlds.usual())
    panel.choose(0, 0)
    for _ in range(3):
        QTest.keyClick(panel.cell.slider, Qt.Key.Key_Right)
    assert len(edits(said)) == 3
    assert context.undo.count() == 1
    context.undo.undo()
    assert edits(said)[-1].probability[0, 0] == pytest.approx(worlds.belief().probability[0, 0])


def test_undo_in_the_panel_undoes_edits_of_the_belief_and_nothing_done_elsewhere(qtbot: QtBot) -> None:
    panel, context, said = shown(qtbot, worlds.usual())
    undo, elsewhere = panel.cell._undo, list[str]()

    def does(name: str) -> None:
        context.push(name, lambda: elsewhere.append(f"+{name}"), lambda: elsewhere.append(f"-{name}"))

    context.asked_undo.connect(context.undo.undo)
    does("another model")
    panel.choose(0, 0)
    assert not undo.isEnabled(), "nothing was edited here"
    QTest.keyClick(panel.heatmap, Qt.Key.Key_Z)
    does("a breakpoint")
    assert "zeroed" in undo.toolTip()
    QTest.mouseClick(undo, Qt.MouseButton.LeftButton)
    assert not edits(said)[-1].zeroed.any()
    assert elsewhere == ["+another model", "+a breakpoint"]
    assert not undo.isEnabled()
    context.undo.undo()
    assert edits(said)[-1].zeroed[0, 0], "the edit is back, before the breakpoint goes"
    assert undo.isEnabled()
    context.undo.undo()
    QTest.mouseClick(undo, Qt.MouseButton.LeftButton)
    assert not edits(said)[-1].zeroed.any()
    assert elsewhere[2:] == ["-a breakpoint"]


def test_what_the_robot_holds_is_said_to_be_in_hand(qtbot: QtBot) -> None:
    belief = worlds.belief()
    probability = belief.probability.copy()
    probability[1] = 0.0
    held = replace(belief, located=(None, "mug_1", *belief.located[2:]), probability=probability)
    seen = worlds.usual().seen
    assert seen is not None
    for holding, told in ((("mug_1",), "in hand"), ((), "elsewhere")):
        now = worlds.Story().begin().tell(Shown(held)).snapshot
        panel, _, _ = shown(qtbot, replace(now, seen=replace(seen, agent=replace(seen.agent, holding=holding))))
        assert panel.heatmap.shown is not None
        assert panel.heatmap.shown.beside(1) == told
        assert not panel.heatmap.shown.beside(0)
        assert f": {told}" in panel.heatmap.accessibleDescription()


def test_the_past_and_found_things_are_read_only(qtbot: QtBot) -> None:
    panel, context, said = shown(qtbot, worlds.usual())
    panel.choose(1, 0)
    QTest.keyClick(panel.heatmap, Qt.Key.Key_Z)
    context.set_live(False)
    panel.choose(0, 0)
    QTest.keyClick(panel.heatmap, Qt.Key.Key_Z)
    assert not edits(said)
    assert not panel.cell.slider.isEnabled()


def test_hovering_a_row_points_at_its_thing(qtbot: QtBot) -> None:
    panel, context, _ = shown(qtbot, worlds.usual())
    pointed: list[Selected | None] = []
    context.selection.pointed.connect(pointed.append)
    QTest.mouseMove(panel.heatmap.viewport(), at(panel, 2, 0))
    assert pointed[-1] == Selected("thing", "book")


def test_search_keeps_matching_rows() -> None:
    assert rows_in_order(worlds.belief(), "Bo") == (2,)
    assert rows_in_order(worlds.belief()) == (0, 1, 2)
    assert rows_in_order(worlds.belief(), wanted_only=True) == (0, 1)


def test_folding_searching_and_scales(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, worlds.usual())
    panel.controls.goal_only.trigger()
    panel.controls.log.trigger()
    panel.controls.search.setChecked(True)
    assert panel.heatmap.shown is not None
    assert panel.heatmap.shown.scale == "logarithmic"
    assert not panel.grab().isNull()
    assert [a.text() for a in panel.tools()[1:3]] == ["Find an object", "Only the goal's objects"]
    assert panel.tools() == panel.tools()


def test_columns_are_grouped_by_room_and_named_within_it() -> None:
    now = worlds.seen()
    columns = columns_of(worlds.belief(), *known_rooms(now), Names.of(now))
    assert [c.label for c in columns] == ["fridge", "cabinet 1", "cabinet 2", "table", "coffee table", "desk"]
    assert [c.room for c in columns] == ["kitchen_1"] * 4 + ["living_room_1"] * 2


def test_furniture_that_is_two_places_has_two_names() -> None:
    now, twice = worlds.seen(), replace(worlds.belief(), places=("fridge_1", "fridge_1", *worlds.PLACES[2:]))
    columns = columns_of(twice, *known_rooms(now), Names.of(now))
    assert [c.label for c in columns][:2] == ["fridge", "on fridge"]


def test_folding_keeps_the_likely_and_the_selected() -> None:
    now = worlds.seen()
    columns = columns_of(worlds.belief(), *known_rooms(now), Names.of(now))
    fewer = folded(columns, worlds.belief(), 4, frozenset({2}))
    assert sorted(k for c in fewer for k in c.places) == list(range(6))
    assert any(c.places == (2,) for c in fewer)
    assert any(c.places == (0,) for c in fewer)
    assert any(c.label == "+2" for c in fewer)


def test_huge(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, worlds.huge(100))
    assert not panel.grab().isNull()
    assert len(panel.heatmap.columns) < 40
    panel.controls.fold.trigger()
    assert len(panel.heatmap.columns) == 300
    assert panel.heatmap.horizontalScrollBar().maximum() > 0
    panel.choose(29, 250)
    assert panel.heatmap.horizontalScrollBar().value() > 0


def test_bars_where_it_is_narrow(qtbot: QtBot) -> None:
    panel, context, _ = shown(qtbot, worlds.usual(), 230)
    assert panel.bars.isVisible()
    QTest.mouseClick(panel.bars.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(60, 30))
    assert context.selection.thing() == "fridge_1"


@pytest.mark.parametrize(("text", "value"), [
    (".3", 0.3), ("0,3", 0.3), ("30", 0.3), ("30 %", 0.3), ("1", 1.0), ("x", None), ("-1", None)])
def test_numbers_as_people_write_them(text: str, value: float | None) -> None:
    assert read_number(text) == value


@pytest.mark.parametrize("height", range(70, 180, 7))
def test_a_low_panel_cuts_no_words(qtbot: QtBot, height: int) -> None:
    """The heatmap scrolls and gives way; the slider and its buttons are left out before that."""
    panel, _, _ = shown(qtbot, worlds.usual(), 420, height)
    column = panel.layout()
    assert column is not None
    column.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)  # as in a dock: a window grows to its least size
    panel.setMinimumSize(0, 0)
    panel.resize(420, height)
    qtbot.waitUntil(lambda: all(part.height() >= part.sizeHint().height() for part in panel.cell.findChildren(Line)))
    assert panel.height() == height
    assert panel.heatmap.height() >= 15
    assert panel.cell.slider.isVisible() == (height >= 130)


def pixels(image: QImage) -> npt.NDArray[np.uint8]:
    return np.frombuffer(image.constBits(), np.uint8)


@pytest.mark.parametrize("row", [0, 1, 2])
@pytest.mark.parametrize("field", ["probability", "pinned", "zeroed"])
def test_rows_painted_again_look_as_if_all_was_painted(qtbot: QtBot, row: int, field: str) -> None:
    panel, _, _ = shown(qtbot, worlds.usual())
    heatmap = panel.heatmap
    look, grid = heatmap.shown, heatmap.geometry_now()
    assert look is not None
    assert grid is not None
    values = getattr(look.belief, field).copy()
    values[row] = values[row][::-1] if field == "probability" else ~values[row]
    new = replace(look, belief=replace(look.belief, **{field: values}))
    assert rows_that_differ(look, new) == frozenset({row})
    room = heatmap.viewport().rect()
    top, high = next((top, high) for k, top, high in grid.rows if k == row)
    band = QRect(0, int(top) - 2, room.width(), math.ceil(high) + 4)

    def painted(shown: BeliefShown, wanted: QRect) -> QImage:
        image = QImage(wanted.size(), QImage.Format.Format_ARGB32_Premultiplied)
        image.fill(panel.context.theme.colour("surface"))
        with QPainter(image) as brush:
            brush.translate(-wanted.topLeft())
            brush.setRenderHint(SMOOTH)
            HeatmapPainter(panel.context.theme).paint(brush, grid, shown, QRectF(room), QRectF(wanted))
        return image

    again = painted(look, room)
    with QPainter(again) as brush:
        brush.drawImage(band.topLeft(), painted(new, band))
    whole = painted(new, room)
    differ = np.abs(pixels(again).astype(int) - pixels(whole))
    assert differ.max() <= 4, "strokes may be rounded in another way"


def margin(name: str, place: str, relation: str, value: float, up: float) -> Margin:
    return Margin("belief", name, place, relation, value, 0.0, 1.0, None, Flip(up, value, Action("open", ("fridge_1",))))


def test_only_rows_whose_flips_differ_are_repainted_for_them(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, worlds.usual())
    look = panel.heatmap.shown
    assert look is not None
    marked = replace(look, margins={(1, 2): margin("x", "y", "inside", 0.1, 0.4)})
    assert rows_that_differ(look, marked) == rows_that_differ(marked, look) == frozenset({1})
    assert rows_that_differ(marked, replace(marked)) == frozenset()


def test_inside_and_on_top_of_one_place_have_their_own_flips() -> None:
    belief = worlds.usual().facet(Belief)
    assert belief is not None
    doubled = replace(belief, places=("fridge_1", "fridge_1", *belief.places[2:]))
    name = belief.objects[0]
    found = of_cells(Margins(Action("open", ("fridge_1",)), (margin(name, "fridge_1", "on", 0.1, 0.4),
                                                             margin(name, "fridge_1", "inside", 0.1, 0.6),
                                                             margin("no such row", "fridge_1", "inside", 0.1, 0.6))), doubled)
    assert {cell: m.flips for cell, m in found.items()} == {(0, 1): (0.4,), (0, 0): (0.6,)}


def test_another_order_selection_or_set_of_things_is_painted_whole(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, worlds.usual())
    look = panel.heatmap.shown
    assert look is not None
    assert rows_that_differ(look, replace(look, pointed=2)) is None
    assert rows_that_differ(look, replace(look, selected=(1, 1))) is None
    assert rows_that_differ(look, replace(look, belief=replace(look.belief, wanted=(True,) * len(look.belief.wanted)))) is None
    assert rows_that_differ(look, replace(look, belief=replace(look.belief, looked=~look.belief.looked))) is None


@pytest.mark.parametrize("scale", [1.0, 1.25, 1.5])
@pytest.mark.parametrize("name", ["toothbrush_1", "bathroom_cabinet_12", "dishwashing_liquid_1", "mug_1"])
def test_names_of_rows_are_whole_where_the_panel_has_room(qtbot: QtBot, name: str, scale: float) -> None:
    belief = worlds.belief()
    found = replace(belief, located=(name, *belief.located[1:]), classes=(name.rpartition("_")[0], *belief.classes[1:]))
    for width in (360, 600):
        snapshot = worlds.Story().begin().tell(Shown(found)).snapshot
        panel, context, _ = shown(qtbot, snapshot, int(width * scale))
        context.theme.become("dark", scale)
        panel.restyle()
        panel.show_snapshot(snapshot)
        grid, rows = panel.heatmap.geometry_now(), panel.heatmap.shown
        assert grid is not None
        assert rows is not None
        assert not rows.called(0).startswith("the ")
        whole, wide = rows.widest(context.theme, (0,)), panel.heatmap.viewport().width()
        assert grid.left >= min(whole, 0.4 * wide)
        assert grid.left <= max(context.theme.px(84), 0.45 * wide), "cells keep most of the room"
