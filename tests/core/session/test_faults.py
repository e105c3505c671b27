"""Bugs and deaths of parts at awkward moments: each is told with its reason, and nothing else is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from core.common.errors import MissingPart, SimulatorError
from core.planning.facets import Facet, Plan
from core.planning.planner import Answer, WhatIf
from core.session import commands as c
from core.session import events as e
from core.session.session import Session
from core.session.setup import Beside, Setup
from core.session.snapshot import fold_all
from core.simulator.base import WorldChange
from core.world.vocabulary import Action, Observation, Outcome
from tests.core.session.toys import GOAL, RIGHT, Ear, Guide, Line, Mortal, SlowLine, SlowMortal, Walker, session


def told(kind: type[e.Payload], nth: int = 1) -> Callable[[e.Event], bool]:
    count = 0

    def test(event: e.Event) -> bool:
        nonlocal count
        count += isinstance(event.what, kind)
        return isinstance(event.what, kind) and count == nth
    return test


def test_a_simulator_that_refuses_to_close_is_told_and_the_rest_is_closed() -> None:
    class Sticky(Line):
        def close(self) -> None:
            raise MissingPart("the server is gone")

    class Kept(Guide):
        closed = 0

        def close(self) -> None:
            self.closed += 1

    model = Kept()
    run, ear = session(world=Sticky, model=model)
    assert run.run().success
    assert [(f.part, f.kind, f.message, f.waits) for f in ear.of(e.Failed)] == [
        ("simulator", "closing", "the server is gone", False)]
    assert model.closed == 1, "what is closed after the simulator"


def test_a_stop_during_a_change_of_the_world_is_no_bug_of_the_planner() -> None:
    class Changing(SlowLine):
        def change(self, change: WorldChange) -> Observation:
            run.post(c.Stop())
            self.hung.wait(5.0)  # until it is closed
            return super().change(change)

    Changing.patience = 30.0
    run, ear = session(world=Changing)
    change = c.ChangeWorld(WorldChange("walker_1", "state", "at 4"))
    ear.when(lambda event: isinstance(event.what, e.Acted), c.Fork(1, then=change))
    assert run.run().reason == e.STOPPED
    assert not ear.of(e.Failed)
    assert not ear.of(e.Paused)


def test_a_simulator_that_dies_in_lockstep_is_brought_back_and_both_planners_agree_as_before() -> None:
    def play(fates: list[bool]) -> tuple[Ear, e.Ended]:
        run = Session(Setup(Walker(), lambda: Mortal(lambda: bool(fates) and fates.pop(0)), GOAL, 0, 30, {"guide": Guide()},
                            {"scene": "line"}, beside=Beside(Walker(), Guide(text="left"), "walker")))
        ear = Ear(run)
        return ear, run.run()

    (calm, ended), (ear, again) = play([]), play([False, False, True])
    assert again.success == ended.success
    assert [r.part for r in ear.of(e.Recovered)] == ["simulator"]
    assert ear.of(e.Decided) == calm.of(e.Decided)
    assert ear.of(e.Diverged) == calm.of(e.Diverged)


def test_a_restarted_simulator_whose_past_comes_out_differently_is_told() -> None:
    opened: list[Line] = []

    class Other(SlowLine):
        def step(self, action: Action) -> Outcome:
            if opened.index(self) == 0 and self.steps == 2:
                raise SimulatorError("the line broke")
            self.place += opened.index(self) == 1 and self.steps == 0  # the second one begins with a jump
            return super().step(action)

    def make() -> Line:
        opened.append(Other())
        return opened[-1]

    run, ear = session(world=make)
    assert run.run().success
    assert [(f.kind, f.waits) for f in ear.of(e.Failed)] == [("stopped", False), ("differs", False)]
    assert "came out differently" in ear.of(e.Failed)[1].message
    shown = fold_all(ear.events[:1 + next(k for k, x in enumerate(ear.events) if isinstance(x.what, e.Standing))]).seen
    assert shown is not None
    assert shown.by_id["walker_1"].states == {"at 3"}, "the world as it came out is what is shown"


@pytest.mark.parametrize("undo", [c.Rewind(2), c.Fork(2), c.Rewind(1)])
@pytest.mark.parametrize("kind", [Mortal, SlowMortal])
def test_a_simulator_that_was_killed_is_opened_again_to_go_back(kind: type[Mortal], undo: c.Command) -> None:
    opened: list[Mortal] = []

    def make() -> Mortal:
        opened.append(kind(lambda: False))
        return opened[-1]

    def kill(event: e.Event) -> bool:
        killed = isinstance(event.what, e.Shown) and event.turn == 4 and not opened[0].dead
        opened[0].dead = opened[0].dead or killed
        return killed

    run, ear = session(world=make)
    ear.when(kill, undo)
    assert run.run().success
    assert len(opened) == 2
    assert [r.part for r in ear.of(e.Recovered)] == ["simulator"]
    assert [a.outcome.action for a in ear.of(e.Acted)][-5:] == [RIGHT] * 5
    assert not [f for f in ear.of(e.Failed) if f.waits]


def test_a_preview_needs_no_simulator_that_lives() -> None:
    class Asked(Walker):
        def what_if(self, question: WhatIf, observation: Observation) -> Iterator[tuple[Facet, ...]]:
            opened[0].dead = True
            yield (Plan((RIGHT,), "if"),)

    def make() -> Mortal:
        opened.append(Mortal(lambda: False))
        return opened[-1]

    opened: list[Mortal] = []
    run, ear = session(Asked(), world=make)
    answers: list[Answer] = []

    def heard(answer: Answer) -> None:
        answers.append(answer)
        run.post(c.Resume())

    run.subscribe_answers(heard)
    run.ask_what_if(WhatIf(1))
    ear.when(told(e.Shown), c.Pause())
    assert run.run().success
    assert (answers[0].trouble, answers[0].facets) == ("", (Plan((RIGHT,), "if"),))
    assert [r.part for r in ear.of(e.Recovered)] == ["simulator"], "the next action notices it"
    assert not [f for f in ear.of(e.Failed) if f.waits]
