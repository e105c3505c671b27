"""Replies that an operator gives in a fork: the fork gets them, no other branch does, and a recording goes on with them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from core.planning.model_requests import Message, ModelReply, ModelRequest
from core.recording.reader import open_recording
from core.recording.takeover import continued, take_over
from core.session.commands import Fork, GiveReply, Pause, Resume, Rewind, Switch
from core.session.events import Acted, Asked, CommandTaken, Event, Replied, Rewound, TurnBegan
from core.session.session import Session
from core.session.setup import Setup
from core.session.snapshot import Snapshot, fold_all
from core.session.turns import Call
from tests.core.recording.common import CODEC, lines, recorder_of
from tests.core.session.toys import GOAL, LEFT, RIGHT, Ear, Guide, Line, Walker, session
from tests.walk_seeds import walk_seeds


def way(at: int, fresh: int = 0) -> ModelRequest:
    """Returns the request of the walker at a place."""
    return ModelRequest("way", (Message("user", f"way at ['at {at}']?"),), temperature=0.7, fresh=fresh)


def to_the_left(at: int, fresh: int = 0) -> GiveReply:
    return GiveReply(7, way(at, fresh), ModelReply(("left",), "human", is_model=False))


def begins(turn: int, branch: int, event: Event) -> bool:
    return isinstance(event.what, TurnBegan) and (event.turn, event.branch) == (turn, branch)


def answers(events: list[Event]) -> Iterator[tuple[Event, ModelRequest, ModelReply]]:
    """Yields each request of the planner with its reply, and the event of the reply."""
    asked = {e.what.id: e.what.ask for e in events if isinstance(e.what, Asked)}
    yield from ((e, asked[e.what.id], e.what.reply) for e in events if isinstance(e.what, Replied) and e.what.id in asked)


def test_a_fork_gets_the_reply_and_the_branch_it_left_does_not() -> None:
    run, ear = session(model=Guide())
    ear.when(partial(begins, 4, 0), Fork(2, then=to_the_left(1)))
    ear.when(partial(begins, 3, 1), Switch(0))
    run.run()
    done = [(e.branch, e.turn, e.what.outcome.action) for e in ear.events if isinstance(e.what, Acted)]
    assert done == [(0, 1, RIGHT), (0, 2, RIGHT), (0, 3, RIGHT), (1, 2, LEFT), (0, 4, RIGHT), (0, 5, RIGHT)]
    given = next(e for e in ear.events if isinstance(e.what, CommandTaken) and isinstance(e.what.command, GiveReply))
    assert (given.branch, given.turn) == (1, 2), "it is an intervention in the fork's turn"
    assert [m.text for m in fold_all(ear.events).marks if m.kind == "edit"] == ["Call 7 gets the operator's reply: left"]


def test_another_fork_from_the_same_turn_gets_the_first_reply_again() -> None:
    guide = Guide()
    run, ear = session(model=guide)
    ear.when(partial(begins, 3, 0), Fork(2, then=to_the_left(1)))
    ear.when(partial(begins, 3, 1), Fork(2, branch=0))
    run.run()
    at_two = {(e.branch, ask.purpose): reply.texts for e, ask, reply in answers(ear.events) if e.turn == 2}
    assert (at_two[0, "way"], at_two[1, "way"], at_two[2, "way"]) == (("right",), ("left",), ("right",))
    assert sum(ask.key("") == way(1).key("") for ask in guide.asked) == 1, "the model is asked once"


def test_going_back_within_the_fork_keeps_the_reply_and_asking_anew_drops_it() -> None:
    for resample in (False, True):
        run, ear = session(model=Guide())
        ear.when(partial(begins, 3, 0), Fork(2, then=to_the_left(1)))
        ear.when(partial(begins, 3, 1), Rewind(2, resample=resample))
        run.run()
        texts = {e.branch: reply.texts for e, ask, reply in answers(ear.events) if e.turn == 2 and ask.purpose == "way"}
        assert texts[2] == (("right",) if resample else ("left",))


def walk(seed: int, path: Path) -> tuple[Session, Ear]:
    """Plays a run whose operator forks with given replies, goes back and changes branches at random."""
    rng = random.Random(seed)
    run, ear = session(model=Guide(), steps=9)
    recorder = recorder_of(path, run, [])
    for _ in range(7):
        turn, past = rng.randint(2, 5), rng.randint(1, 2)
        given = to_the_left(rng.randint(0, 3)) if rng.random() < 0.7 else None
        command = rng.choice((Fork(past, then=given), Fork(turn, then=given), Fork(then=given), Rewind(past), Switch(0),
                              Rewind(past, resample=rng.random() < 0.5)))
        ear.when(lambda e, turn=turn: isinstance(e.what, TurnBegan) and e.turn == turn, command)  # type: ignore[misc]
    run.run()
    recorder.close()
    return run, ear


@pytest.mark.parametrize("seed", walk_seeds(4))
def test_random_walks_keep_each_reply_on_its_branch(seed: int, tmp_path: Path) -> None:
    """A request is answered by what its line of branches was given; otherwise as the model answered it."""
    _, ear = walk(seed, tmp_path / "a.mcap")
    parents = {e.what.branch: e.what.parent for e in ear.events if isinstance(e.what, Rewound)}
    given: dict[int, set[str]] = {}
    for event in ear.events:
        if isinstance(event.what, CommandTaken) and isinstance(event.what.command, GiveReply):
            given.setdefault(event.branch, set()).add(event.what.command.ask.key(""))
        if not isinstance(event.what, Replied):
            continue
        ask, reply = next((ask, reply) for e, ask, reply in answers(ear.events) if e is event)
        line, branch = set[str](), event.branch
        own = given.get(branch, set())
        while True:
            line |= given.get(branch, set())
            if branch not in parents:
                break
            branch = parents[branch]
        if ask.key("") in own:
            assert reply.texts == ("left",), "the branch was given this reply"
        if reply.source == "human":
            assert ask.key("") in line, "only what its line of branches was given"
        else:
            assert ask.purpose == "pace" or reply.texts == ("right",)
    assert all(e.what.outcome.action == RIGHT for e in ear.events if isinstance(e.what, Acted) and e.branch == 0)


@pytest.mark.parametrize("seed", walk_seeds(4))
def test_random_walks_are_recorded_and_continued_with_their_replies(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    _, ear = walk(seed, path)
    with open_recording(path, CODEC) as recording:
        assert lines(list(recording.events())) == lines(ear.events)
        for mark in recording.turns():
            calls = [c for c in recording.snapshot_at(mark.last).calls if (c.branch, c.turn) == (mark.branch, mark.number)]
            told = [call for call in calls if call.ask.purpose == "way" and call.reply is not None]
            if not told or told[0].ask.fresh:
                continue
            past = take_over(recording, mark.first)
            again = Session(continued(Setup(Walker(), Line, GOAL, models={"guide": Guide()}), past))
            heard = Ear(again)
            heard.when(lambda e, n=mark.number: isinstance(e.what, Acted) and e.turn == n, Pause())  # type: ignore[misc]
            again.post(Resume())
            assert first_reply(heard, again, mark.number) == told[0].reply.texts if told[0].reply else ()


def first_reply(heard: Ear, again: Session, turn: int) -> tuple[str, ...]:
    """Plays a run to its end. Returns the first reply to the request for a way in a turn."""
    heard.cues.clear()
    again.run()
    return next(reply.texts for e, ask, reply in answers(heard.events) if e.turn == turn and ask.purpose == "way")


def test_a_recording_goes_on_with_a_reply_given_at_one_of_its_calls(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    run, _ = session(model=Guide())
    recorder = recorder_of(path, run, [])
    run.run()
    recorder.close()
    before = path.read_bytes()
    with open_recording(path, CODEC) as recording:
        mark = recording.turns()[2]
        call: Call = next(c for c in recording.snapshot_at().calls if c.turn == 3 and c.ask.purpose == "way")
        past = take_over(recording, mark.first, GiveReply(call.id, call.ask, ModelReply(("left",), "human", is_model=False)))
    again = Session(continued(Setup(Walker(), Line, GOAL, models={"guide": Guide()}), past))
    heard = Ear(again)
    again.run()
    now: Snapshot = fold_all(heard.events)
    assert [turn.done for turn in now.line][:3] == [RIGHT, RIGHT, LEFT]
    assert path.read_bytes() == before
