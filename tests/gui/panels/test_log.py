"""The log: every event in words."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.common.parameters import Parameters, parameter
from core.common.shared_list import SharedList
from core.planning.belief_facets import Belief
from core.planning.model_requests import ModelReply
from core.session import commands as c
from core.session import events as e
from core.session.annotation import Annotation, Change
from core.session.breakpoints import Breakpoint
from core.session.snapshot import Snapshot
from core.session.turns import Mark, Turn
from core.world.vocabulary import Action, Done, Outcome
from gui.control.context import Context, Selected
from gui.control.event_log import EventFormatter, Line
from gui.panels import log
from gui.panels.log import LogLines, LogPanel, SnapshotLines, label_line, mark_line, turn_line
from gui.widgets import Names
from tests.gui.long_runs import LongRun
from tests.gui.panels import searches as s
from tests.gui.panels import worlds


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


def test_without_events_the_snapshot_is_told(qtbot: QtBot) -> None:
    panel, context = shown(qtbot)
    turn = Turn(1, 0, 0.0, s.seen().agent, 3.0, s.FRIDGE, outcome=Done.of(DONE), work_ended=3.0)
    failed = replace(turn, number=2, ended=5.0, work_ended=5.0, action=s.CABINET, outcome=Done.of(JAMMED))
    marks = SharedList([Mark(4.0, 2, "edit", "zeroed apple")])
    state = replace(Snapshot(), seen=s.seen(), turns=SharedList([turn, failed]), marks=marks)
    panel.show_snapshot(state)
    assert [panel.rows.row_words(k) for k in range(3)] == [
        "0:03.0, Turn 1: walk to the fridge", "0:04.0, Zeroed apple",
        "0:05.0, Turn 2: could not open cabinet 2: the door jammed"]
    context.event_log.take_events(False, events())
    assert panel.headline() == "6 lines"
    panel.show_snapshot(state)
    assert panel.headline() == "6 lines", "who tells is believed"
    context.event_log.take_events(True, [])
    assert panel.headline() == ""
    panel.show_snapshot(state)
    assert panel.headline() == "3 lines", "a recording is shown"
    panel.restyle()


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


def played(turns: int) -> Snapshot:
    """A run of so many turns, each with an edit."""
    done = [Turn(k + 1, 0, float(k), s.seen().agent, k + 0.9, s.FRIDGE, outcome=Done.of(DONE)) for k in range(turns)]
    edits = [Mark(k + 0.5, k + 1, "edit", f"edit {k + 1}") for k in range(turns)]
    return replace(Snapshot(), seen=s.seen(), turns=SharedList(done), marks=SharedList(edits))


def test_a_snapshot_of_many_turns_is_told_in_pieces_and_only_what_is_new_of_the_next(qtbot: QtBot) -> None:
    panel, _ = shown(qtbot)
    whole = played(2000)

    def until(turns: int) -> Snapshot:
        return replace(whole, turns=SharedList.beginning(whole.turns._items, turns),
                       marks=SharedList.beginning(whole.marks._items, turns))

    panel.show_snapshot(until(1000))
    assert panel.headline() == "300 lines"
    panel.show_snapshot(until(1001))
    qtbot.waitUntil(lambda: panel.headline() == "2,002 lines")
    first = panel._lines.lines[0]
    panel.show_snapshot(until(1001))
    panel.show_snapshot(until(1002))
    assert panel.headline() == "2,004 lines"
    assert panel._lines.lines[0] is first, "what was told is not told again"
    assert panel._lines.lines == remembered_of(until(1002), Names.of(s.seen()))
    panel.show_snapshot(until(20))
    assert panel.headline() == "40 lines", "the past is looked at"
    panel.show_snapshot(played(3))
    assert panel.headline() == "6 lines", "another run"


def remembered_of(snapshot: Snapshot, names: Names | None = None) -> list[Line]:
    """All that a snapshot remembers, by its time: the plain definition."""
    names = names or Names()
    others = [*map(mark_line, snapshot.marks), *map(label_line, snapshot.labels.values())]
    named = [replace(line, text=names.with_names(line.text)) for line in others]
    return sorted([turn_line(turn, names) for turn in snapshot.turns] + named, key=lambda line: line.at)


def a_run() -> list[Snapshot]:
    """Every snapshot of a run with a fork, faults, edits and labels, one of them given to the past."""
    run, found = LongRun(), []
    for k in range(70):
        if k == 30:
            run.rewind(12)
        if k == 50:
            run.tell(e.Relabelled(Change(None, Annotation("ann 1", "late", 9.05, turn=1))))
        found.append(run.play())
    return found


RUN = a_run()


@given(st.lists(st.tuples(st.integers(0, len(RUN) - 1), st.integers(0, 90)), max_size=12))
def test_whatever_moments_it_is_shown_it_tells_what_the_last_one_remembers(moments: list[tuple[int, int]]) -> None:
    lines, snapshot_lines = LogLines(), SnapshotLines()
    for k, pieces in (*moments, (moments[-1][0] if moments else 0, 1000)):
        lines.cut(snapshot_lines.follow(RUN[k]))
        lines.add(snapshot_lines.more(Names(), pieces))
        assert lines.lines == remembered_of(RUN[k])[: len(lines.lines)]
    assert not snapshot_lines.left
    assert lines.shown == lines.lines == remembered_of(RUN[k])


def test_marks_and_labels_of_a_recording_name_things_as_the_turns_do() -> None:
    """They showed ids: walk to fridge_1."""
    run = LongRun()
    run.play()
    run.tell(e.Relabelled(Change(None, Annotation("ann 1", "late", 0.1, note="walk to fridge_1", turn=1))))
    run.tell(e.Diverged(Action("walk", ("fridge_1",)), Action("walk", ("cabinet_12",)), "uct"))
    lines = SnapshotLines()
    lines.follow(run.snapshot)
    texts = [line.text for line in lines.more(Names(), 1000)]
    assert {"Late: walk to the fridge", "Uct would walk to the cabinet"} <= set(texts)


def test_a_turn_more_is_one_line_more() -> None:
    snapshot_lines = SnapshotLines()
    for before, now in pairwise(RUN[:10]):
        snapshot_lines.follow(before)
        snapshot_lines.more(Names(), 1000)
        assert snapshot_lines.follow(now) == len(remembered_of(before)), "what was told is not told again"


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
     "Call 3 answered by commonsense (not an LLM): reply · 1.8 s · 842 + 31 tokens"),
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


def test_what_was_before_is_remembered() -> None:
    teller = EventFormatter(str, str)
    teller.format(s.event(0, BEGAN))
    teller.format(s.event(1, e.CommandTaken(c.SetParameter("simulations", 200))))
    line = teller.format(s.event(2, e.CommandTaken(c.SetParameter("simulations", 300))))
    assert line is not None
    assert line.text == "simulations: 200 → 300"
