"""The frames panel: pictures fitted and dressed, clicks by id, and what it asks the session to draw."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QImage, QPainter, QPaintEvent
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.common.shared_list import SharedList
from core.planning.facets import Frame
from core.session.commands import Command, Look, Retry
from core.session.events import Decided, Failed, Shown
from core.session.snapshot import Snapshot
from core.world.vocabulary import Action, Pose
from gui.control.context import Context, Selected
from gui.control.frame_images import image_of, outside
from gui.panels.frames.badges import Badges
from gui.panels.frames.dollhouse import ROUNDED, _smooth
from gui.panels.frames.overlays import (
    LAST_TURNS,
    MOST_TURNS,
    OverlayData,
    next_action,
    overlay_data,
    planned_way,
    projected,
    row_about,
    walked,
)
from gui.panels.frames.pane import Layers, Pane
from gui.panels.frames.panel import FramesPanel, fitted
from gui.theme import theme_named
from gui.widgets import Button, Names
from tests.gui.long_runs import long_run, stood_at
from tests.gui.panels import worlds
from tests.gui.settling import settle


def shown(qtbot: QtBot, snapshot: Snapshot, width: int = 649, height: int = 332) -> tuple[FramesPanel, Context, list[Command]]:
    context, said = worlds.context()
    panel = FramesPanel(context)
    qtbot.addWidget(panel)
    panel.resize(width, height)
    panel.show()
    panel.show_snapshot(snapshot)
    return panel, context, said


def looks(said: list[Command]) -> list[Look]:
    return [c for c in said if isinstance(c, Look)]


def test_says_what_it_waits_for(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, Snapshot())
    assert panel.card.state.heading == "No pictures yet"
    panel.show_snapshot(worlds.Story().begin().snapshot)
    panel.restyle()
    assert panel.card.state.kind == "waiting"
    panel.show_snapshot(worlds.Story().begin().tell(Shown(worlds.frame())).snapshot)
    panel.restyle()
    assert not panel.card.isVisible()
    assert panel.panes["dollhouse"].isVisible()
    assert not panel.grab().isNull()


def test_shows_both_pictures_side_by_side(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, worlds.usual())
    first, house = panel.panes["first person"], panel.panes["dollhouse"]
    assert first.isVisible()
    assert house.isVisible()
    assert first.geometry().right() < house.geometry().left()
    assert first.caption == "First person · kitchen · turn 2"
    assert house.caption == "Dollhouse · turn 2 · glow: where the apple may be"
    assert not panel.grab().isNull()
    panel.resize(400, 700)
    assert first.geometry().bottom() < house.geometry().top()


def test_asks_for_pictures_of_its_size_and_for_none_when_hidden(qtbot: QtBot) -> None:
    panel, _, said = shown(qtbot, worlds.usual())
    panel.asking.say_now()
    look = looks(said)[-1]
    assert look.views == ("first person", "dollhouse")
    assert (look.width, look.height) == fitted(panel.panes["dollhouse"].size(), 1.0)
    panel.modes.choose(1)
    panel.modes.chosen.emit(1)
    panel.asking.say_now()
    assert looks(said)[-1].views == ("dollhouse",)
    panel.hide()
    panel.asking.say_now()
    assert looks(said)[-1] == Look(())


def test_asks_again_when_another_run_begins(qtbot: QtBot) -> None:
    panel, _, said = shown(qtbot, worlds.usual())
    panel.asking.say_now()
    said.clear()
    panel.show_snapshot(worlds.usual())
    assert len(looks(said)) == 1


@pytest.mark.parametrize(("size", "ratio", "pixels"), [
    (QSize(640, 480), 1.0, (640, 480)), (QSize(1920, 1080), 1.0, (960, 544)), (QSize(400, 300), 2.0, (800, 600)),
    (QSize(0, 0), 1.0, (64, 64)), (QSize(2000, 20), 1.0, (960, 64))])
def test_pictures_have_the_panes_shape_and_are_capped(size: QSize, ratio: float, pixels: tuple[int, int]) -> None:
    assert fitted(size, ratio) == pixels


def test_a_click_selects_what_is_under_the_pixel(qtbot: QtBot) -> None:
    panel, context, _ = shown(qtbot, worlds.usual())
    pane = panel.panes["dollhouse"]
    QTest.mouseClick(pane, Qt.MouseButton.LeftButton, pos=pane.at(30, 30).toPoint())
    assert context.selection.thing() == "fridge_1"
    QTest.mouseClick(pane, Qt.MouseButton.LeftButton, pos=pane.at(70, 15).toPoint())
    assert context.selection.now is None


def test_a_double_click_asks_for_an_override(qtbot: QtBot) -> None:
    panel, context, _ = shown(qtbot, worlds.usual())
    asked: list[str] = []
    context.selection.asked_override.connect(asked.append)
    pane = panel.panes["first person"]
    QTest.mouseDClick(pane, Qt.MouseButton.LeftButton, pos=pane.at(100, 80).toPoint())
    assert asked == ["kitchen_table_1"]


def test_without_ids_the_smallest_box_is_meant(qtbot: QtBot) -> None:
    plain = Frame("first person", np.zeros((120, 160, 3), np.uint8), None, ("",),
                  (("fridge_1", (0, 0, 100, 100)), ("apple_1", (10, 10, 20, 20))))
    panel, _, _ = shown(qtbot, worlds.Story().begin().tell(Shown(plain)).snapshot)
    pane = panel.panes["first person"]
    assert pane.under(pane.at(15, 15)) == "apple_1"
    assert pane.under(pane.at(50, 50)) == "fridge_1"
    assert pane.under(pane.at(150, 110)) == ""


def test_layers_are_switched_by_key(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, worlds.usual())
    panel.layer_actions["glow"].trigger()
    assert panel.layers() == Layers(glow=False)
    assert panel.panes["dollhouse"].caption == "Dollhouse · turn 2"
    assert panel.layer_actions["boxes"].text() == "Boxes"


def test_a_simulator_that_stopped_can_be_tried_again(qtbot: QtBot) -> None:
    story = worlds.Story().begin().tell(Failed("simulator", "hang", "It did not answer for 30 s."))
    panel, _, said = shown(qtbot, story.snapshot)
    card = panel.card
    assert card.state.heading == "The simulator stopped"
    card.findChildren(Button)[0].click()
    assert Retry() in said


def test_the_selected_place_tells_its_belief() -> None:
    over = overlay_data(worlds.usual(), Names.of(worlds.seen()), "fridge_1")
    assert over.selected_says == "apple .58"
    assert over.goal == {"apple_1", "mug_1", "kitchen_table_1", "cabinet_1", "cabinet_2"}
    assert [place for place, _ in over.glow][:2] == ["fridge_1", "cabinet_1"]
    assert ("mug_1", "cabinet_1", True) in over.found


def test_glow_is_about_the_thing_pointed_at_else_about_what_is_looked_for() -> None:
    belief = worlds.belief()
    assert row_about(belief, ("", "")) == 0
    assert row_about(belief, ("book", "")) == 2
    assert row_about(belief, ("mug_1",)) == -1


def test_pointing_at_a_row_changes_the_glow(qtbot: QtBot) -> None:
    panel, context, _ = shown(qtbot, worlds.usual())
    context.selection.pointed.emit(Selected("thing", "book"))
    panel.restyle()
    assert panel.panes["dollhouse"].data.thing == "book"


def test_the_path_is_where_the_robot_stood() -> None:
    snapshot = worlds.usual()
    assert walked(snapshot) == ((1.0, 1.0, 0.05), (2.0, 3.0, 0.05))
    points = projected(worlds.frame("dollhouse"), walked(snapshot))
    assert np.allclose(points, [(16.0, 108.0), (32.0, 84.0)])
    assert projected(Frame("dollhouse", np.zeros((8, 8, 3), np.uint8), None, ("",)), walked(snapshot)) == ()


def test_the_path_ends_where_the_robot_stands_in_the_picture() -> None:
    """A turn that is looked back at has been acted out; its picture is of its beginning."""
    story = worlds.Story().begin(worlds.seen(pose=Pose(1.0, 1.0, 0.0))).act(worlds.seen(pose=Pose(2.0, 3.0, 0.0)))
    before, after = worlds.frame("dollhouse"), replace(worlds.frame("dollhouse"), phase="after")
    assert [p[:2] for p in walked(story.snapshot, before)] == [(1.0, 1.0)]
    assert [p[:2] for p in walked(story.snapshot, after)] == [(1.0, 1.0), (2.0, 3.0)]
    later = story.begin(worlds.seen(pose=Pose(2.0, 3.0, 0.0))).act(worlds.seen(pose=Pose(4.0, 4.0, 0.0))).snapshot
    assert [p[:2] for p in walked(later, after)] == [(1.0, 1.0), (2.0, 3.0)]
    assert [p[:2] for p in walked(later)] == [(1.0, 1.0), (2.0, 3.0), (4.0, 4.0)]


def test_the_path_takes_the_way_that_was_told() -> None:
    snapshot = worlds.usual()
    turn = snapshot.turns[0]
    assert turn.outcome is not None
    outcome = replace(turn.outcome, way=((1.0, 1.0), (1.0, 3.0), (2.0, 3.0)))
    told = replace(snapshot, line=SharedList([replace(turn, outcome=outcome)]))
    assert walked(told) == ((1.0, 1.0, 0.05), (1.0, 3.0, 0.05), (2.0, 3.0, 0.05))


def test_the_planned_way_goes_where_the_robot_can_go() -> None:
    """To the furniture that the target lies on; without a known way there is no line into another room."""
    corners = ((2.0, 3.0), (2.0, 5.0), (4.0, 5.0))
    house = replace(worlds.frame("dollhouse"), ways=(("kitchen_table_1", corners),))

    def planned(target: str, shown: Frame) -> tuple[str, tuple[tuple[float, float, float], ...]]:
        return planned_way(worlds.Story().begin().tell(Decided(Action("walk", (target,)), "planner")).snapshot, shown)

    way = tuple((x, y, 0.05) for x, y in corners)
    assert planned("kitchen_table_1", house) == ("kitchen_table_1", way)
    assert planned("apple_1", house) == ("apple_1", way), "it lies on a plate on the table"
    assert planned("fridge_1", house) == ("fridge_1", ()), "it is in the same room"
    assert planned("living_room_1", house) == ("", ())
    assert planned(worlds.PLACES[-1], house) == ("", ())


def test_a_drawn_way_keeps_to_its_legs() -> None:
    corners = [QPointF(0, 0), QPointF(0, 100), QPointF(100, 100)]
    path = _smooth(corners)
    assert path.currentPosition() == corners[-1]
    for k in range(101):
        at = path.pointAtPercent(k / 100)
        assert min(at.x(), 100 - at.y()) < ROUNDED / 2


def test_a_long_run_shows_the_path_of_its_last_turns() -> None:
    snapshot = long_run(2 * MOST_TURNS).snapshot
    numbers = [*(turn.number for turn in snapshot.line[-MOST_TURNS:]), snapshot.turn]
    assert [(x, y) for x, y, _ in walked(snapshot)] == [stood_at(number) for number in numbers]


def test_the_dollhouse_shows_the_path_of_the_last_turns_and_says_so_or_of_all(qtbot: QtBot) -> None:
    snapshot = long_run(3 * LAST_TURNS).snapshot
    frame = worlds.frame("dollhouse")
    assert len(walked(snapshot, replace(frame, turn=2), LAST_TURNS)) == 2, "it ends where the picture shows the robot"
    panel, _, _ = shown(qtbot, replace(snapshot, frames={"dollhouse": replace(frame, turn=snapshot.turn)}))
    dollhouse = panel.panes["dollhouse"]
    assert len(dollhouse.data.path) == LAST_TURNS + 1
    assert f"path of {LAST_TURNS} turns" in dollhouse.caption
    for words, count in (("path of all turns", 3 * LAST_TURNS + 1), (f"path of the last {LAST_TURNS} turns", LAST_TURNS + 1)):
        next(offer for offer in panel.offers() if offer.title.endswith(words)).run()
        assert len(dollhouse.data.path) == count
    panel.layer_actions["path"].setChecked(False)
    assert "path of" not in dollhouse.caption


def test_the_first_turn_has_a_place_and_no_path(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, worlds.Story().begin().tell(Shown(worlds.frame("dollhouse"))).snapshot)
    assert len(panel.panes["dollhouse"].data.path) == 1
    assert not panel.grab().isNull()


def test_the_next_action_is_what_was_decided() -> None:
    story = worlds.Story().begin()
    assert next_action(story.snapshot) is None


def test_the_lawn_becomes_the_stage_and_the_house_stays() -> None:
    frame = worlds.frame("dollhouse")
    gone = outside(frame)
    assert gone[0, 0]
    assert gone[119, 159]
    assert not gone[15:-15, 15:-15].any()
    image = image_of(frame)
    assert image.pixelColor(0, 0).alpha() == 0
    assert image.pixelColor(80, 60).alpha() == 255


def test_no_layer_covers_the_caption(qtbot: QtBot) -> None:
    """A box may end anywhere: here, in the middle of the caption's height."""
    panel, _, _ = shown(qtbot, worlds.usual())
    pane = panel.panes["first person"]
    strip = QRect(12, pane.height() - 22, 40, 14)
    pane.dress(OverlayData(), Layers(), pane.caption)
    settle()
    bare = pane.grab(strip).toImage()
    _, top, scale = pane._corner()
    assert pane.frame is not None
    box = (0, round((pane.height() - 15 - top) / scale), 150, 120)
    pane.show_frame(replace(pane.frame, boxes=(("fridge_1", box),)))
    pane.dress(OverlayData(selected="fridge_1"), Layers(labels=False), pane.caption)
    settle()
    assert pane.grab().toImage() != bare
    assert pane.grab(strip).toImage() == bare


