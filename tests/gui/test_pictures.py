"""Captions of pictures are true: live, in the past, run again, and replayed."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from core.app.run_request import Request
from core.planning.facets import Frame, Moment
from core.recording.reader import open_recording
from core.session.setup import Setup
from core.session.snapshot import Snapshot
from gui.app import App
from gui.control.parts import Parts
from gui.panels.frames.overlays import room_of
from gui.panels.frames.panel import FramesPanel
from tests.core.recording.common import CODEC
from tests.core.session.pictured import Pictured, place_in
from tests.gui.conftest import MakeApp
from tests.gui.panels import worlds
from tests.gui.parts import make_setup, parts

ENDED = 5


def pictured(seconds: float = 0.02) -> Parts:
    """A console whose robot walks faster than its pictures are drawn."""
    world = type("Walk", (Pictured,), {"seconds": seconds})

    def make(request: Request) -> Setup:
        return replace(make_setup(request), make_world=world)

    return replace(parts(), make_setup=make)


def panel_of(app: App) -> FramesPanel:
    panel = app.window.stage.card.panel
    assert isinstance(panel, FramesPanel)
    return panel


def said(app: App) -> list[tuple[str, Frame]]:
    """Captions of the visible pictures, with the pictures. Before the panel's first snapshot there are none."""
    if app.window.stage.card.panel is None:
        return []
    panel = panel_of(app)
    return [(pane.caption, pane.frame) for pane in panel.panes.values() if pane.isVisible() and pane.frame is not None]


def is_true(caption: str, frame: Frame) -> bool:
    """Whether a straight walk to the end was where the picture shows it, in the turn that the caption names."""
    found = re.search(r"(after )?turn (\d+)", caption)
    assert found is not None, caption
    return place_in(frame) == int(found[2]) - (0 if found[1] else 1)


def shows(app: App, words: str) -> bool:
    found = said(app)
    return len(found) == 2 and all(words in caption and is_true(caption, frame) for caption, frame in found)


def run(qtbot: QtBot, app: App) -> None:
    app.console.run()
    qtbot.waitUntil(lambda: app.bridge.snapshot.ended is not None)


