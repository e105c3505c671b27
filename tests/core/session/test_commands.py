"""Each command is one class: it is recorded, executed or refused, told in a line, and undone by its opposite."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hypothesis import given

from core.recording.types import COMMANDS
from core.session import commands as c
from core.session.breakpoints import Breakpoint
from core.session.command import NOTHING_SET, Command, S, Settings, Wording
from core.session.events import Acted, CommandTaken
from core.session.pace import Pace
from core.session.run import Run
from core.world.vocabulary import Action
from tests.core.recording import strategies
from tests.core.session.toys import GOAL, LEFT, RIGHT, WalkerParameters, session

POINT = Breakpoint("turn == 3")


@dataclass(frozen=True, slots=True)
class BanBoth(Command):
    """A command of another package, made of what every session offers."""

    log, icon = "Ban both ways", "ban"
    first: Action
    second: Action

    def execute(self, run: Run) -> None:
        run.ban(frozenset((self.first, self.second)))

    def settings_after(self, settings: S) -> S:
        return replace(settings, banned=frozenset((self.first, self.second)))


@dataclass(frozen=True, slots=True)
class Nothing(Command):
    """A command that says nothing about how it is executed."""


def test_a_new_command_is_one_class() -> None:
    run, ear = session()
    run.post(BanBoth(LEFT, RIGHT))
    ear.when(lambda event: isinstance(event.what, CommandTaken), c.Stop())
    run.run()
    assert ear.of(CommandTaken)[0] == CommandTaken(BanBoth(LEFT, RIGHT))
    assert not ear.of(Acted)
    assert BanBoth(LEFT, RIGHT).line(Wording()) == "Ban both ways"


def test_a_command_without_an_execution_is_refused() -> None:
    run, ear = session()
    run.post(Nothing())
    run.post(c.Stop())
    run.run()
    refused = ear.of(CommandTaken)[0]
    assert (refused.ok, refused.reason) == (False, "a session knows no command Nothing")


def test_every_class_of_the_module_is_recorded() -> None:
    assert len(COMMANDS) == len({kind.__name__ for kind in COMMANDS}) == 36
    assert all(kind.__module__.startswith(c.__name__) for kind in COMMANDS)


@given(command=strategies.of(Command))
def test_every_command_has_a_line_and_a_name(command: Command) -> None:
    hidden = isinstance(command, c.Look | c.KeepPictures | c.ListActions | c.ListChanges | c.Annotate)
    assert bool(command.line(Wording())) != hidden
    assert bool(command.title(Wording())) != hidden


def test_lines() -> None:
    parameters = Wording(phrase=lambda action: f"«{action}»", parameters=WalkerParameters())
    lines = {command: command.line(parameters) for command in (
        c.Override(LEFT, told=False, why="to  try"), c.Unban(LEFT), c.SetParameter("looks", 5), c.SetLimits(calls=3, cost=0.5),
        c.SetLimits(), c.EnableBreakpoint(POINT, enabled=False), c.SetBreakpoint(POINT), c.Answer(2, "a " * 200), c.Step(),
        c.AskAgain(4), c.Hold(), c.UseModel("human"), c.SetGoal(GOAL))}
    assert list(lines.values()) == [
        "Override: «go left» · planner not told – to try", "Allow again: «go left»", "looks: 3 → 5",
        "Limits: 3 calls, 0.5 spent",
        "Limits: none", "Breakpoint turned off: turn == 3", "Breakpoint set: turn == 3",
        f"Operator answered call 2: {'a ' * 79}a…",
        "Step one action", "Asked call 4 again", "Hold", "Provider: human", "New goal: Walk to 5"]


def test_the_opposite_of_a_command_restores_what_was_set() -> None:
    before = Settings(GOAL, WalkerParameters(), most_steps=7, breakpoints=(Breakpoint('action == "go"'),))
    for command in (c.Ban(LEFT), c.SetParameter("looks", 5), c.SetGoal(replace(GOAL, text="other")), c.SetSteps(9),
                    c.SetLimits(calls=3), c.SetPace(Pace("hold", 2.0)), c.SetBreakpoint(POINT),
                    c.ClearBreakpoint(before.breakpoints[0]), c.EnableBreakpoint(before.breakpoints[0], enabled=False)):
        after, opposite = command.settings_after(before), command.opposite(before)
        assert after != before
        assert opposite is not None
        assert opposite.settings_after(after) == before
    assert c.Unban(LEFT).opposite(NOTHING_SET) == c.Ban(LEFT)
    assert c.SetGoal(GOAL).opposite(NOTHING_SET) is None