def test_captions_stay_inside_and_apart(qtbot: QtBot) -> None:
    worlds.context()
    image = QImage(200, 120, QImage.Format.Format_ARGB32)
    painter = QPainter(image)
    badges = Badges(painter, theme_named("dark"), QRectF(0, 0, 200, 120))
    for k in range(8):
        badges.beside(QRectF(150 + k, -20 + k, 80, 40), f"kitchen cabinet {k}", ".46", must=k == 0)
        badges.around(QPointF(195, 115), "toothbrush in the bathroom cabinet")
    painter.end()
    assert badges.taken
    for rect in badges.taken:
        assert QRectF(0, 0, 200, 120).contains(rect)
        assert not any(rect.intersects(other) for other in badges.taken if other is not rect)


def test_late_pictures_say_so(qtbot: QtBot) -> None:
    story = worlds.Story().begin().tell(Shown(worlds.frame()))
    panel, _, _ = shown(qtbot, story.snapshot)
    panel.show_snapshot(story.begin().snapshot)
    assert panel.stale("first person") == ""
    panel.late.stop()
    assert panel.stale("first person") == "Picture of turn 1 · the next one is being drawn"


def test_huge(qtbot: QtBot) -> None:
    rng = np.random.default_rng(0)
    names = ("", *(f"book_{k}" for k in range(3000)))
    boxes = tuple((name, (k % 900, k % 600, k % 900 + 30, k % 600 + 20)) for k, name in enumerate(names[1:]))
    big = Frame("first person", rng.integers(0, 255, (640, 960, 3), np.uint8), np.zeros((640, 960), np.uint16), names, boxes)
    panel, _, _ = shown(qtbot, worlds.Story().begin().tell(Shown(big)).snapshot)
    assert not panel.grab().isNull()


def test_a_path_of_one_point_is_a_point() -> None:
    path = _smooth([QPointF(3, 4)])
    assert path.elementCount() == 1
    assert path.currentPosition() == QPointF(3, 4)


def test_the_panes_are_painted_one_after_the_other(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both in one pass of the event loop would keep input waiting for too long."""
    order: list[str] = []
    paint = Pane.paintEvent

    def painting(pane: Pane, event: QPaintEvent) -> None:
        order.append(pane.view)
        paint(pane, event)

    monkeypatch.setattr(Pane, "paintEvent", painting)
    panel, _, _ = shown(qtbot, worlds.Story().begin().tell(Shown(worlds.frame())).snapshot)
    settle(panel)
    order.clear()
    for pane in panel.panes.values():
        pane.dress(replace(pane.data, thing="mug"), pane.layers, "another caption")
    QTimer.singleShot(4, lambda: order.append("input"))
    qtbot.waitUntil(lambda: len(order) == 3)
    assert order == ["first person", "input", "dollhouse"]