def test_captions_are_true_at_every_moment_and_the_end_shows_the_present(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(pictured())
    wrong: list[tuple[str, Frame]] = []
    app.console.live_snapshot.connect(lambda _: wrong.extend(x for x in said(app) if not is_true(*x)))
    qtbot.waitUntil(lambda: shows(app, "turn 1"))
    run(qtbot, app)
    qtbot.waitUntil(lambda: shows(app, "after turn 5"))
    before = app.bridge.snapshot.began
    app.console.again()
    qtbot.waitUntil(lambda: (now := app.bridge.snapshot.began) is not None and now is not before)
    qtbot.waitUntil(lambda: app.bridge.snapshot.ended is not None)
    qtbot.waitUntil(lambda: shows(app, "after turn 5"))
    assert not wrong


def test_a_new_run_shows_no_picture_of_the_one_before(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(pictured())
    run(qtbot, app)
    qtbot.waitUntil(lambda: shows(app, "after turn 5"))
    old = [frame for _, frame in said(app)]  # kept, because a new picture could get the identity of an old one
    app.console.prepare()
    qtbot.waitUntil(lambda: app.bridge.snapshot.status == "paused")
    qtbot.waitUntil(lambda: shows(app, "turn 1"))
    assert not {id(frame) for frame in old} & {id(frame) for _, frame in said(app)}


def test_a_past_turn_gets_the_picture_that_is_drawn_late(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(pictured(0.05))
    qtbot.waitUntil(lambda: shows(app, "turn 1"))
    run(qtbot, app)
    for turn in (2, 4, 3, 1):
        app.console.go_to(Moment(0, turn))
        qtbot.waitUntil(lambda turn=turn: shows(app, f"· turn {turn}"))  # type: ignore[misc]
    app.console.go_live()
    qtbot.waitUntil(lambda: shows(app, "after turn 5"))


def test_a_recording_is_completed_while_the_next_run_begins(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(pictured(0.1))
    app.recorders.toggle()
    run(qtbot, app)
    qtbot.waitUntil(lambda: app.recorders._recorder is not None)
    app.console.again()
    qtbot.waitUntil(lambda: app.runner.pictures_left > 0)
    assert "pictures left" in app.recorders.words()[0]
    qtbot.waitUntil(lambda: app.bridge.snapshot.ended is not None)
    qtbot.waitUntil(lambda: app.runner.pictures_left == 0 and app.recorders.last is not None)
    assert app.recorders.last is not None
    with open_recording(app.recorders.last, CODEC) as recording:
        assert not recording.notice
        for turn in range(1, 6):
            for view in ("first person", "dollhouse"):
                assert recording.picture_rows.of(
                    "dollhouse" if view == "dollhouse" else "first person", Moment(0, turn)) is not None
        assert {f.phase for f in recording.snapshot_at().frames.values()} == {"after"}


def test_a_recording_that_is_switched_off_holds_the_pictures_of_its_turns(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(pictured(0.05))
    app.recorders.toggle()
    run(qtbot, app)
    qtbot.waitUntil(lambda: app.recorders._recorder is not None)
    app.recorders.toggle()
    qtbot.waitUntil(lambda: app.recorders.last is not None)
    assert app.recorders.last is not None
    with open_recording(app.recorders.last, CODEC) as recording:
        assert all(recording.picture_rows.of("dollhouse", Moment(0, turn)) is not None for turn in range(1, 6))


def test_closing_in_the_midst_leaves_a_whole_file_that_says_what_is_missing(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(pictured(1.5))
    app.recorders.toggle()
    run(qtbot, app)
    qtbot.waitUntil(lambda: app.recorders._recorder is not None)
    recorder = app.recorders._recorder
    assert recorder is not None
    path = recorder.path
    assert path is not None
    app.window.close()
    with open_recording(path, CODEC) as recording:
        assert not recording.notice, "it needs no mending"
        frames = [event.what.facet for event in recording.of_kind("Frame")]  # type: ignore[attr-defined]
        assert {(f.turn, f.phase, f.camera) for f in frames} >= {(turn, "before", "dollhouse") for turn in range(1, ENDED + 1)}
        assert any(f.is_missing and "closed" in f.notice for f in frames)


def test_a_replay_shows_each_turns_picture(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(pictured())
    app.recorders.toggle()
    run(qtbot, app)
    qtbot.waitUntil(lambda: app.recorders._recorder is not None)
    app.recorders.toggle()
    qtbot.waitUntil(lambda: app.recorders.last is not None)
    assert app.recorders.last is not None
    app.viewer.open(app.recorders.last)
    qtbot.waitUntil(lambda: app.console.replaying)
    for turn in (3, 1, 5, 2, 4):
        app.console.go_to(Moment(0, turn))
        qtbot.waitUntil(lambda turn=turn: shows(app, f"turn {turn}"))  # type: ignore[misc]


def test_the_room_in_a_caption_is_the_one_that_the_picture_was_taken_in() -> None:
    """The robot walks on while the picture is drawn."""
    first, then = worlds.seen(), worlds.seen()
    then = replace(then, agent=replace(then.agent, room="living_room_1"))
    story = worlds.Story().begin(first).act(then)
    rooms = {("before", 1): "kitchen_1", ("after", 1): "living_room_1", ("about", 1): "", ("before", 7): ""}

    def check(snapshot: Snapshot) -> None:
        for (phase, turn), room in rooms.items():
            frame = replace(worlds.frame(), turn=turn, phase=phase)  # type: ignore[arg-type]
            assert room_of(frame, snapshot) == room, (phase, turn)

    check(story.snapshot)
    rooms["before", 2] = "living_room_1"
    rooms["after", 1] = ""
    snapshot = story.begin(then).snapshot
    rooms["after", 2] = ""
    check(snapshot)


@pytest.mark.parametrize("title", ["Room as text", "Task as text"])
def test_a_page_of_text_is_called_so(title: str, qtbot: QtBot) -> None:
    from core.session.events import Shown

    context, _ = worlds.context()
    panel = FramesPanel(context)
    qtbot.addWidget(panel)
    panel.resize(640, 320)
    panel.show()
    panel.show_snapshot(worlds.Story().begin().tell(Shown(replace(worlds.frame(), title=title))).snapshot)
    panel.restyle()
    assert panel.panes["first person"].caption == f"{title} · turn 1"
