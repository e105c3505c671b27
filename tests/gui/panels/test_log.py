"""The log: every event in words."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.common.errors import DataError
from core.common.parameters import Parameters, parameter
from core.planning.belief_facets import Belief
from core.planning.model_requests import ModelReply
from core.recording.reader import open_recording
from core.session import commands as c
from core.session import events as e
from core.session.annotation import Annotation, Change
from core.session.breakpoints import Breakpoint
from core.session.event_lines import WORDED, EventFormatter, Line
from core.session.snapshot import Snapshot
from core.world.vocabulary import Action, Outcome
from gui.control.context import Context, Selected
from gui.control.event_log import NamedLines
from gui.panels import log
from gui.panels.log import LogLines, LogPanel, RecordedLines, label_line
from gui.widgets import Names
from tests.core.recording.common import CODEC, recorded
from tests.gui.long_runs import LongRun
from tests.gui.panels import searches as s
from tests.gui.panels import worlds
from tests.gui.settling import settle


@dataclass(frozen=True)
class Searching(Parameters):
    simulations: int = parameter(100, "simulations", low=1, high=1000)


BEGAN = e.Began("llm-mcts", "household", "four-rooms-1", "commonsense", 7, s.GOAL, Searching(), 30)
DONE = Outcome(s.FRIDGE, True, "", s.seen())
JAMMED = Outcome(s.CABINET, False, "the door jammed", s.seen())


def belief(share: float) -> Belief:
    row, no = np.array([[share, 1 - share]]), np.zeros((1, 2), bool)
    return Belief(("apple",), ("apple",), (True,), (None,), ("fridge_1", "cabinet_2"), row, row, no[0], no, no)


def shown(qtbot: QtBot) -> tuple[LogPanel, Context]:
    context, _ = worlds.context()
    panel = LogPanel(context)
    qtbot.addWidget(panel)
    panel.resize(347, 300)
    panel.show()
    return panel, context


def events() -> list[e.Event]:
    what = (BEGAN, e.TurnBegan(s.seen(), ()), e.Decided(s.FRIDGE, "planner", "best of 100"),
            e.Acted(DONE, "planner", 1.0, 0.5, 2.0), e.Asked(3, s.call(3).ask, "openai toy"),
            e.Failed("model", "connection", "refused"))
    return [s.event(k, w) for k, w in enumerate(what)]


def test_says_what_it_waits_for(qtbot: QtBot) -> None:
    panel, _ = shown(qtbot)
    panel.show_snapshot(s.snapshot())
    assert not panel.rows.isVisible()
    assert panel.headline() == ""


def test_events_become_lines_and_choose(qtbot: QtBot) -> None:
    panel, context = shown(qtbot)
    context.event_log.take_events(True, events())
    assert panel.headline() == "6 lines"
    assert panel.rows.row_words(2) == "0:02.0, Planner chose: walk to the fridge – best of 100"
    expected = {2: Selected("action", action=s.FRIDGE), 4: Selected("call", number=3), 1: Selected("turn", number=1)}
    for row, selected in expected.items():
        QTest.mouseClick(panel.rows.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(90, 20 * row + 6))
        assert context.selection.now == selected
    panel.grab()
    context.event_log.take_events(True, [s.event(6, BEGAN)])
    assert panel.headline() == "1 line"


def test_fifty_thousand_lines_follow_their_end_and_are_filtered(qtbot: QtBot) -> None:
    panel, context = shown(qtbot)
    events = [s.event(k, e.Acted(DONE if k % 1000 else JAMMED, "planner"), k // 5) for k in range(50_000)]
    context.event_log.take_events(True, events)
    qtbot.waitUntil(lambda: panel.headline() == "50,000 lines")
    panel.restyle()
    panel.rows.scrollToBottom()
    assert panel.rows.at_the_end()
    panel.grab()
    panel.tools()[0].trigger()
    panel.kinds.buttons["fault"].click()
    assert panel.headline() == "50 of 50,000 lines"
    panel.search.setText("no such words")
    qtbot.waitUntil(lambda: not panel.rows.isVisible())
    assert panel.headline() == "0 of 50,000 lines"
    panel.search.setText("jammed")
    qtbot.waitUntil(lambda: panel.headline() == "50 of 50,000 lines")
    QTest.keyClick(panel.search, Qt.Key.Key_Escape)
    assert panel.headline() == "50,000 lines"


def test_the_lines_of_a_recording_are_read_when_they_are_wanted(qtbot: QtBot) -> None:
    panel, context = shown(qtbot)
    run = Told()
    for _ in range(3):
        run.play()
    offered, read = run.worded(), list[e.Event]()

    def reading() -> Iterator[e.Event]:
        for event in offered:
            read.append(event)
            yield event

    context.event_log.take_events(True, [])
    context.event_log.offer(reading(), context.jobs, lambda: True)
    panel.hide()
    settle(context.jobs)
    assert not read, "no panel has asked for it"
    panel.show()
    panel.show_snapshot(run.snapshot)
    settle(panel, context.jobs)
    assert read == offered
    assert panel.rows.row_words(0).startswith("0:00.0, mcts in toy, seed 7: ")
    assert any("Planner chose: " in panel.rows.row_words(k) for k in range(panel.rows.count()))
    context.event_log.take_events(False, events())
    assert panel.headline() == "6 lines", "a run is shown instead"
    panel.show_snapshot(run.snapshot)
    assert panel.headline() == "6 lines", "its events are its lines"
    panel.restyle()


def test_what_cannot_be_read_of_a_recording_is_said(qtbot: QtBot) -> None:
    panel, context = shown(qtbot)
    said: list[Exception] = []
    context.event_log.failed.connect(said.append)

    def broken() -> Iterator[e.Event]:
        yield s.event(0, BEGAN)
        raise DataError("the disk is gone")

    context.event_log.offer(broken(), context.jobs, lambda: True)
    panel.show_snapshot(s.snapshot())
    settle(panel, context.jobs)
    assert [str(error) for error in said] == ["the disk is gone"]


def test_what_was_told_before_it_was_opened_is_there(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    context, _ = worlds.context()
    context.event_log.take_events(True, events())
    context.event_log.lines = deque(list(context.event_log.lines)[2:], maxlen=50)
    panel = LogPanel(context)
    qtbot.addWidget(panel)
    assert [line.text for line in panel._lines.lines[:2]] == [log.OLDER, "Planner chose: walk to the fridge – best of 100"]
    assert panel._lines.total == context.event_log.total == 6
    context.event_log.take_events(False, [s.event(7, e.Paused("to look"))])
    assert panel._lines.lines[-1].text == "Paused: to look"


def test_the_oldest_lines_go_and_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "MOST", 100)
    kept = LogLines()
    for k in range(1000):
        kept.add([Line(float(k), k, "action" if k % 2 else "fault", f"Line {k}", "check")])
        assert len(kept.lines) <= 100
    assert [line.text for line in kept.lines] == [log.OLDER, *(f"Line {k}" for k in range(1000 - len(kept.lines) + 1, 1000))]
    assert kept.shown == kept.lines
    kept.filter(frozenset({"fault"}), "LINE 99")
    while kept.behind:
        kept.search_on()
    assert [line.text for line in kept.shown] == ["Line 990", "Line 992", "Line 994", "Line 996", "Line 998"]


class Told(LongRun):
    """Keeps its events."""

    def __init__(self) -> None:
        self.events: list[e.Event] = []
        super().__init__()

    def tell(self, *payloads: e.Payload) -> None:
        first = self.told
        super().tell(*payloads)
        self.events += [e.Event(first + k, (first + k) / 10, self.turn, self.branch, what) for k, what in enumerate(payloads)]

    def worded(self) -> list[e.Event]:
        """What is read of it when it is a recording."""
        return [event for event in self.events if not isinstance(event.what, e.Annotated | e.Relabelled)]


def a_run() -> tuple[list[Snapshot], list[Line]]:
    """Every snapshot of a run with a fork, faults, edits and labels, one of them given to the past; and its lines."""
    run, found = Told(), []
    for k in range(70):
        if k == 30:
            run.rewind(12)
        if k == 50:
            run.tell(e.Relabelled(Change(None, Annotation("ann 1", "late", 9.05, turn=1))))
        found.append(run.play())
    return found, list(NamedLines().of(run.worded()))


RUN, LINES = a_run()
NAMES = Names.of(s.seen())


def until(snapshot: Snapshot, read: int = len(LINES)) -> list[Line]:
    """The lines up to a snapshot: the plain definition."""
    events = [line for line in LINES[:read] if line.event <= snapshot.event]
    labels = [replace(line, text=NAMES.with_names(line.text)) for line in map(label_line, snapshot.labels.values())]
    return sorted(events + [line for line in labels if line.at <= snapshot.at], key=lambda line: (line.at, line.event))


@given(st.lists(st.tuples(st.integers(0, len(RUN) - 1), st.integers(0, 90)), max_size=12), st.integers(1, 400))
def test_whatever_moments_are_shown_while_it_is_read_the_lines_are_those_up_to_the_last(
        moments: list[tuple[int, int]], at_once: int) -> None:
    lines, events = LogLines(), list[Line]()
    recorded = RecordedLines(events)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(log, "AT_ONCE", at_once)
        for k, more in (*moments, (moments[-1][0] if moments else 0, len(LINES))):
            events.extend(LINES[len(events):len(events) + more])
            recorded.show(lines, RUN[k], NAMES)
            assert lines.lines == until(RUN[k], len(events))[:len(lines.lines)]
        while recorded.behind:
            assert recorded.show(lines, RUN[k], NAMES)
    assert lines.shown == lines.lines == until(RUN[k])


def test_a_turn_more_adds_its_lines_only() -> None:
    lines, recorded = LogLines(), RecordedLines(LINES)
    quiet = [replace(now, labels={}) for now in RUN[:10]]
    recorded.show(lines, quiet[0], NAMES)
    for before, now in pairwise(quiet):
        told = list(lines.lines)
        recorded.show(lines, replace(now, labels=before.labels), NAMES)
        assert all(a is b for a, b in zip(told, lines.lines, strict=False)), "what was shown is not shown again"
        assert len(lines.lines) > len(told)


def test_a_recording_shows_the_lines_that_the_live_run_had(tmp_path: Path) -> None:
    """It showed other lines, made of turns and marks."""
    heard = recorded(tmp_path / "a.mcap", c.Ban(Action("walk", ("3",))), c.Rewind(2), c.Resume(), steps=6)
    live = [line for line in NamedLines().of(heard) if line.kind != "note"]
    with open_recording(tmp_path / "a.mcap", CODEC) as recording:
        read = NamedLines().of(recording.of_kind(*WORDED, pictured=False))
        assert [line for line in read if line.kind != "note"] == live
    assert {line.kind for line in live} >= {"turn", "action", "command"}


@pytest.mark.parametrize(("what", "words"), [
    (e.CommandTaken(c.SetParameter("simulations", 200)), "simulations: 100 → 200"),
    (e.CommandTaken(c.SetParameter("simulations", 0), False, "give 1 to 9"), "Refused: simulations: 100 → 0 – give 1 to 9"),
    (e.CommandTaken(c.Edit(belief(0.3), "I saw it"), before=belief(0.46)), "Belief: apple · fridge · 0.46 → 0.30 – I saw it"),
    (e.CommandTaken(c.Edit(s.ranking())), "Edited: ranking"),
    (e.CommandTaken(c.Override(s.CABINET, False)), "Override: open cabinet 2 · planner not told"),
    (e.CommandTaken(c.SetBreakpoint(Breakpoint("entropy > 1.5"))), "Breakpoint set: entropy > 1.5"),
    (e.CommandTaken(c.Ban(s.MUG)), "Ban: grab the mug"),
    (e.CommandTaken(c.Fork(3)), "Fork"),
    (e.CommandTaken(c.Look(())), None),
    (e.Decided(s.CABINET, "operator", "", s.FRIDGE), "Operator chose: open cabinet 2, instead of: walk to the fridge"),
    (e.Decided(None, "planner", "all looked into"), "Planner sees nothing left to do – all looked into"),
    (e.Acted(JAMMED, "planner"), "Could not open cabinet 2: the door jammed"),
    (e.Replied(3, ModelReply(("a",), "commonsense", is_model=False, seconds=1.8, tokens_in=842, tokens_out=31)),
     "Call 3 answered by commonsense (not an LLM): reply · 1.8 s · 842 + 31 tokens · “a”"),
    (e.Recovered("simulator", "the simulator was started again"), "The simulator was started again"),
    (e.Rewound(3, 1, 0, True, False), "Forked to turn 3 · branch 1"),
    (e.Annotated("searching", "", "start"), "searching begins"),
    (e.Annotated("first divergence", "walk to fridge_1; uct would grab mug_33", "point"),
     "first divergence: walk to the fridge; uct would grab the mug"),
    (e.Ended(True, "goal reached", ()), "Run ended: goal reached"),
    (e.Shown(s.ranking()), None),
])
def test_an_event_in_words(what: e.Payload, words: str | None) -> None:
    names = Names.of(s.seen())
    teller = EventFormatter(names.phrase, names.display)
    teller.format(s.event(0, BEGAN))
    line = teller.format(s.event(1, what))
    assert (line.text if line is not None else None) == words
    assert line is None or type(what).__name__ in WORDED, "of a recording only these are read"


def test_what_was_before_is_remembered() -> None:
    teller = EventFormatter(str, str)
    teller.format(s.event(0, BEGAN))
    teller.format(s.event(1, e.CommandTaken(c.SetParameter("simulations", 200))))
    line = teller.format(s.event(2, e.CommandTaken(c.SetParameter("simulations", 300))))
    assert line is not None
    assert line.text == "simulations: 200 → 300"
