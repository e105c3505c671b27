"""The summary of a run in a list of runs."""

from __future__ import annotations

from core.planning.facets import Moment
from core.session import commands as c
from core.session import events as e
from core.session.breakpoints import Breakpoint
from core.session.events import STOPPED
from core.session.run_summary import RunSummary, summary_of
from core.session.snapshot import fold_all
from tests.core.session.toys import GOAL, LEFT, RIGHT, WalkerParameters, session

BEGAN = e.Began("walker", "line", "line", "guide", 3, GOAL, WalkerParameters(), 30)


def summary(*told: e.Payload) -> RunSummary:
    return summary_of(fold_all(e.Event(number, float(number), 1, 0, what) for number, what in enumerate(told)))


def test_a_run_is_summed_up_as_it_goes() -> None:
    run, ear = session(steps=12)
    run.run()
    found = summary_of(fold_all(ear.events))
    acted = [x.what for x in ear.events if isinstance(x.what, e.Acted)]
    assert (found.planner, found.seed, found.goal) == ("walker", 0, GOAL.text)
    assert found.turns == len(acted) == 5
    assert found.seconds == ear.events[-1].worked
    assert found.outcome == "goal reached"


def test_an_end_is_an_end() -> None:
    reached, stopped = e.Ended(True, "goal reached", ()), e.Ended(False, STOPPED, ())
    assert summary(BEGAN, reached, stopped).outcome == "goal reached"
    assert summary(BEGAN, stopped).outcome == "stopped"
    again = summary(BEGAN, reached, e.Rewound(1, 1, 0, False, False))
    assert (again.outcome, again.is_over) == ("goal reached", False), "what was reached stays reached"
    assert summary(BEGAN, e.Ended(False, "steps used up", ())).outcome == "steps used up"


def test_the_turns_up_to_the_outcome_are_those_of_one_line_of_branches() -> None:
    run, ear = session(steps=12)
    ear.when(lambda event: isinstance(event.what, e.TurnBegan) and event.moment == Moment(0, 4), c.Fork(3))
    run.run()
    found = summary_of(fold_all(ear.events))
    end = fold_all(ear.events)
    assert (end.ended is not None, found.branches) == (True, 2)
    assert found.length == len(end.line) < found.turns == len(end.turns)
    assert found.seconds == end.worked, "the clock of the banner"


def test_only_what_would_be_missed_is_worth_keeping() -> None:
    assert not summary(BEGAN, e.CommandTaken(c.Pause()), e.CommandTaken(c.Look(()))).is_worth_keeping
    assert not summary(BEGAN, e.CommandTaken(c.SetBreakpoint(Breakpoint("turn == 3")))).is_worth_keeping
    assert not summary(BEGAN, e.CommandTaken(c.Ban(LEFT), ok=False)).is_worth_keeping
    for what in (e.CommandTaken(c.Ban(LEFT)), e.CommandTaken(c.Override(RIGHT)), e.Annotated("x", "", "point")):
        assert summary(BEGAN, what).is_worth_keeping
