"""Replay: the same window with a recording, read-only, with seeking, stepping and taking over."""

from __future__ import annotations

import gc
import shutil
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QSettings, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.common.errors import DataError
from core.planning.belief_facets import Belief
from core.planning.facets import Moment
from core.planning.search_facets import Ranking, SearchTree
from core.recording.reader import Recording, open_recording
from core.session.commands import Annotate, Ban, Fork, Override, SetParameter
from core.session.events import Event, TurnBegan
from core.session.snapshot import Snapshot, fold
from gui.app import App
from gui.control.recording_files import OpenRecording, RecordingFiles
from gui.control.replay import Replay
from gui.theme import Theme
from gui.widgets import Banner, StateCard
from gui.widgets.chooser import Choice
from gui.window.layouts import layout_for
from tests.core.recording.common import CODEC, recorded, same
from tests.core.session.toys import LEFT, RIGHT, Ear
from tests.gui.conftest import MakeApp
from tests.gui.parts import parts
from tests.gui.settling import PATIENCE, settle


def record(tmp_path: Path) -> tuple[Path, list[Event]]:
    """Records a run with a bookmark and an override."""
    path = tmp_path / "episode.mcap"
    return path, recorded(path, Annotate("bookmark"), Override(RIGHT, why="to try"), SetParameter("looks", 2))


def show(qtbot: QtBot, app: App, path: Path) -> None:
    app.viewer.open(path)
    settle(app)
    assert app.console.replaying
    assert app.replay.number >= 0
    assert app.runner.phase == "idle"


def seek(qtbot: QtBot, app: App, number: int) -> Snapshot:
    app.replay.seek(number)
    qtbot.waitUntil(lambda: app.replay.number == number)
    return app.console.shown


def test_replaying_shows_the_same_snapshots_as_live(qtbot: QtBot, make_app: MakeApp, tmp_path: Path) -> None:
    path, events = record(tmp_path)
    app = make_app(parts())
    show(qtbot, app, path)
    live = Snapshot()
    for event in events:
        live = fold(live, event)
        if app.replay.recording is not None and event.number >= app.replay.recording.start:
            assert same(seek(qtbot, app, event.number), live), f"after event {event.number}"


def test_it_opens_on_a_moment_that_has_something_to_show(qtbot: QtBot, make_app: MakeApp, tmp_path: Path) -> None:
    path, events = record(tmp_path)
    app = make_app(parts())
    show(qtbot, app, path)
    last = max(event.number for event in events if event.turn == 1)
    assert app.replay.number == last, "the first turn as it ended"
    assert app.console.shown.turn == 1
    assert app.console.moment == Moment(0, 1)
    frames = app.window.stage.card.fill()
    qtbot.waitUntil(lambda: frames.isVisible())
    assert not any(card.state.kind == "waiting" for card in frames.findChildren(StateCard)), "nothing is waited for"


def test_that_it_is_being_opened_is_said_until_it_is_open(make_app: MakeApp, tmp_path: Path) -> None:
    """It was said for seconds after that."""
    path = tmp_path / "a.mcap"
    recorded(path)
    app = make_app(parts())
    app.viewer.open(path)
    assert app.window.status._message.text == "Opening a.mcap"
    settle(app)
    assert "Opening" not in app.window.status._message.text


def test_it_is_read_only_and_says_so(qtbot: QtBot, make_app: MakeApp, tmp_path: Path) -> None:
    path, _ = record(tmp_path)
    app = make_app(parts())
    before = app.console.request
    show(qtbot, app, path)
    assert not app.context.live
    assert app.window.strip.isVisible()
    controls = app.window.bar.controls
    assert controls.run.text().strip() == "Play"
    assert not controls.override.isEnabled()
    assert not controls.record.isEnabled()
    assert not app.window.bar.pickers.isEnabled()
    said: list[str] = []
    app.console.message.connect(lambda text, _: said.append(text))
    app.console.run_request.set_parameter("looks", 7)
    assert "read-only" in said[-1]
    assert app.console.request.parameters == {"looks": 3}
    app.viewer.leave()
    assert not app.window.strip.isVisible()
    qtbot.waitUntil(lambda: app.bridge.snapshot.turn == 1)
    assert app.console.request == before
    assert app.context.live


