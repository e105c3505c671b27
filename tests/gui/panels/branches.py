"""Small and huge runs that were forked, as a session tells them."""

from __future__ import annotations

from core.common.parameters import Parameters
from core.goals.progress import progress
from core.planning.search_facets import RankedAction, Ranking
from core.session.events import Acted, Began, Decided, Ended, Event, Payload, Rewound, Shown, Switched, TurnBegan, Who
from core.session.snapshot import Snapshot, fold
from core.world.vocabulary import Action, Outcome
from tests.gui.panels import worlds

OPEN, GRAB, WALK = Action("open", ("fridge_1",)), Action("grab", ("apple_1",)), Action("walk", ("coffee_table_1",))


class Run:
    """Events one after the other, of several branches."""

    def __init__(self) -> None:
        self.snapshot, self.turn, self.branch = Snapshot(), 0, 0
        self.tell(Began("mcts", "household", "toy", "commonsense", 7, worlds.GOAL, Parameters(), 30))

    def tell(self, *payloads: Payload) -> Run:
        for payload in payloads:
            event = Event(self.snapshot.event + 1, self.snapshot.at + 0.5, self.turn, self.branch, payload)
            self.snapshot = fold(self.snapshot, event)
        return self

    def begin(self) -> Run:
        self.turn += 1
        return self.tell(TurnBegan(worlds.seen(step=self.turn), progress(worlds.GOAL, worlds.seen(held=("mug_1",)))))

    def act(self, action: Action, by: Who = "planner", *, lost: float | None = None, refused: str = "") -> Run:
        self.begin()
        if lost is not None:
            ranked = tuple(RankedAction((a,), 0.5, 6, 5.0 - x, 0.5, x) for a, x in ((Action("scan"), 0.0), (action, lost)))
            self.tell(Shown(Ranking(ranked, 12, 100)))
        return self.tell(Decided(action, by, "it is nearest"), Acted(Outcome(action, not refused, refused, worlds.seen()), by))

    def fork(self, turn: int) -> Run:
        """From a turn of this branch."""
        number, parent, self.turn = len(self.snapshot.branches), self.branch, turn
        self.branch = number
        self.tell(Rewound(turn, number, parent, True, False))
        self.turn -= 1
        return self

    def switch(self, branch: int, turn: int) -> Run:
        self.branch, self.turn = branch, turn
        self.tell(Switched(branch, turn))
        self.turn -= 1
        return self

    def end(self, reason: str, *, success: bool) -> Run:
        return self.tell(Ended(success, reason, progress(worlds.GOAL, worlds.seen(held=("mug_1",)))))


def usual() -> Run:
    """Two turns in common; the main line ended, the fork differs from its second turn on and is thinking."""
    run = Run().act(WALK).act(OPEN, lost=0.2).act(WALK).act(GRAB, lost=2.4, refused="the apple is not in sight").act(OPEN)
    run.act(GRAB).end("the planner sees nothing left to do", success=False)
    return run.fork(3).act(WALK).act(OPEN, "operator", lost=0.9).act(GRAB, lost=0.0).begin()


def huge(turns: int = 1000) -> Run:
    """A long run and a long fork of its third turn that differs in every seventh."""
    run = Run()
    for k in range(turns):
        run.act((WALK, OPEN, GRAB)[k % 3])
    run.fork(3)
    for k in range(2, turns):
        run.act(Action("scan") if k % 7 == 6 else (WALK, OPEN, GRAB)[k % 3])
    return run.begin()
