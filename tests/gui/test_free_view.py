"""The dollhouse from any side: gestures, the moment that is shown, and what lies over the picture."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from core.app.launch import build
from core.app.run_request import Request
from core.common.errors import UsageError
from core.planning.facets import Frame, Moment
from core.recording.recorder import Recorder
from core.session.replica import moment_of
from core.session.session import Session
from core.simulator.base import Simulator, WorldChange
from core.simulator.orbit import orbit_of
from core.world.vocabulary import CONTAINER, SURFACE
from gui.app import App
from gui.control.free_view import Lifted
from gui.panels.frames.overlays import projected
from gui.panels.frames.panel import FramesPanel
from sim.registry import simulator_class
from tests.core.recording.common import PATIENT
from tests.gui.conftest import MakeApp
from tests.gui.parts import TASK, parts
from tests.gui.settling import PATIENCE, settle
from tests.long_tests import some_pairs

RIGHT = Qt.MouseButton.RightButton
UPRIGHT = False


def open_world(request: Request) -> Simulator:
    """Opens a household, for a window's free view."""
    return simulator_class(request.simulator).open(request.scene, request.world)


@pytest.fixture
def renderer() -> str:
    """What draws the pictures of a test. Plans are drawn unless it says otherwise: they take less time."""
    return "2d"


both_renderers = pytest.mark.parametrize("renderer", [pytest.param("auto", marks=pytest.mark.gl), "2d"])


