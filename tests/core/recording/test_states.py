"""Snapshots of a recording equal those of the live run at any event, whatever happened before.

A seek costs what its turn costs.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.common.errors import DataError
from core.goals.literals import Goal, Literal
from core.planning.facets import Facet, Grounded, Grounding, Moment, Plan
from core.planning.model_requests import Message, ModelReply, ModelRequest
from core.planning.search_facets import RankedAction, Ranking
from core.recording.keyframes import MARK
from core.recording.reader import Recording, open_recording
from core.recording.recorder import Recorder
from core.recording.states import StateIndex
from core.recording.writer import Limits
from core.session import commands as c
from core.session import events as e
from core.session.pace import Pace
from core.session.snapshot import Snapshot, fold
from core.world.vocabulary import ADMISSIBLE, Action, AgentState, Observation, Outcome
from tests.core.recording.common import CODEC, same
from tests.core.recording.damages import changed, places, rewritten
from tests.core.session.toys import WalkerParameters
from tests.long_tests import either

QUICK = Limits(sync=3600.0, patience=60.0)
ACTIONS = (Action("go", ("left",)), Action("go", ("right",)), Action("grab", ("apple_1",)))
GOAL = Goal((Literal("inside", "apple", "fridge", 1, frozenset()),), 'Put "tokens_in":7 of "by":"operator" inside')
NASTY = ("", 'say ,"cached":false,"seconds":1,"tokens_in":9,"tokens_out":9,"note":"', ',"by":"operator"', '{"replies":[1,2]}',
         "ü\n\\")


class Story:
    """Draws events that may follow each other in a run, sensible or not. A branch is always made before it is used."""

    def __init__(self, seed: int, seconds: tuple[float, ...] = (0.5, 1e-9, float("inf"))):
        self.random, self.seconds = Random(seed), seconds
        self.events: list[e.Event] = []
        self.turn = self.branch = 0
        self.worked = 0.0
        self.branches = 1

    def play(self, length: int) -> list[e.Event]:
        """Draws so many events."""
        self.tell(e.Began("walker", "line", "line", "guide", 0, GOAL, WalkerParameters(), 30))
        while len(self.events) < length:
            self.random.choices((self.ordinary, self.odd), (3, 2))[0]()
        return self.events

    def tell(self, what: e.Payload) -> None:
        number = len(self.events)
        self.worked += self.random.choice((0.0, 0.1))
        self.events.append(e.Event(number, number / 10, self.turn, self.branch, what, worked=self.worked))

    def ordinary(self) -> None:
        self.turn += 1
        self.tell(e.TurnBegan(self.seen(), ()))
        for number in range(self.random.randrange(3)):
            self.tell(self.asked(number))
            self.shown()
            self.tell(self.replied(number))
        self.tell(e.Decided(self.random.choice(ACTIONS), "planner", self.random.choice(NASTY)))
        self.tell(self.acted())

    def odd(self) -> None:
        """Draws one event of any kind at any place."""
        number, action = self.random.randrange(4), self.random.choice((*ACTIONS, None))
        who: e.Who = self.random.choice(("planner", "operator"))
        whats: tuple[e.Payload, ...] = (
            self.asked(number), e.AskedAside(number, self.ask(), "guide"), self.replied(number), self.replied(number),
            e.Decided(action, who, "", ACTIONS[0]), self.acted(), e.TurnBegan(self.seen(), ()),
            e.ActionsListed(((ACTIONS[number % 3], ADMISSIBLE),)), e.CommandTaken(self.command(), number > 0),
            e.Standing(GOAL, WalkerParameters(number), frozenset(ACTIONS[:number]), self.seen(), ()),
            e.Annotated("slow", self.random.choice(NASTY), self.random.choice(("start", "stop", "point")), "ann"),
            self.random.choice((e.Paused("to see"), e.Paused("hold", 2.0), e.Resumed(), e.Ended(True, "reached", ()))),
            self.random.choice((e.Failed("model", "down", "gone"), e.Recovered("model", "back"),
                                e.Failed("camera", "dark", "dark", waits=False))),
        )
        self.random.choices((self.diverted, self.shown, lambda: self.tell(self.random.choice(whats))), (2, 1, 12))[0]()

    def diverted(self) -> None:
        some = self.random.randrange
        if some(2):
            parent, self.branch = self.branch, self.branches
            self.branches += 1
            self.turn = some(1, self.turn + 2)
            self.tell(e.Rewound(self.turn, self.branch, parent, bool(some(2)), False, bool(some(2))))
        else:
            self.branch, self.turn = some(self.branches), some(1, self.turn + 2)
            self.tell(e.Switched(self.branch, self.turn))

    def command(self) -> c.Command:
        return self.random.choice((c.Ban(ACTIONS[0]), c.Unban(ACTIONS[0]), c.SetParameter("looks", 5), c.SetGoal(GOAL),
                                   c.SetSteps(9), c.SetPace(Pace("hold", 2.0)), c.Edit(Plan(()), "so"), c.Retry(), c.Pause(),
                                   c.SetLimits(calls=3),
                                   c.Step(), c.Override(ACTIONS[1], False, "why"), c.Rewind(2), c.UseModel("guide")))

    def shown(self) -> None:
        score = self.random.random()
        said = self.random.choice(NASTY)
        ranked = tuple(RankedAction((a,), 0.5, k, 0.1, 0.3, score * k) for k, a in enumerate(ACTIONS))
        told = tuple(Grounding(said, said, "left", score, "exact") for _ in range(self.random.randrange(3)))
        kinds: tuple[Facet, ...] = (Plan(ACTIONS, said), Ranking(ranked, 9, 9), Grounded(told))
        of = self.random.choice((None, None, Moment(0, 1), Moment(self.branch, self.turn)))
        self.tell(e.Shown(self.random.choice(kinds), of))

    def seen(self) -> Observation:
        return Observation(AgentState(self.random.choice(NASTY)), (), (), text=self.random.choice(NASTY))

    def acted(self) -> e.Acted:
        ok = bool(self.random.randrange(4))
        outcome = Outcome(self.random.choice(ACTIONS), ok, "" if ok else "stuck", self.seen())
        return e.Acted(outcome, self.random.choice(("planner", "operator")), 0.1, 0.2, 0.3)

    def ask(self) -> ModelRequest:
        return ModelRequest("policy", (Message("user", self.random.choice(NASTY)),), self.random.choice(NASTY))

    def asked(self, number: int) -> e.Asked:
        return e.Asked(number, self.ask(), "guide")

    def replied(self, number: int) -> e.Replied:
        text, note, seconds = self.random.choice(NASTY), self.random.choice(NASTY), self.random.choice(self.seconds)
        return e.Replied(number, ModelReply((text,), "guide", cached=bool(self.random.randrange(2)), seconds=seconds,
                                       tokens_in=self.random.randrange(900), tokens_out=3, note=note))


def written(path: Path, events: list[e.Event], *, keyframes: bool = True) -> Path:
    """Returns a recording of some events."""
    recorder, now = Recorder(path, lambda said: None, codec=CODEC, limits=QUICK), Snapshot()
    for event in events:
        now = fold(now, event) if keyframes else now
        recorder.on_event(event, now if keyframes else None)
    recorder.close()
    return path


def states_of(recording: Recording, rows: list[int]) -> StateIndex:
    """Returns the states of a recording, which notes in `rows` the events that it reads."""
    def read(row: int) -> e.Event:
        rows.append(row)
        return recording._event(row)

    return StateIndex(recording._catalogue, read, CODEC)


@pytest.mark.parametrize("keyframes", [True, False], ids=["with keyframes", "without"])
@given(seed=st.integers(0, 2**32))
@settings(max_examples=either(10, 100), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_run_seeks_to_what_was_known_live(tmp_path: Path, keyframes: bool, seed: int) -> None:
    events = Story(seed).play(60)
    path = written(tmp_path / "a.mcap", events, keyframes=keyframes)
    order = list(range(len(events)))
    Random(seed).shuffle(order)
    snapshots, now = [], Snapshot()
    for event in events:
        now = fold(now, event)
        snapshots.append(now)
    try:
        with open_recording(path, CODEC) as recording:
            for number in order:
                found = recording.snapshot_at(number)
                odd = [f.name for f in fields(Snapshot) if not same(getattr(found, f.name), getattr(snapshots[number], f.name))]
                assert not odd, f"event {number}, {events[number].what}: {odd}"
    finally:
        path.unlink()


@given(seed=st.integers(0, 2**32))
@settings(max_examples=either(20, 300), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_forged_keyframe_is_refused_or_read_like_any_other_value(tmp_path: Path, seed: int) -> None:
    random, events = Random(seed), Story(seed).play(60)
    written(tmp_path / "a.mcap", events)

    def forge(place: int, data: bytes) -> bytes:
        if not data.startswith(MARK) or random.random() < 0.5:
            return data
        value = json.loads(data)
        forged = changed(value, random.choice(places(value)[1:]), random)
        return json.dumps({"$": "Keyframe", **forged} if isinstance(forged, dict) else forged, separators=(",", ":")).encode()

    (tmp_path / "b.mcap").write_bytes(rewritten(tmp_path / "a.mcap", forge, random, odd=0.0))
    (tmp_path / "a.mcap").unlink()
    with open_recording(tmp_path / "b.mcap", CODEC) as recording:
        assert len(recording) == len(events)
        for number in random.sample(range(len(events)), 12):
            with suppress(DataError):
                found = recording.snapshot_at(number)
                assert len(list(found.calls)) == len(found.calls)
                assert len(list(found.groundings)) == len(found.groundings)


def long_run(turns: int) -> list[e.Event]:
    story = Story(5, (0.5,))
    story.tell(e.Began("walker", "line", "line", "guide", 0, GOAL, WalkerParameters(), 30))
    for _ in range(turns):
        story.ordinary()
    return story.events


def test_the_first_seek_reads_its_own_turn_only(tmp_path: Path) -> None:
    events = long_run(300)
    with open_recording(written(tmp_path / "a.mcap", events), CODEC) as recording:
        rows: list[int] = []
        spine = states_of(recording, rows)
        assert not rows, "opening reads none"
        end = spine.at(len(events) - 1)
        assert len(set(rows)) < 20
        assert end.turn == 300
        before = len(rows)
        assert end.turns[7].agent == [x for x in events if isinstance(x.what, e.TurnBegan)][7].what.seen.agent  # type: ignore[attr-defined]
        assert len(rows) == before, "turns are in the keyframes"
        asked = [x for x in events if isinstance(x.what, e.Asked)]
        assert end.calls[7].ask == asked[7].what.ask  # type: ignore[attr-defined]
        assert len(rows) - before <= 2, "a call is read when it is accessed: its request and its reply"


def test_without_keyframes_each_event_is_read_once(tmp_path: Path) -> None:
    events = long_run(30)
    with open_recording(written(tmp_path / "a.mcap", events, keyframes=False), CODEC) as recording:
        rows: list[int] = []
        states_of(recording, rows).at(len(events) - 1)
        folded = [event.number for event in events if isinstance(event.what, e.TurnBegan | e.Acted)]
        assert all(rows.count(number) <= 2 for number in folded), "in the fold, and at the end what it refers to"


def test_an_operator_who_steps_through_a_run_makes_no_seek_slow(tmp_path: Path) -> None:
    story = Story(5, (0.5,))
    for _ in range(60):
        story.ordinary()
        for what in (e.Paused("a step is done"), e.CommandTaken(c.Step()), e.Resumed(), e.CommandTaken(c.ListActions())):
            story.tell(what)
    story.tell(e.Paused("to see"))
    story.ordinary()
    live = Snapshot()
    for event in story.events:
        live = fold(live, event)
    with open_recording(written(tmp_path / "a.mcap", story.events), CODEC) as recording:
        rows: list[int] = []
        found = states_of(recording, rows).at(len(story.events) - 1)
        assert len(set(rows)) < 20
        assert same(found, live)
        assert (live.status, live.pause) == ("paused", "to see")


def test_items_of_logs_stay_the_same_objects(tmp_path: Path) -> None:
    with open_recording(written(tmp_path / "a.mcap", long_run(30)), CODEC) as recording:
        late, early = recording.snapshot_at(turn=20), recording.snapshot_at(turn=10)
        assert early.turns[3] is late.turns[3]
        assert recording.snapshot_at(turn=10).calls is early.calls, "panels compare by identity"
        assert early.line.akin(late.line), "what grows is told from what is another line in constant time"
        assert early.line[3] is late.turns[3]
        recording.read_on()
    assert len([t.agent for t in late.turns]) == 20, "read on, they are there without the file"
    longer = early.turns.plus(late.turns[10])
    assert (len(longer), longer[10]) == (11, late.turns[10])


def test_an_item_looked_at_after_closing_says_so(tmp_path: Path) -> None:
    with open_recording(written(tmp_path / "a.mcap", long_run(10)), CODEC) as recording:
        end = recording.snapshot_at()
    with pytest.raises(DataError, match="is closed"):
        list(end.calls)


def test_a_branch_that_is_its_own_parent_is_left_out_and_named(tmp_path: Path) -> None:
    events = long_run(2)
    events.append(e.Event(len(events), 9.0, 1, 1, e.Rewound(1, 1, 1, False, False)))
    with open_recording(written(tmp_path / "a.mcap", events, keyframes=False), CODEC) as recording:
        assert len(recording.snapshot_at().turns) == 2
        assert "1 value cannot be read: Rewound, turn 1 of branch 1" in recording.notice
