"""What a session keeps of its turns in order to return to them: enough for any of them, and bounded over time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.common.shared_list import SharedList
from core.goals.literals import Goal, GoalRecord, Literal
from core.planning.model_requests import ModelReply
from core.session import commands as c
from core.session import events as e
from core.session import history
from core.session.history import History, TurnStart
from core.session.session import Session
from core.session.setup import Setup
from core.simulator.base import WorldState
from tests.core.session.toys import Ear, Guide, Line, Walker

KEPT = 6
NEVER = Goal((Literal("is", "walker", None, 1, frozenset({"at -1"})),), "Walk on")
REPLY = ModelReply(("right",), "guide")
Step = tuple[str, int]


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "MOST_TURNS", KEPT)


def begun(past: History, turn: int) -> None:
    past.add_start(TurnStart(turn, Walker(), NEVER, WorldState.of(Line()), SharedList(), GoalRecord()))


def kept(past: History) -> int:
    return len(past._known_replies)


@pytest.mark.usefixtures("short")
def test_a_long_run_keeps_the_replies_of_the_turns_it_can_go_back_to() -> None:
    past = History()
    for turn in range(1, 40):
        begun(past, turn)
        past.add_reply(f"turn {turn}", REPLY)
        past.add_reply("the same each turn", ModelReply((str(turn),), "guide"))
        assert kept(past) == min(turn, KEPT) + 1
    assert [past.reply_to(f"turn {turn}") for turn in (33, 34, 39)] == [None, REPLY, REPLY]
    assert past.reply_to("the same each turn") == ModelReply(("39",), "guide"), "the last one counts"


@pytest.mark.usefixtures("short")
def test_a_reply_stays_while_any_branch_can_meet_it() -> None:
    past = History()
    for turn in range(1, 4):
        begun(past, turn)
        past.add_reply(f"turn {turn}", REPLY)
    past.divide(2, resample=False)
    for turn in range(2, 30):
        begun(past, turn)
        past.add_reply("turn 3" if turn == 3 else f"branch, turn {turn}", REPLY)
    assert past.reply_to("branch, turn 4") is None
    assert past.reply_to("turn 3") == REPLY, "the main line's last turn met it, too"
    past.switch(0)
    past.divide(1, resample=False)
    assert {past.reply_to(f"turn {turn}") for turn in (1, 2, 3)} == {REPLY}


def test_a_turn_that_begins_again_meets_what_it_met_before() -> None:
    past = History()
    begun(past, 1)
    past.add_reply("asked before it failed", REPLY)
    begun(past, 1)
    assert past.reply_to("asked before it failed") == REPLY


@given(st.lists(st.tuples(st.sampled_from(["turn", "turn", "turn", "again", "divide", "switch"]), st.integers(0, 30)),
                max_size=60))
def test_every_turn_one_can_go_back_to_meets_what_it_met(steps: list[Step]) -> None:
    """Compares with a simple model: for each branch, the request keys of each of its turns."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(history, "MOST_TURNS", KEPT)
        past, lines = History(), [dict[int, set[str]]()]
        begun(past, 1)
        lines[0][1] = set()
        for count, (what, number) in enumerate(steps):
            at, line = past.current, lines[past.current]
            turn = max(line)
            if what == "divide":
                goal = past.branch.first + number % len(past.branch.turns)
                past.divide(goal, resample=False)
                lines.append({k: set(met) for k, met in line.items() if k <= goal})
            elif what == "switch":
                past.switch(number % len(lines))
            else:
                turn += what == "turn"
                begun(past, turn)
                line.setdefault(turn, set())
                for old in [k for k in line if k <= turn - KEPT]:
                    del line[old]
                for key in (f"{at} {count}", f"shared {number}"):
                    past.add_reply(key, REPLY)
                    line[turn].add(key)
            assert set(past._known_replies) == set().union(*(met for each in lines for met in each.values()))


@pytest.mark.parametrize("back_to", [36, 38, 41])
@pytest.mark.usefixtures("short")
def test_a_rewound_run_asks_nothing_anew_until_it_is_where_it_was(back_to: int) -> None:
    guide = Guide()
    run = Session(Setup(Walker(), Line, NEVER, 0, 45, {"guide": guide}))
    ear = Ear(run)
    ear.when(lambda event: isinstance(event.what, e.Asked) and event.turn == 41, c.Rewind(back_to))
    run.run()
    acted = [event for event in ear.events if isinstance(event.what, e.Acted)]
    assert [(x.branch, x.turn) for x in acted[40:]] == [(1, turn) for turn in range(back_to, 46)]
    anew = [ask for ask in guide.asked[2 * 40:] if int(ask.messages[0].content.split()[3].strip("[]'?")) < 40]
    assert not anew, "places before the 41st turn were asked about in the first 80 questions"
    assert kept(run._history) <= 2 * 2 * KEPT