@pytest.fixture
def app(renderer: str, make_app: MakeApp, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> App:
    """A console before the first of three turns."""
    if renderer != "auto":
        monkeypatch.setenv("BELVEDERE_RENDERER", renderer)
    greedy = parts("greedy", TASK)
    app = make_app(replace(greedy, open_world=open_world, request=replace(greedy.request, max_steps=3)))
    settle(app)
    assert panel_of(app).dollhouse.frame is not None
    return app


def panel_of(app: App) -> FramesPanel:
    panel = app.window.stage.card.panel
    assert isinstance(panel, FramesPanel)
    return panel


def free_frame(app: App) -> Frame | None:
    return None if panel_of(app)._free is None else panel_of(app)._free.frame  # type: ignore[union-attr]


def drag(app: App, button: Qt.MouseButton, *by: tuple[int, int], shift: bool = False) -> None:
    pane, modifier = panel_of(app).dollhouse, Qt.KeyboardModifier.ShiftModifier if shift else Qt.KeyboardModifier.NoModifier
    middle = pane.rect().center()
    QTest.mousePress(pane, button, modifier, middle)
    for x, y in by:
        event_at(pane, button, modifier, middle + QPoint(x, y))
    QTest.mouseRelease(pane, button, modifier, middle + QPoint(*by[-1]))


def event_at(pane: QWidget, button: Qt.MouseButton, modifier: Qt.KeyboardModifier, at: QPoint) -> None:
    QApplication.sendEvent(pane, QMouseEvent(QEvent.Type.MouseMove, QPointF(at), QPointF(pane.mapToGlobal(at)),
                                             Qt.MouseButton.NoButton, button, modifier))


def wheel(app: App, notches: int, at: QPoint) -> None:
    pane = panel_of(app).dollhouse
    QApplication.sendEvent(pane, QWheelEvent(QPointF(at), QPointF(pane.mapToGlobal(at)), QPoint(), QPoint(0, 120 * notches),
                                             Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier,
                                             Qt.ScrollPhase.NoScrollPhase, UPRIGHT))


def settled(app: App) -> Callable[[], bool]:
    """Returns whether the fine picture of the present viewpoint and moment is shown."""
    def is_settled() -> bool:
        panel = panel_of(app)
        turning, free = panel.dollhouse.turning, panel._free
        size = turning.sizes(panel.dollhouse.size(), panel.devicePixelRatioF())
        return (turning.rests and free is not None and (free.wanted.orbit, free.wanted.size) == (turning.orbit, size)
                and free.wanted.moment == moment_of(panel._snapshot) and panel.dollhouse.frame is free.frame)
    return is_settled


@both_renderers
def test_turned_zoomed_and_moved_it_shows_the_same_moment_and_goes_back(app: App, qtbot: QtBot) -> None:
    panel = panel_of(app)
    usual = panel.dollhouse.frame
    drag(app, RIGHT, (20, 0), (60, -10), (90, -20))
    qtbot.waitUntil(settled(app))
    assert panel.dollhouse.caption.startswith("Dollhouse · turn 1 · free view")
    wheel(app, 3, panel.dollhouse.rect().center() + QPoint(20, 10))
    drag(app, RIGHT, (10, 0), (30, 10), shift=True)
    qtbot.waitUntil(settled(app))
    frame, orbit = free_frame(app), panel.dollhouse.turning.orbit
    assert frame is not None
    assert orbit is not None
    found = orbit_of(frame.matrix)
    assert found is not None
    assert (found.x, found.y, found.distance) == pytest.approx((orbit.x, orbit.y, orbit.distance), abs=1e-4)
    assert (found.turn, found.tilt) == pytest.approx((orbit.turn, orbit.tilt), abs=1e-4)
    assert app.context.key_now("0") == "0"
    panel.whole_house.trigger()
    assert panel.dollhouse.frame is usual
    assert "free" not in panel.dollhouse.caption


def test_it_follows_the_run_and_the_past(app: App, qtbot: QtBot) -> None:
    panel = panel_of(app)
    panel.dollhouse.zoom(2)
    qtbot.waitUntil(settled(app))
    first = free_frame(app)
    for _ in range(3):
        app.console.step()
        turn = app.bridge.snapshot.turn
        qtbot.waitUntil(lambda turn=turn: app.bridge.snapshot.turn > turn or app.bridge.snapshot.ended is not None,  # type: ignore[misc]
                        timeout=PATIENCE)
    qtbot.waitUntil(lambda: settled(app)() and panel._snapshot.turn == app.bridge.snapshot.turn)
    now = free_frame(app)
    assert now is not None
    assert now.turn == app.bridge.snapshot.turn > 1
    app.console.go_to(Moment(0, 1))
    qtbot.waitUntil(lambda: settled(app)() and (frame := free_frame(app)) is not None and frame.turn == 1)
    again = free_frame(app)
    assert first is not None
    assert again is not None
    assert (again.turn, again.phase) == (1, "before"), "as the run's own picture of this turn"
    assert np.array_equal(first.pixels, again.pixels)


@both_renderers
def test_what_lies_over_the_picture_is_where_things_are_drawn(app: App, qtbot: QtBot) -> None:
    panel = panel_of(app)
    for by in ((80, 10), (-120, 30), (40, -60)):
        drag(app, RIGHT, (6, 6), by)
        qtbot.waitUntil(settled(app))
        frame, pane = free_frame(app), panel.dollhouse
        assert frame is not None
        for name, (x0, y0, x1, y1) in list(frame.boxes)[:12]:
            rows, columns = np.nonzero(frame.ids[y0:y1, x0:x1] == frame.names.index(name))  # type: ignore[index]
            point = pane.at(x0 + int(columns[len(columns) // 2]) + 0.5, y0 + int(rows[len(rows) // 2]) + 0.5)
            assert pane.under(point) == name
        agent = panel._snapshot.seen.agent  # type: ignore[union-attr]
        assert agent.pose is not None
        points = projected(frame, [(agent.pose.x, agent.pose.y, 0.0)])
        assert len(points) == 1


def test_a_recording_is_turned_too(app: App, qtbot: QtBot, tmp_path: Path) -> None:
    app.recorders.toggle()
    app.console.run()
    qtbot.waitUntil(lambda: app.bridge.snapshot.ended is not None)
    app.recorders.toggle()
    qtbot.waitUntil(lambda: app.recorders.last is not None)
    assert app.recorders.last is not None
    app.viewer.open(app.recorders.last)
    qtbot.waitUntil(lambda: app.console.replaying and panel_of(app).dollhouse.frame is not None)
    panel_of(app).dollhouse.zoom(2)
    qtbot.waitUntil(settled(app))
    assert "free view" in panel_of(app).dollhouse.caption


@both_renderers
def test_a_recording_without_pictures_is_drawn_from_its_world(app: App, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "bare.mcap"
    run = Session(build(Request("greedy", task=TASK, max_steps=3), simulator_class))
    recorder = Recorder(path, lambda said: None, limits=PATIENT)
    run.follow(recorder.on_event)
    run.run()
    recorder.close()
    app.viewer.open(path)
    qtbot.waitUntil(lambda: app.console.replaying and not panel_of(app)._snapshot.frames)
    panel = panel_of(app)
    qtbot.waitUntil(panel.card.isVisible)
    state = panel._state()
    assert state is not None
    (draw,) = state.actions
    assert draw.act is not None
    draw.act()
    qtbot.waitUntil(settled(app))
    frame = panel.dollhouse.frame
    assert frame is not None
    assert frame.names.count("fridge_1") == 1, "the whole house is drawn"
    assert not panel.card.isVisible()
    panel.dollhouse.turning.reset()
    assert panel.card.isVisible(), "there is no picture from the usual side"


def test_a_world_that_has_one_side_keeps_its_picture_and_says_why(make_app: MakeApp, qtbot: QtBot) -> None:
    def refuse(request: Request) -> Simulator:
        raise UsageError(f"{request.simulator} draws its house from one side only")

    app = make_app(replace(parts("greedy", TASK), open_world=refuse))
    # The panel is created when it is shown.
    qtbot.waitUntil(lambda: panel_of(app).dollhouse.frame is not None)
    panel = panel_of(app)
    usual = panel.dollhouse.frame
    drag(app, RIGHT, (40, 0), (60, -10))
    qtbot.waitUntil(lambda: "one side only" in panel.headline())
    assert panel.dollhouse.frame is usual
    assert panel.dollhouse.turning.orbit is None


def test_clicks_select_and_drags_do_not(app: App, qtbot: QtBot) -> None:
    pane, picked = panel_of(app).dollhouse, list[str]()
    pane.picked.connect(picked.append)
    QTest.mouseClick(pane, Qt.MouseButton.LeftButton, pos=pane.rect().center())
    assert len(picked) == 1
    drag(app, Qt.MouseButton.MiddleButton, (30, 0), (50, 0))
    assert len(picked) == 1
    qtbot.waitUntil(settled(app))


# --- moving things -----------------------------------------------------------
def middle_of(app: App, entity_id: str) -> QPoint:
    """A point of the pane at which an entity is drawn."""
    pane = panel_of(app).dollhouse
    frame = pane.frame
    assert frame is not None
    assert frame.ids is not None
    rows, columns = np.nonzero(frame.ids == frame.names.index(entity_id))
    k = len(rows) // 2
    return pane.at(int(columns[k]) + 0.5, int(rows[k]) + 0.5).toPoint()


def movable(app: App) -> str:
    """A thing that is seen well."""
    pane = panel_of(app).dollhouse
    frame = pane.frame
    assert frame is not None
    assert frame.ids is not None
    areas = np.bincount(frame.ids.ravel(), minlength=len(frame.names))
    kinds = ("pillow", "box", "book_", "magazine", "folder", "towel")
    things = [k for k, name in enumerate(frame.names) if name.startswith(kinds)]
    return frame.names[max(things, key=lambda k: areas[k])]


def lift(app: App, qtbot: QtBot, thing: str) -> None:
    pane = panel_of(app).dollhouse
    start = middle_of(app, thing)
    QTest.mousePress(pane, Qt.MouseButton.LeftButton, pos=start)
    event_at(pane, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, start + QPoint(6, 3))
    assert pane.carrying.thing == thing
    qtbot.waitUntil(lambda: "worked out" not in pane.carrying.words)


def place_for(app: App) -> str:
    """The furniture seen best on or in which the lifted thing can be put."""
    pane = panel_of(app).dollhouse
    frame, lifted = pane.frame, pane.carrying._lifted
    assert frame is not None
    assert frame.ids is not None
    assert lifted is not None
    areas = np.bincount(frame.ids.ravel(), minlength=len(frame.names))
    fits = {c.to for c in lifted.changes if c.kind != "state" and lifted.entities[c.to].category == "furniture"}
    fits -= {lifted.holders.get(lifted.thing, "")}
    return max((name for name in frame.names if name in fits), key=lambda name: areas[frame.names.index(name)])


def hover(app: App, place: str) -> None:
    event_at(panel_of(app).dollhouse, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, middle_of(app, place))


@pytest.mark.parametrize(("renderer", "free"), [pytest.param(renderer, free, marks=[pytest.mark.gl][renderer == "2d":])
                                                for renderer, free in some_pairs(("auto", "2d"), (False, True), 1)])
def test_a_drop_forks_the_run_with_the_changed_world(app: App, qtbot: QtBot, free: bool) -> None:
    panel, pane = panel_of(app), panel_of(app).dollhouse
    app.console.step()
    qtbot.waitUntil(lambda: panel._snapshot.turn == 2 and pane.frame is not None and pane.frame.turn == 2)
    if free:
        pane.zoom(0.5)
        qtbot.waitUntil(settled(app))
    thing = movable(app)
    lift(app, qtbot, thing)
    place = place_for(app)
    hover(app, place)
    change = pane.carrying.change
    assert isinstance(change, WorldChange)
    assert (change.thing, change.to) == (thing, place)
    assert pane.carrying.words.startswith("put ")
    QTest.mouseRelease(pane, Qt.MouseButton.LeftButton, pos=middle_of(app, place))
    assert not pane.carrying.thing
    qtbot.waitUntil(lambda: len(app.bridge.snapshot.branches) == 2 and bool(app.bridge.snapshot.altered))
    altered = app.bridge.snapshot.altered[0]
    assert altered.change is not None
    assert replace(altered.change, point=None) == change
    assert (altered.change.point is not None) == (change.kind == "on")
    assert altered.turn == 2
    qtbot.waitUntil(lambda: panel._snapshot.branch == 1 and panel._snapshot.turn == 2)
    qtbot.waitUntil(lambda: pane.frame is not None and pane.frame.branch == 1)
    pane.zoom(0.1)
    qtbot.waitUntil(settled(app))
    moment, found = moment_of(panel._snapshot), list[Lifted]()
    assert moment is not None
    app.context.free_view.lifted.connect(found.append)
    app.context.free_view.lift(moment, thing)
    qtbot.waitUntil(lambda: bool(found))
    assert found[0].holders[thing] == place, "the replica makes the change too"


@both_renderers
def test_a_thing_is_put_where_the_pointer_is_also_on_what_it_lies_on(app: App, qtbot: QtBot) -> None:
    pane, thing = panel_of(app).dollhouse, movable(app)
    lift(app, qtbot, thing)
    lifted = pane.carrying._lifted
    assert lifted is not None
    holder, top = lifted.lies_on, lifted.tops[lifted.lies_on]
    hover(app, holder)
    assert pane.carrying.change == WorldChange(thing, "on", holder)
    frame, place, dropped_at = pane.frame, pane.place(), middle_of(app, holder)
    assert frame is not None
    QTest.mouseRelease(pane, Qt.MouseButton.LeftButton, pos=dropped_at)
    qtbot.waitUntil(lambda: bool(app.bridge.snapshot.altered))
    change = app.bridge.snapshot.altered[0].change
    assert change is not None
    point = change.point
    assert point is not None
    x, y = projected(frame, [(*point, top)])[0]
    height, width = frame.pixels.shape[:2]
    drawn = place.topLeft() + QPointF(x / width * place.width(), y / height * place.height())
    assert (drawn - QPointF(dropped_at)).manhattanLength() < 3


def test_escape_cancels_and_a_place_that_does_not_fit_says_why(app: App, qtbot: QtBot) -> None:
    pane = panel_of(app).dollhouse
    lift(app, qtbot, movable(app))
    hover(app, "fridge_1")
    hover(app, "toilet_1")
    assert pane.carrying.change is None
    qtbot.waitUntil(lambda: "does not go there" not in pane.carrying.words)
    QTest.keyClick(app.window, Qt.Key.Key_Escape)
    assert not pane.carrying.thing
    QTest.mouseRelease(pane, Qt.MouseButton.LeftButton, pos=middle_of(app, "kitchen_table_1"))
    settle(app)
    assert len(app.bridge.snapshot.branches) == 1
    assert app.bridge.snapshot.status == "paused"


def test_a_place_is_refused_for_the_relation_it_is_made_for(app: App, qtbot: QtBot) -> None:
    pane = panel_of(app).dollhouse
    lift(app, qtbot, movable(app))
    lifted, frame = pane.carrying._lifted, pane.frame
    assert lifted is not None
    assert frame is not None
    fits, refused = {c.to for c in lifted.changes}, list[str]()
    for place in sorted(set(frame.names) & lifted.entities.keys() - fits):
        properties = lifted.entities[place].properties
        if CONTAINER in properties and SURFACE not in properties and pane.box_of(place) is not None:
            hover(app, place)
            if pane.carrying.target == place:  # nothing is drawn over its middle
                qtbot.waitUntil(lambda: "does not go there" not in pane.carrying.words)
                refused.append(pane.carrying.words)
    QTest.keyClick(app.window, Qt.Key.Key_Escape)
    assert refused
    assert not [words for words in refused if "nothing to put things on" in words]


def test_a_drop_in_a_recording_takes_over(app: App, qtbot: QtBot) -> None:
    app.recorders.toggle()
    app.console.run()
    qtbot.waitUntil(lambda: app.bridge.snapshot.ended is not None)
    app.recorders.toggle()
    qtbot.waitUntil(lambda: app.recorders.last is not None)
    assert app.recorders.last is not None
    app.viewer.open(app.recorders.last)
    pane = panel_of(app).dollhouse
    qtbot.waitUntil(lambda: app.console.replaying and pane.frame is not None and pane.frame.turn == 1)
    qtbot.waitUntil(lambda: (m := moment_of(panel_of(app)._snapshot)) is not None and m.turn == 1)
    lift(app, qtbot, movable(app))
    place = place_for(app)
    hover(app, place)
    assert "takes over" in pane.drop_says
    QTest.mouseRelease(pane, Qt.MouseButton.LeftButton, pos=middle_of(app, place))
    qtbot.waitUntil(lambda: not app.console.replaying and bool(app.bridge.snapshot.altered))
    assert app.bridge.snapshot.altered[0].turn == 1