def test_keys_step_by_turn_and_event_and_jump_to_marks(qtbot: QtBot, make_app: MakeApp, tmp_path: Path) -> None:
    path, events = record(tmp_path)
    app = make_app(parts())
    show(qtbot, app, path)
    window = app.window.windowHandle()
    app.window.activateWindow()
    start = app.replay.number
    QTest.keyClick(window, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    qtbot.waitUntil(lambda: app.replay.number == start + 1)
    QTest.keyClick(window, Qt.Key.Key_End)
    qtbot.waitUntil(lambda: app.replay.number == events[-1].number)
    QTest.keyClick(window, Qt.Key.Key_Left)
    qtbot.waitUntil(lambda: app.console.moment == Moment(0, 4))
    QTest.keyClick(window, Qt.Key.Key_Home)
    qtbot.waitUntil(lambda: app.replay.at_start and app.replay.number == app.replay.sought)
    found = []
    for _ in range(2):
        at = app.replay.number
        QTest.keyClick(window, Qt.Key.Key_BracketRight)
        qtbot.waitUntil(lambda at=at: app.replay.number > at)  # type: ignore[misc]
        found.append(app.replay.number)
    assert app.replay.recording is not None
    assert found == [m.number for m in app.replay.recording.stops[:2]]


def test_from_the_beginning_the_keys_go_to_the_first_turn_and_no_further_back(
        qtbot: QtBot, make_app: MakeApp, tmp_path: Path) -> None:
    path, _ = record(tmp_path)
    app = make_app(parts())
    show(qtbot, app, path)
    window = app.window.windowHandle()
    app.window.activateWindow()
    QTest.keyClick(window, Qt.Key.Key_Home)
    qtbot.waitUntil(lambda: app.replay.at_start and app.replay.number == app.replay.sought)
    start = app.console.shown
    assert (start.turn, len(start.turns), start.seen is not None, bool(start.progress)) == (1, 0, True, True)
    QTest.keyClick(window, Qt.Key.Key_Left)
    QTest.keyClick(window, Qt.Key.Key_Right)
    qtbot.waitUntil(lambda: len(app.console.shown.turns) == 1)
    assert app.console.moment == Moment(0, 1)


def test_the_first_moment_shows_the_start_however_one_comes_there(
        qtbot: QtBot, make_app: MakeApp, tmp_path: Path) -> None:
    path, _ = record(tmp_path)
    app = make_app(parts())
    show(qtbot, app, path)
    for go in (app.console.first_turn, partial(app.replay.seek_seconds, 0.0), partial(app.replay.seek, 0),
               partial(app.replay.step_event, -1)):
        go()
        settle(app)
        shown = app.console.shown
        assert (shown.turn, shown.seen is not None, len(shown.turns)) == (1, True, 0)
        assert app.window.bar.goal._progress, "the goal's parts are shown, not an invitation to type"
    app.replay.set_speed(4)
    app.replay.play()
    qtbot.waitUntil(lambda: app.console.shown.turn > 1)


def test_the_run_is_not_shown_between_two_recordings(qtbot: QtBot, make_app: MakeApp, tmp_path: Path) -> None:
    path, _ = record(tmp_path)
    other = tmp_path / "other.mcap"
    shutil.copy(path, other)
    app = make_app(parts())
    show(qtbot, app, path)
    seen: list[bool] = []
    app.replay.changed.connect(lambda: seen.append(app.console.replaying))
    show(qtbot, app, other)
    qtbot.waitUntil(lambda: app.replay.recording is not None and app.replay.recording.path == other)
    assert seen
    assert all(seen)


def test_playing_comes_to_the_end_faster_and_loops(qtbot: QtBot, make_app: MakeApp, tmp_path: Path) -> None:
    path, events = record(tmp_path)
    app = make_app(parts())
    show(qtbot, app, path)
    app.replay.set_speed(16.0)
    seen: list[int] = []
    app.replay.moved.connect(lambda snapshot: seen.append(snapshot.event))
    QTest.keyClick(app.window.windowHandle(), Qt.Key.Key_Space)
    assert app.replay.playing
    qtbot.waitUntil(lambda: not app.replay.playing)
    qtbot.waitUntil(lambda: app.replay.number == events[-1].number)
    assert seen == sorted(seen)
    app.replay.set_loop(True)
    app.replay.play()
    qtbot.waitUntil(lambda: len(seen) > 3 and any(a > b for a, b in pairwise(seen)))
    app.replay.pause()


def test_the_timeline_scrubs_to_the_very_moment(qtbot: QtBot, make_app: MakeApp, tmp_path: Path) -> None:
    path, _ = record(tmp_path)
    app = make_app(parts())
    show(qtbot, app, path)
    timeline = app.window.timeline
    qtbot.waitUntil(lambda: len(timeline.story.blocks) == 5)
    block = timeline.story.blocks[3]
    assert timeline.viewport.seconds_at(5000) == timeline.story.blocks[-1].ended
    middle = (block.began + block.ended) / 2
    app.replay.seek_seconds(middle)
    qtbot.waitUntil(lambda: app.console.moment == block.moment)


def test_taking_over_plays_the_past_and_goes_on_live(qtbot: QtBot, make_app: MakeApp, tmp_path: Path) -> None:
    path, events = record(tmp_path)
    app = make_app(parts())
    show(qtbot, app, path)
    with open_recording(path, CODEC) as recording:
        end = recording.number_at(turn=2)
    past = seek(qtbot, app, end + 2)
    assert past.turn == 3
    QTest.keyClick(app.window.windowHandle(), Qt.Key.Key_F,
                   Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    qtbot.waitUntil(lambda: not app.console.replaying and app.bridge.snapshot.turn == 3)
    qtbot.waitUntil(lambda: app.bridge.snapshot.status == "paused")
    now = app.bridge.snapshot
    assert [t.done for t in now.line] == [t.done for t in past.line]
    assert [t.by for t in now.turns] == [t.by for t in past.turns]
    assert vars(now.parameters) == vars(past.parameters)
    assert app.context.live
    app.runner.post(Override(LEFT))
    app.console.run()
    qtbot.waitUntil(lambda: len(app.bridge.snapshot.line) > 3)
    assert app.bridge.snapshot.line[2].done == LEFT
    assert len(events) > 3


def test_taking_over_from_a_fork_follows_its_line(qtbot: QtBot, make_app: MakeApp, tmp_path: Path) -> None:
    path = tmp_path / "forked.mcap"

    def cue(ear: Ear) -> None:
        ear.when(lambda event: event.turn == 3 and isinstance(event.what, TurnBegan), Fork(2))

    recorded(path, Ban(LEFT), Override(RIGHT), steps=6, cue=cue)
    app = make_app(parts())
    show(qtbot, app, path)
    with open_recording(path, CODEC) as recording:
        last = recording.snapshot_at()
        assert last.branch == 1
        end = recording.number_at(turn=3, branch=1)
    past = seek(qtbot, app, end)
    app.viewer.take_over()
    qtbot.waitUntil(lambda: not app.console.replaying and app.bridge.snapshot.status in ("paused", "ended"))
    qtbot.waitUntil(lambda: len(app.bridge.snapshot.line) == len(past.line))
    assert [t.done for t in app.bridge.snapshot.line] == [t.done for t in past.line]
    assert app.bridge.snapshot.banned == {LEFT}


def test_a_file_that_is_none_is_said_and_the_run_stays(qtbot: QtBot, make_app: MakeApp, tmp_path: Path) -> None:
    app = make_app(parts())
    odd = tmp_path / "odd.mcap"
    odd.write_bytes(b"no recording at all")
    said: list[str] = []
    app.console.message.connect(lambda text, _: said.append(text))
    app.viewer.open(odd)
    qtbot.waitUntil(lambda: len(said) > 1)
    assert "odd.mcap" in said[-1]
    assert not app.console.replaying
    assert app.runner.phase == "live"


def notice_of(app: App) -> tuple[str, str]:
    notice = app.window.notices.box.content
    assert isinstance(notice, Banner)
    return notice.accessibleName(), notice.accessibleDescription()


def test_why_a_recording_cannot_be_read_is_shown_until_another_is_open(
    qtbot: QtBot, make_app: MakeApp, tmp_path: Path
) -> None:
    """The status line shows it for some seconds only."""
    path, _ = record(tmp_path)
    odd = tmp_path / "odd.mcap"
    odd.write_bytes(b"no recording at all")
    app = make_app(parts())
    app.viewer.open(odd)
    qtbot.waitUntil(lambda: app.window.notices.shown, timeout=PATIENCE)
    assert notice_of(app) == ("odd.mcap cannot be read", "odd.mcap is no recording: it does not begin as MCAP files do")
    app.console.step()
    qtbot.waitUntil(lambda: app.bridge.snapshot.turn > 1, timeout=PATIENCE)
    assert app.window.notices.shown
    show(qtbot, app, path)
    assert not app.window.notices.shown


def test_a_window_started_with_a_file_that_cannot_be_read_says_so_while_it_prepares_a_run(
    qtbot: QtBot, theme: Theme, settings: QSettings, tmp_path: Path
) -> None:
    odd = tmp_path / "odd.mcap"
    odd.write_bytes(b"no recording at all")
    app = App(replace(parts(), files=RecordingFiles(tmp_path / "recordings", lambda: CODEC)), theme, settings)
    app.open(ask=False, recording=odd)
    qtbot.waitUntil(lambda: app.bridge.snapshot.turn > 0, timeout=PATIENCE)
    assert notice_of(app)[0] == "odd.mcap cannot be read"
    app.window.close()
    app.window.deleteLater()


def test_a_moment_that_cannot_be_read_is_shown_with_the_reason(
    qtbot: QtBot, make_app: MakeApp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, _ = record(tmp_path)
    app = make_app(parts())
    show(qtbot, app, path)

    def fail(self: Recording, number: int) -> Snapshot:
        raise DataError(f"event {number} is damaged")

    monkeypatch.setattr(Recording, "snapshot_at", fail)
    app.replay.seek(5)
    qtbot.waitUntil(lambda: app.window.notices.shown, timeout=PATIENCE)
    assert notice_of(app) == ("episode.mcap cannot be read", "event 5 is damaged")


def test_a_cut_off_recording_is_left_as_it_is_and_that_is_said(qtbot: QtBot, make_app: MakeApp, tmp_path: Path) -> None:
    path, _ = record(tmp_path)
    data = path.read_bytes()[:-400]
    path.write_bytes(data)
    app = make_app(parts())
    said: list[str] = []
    app.console.message.connect(lambda text, _: said.append(text))
    show(qtbot, app, path)
    assert app.replay.recording is not None
    assert app.replay.recording.reader.notice in said
    assert "is only partly there" in app.replay.recording.reader.notice
    assert path.read_bytes() == data
    assert list(path.parent.glob("*.mcap*")) == [path]


# --- every file that is opened is closed again ------------------------------------------
class Openings:
    """All recordings that were opened, noted on the replay's thread, and an event that holds up their delivery."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch):
        self.readers: list[Recording] = []
        self.one, self.go_on = threading.Event(), threading.Event()
        self.go_on.set()
        really_open = RecordingFiles.open

        def slowly(files: RecordingFiles, path: Path) -> OpenRecording:
            opened = really_open(files, path)
            self.readers.append(opened.reader)
            self.one.set()
            assert self.go_on.wait(PATIENCE / 1000)
            return opened

        monkeypatch.setattr(RecordingFiles, "open", slowly)

    def assert_closed(self) -> None:
        """Asserts that a file was opened and none is open, and that nothing is left to the garbage collector."""
        assert self.readers
        assert all(reader._scan.file.closed for reader in self.readers)
        self.readers.clear()
        gc.collect()  # a file that is still open would fail the test: warnings are errors


@pytest.fixture
def openings(monkeypatch: pytest.MonkeyPatch) -> Openings:
    """Notes the recordings that the window opens."""
    return Openings(monkeypatch)


def wait_for_jobs(replay: Replay) -> None:
    """Waits until all jobs so far are done. Their results are not delivered yet."""
    done = threading.Event()
    replay.jobs.do(done.set, lambda _: None, lambda _: None)
    assert done.wait(PATIENCE / 1000)


def end_while_it_is_read(qtbot: QtBot, openings: Openings, replay: Replay, path: Path) -> None:
    openings.go_on.clear()
    replay.open(path)
    assert openings.one.wait(PATIENCE / 1000)
    replay.end(0.0)
    openings.go_on.set()


def end_before_it_is_delivered(qtbot: QtBot, openings: Openings, replay: Replay, path: Path) -> None:
    replay.open(path)
    wait_for_jobs(replay)
    replay.end(0.0)


def end_while_it_is_shown(qtbot: QtBot, openings: Openings, replay: Replay, path: Path) -> None:
    replay.open(path)
    qtbot.waitUntil(lambda: replay.number >= 0)
    replay.end(0.0)


def close_while_it_is_read(qtbot: QtBot, openings: Openings, replay: Replay, path: Path) -> None:
    openings.go_on.clear()
    replay.open(path)
    assert openings.one.wait(PATIENCE / 1000)
    replay.close()
    openings.go_on.set()
    qtbot.waitUntil(lambda: openings.readers[0]._scan.file.closed)
    replay.end(0.0)


def open_it_twice_at_once(qtbot: QtBot, openings: Openings, replay: Replay, path: Path) -> None:
    replay.open(path)
    replay.open(path)
    qtbot.waitUntil(lambda: replay.number >= 0)
    qtbot.waitUntil(lambda: [reader._scan.file.closed for reader in openings.readers] == [False, True])
    replay.end(0.0)


Way = Callable[[QtBot, Openings, Replay, Path], None]


@pytest.mark.parametrize("way", [end_while_it_is_read, end_before_it_is_delivered, end_while_it_is_shown,
                                 close_while_it_is_read, open_it_twice_at_once])
def test_whenever_a_recording_is_left_its_file_is_closed(qtbot: QtBot, tmp_path: Path, openings: Openings, way: Way) -> None:
    path, _ = record(tmp_path)
    replay = Replay(RecordingFiles(tmp_path, lambda: CODEC))
    replay.jobs.do(lambda: None, lambda _: None, lambda _: None)
    thread = replay.jobs._thread
    assert thread is not None
    way(qtbot, openings, replay, path)
    thread.join(PATIENCE / 1000)
    assert not thread.is_alive()
    QCoreApplication.processEvents()  # results that were delivered too late
    assert replay.recording is None
    assert replay.jobs._thread is None
    openings.assert_closed()


def test_a_recording_that_is_being_opened_is_closed_with_the_window(
        qtbot: QtBot, make_app: MakeApp, tmp_path: Path, openings: Openings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gui.app.PATIENCE", PATIENCE / 1000)  # on a loaded machine the thread may need longer to close it
    path, _ = record(tmp_path)
    app = make_app(parts())
    app.viewer.open(path)
    assert openings.one.wait(PATIENCE / 1000)
    app.window.close()
    openings.assert_closed()


def test_a_file_that_is_none_does_not_stop_the_next_one(qtbot: QtBot, make_app: MakeApp, tmp_path: Path) -> None:
    path, _ = record(tmp_path)
    app = make_app(parts())
    odd = tmp_path / "odd.mcap"
    odd.write_bytes(b"no recording at all")
    app.viewer.open(odd)
    show(qtbot, app, path)
    assert app.viewer.name == path.name


def test_lists_that_arrive_later_complete_the_layout_of_the_planner_that_is_shown(make_app: MakeApp) -> None:
    app = make_app(parts())
    few = app.console.choices
    next_run = Choice(app.console.request.planner, "The next run's", shows=frozenset({SearchTree, Ranking}))
    foreign = Choice("adviser", "Adviser", shows=frozenset({Belief}), layout={"left": (("calls", "belief"),)})
    app.window.use_layout("adviser")  # that of a recording: what it declares is not known yet
    app.console.offer(replace(few, planners=(next_run, foreign)))
    assert app.window._arrangement.wanted == layout_for(foreign.shows, foreign.layout)
