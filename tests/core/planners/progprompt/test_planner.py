"""ProgPrompt by hand: scripted programs, their recovery, edits, and what the commonsense provider writes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.common.errors import UsageError
from core.goals.progress import reached
from core.planners.progprompt.planner import ProgPrompt
from core.planning.facets import Program, ProgramLine
from core.planning.model_requests import ModelReply, ModelRequest
from core.planning.planner import Planner
from sim.household.simulator import HouseholdSimulator
from tests.core.planners.by_hand import Answers, commonsense, goal_of, home, play, says, turn

GOAL = "put one apple inside the fridge"
PROGRAM = """    find('apple')
    grab('apple')
    find('fridge')
    assert('fridge' is 'opened')
        else: open('fridge')
    putin('apple', 'fridge')"""
TASKS = (GOAL, "put one book on the sofa and one mug inside the sink", "put one sliced apple on the coffee table",
         "switch on the stove", "hold one mug", "put two plates inside the dishwasher")


@pytest.fixture
def world() -> Iterator[HouseholdSimulator]:
    with home("four-rooms-1", 5) as found:
        yield found


def begun(world: HouseholdSimulator, preset: str = "default", task: str = GOAL) -> ProgPrompt:
    planner = ProgPrompt(ProgPrompt.presets[preset])
    planner.begin(goal_of(world, task), world.schemas, 0)
    return planner


def go(planner: Planner, world: HouseholdSimulator, answers: Answers, most: int = 40) -> list[str]:
    done = []
    for _ in range(most):
        action = turn(planner, world, answers).decision.action
        if action is None:
            break
        outcome = world.step(action)
        planner.update(outcome)
        done.append(str(action) if outcome.ok else f"{action} refused")
    return done


def test_a_program_is_carried_out_line_by_line(world: HouseholdSimulator) -> None:
    planner = begun(world)
    done = go(planner, world, says(PROGRAM))
    assert reached(goal_of(world, GOAL), world.reveal())
    assert done[-5:] == ["walk apple_1", "grab apple_1", "walk fridge_1", "open fridge_1", "put_in apple_1 fridge_1"]


def test_an_assert_that_holds_skips_its_else(world: HouseholdSimulator) -> None:
    go(begun(world), world, says("find('fridge')\nopen('fridge')"), most=10)
    planner = begun(world)
    done = go(planner, world, says(PROGRAM))
    assert not any(action.startswith("open fridge") for action in done)
    lines = planner._execution.facet().lines if planner._execution is not None else ()
    assert [line.state for line in lines] == ["done", "done", "done", "done", "skipped", "done"]
    assert [line.note for line in lines if line.state == "skipped"] == ["not needed"]


def test_what_cannot_be_done_fails_and_the_program_goes_on(world: HouseholdSimulator) -> None:
    planner = begun(world, "once")
    shown = turn(planner, world, says("grab('moon')\nfly('apple')\nputin('apple')\ngibberish\nfind('fridge')"))
    program = shown.last(Program)
    assert [line.state for line in program.lines] == ["failed", "failed", "failed", "skipped", "waiting"]
    assert program.current == 4
    assert shown.decision.action is not None


def test_programs_are_written_until_there_are_no_more(world: HouseholdSimulator) -> None:
    planner, asked = begun(world), list[ModelRequest]()

    def answers(ask: ModelRequest) -> ModelReply:
        asked.append(ask)
        return ModelReply(("grab('moon')",), "script")

    decision = turn(planner, world, answers).decision
    assert decision.action is None
    assert decision.because.startswith("4 programs ended short of the goal; the last line that failed: grab(")
    assert len(asked) == 4
    assert "failed before: grab('moon')" in asked[1].messages[0].content


def test_find_costs_its_steps_and_is_not_there_without(world: HouseholdSimulator) -> None:
    asked = turn(begun(world), world, says("find('apple')")).asked
    assert "from actions import find <thing>, walk" in asked[0].messages[0].content
    done = turn(begun(world, "no-find"), world, says("find('apple')"))
    assert "find <thing>" not in done.asked[0].messages[0].content
    assert done.last(Program).lines[0].note == "there is no find here"


def test_find_says_so_when_a_thing_is_nowhere(world: HouseholdSimulator) -> None:
    planner = begun(world, "once")
    go(planner, world, says("find('unicorn')"), most=60)
    line = turn(planner, world, says("")).shown
    assert planner._execution is not None
    assert planner._execution.facet().lines[0].note in ("not found anywhere", "no success in 40 actions")
    assert line


@pytest.mark.parametrize("preset", ["default", "no-find"])
@pytest.mark.parametrize("task", TASKS)
def test_the_rules_write_programs_that_work(world: HouseholdSimulator, preset: str, task: str) -> None:
    goal = goal_of(world, task)
    outcomes = play(ProgPrompt(ProgPrompt.presets[preset]), world, goal, most=120)
    if (preset, task) != ("no-find", "put two plates inside the dishwasher"):  # what is full is not cleared by a program
        assert reached(goal, world.reveal()) or "two plates" in task
    assert outcomes


def test_an_edit_goes_on_at_the_first_line_that_differs(world: HouseholdSimulator) -> None:
    planner = begun(world)
    for _ in range(3):
        decision = turn(planner, world, says(PROGRAM)).decision
        assert decision.action is not None
        planner.update(world.step(decision.action))
    before = turn(planner, world, says(PROGRAM)).last(Program)
    planner.accept(Program(tuple(ProgramLine(t) for t in (*PROGRAM.splitlines()[:-1], "close('fridge')"))))
    after = turn(planner, world, says(PROGRAM)).last(Program)
    assert [line.state for line in after.lines[:before.current]] == [line.state for line in before.lines[:before.current]]
    assert after.lines[-1].text == "close('fridge')"
    planner.accept(Program((ProgramLine("find('sofa')"),)))
    assert turn(planner, world, says(PROGRAM)).last(Program).current == 0


def test_an_edit_while_it_thinks_begins_the_turn_anew(world: HouseholdSimulator) -> None:
    planner, told = begun(world), list[bool]()

    def meddle(number: int, facet: object) -> None:
        if isinstance(facet, Program) and not told:
            told.append(True)
            planner.accept(Program((ProgramLine("walk('bathroom')"),)))

    assert str(turn(planner, world, says(PROGRAM), meddle).decision.action) == "walk bathroom_1"


def test_a_program_that_is_too_long_is_refused_in_one_line(world: HouseholdSimulator) -> None:
    planner = begun(world)
    with pytest.raises(UsageError, match="shorten it"):
        planner.accept(Program((ProgramLine("x"),) * 5000))
    with pytest.raises(UsageError, match="shorten it"):
        planner.accept(Program((ProgramLine("x\ny"),)))


def test_an_override_leaves_the_line_to_be_looked_at_anew(world: HouseholdSimulator) -> None:
    planner = begun(world)
    first = turn(planner, world, says(PROGRAM)).decision.action
    other = next(a for a in world.admissible() if a != first)
    planner.update(world.step(other))
    assert turn(planner, world, says(PROGRAM)).last(Program).current == 0


def test_two_of_a_kind_are_two_things(world: HouseholdSimulator) -> None:
    goal = goal_of(world, "put two plates on the coffee table")
    play(ProgPrompt(), world, goal, commonsense, most=100)
    assert len({s for s in world.reveal().holder if s.startswith("plate")}) >= 2
    assert reached(goal, world.reveal())
