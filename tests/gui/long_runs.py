"""Runs of any length, made of events without a session: two branches, overrides, edits, labels, refusals, calls, facets."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from core.common.parameters import Parameters
from core.common.shared_list import SharedList
from core.goals.progress import progress
from core.planners.neoplanner.recorded_types import Scores
from core.planning.belief_facets import Belief
from core.planning.facets import Grounded, Grounding, Plan
from core.planning.model_requests import Message, ModelReply, ModelRequest
from core.planning.search_facets import RankedAction, Ranking
from core.session import events as e
from core.session.commands import Edit
from core.session.snapshot import Snapshot, fold
from core.world.vocabulary import Action, Observation, Outcome, Pose
from tests.gui.panels import blockings, worlds

ACTIONS = (*(Action("walk", (place,)) for place in worlds.PLACES), Action("open", ("fridge_1",)), Action("grab", ("mug_1",)))
EVERY_OVERRIDE, EVERY_EDIT, EVERY_LABEL, EVERY_REFUSAL, EVERY_FAULT = 20, 33, 25, 7, 50


def stood_at(turn: int) -> tuple[float, float]:
    """The position of the robot in a turn, in metres."""
    return turn % 50 / 10, turn // 50 % 50 / 10


class LongRun:
    """Makes the events of one turn after the other."""

    def __init__(self) -> None:
        self.snapshot, self.told, self.branch, self.turn = Snapshot(), 0, 0, 0
        self.facets: tuple[Belief, object] = (worlds.belief(), blockings.tree())
        self.tell(e.Began("mcts", "household", "toy", "commonsense", 7, worlds.GOAL, Parameters(), 20_000))

    def tell(self, *payloads: e.Payload) -> None:
        for what in payloads:
            self.snapshot = fold(self.snapshot, e.Event(self.told, self.told / 10, self.turn, self.branch, what))
            self.told += 1

    def play(self) -> Snapshot:
        """Plays one more turn, up to the planning of the next one."""
        if self.snapshot.current is None:
            self.begin()
        by: e.Who = "planner" if self.turn % EVERY_OVERRIDE else "operator"
        action, ok = ACTIONS[self.turn % len(ACTIONS)], self.turn % EVERY_REFUSAL > 0
        outcome = Outcome(action, ok, "" if ok else "it is stuck", self.seen())
        self.tell(e.Decided(action, by, "so", ACTIONS[0] if by == "operator" else None), e.Acted(outcome, by, 0.3, 0.2, 0.1))
        self.begin()
        return self.snapshot

    def begin(self) -> None:
        self.turn += 1
        seen = self.seen()
        self.tell(e.TurnBegan(seen, progress(worlds.GOAL, seen)))
        self.tell(e.Asked(self.told, ModelRequest("policy", (Message("user", "what now?"),), "the mug"), "guide"))
        self.tell(e.Replied(self.told - 1, ModelReply(("walk",), "guide", tokens_in=9, tokens_out=3)))
        self.tell(e.Shown(Grounded((Grounding("a", "walk", "walk", 0.9, "exact"),))), *map(e.Shown, self.thoughts()))
        if self.turn % EVERY_EDIT == 0:
            self.tell(e.CommandTaken(Edit(Plan(ACTIONS[:2]), "try this")))
        if self.turn % EVERY_LABEL == 0:
            self.tell(e.Annotated("pause" if self.turn % 2 else "mistake", "", "point", "ann"))
        if self.turn % EVERY_FAULT == 0:
            self.tell(e.Failed("camera", "dark", "the picture is dark", waits=False))

    def thoughts(self) -> Iterator[Any]:
        ranked = tuple(RankedAction((a,), 0.2, 5 + k, 0.1, 0.3, 1.0 / (k + 1)) for k, a in enumerate(ACTIONS))
        yield Ranking(ranked, 40, 40)
        yield Plan(ACTIONS[:3], "so")
        yield from self.facets
        points = tuple((k, float(k % 40)) for k in range(0, self.turn, 25))
        yield Scores(points, points[10::20], self.turn, points[-1][1], 39.0, 39)

    def seen(self) -> Observation:
        return worlds.seen(pose=Pose(*stood_at(self.turn), 0.0), step=self.turn)

    def rewind(self, turn: int) -> None:
        parent, self.turn, self.branch = self.branch, turn, self.branch + 1
        self.tell(e.Rewound(turn, self.branch, parent, True, False))
        self.turn -= 1


def long_run(turns: int) -> LongRun:
    """Returns a run whose present line has this many turns. A second branch leaves it half-way."""
    run = LongRun()
    for _ in range(turns // 2):
        run.play()
    run.rewind(max(1, turns // 3))
    while len(run.snapshot.line) < turns:
        run.play()
    run.tell(e.Shown(worlds.frame()), e.Shown(worlds.frame("dollhouse")))
    return run


def following(turns: int, more: int) -> list[Snapshot]:
    """Returns the snapshot after `turns` turns, and those after each of `more` further turns."""
    run = long_run(turns)
    return [run.snapshot, *(run.play() for _ in range(more))]


class Counted(Sequence[Any]):
    """A list that counts how often its items are read on the GUI thread. What a job reads elsewhere delays nobody."""

    def __init__(self, items: Sequence[Any]):
        self._items, self.looks = items, 0

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, index: Any) -> Any:
        self.looks += threading.current_thread() is threading.main_thread()
        return self._items[index]


def counted(snapshots: Sequence[Snapshot]) -> tuple[list[Snapshot], list[Counted]]:
    """Returns the same snapshots with logs that count how often their items are read."""
    end = snapshots[-1]
    counts = [Counted(list(log)) for log in (end.turns, end.line, end.marks, end.calls, end.groundings)]
    turns, line, marks, calls, told = counts
    return [replace(s, turns=SharedList.beginning(turns, len(s.turns)), line=SharedList.beginning(line, len(s.line)),
                    marks=SharedList.beginning(marks, len(s.marks)), calls=SharedList.beginning(calls, len(s.calls)),
                    groundings=SharedList.beginning(told, len(s.groundings))) for s in snapshots], counts
