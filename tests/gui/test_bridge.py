"""Events cross from the session's thread. Snapshots arrive folded and throttled, and past ones are kept."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.common.parameters import Parameters
from core.planning.facets import Frame, Moment, Plan
from core.session.commands import Ban
from core.session.events import CommandTaken, Event, Paused, Payload, Rewound, Shown, Standing, Switched
from core.session.history import MOST_TURNS
from core.session.snapshot import Snapshot
from core.world.vocabulary import AgentState, Observation
from gui.control.bridge import TURNS_WITH_FRAMES, Bridge
from tests.core.session.toys import GOAL, LEFT, Folded

FRAME = Frame("dollhouse", np.zeros((2, 2, 3), np.uint8), None, ("",))


def event(number: int, what: Payload, turn: int = 1) -> Event:
    return Event(number, number / 10, turn, 0, what)


def test_many_events_few_snapshots(qtbot: QtBot) -> None:
    bridge, arrived = Bridge(), list[Snapshot]()
    bridge.changed.connect(arrived.append)
    hear = Folded(bridge.follower())

    def speak() -> None:
        for k in range(2000):
            hear(event(k, Paused(str(k))))

    thread = threading.Thread(target=speak)
    thread.start()
    thread.join()
    qtbot.waitUntil(lambda: bool(arrived) and arrived[-1].event == 1999)
    assert len(arrived) < 100
    assert arrived[-1].pause == "1999"


def test_what_was_caught_up_with_is_not_handed_over_again(qtbot: QtBot) -> None:
    bridge, arrived = Bridge(), list[Snapshot]()
    bridge.changed.connect(arrived.append)
    hear = Folded(bridge.follower())
    hear(event(0, Paused("one")))
    bridge.catch_up()
    QApplication.processEvents()  # the wake-up that was queued for the event arrives
    assert not bridge._later.isActive(), "there is nothing to hand over"
    assert [snapshot.pause for snapshot in arrived] == ["one"]
    hear(event(1, Paused("two")))
    qtbot.waitUntil(lambda: len(arrived) > 1)
    assert [snapshot.pause for snapshot in arrived] == ["one", "two"]


def test_an_old_session_is_not_heard(qtbot: QtBot) -> None:
    bridge = Bridge()
    old = Folded(bridge.follower())
    new = Folded(bridge.follower())
    new(event(0, Paused("new")))
    old(event(5, Paused("old")))
    assert bridge.snapshot.pause == "new"


def test_refusals_are_told(qtbot: QtBot) -> None:
    bridge = Bridge()
    hear = Folded(bridge.follower())
    with qtbot.waitSignal(bridge.refused) as refused:
        hear(event(0, CommandTaken(Ban(LEFT), ok=False, reason="not now")))
    assert refused.args == ["not now"]


def test_every_turn_is_kept_and_old_ones_without_pictures(qtbot: QtBot) -> None:
    bridge = Bridge()
    hear = Folded(bridge.follower())
    turns = TURNS_WITH_FRAMES + 3
    for turn in range(1, turns + 1):
        hear(event(turn, Shown(FRAME), turn))
    first, last = bridge.at(Moment(0, 1)), bridge.at(Moment(0, turns))
    assert first is not None
    assert last is not None
    assert not first.frames
    assert last.frames
    assert len(bridge.past()) == turns
    assert bridge.at(Moment(1, 1)) is None
    for turn in range(turns + 1, MOST_TURNS + 3):
        hear(event(turn, Shown(FRAME), turn))
    assert len(bridge.past()) == MOST_TURNS
    assert bridge.at(Moment(0, 2)) is None
    assert bridge.at(Moment(0, 3)) is not None


def test_what_is_told_crosses_in_order_and_says_when_another_run_speaks(qtbot: QtBot) -> None:
    bridge, told = Bridge(), list[tuple[bool, list[Event]]]()
    bridge.events_arrived.connect(lambda anew, events: told.append((anew, list(events))))
    hear = Folded(bridge.follower())
    events = [Event(k, float(k), 1, 0, Paused(str(k))) for k in range(3)] + [Event(3, 3.0, 1, 0, Shown(Plan((), "x")))]
    for event in events:
        hear(event)
    qtbot.waitUntil(lambda: bool(told))
    assert told == [(True, events[:3])], "facets are shown, not told"
    hear(Event(4, 4.0, 1, 0, Paused("4")))
    qtbot.waitUntil(lambda: len(told) == 2)
    assert told[1][0] is False
    bridge.show(Snapshot())
    hear(Event(5, 5.0, 1, 0, Paused("too late")))
    qtbot.waitUntil(lambda: len(told) == 3)
    assert told[2] == (True, [])


def test_another_branch_is_never_shown_with_the_bans_of_the_branch_before(qtbot: QtBot) -> None:
    bridge, told = Bridge(), list[Event]()
    bridge.events_arrived.connect(lambda anew, events: told.extend(events))
    hear = Folded(bridge.follower())

    def shown() -> tuple[int, bool]:
        return bridge.snapshot.branch, LEFT in bridge.snapshot.banned

    free = Standing(GOAL, Parameters(), frozenset(), Observation(AgentState("hall"), (), ()), ())
    events = [event(0, CommandTaken(Ban(LEFT), ok=True)),
              event(1, Rewound(1, 1, 0, forked=True, resample=False)), Event(2, 0.2, 1, 1, free),
              Event(3, 0.3, 1, 1, Switched(0, 1)), event(4, replace(free, banned=frozenset({LEFT})))]
    seen = []
    for each in events:
        hear(each)
        seen.append(shown())
    assert seen == [(0, True), (0, True), (1, False), (1, False), (0, True)], "each branch is shown whole or not yet"
    qtbot.waitUntil(lambda: len(told) == len(events))
    assert told == events


def test_a_late_picture_reaches_the_turn_it_shows(qtbot: QtBot) -> None:
    bridge = Bridge()
    hear = Folded(bridge.follower())
    for turn in (1, 2, 3):
        hear(event(turn, Paused(""), turn))
    late = replace(FRAME, turn=2)
    hear(event(4, Shown(late), 3))
    past = [bridge.at(Moment(0, turn)) for turn in (1, 2, 3)]
    assert [snapshot.frames.get("dollhouse") for snapshot in past if snapshot is not None] == [None, late, late]
    own = replace(FRAME, turn=3)
    hear(event(5, Shown(own), 3))
    hear(event(6, Shown(replace(FRAME, turn=1)), 3))
    assert bridge.snapshot.frames["dollhouse"] is own, "a picture of an earlier turn does not replace that of the present"
    first = bridge.at(Moment(0, 1))
    assert first is not None
    assert first.frames["dollhouse"].turn == 1


def test_pictures_of_past_turns_do_not_fill_the_memory(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gui.control.bridge.BYTES_OF_FRAMES", 10 * FRAME.pixels.nbytes)
    bridge = Bridge()
    hear = Folded(bridge.follower())
    for turn in range(1, 31):
        hear(event(turn, Shown(replace(FRAME, turn=turn)), turn))
    kept = [moment.turn for moment, snapshot in bridge.past() if snapshot.frames]
    assert kept == list(range(21, 31))
