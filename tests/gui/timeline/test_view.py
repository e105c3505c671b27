"""The timeline of a run of thousands of turns: what is in view is there and scrolls, and the rest costs nothing."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.planning.facets import Moment
from gui.app import App
from gui.timeline import Timeline
from gui.timeline.painter import TimelinePainter
from gui.widgets import Names
from gui.window.palette_entries import matching_turns
from tests.gui.conftest import MakeApp
from tests.gui.long_runs import ACTIONS, LongRun, long_run
from tests.gui.parts import parts

TURNS = 900


def opened(qtbot: QtBot, make_app: MakeApp) -> tuple[App, Timeline, LongRun]:
    """The window with a long run that no session plays."""
    app, run = make_app(parts()), long_run(TURNS)
    app.console.begun = True
    app.bridge.show(run.snapshot)
    qtbot.waitUntil(lambda: len(app.window.timeline.story.blocks) == TURNS + 1)
    return app, app.window.timeline, run


def test_it_follows_the_end_and_scrolls_to_the_beginning(qtbot: QtBot, make_app: MakeApp) -> None:
    app, timeline, run = opened(qtbot, make_app)
    sight = timeline.viewport
    assert sight.shown()[-1] == TURNS
    assert len(sight.shown()) < 60
    tracked = {b.annotation.turn for b in timeline.label_editor.bars}
    assert tracked <= set(range(TURNS - 120, TURNS + 2)), "of labels those near what is in sight"
    assert tracked
    flags = sight.flags(timeline.label_editor.untracked)
    assert {"bookmark", "edit", "override", "fault"} >= {f.icon for f in flags}
    assert len(flags) < 60
    end = timeline.grab().toImage()
    sight.scroll(1e9)
    timeline._update_bars()
    assert (sight.shown()[0], sight.follow) == (0, False)
    assert timeline.grab().toImage() != end
    QTest.mouseClick(timeline, Qt.MouseButton.LeftButton, pos=QPoint(int(sight.rows.left) + 30, 45))
    assert sight.moment_at(sight.rows.left + 30) == Moment(0, 2), "of the line that leads to the present"
    picture = QPixmap(timeline.size())
    painter = QPainter(picture)
    pill = TimelinePainter(app.context.theme, painter, sight).playhead(sight.rows.left, "turn 1 · replay", timeline.height())
    painter.end()
    assert pill.left() > max(tool.geometry().right() for tool in timeline._tools), "what is left of it is not painted again"
    app.bridge.show(run.play())
    qtbot.waitUntil(lambda: len(timeline.story.blocks) == TURNS + 2)
    assert sight.shown()[0] == 0, "it stays where it was scrolled to"


def test_the_arrow_keys_step_from_any_turn_of_a_long_line(qtbot: QtBot, make_app: MakeApp,
                                                          monkeypatch: pytest.MonkeyPatch) -> None:
    app, timeline, run = opened(qtbot, make_app)
    went: list[Moment] = []
    monkeypatch.setattr(app.console, "go_to", went.append)
    line = run.snapshot.line
    for moment in (Moment(line[0].branch, line[0].number), Moment(1, 500), Moment(1, TURNS)):
        app.console.moment = moment
        app.console.turn_by(-1)
    assert went == [Moment(0, 1), Moment(1, 499), Moment(1, TURNS - 1)]
    app.console.moment = None
    app.console.first_turn()
    app.console.turn_by(-1)
    assert went[-2:] == [Moment(0, 1), Moment(1, TURNS)]
    assert timeline.viewport.block_of(Moment(1, 500)) == 499
    assert timeline.viewport.block_of(Moment(0, 500)) == TURNS, "of another branch: the newest stands for it"


def test_the_palette_finds_turns_by_number_and_by_what_was_done() -> None:
    line, names = long_run(TURNS).snapshot.line, Names()
    assert [t.number for t in matching_turns(line, "7", names)] == [7]
    newest = [t.number for t in matching_turns(line, "", names)]
    assert newest == list(range(TURNS, TURNS - len(newest), -1))
    found = matching_turns(line, "grab", names)
    assert [t.number for t in found] == [n for n in range(TURNS, 0, -1) if ACTIONS[n % len(ACTIONS)].verb == "grab"]
    assert matching_turns(line, "no such thing", names) == []
    assert matching_turns(line, "100000", names) == []
