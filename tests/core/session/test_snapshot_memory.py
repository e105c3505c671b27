"""The memory that snapshots of a long run hold."""

from __future__ import annotations

import weakref

from core.session.events import Acted, Decided, Event, Payload, TurnBegan
from core.session.snapshot import Snapshot, fold
from core.world.vocabulary import Action, AgentState, Observation, Outcome


def test_turns_let_go_of_what_was_seen_in_them() -> None:
    snapshot, held, number = Snapshot(), [], 0
    action = Action("walk", ("hall",))

    def tell(turn: int, what: Payload) -> None:
        nonlocal snapshot, number
        snapshot, number = fold(snapshot, Event(number, 0.0, turn, 0, what)), number + 1

    def see(turn: int) -> Observation:
        seen = Observation(AgentState("hall", near=(f"chair_{turn}",)), (), (), step=turn)
        held.append(weakref.ref(seen))
        return seen

    for turn in range(1, 6):
        tell(turn, TurnBegan(see(turn), ()))
        tell(turn, Decided(action, "planner"))
        tell(turn, Acted(Outcome(action, turn != 3, "stuck" if turn == 3 else "", see(turn), way=((0.0, 1.0),)), "planner"))
    assert [ref() is not None for ref in held] == [False] * 9 + [True], "only the newest"
    assert [turn.agent.near for turn in snapshot.turns] == [(f"chair_{k}",) for k in range(1, 6)], "where it was is kept"
    told = [(t.outcome.action, t.outcome.ok, t.outcome.reason, t.outcome.way) for t in snapshot.turns if t.outcome is not None]
    assert told == [(action, k != 3, "stuck" if k == 3 else "", ((0.0, 1.0),)) for k in range(1, 6)]
