"""The real package and a real Java."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.common.errors import DataError, MissingPart, SimulatorError, UsageError
from core.goals.progress import progress, reached
from core.world.vocabulary import Action
from sim.scienceworld import java_process
from sim.scienceworld.simulator import ScienceWorldSimulator

NEEDED = pytest.mark.skipif(bool(java_process.unavailable()), reason=java_process.unavailable() or "all here")
ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def boiling() -> Iterator[ScienceWorldSimulator]:
    with ScienceWorldSimulator.open("boil", {}) as world:
        yield world


def do(world: ScienceWorldSimulator, *words: str) -> str:
    text = ""
    for line in words:
        verb, *args = line.split()
        outcome = world.step(Action(verb, tuple(args)))
        assert outcome.ok, f"{line}: {outcome.reason}"
        text = outcome.observation.text
    return text


def alive(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists() and "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()


def gone(pid: int) -> None:
    end = time.monotonic() + 20
    while alive(pid):
        assert time.monotonic() < end, "Java is still there"
        time.sleep(0.02)


@NEEDED
def test_the_way_that_scienceworld_knows_reaches_a_hundred(boiling: ScienceWorldSimulator) -> None:
    boiling.reset(0)
    goal = boiling.goal()
    assert goal.text.startswith("Your task is to boil water")
    before = boiling.observe()
    way = boiling.expert(goal)
    assert boiling.observe() == before, "working it out changes nothing"
    scores = [boiling.step(action).observation.score for action in way]
    assert scores[-1] == 100
    assert reached(goal, boiling.reveal())
    assert "done" in boiling.observe().by_id["task_1"].states


@NEEDED
def test_things_keep_their_names_through_hands_and_rooms(boiling: ScienceWorldSimulator) -> None:
    boiling.reset(0)
    do(boiling, "open door_to_kitchen", "go kitchen", "open cupboard")
    assert boiling.observe().holder["metal_pot"].object == "cupboard"
    do(boiling, "pick_up metal_pot", "go hallway")
    assert "metal_pot" in boiling.observe().agent.holding
    text = do(boiling, "put_down metal_pot")
    assert text.startswith("You move the metal pot to the hallway.")
    assert "metal_pot" in boiling.observe().agent.near


@NEEDED
def test_refusals_say_why_and_pass_no_time(boiling: ScienceWorldSimulator) -> None:
    boiling.reset(0)
    for action, precondition in (
        (Action("open", ("cupboard",)), "in sight"), (Action("open",), "arguments"), (Action("fly",), "verb"),
        (Action("do", ("colourless green ideas",)), "sentence"), (Action("do", ("  ",)), "sentence"),
        (Action("do", ("reset  task",)), "sentence"), (Action("go", ("picture",)), "valid"),
    ):
        outcome = boiling.step(action)
        assert (outcome.ok, outcome.precondition) == (False, precondition), action
        assert outcome.reason
        assert "\n" not in outcome.reason
    assert boiling.observe().step == 7
    do(boiling, "do wait1")


@NEEDED
def test_an_answer_to_an_ambiguous_request_counts_too(boiling: ScienceWorldSimulator) -> None:
    boiling.reset(0)
    outcome = boiling.step(Action("do", ("open door",)))
    assert (outcome.ok, outcome.observation.step) == (True, 2), "which door? the first one"
    saved, seen = boiling.save(), boiling.observe()
    assert boiling.restore(saved) == seen
    do(boiling, "do wait1")
    assert boiling.observe().step == 3


@NEEDED
def test_a_wrong_focus_fails_the_task(boiling: ScienceWorldSimulator) -> None:
    boiling.reset(0)
    do(boiling, "focus_on picture")
    assert boiling.observe().score == -100
    assert boiling.observe().by_id["task_1"].states == {"failed"}
    assert not progress(boiling.goal(), boiling.reveal())[0].reached


@NEEDED
def test_an_episode_begun_anew_is_the_same_one_and_costs_no_move(boiling: ScienceWorldSimulator) -> None:
    first = boiling.reset(0)
    do(boiling, "open door_to_kitchen", "focus_on picture")
    lost = boiling.observe()
    assert lost.score == -100
    outcome = boiling.step(Action("restart"))
    assert outcome.ok
    again = boiling.observe()
    assert (again.entities, again.text, again.score, again.step) == (first.entities, first.text, 0, lost.step)
    do(boiling, "wait1")
    saved, seen = boiling.save(), boiling.observe()
    boiling.reset(2)
    assert boiling.restore(saved) == seen
    assert seen.step == lost.step + 1
    assert boiling.save() == saved


@NEEDED
def test_saved_states_come_back_by_replaying(boiling: ScienceWorldSimulator) -> None:
    boiling.reset(3)
    do(boiling, "look_around", "wait1")
    boiling.step(boiling.admissible()[5])
    saved, seen, offered = boiling.save(), boiling.observe(), boiling.admissible()
    boiling.reset(4)
    assert boiling.restore(saved) == seen
    assert (boiling.save(), boiling.admissible()) == (saved, offered)
    with pytest.raises(DataError, match="another world"):
        boiling.restore(saved.replace("boil", "melt"))


@NEEDED
def test_two_worlds_side_by_side_do_not_meet(boiling: ScienceWorldSimulator) -> None:
    boiling.reset(0)
    with ScienceWorldSimulator.open("find-plant", {"variation": "2", "simplification": "openDoors"}) as other:
        other.reset(0)
        assert other.goal().text != boiling.goal().text
        here = boiling.observe()
        other.step(other.admissible()[0])
        assert boiling.observe() == here
        assert other.save() != boiling.save()
        pid = other.pid
    assert not alive(pid)
    do(boiling, "wait1")


@NEEDED
def test_a_killed_java_is_reported_in_one_line() -> None:
    with ScienceWorldSimulator.open("melt", {}) as world:
        world.reset(0)
        os.kill(world.pid, signal.SIGKILL)
        gone(world.pid)
        with pytest.raises(SimulatorError) as caught:
            world.step(Action("do", ("wait1",)))
        assert "\n" not in str(caught.value)
        assert world.observe().score == 0, "what is known is still answered"
        assert world.verdict(Action("wait1")).precondition == "free"
        with pytest.raises(SimulatorError):
            world.step(Action("wait1"))


@NEEDED
def test_closing_a_stopped_java_does_not_wait() -> None:
    world = ScienceWorldSimulator.open("melt", {})
    os.kill(world.pid, signal.SIGSTOP)
    world.close()
    world.close()
    assert not alive(world.pid)


@NEEDED
def test_java_ends_with_a_killed_parent() -> None:
    program = ("import time; from sim.scienceworld.java_process import Machine; "
               "print(Machine().pid, flush=True); time.sleep(60)")
    with subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        parent.kill()
    gone(pid)


def test_without_java_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(java_process, "PACKAGE", "json")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    assert "Java" in ScienceWorldSimulator.missing()
    with pytest.raises(MissingPart, match="install") as caught:
        ScienceWorldSimulator.open("boil", {})
    assert "\n" not in str(caught.value)
    assert len(ScienceWorldSimulator.scenes()) == 30


def test_without_the_package_the_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(java_process, "PACKAGE", "no_such_package_anywhere")
    with pytest.raises(MissingPart, match="pip install"):
        ScienceWorldSimulator.open("boil", {})


@pytest.mark.parametrize(("scene", "options", "words"), [
    ("boil tea", {}, "unknown ScienceWorld task"), ("boil", {"hands": "2"}, "unknown world option 'hands'"),
    ("boil", {"variation": "30"}, "boil has 0 to 29"), ("boil", {"simplification": "cheat"}, "there is easy"),
])
def test_wrong_settings_are_named_before_java_starts(scene: str, options: dict[str, str], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        ScienceWorldSimulator.open(scene, options)


@NEEDED
def test_every_task_has_as_many_variations_as_listed(boiling: ScienceWorldSimulator) -> None:
    from sim.scienceworld.simulator import VARIATIONS
    assert boiling.ask(lambda world: {n: world.getTaskMaxVariations(n) for n in world.getTaskNames()}) == VARIATIONS
