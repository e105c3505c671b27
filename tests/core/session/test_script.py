"""A run with a scripted past: replayed without planning, dropped if the simulator differs or the run goes back."""

from __future__ import annotations

from dataclasses import replace

from core.planning.facets import Plan
from core.session.commands import Edit, Pause, Rewind, SetParameter, Stop
from core.session.events import Acted, CommandTaken, Decided, Failed, Paused, Shown, TurnBegan
from core.session.session import Session
from core.session.setup import Scripted
from tests.core.session.toys import LEFT, RIGHT, Ear, Walker, session


def scripted(*steps: Scripted) -> tuple[Session, Ear]:
    """Returns a run of toys with a past."""
    made, _ = session()
    run = Session(replace(made.setup, script=steps))
    return run, Ear(run)


def test_the_past_is_played_without_thinking_and_then_the_planner_thinks() -> None:
    run, ear = scripted(Scripted(action=RIGHT, because="so it was"),
                        Scripted((SetParameter("looks", 1),), LEFT, "operator", "to try", RIGHT, told=False),
                        Scripted((Edit(Plan((), "mine")),)))
    run.run()
    decided = ear.of(Decided)
    assert [(d.action, d.by, d.because, d.instead_of) for d in decided[:2]] == [
        (RIGHT, "planner", "so it was", None), (LEFT, "operator", "to try", RIGHT)]
    shown = [e.turn for e in ear.events if isinstance(e.what, Shown)]
    assert min(shown) == 3, "nothing was thought in the first two turns"
    assert shown.count(3) == 2, "what the edit stands on, and the thought after it, with the parameter that was set before"
    assert [type(t.command) for t in ear.of(CommandTaken)] == [SetParameter, Edit]
    planner = run.setup.planner
    assert isinstance(planner, Walker)
    assert planner.edited == 1
    assert planner.heard == len(ear.of(Acted)) - 1, "the action it was not told of"


def test_a_pause_said_before_waits_where_the_past_ends() -> None:
    run, ear = scripted(Scripted(action=RIGHT), Scripted(action=RIGHT), Scripted())
    run.post(Pause())
    ear.when(lambda e: isinstance(e.what, TurnBegan) and e.turn == 3, Stop())
    run.run()
    assert len(ear.of(Acted)) == 2
    assert len(ear.of(Paused)) == 1


def test_what_the_world_does_otherwise_ends_the_past_and_is_said() -> None:
    run, ear = scripted(Scripted(action=LEFT), *[Scripted(action=LEFT)] * 5)
    run.run()
    odd = [f for f in ear.of(Failed) if f.kind == "differs"]
    assert len(odd) == 1
    assert "“go left” was refused: the line ends here" in odd[0].message
    assert [a.outcome.action for a in ear.of(Acted)] == [LEFT, *[RIGHT] * 5]


def test_stopping_and_going_back_leave_the_past() -> None:
    run, ear = scripted(*[Scripted(action=RIGHT)] * 4)
    ear.when(lambda e: isinstance(e.what, Acted) and e.turn == 2, Stop())
    run.run()
    assert len(ear.of(Acted)) == 2
    run, ear = scripted(*[Scripted(action=RIGHT)] * 4)
    ear.when(lambda e: isinstance(e.what, Acted) and e.turn == 2, Rewind(1))
    run.run()
    assert any(isinstance(e.what, Shown) and e.branch == 1 and e.turn <= 2 for e in ear.events)
