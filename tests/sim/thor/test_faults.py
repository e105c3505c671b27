"""Players that die, hang, or cannot be started: what is said, and that the episode goes on."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

pytest.importorskip("ai2thor", reason="AI2-THOR is not installed (extra thor)")

from ai2thor.controller import Controller

from core.common.errors import MissingPart, SimulatorError, UsageError
from core.goals.literals import Goal, Literal
from core.planners.baselines.planner import Oracle
from core.session.events import Acted, Event, Failed, Recovered
from core.session.session import Session
from core.session.setup import Setup
from core.world.vocabulary import Action
from sim.thor import player
from sim.thor.simulator import ThorSimulator

APPLE = Goal((Literal("inside", "apple", "fridge"),), "Put an apple in the fridge")


def alive(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


@pytest.mark.parametrize(("kind", "words"), [("exit", "code 3"), ("segv", "signal 11"), ("hang", "hangs")])
def test_a_lost_player_is_told_in_one_line_and_leaves_nothing_behind(standin: str, kind: str, words: str) -> None:
    threads = threading.active_count()
    with ThorSimulator.open("FloorPlan1", {"executable": standin, "display": ":7"}) as world:
        world.reset(1)
        pid = world.player.pid
        with pytest.raises(SimulatorError, match=words) as caught:
            world.player.ask("Pass", standin=kind)
        assert "\n" not in str(caught.value)
        assert world.observe().agent.room == "kitchen_1", "what is known is still answered"
        with pytest.raises(SimulatorError):
            world.step(Action("turn_left"))
    assert not alive(pid)
    assert threading.active_count() == threads


def errand(standin: str) -> tuple[list[str], list[Failed | Recovered]]:
    """What was done, and what was told of breaking and mending."""
    heard: list[Event] = []
    options = {"executable": standin, "display": ":7"}
    run = Session(Setup(Oracle(), lambda: ThorSimulator.open("FloorPlan3", options), APPLE, 1, 30))
    run.subscribe(heard.append)
    ended = run.run()
    assert ended.success, ended.reason
    done = [f"{e.what.outcome.action} {e.what.outcome.ok}" for e in heard if isinstance(e.what, Acted)]
    return done, [e.what for e in heard if isinstance(e.what, Failed | Recovered)]


@pytest.fixture(scope="module")
def undisturbed(standin: str) -> list[str]:
    return errand(standin)[0]


@pytest.mark.parametrize("kind", ["exit", "segv", "hang"])
def test_the_episode_goes_on_after_a_lost_player(
    standin: str, undisturbed: list[str], kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    mark = tmp_path / "happened"
    monkeypatch.setenv("THOR_STANDIN_FAULT", f"{kind}@18:{mark}")
    done, told = errand(standin)
    assert mark.exists(), "the fault was not injected"
    assert [type(t) for t in told] == [Failed, Recovered]
    assert "replayed" in told[1].message
    assert done == undisturbed


def test_a_killed_player_is_noticed(standin: str) -> None:
    with ThorSimulator.open("FloorPlan1", {"executable": standin, "display": ":7"}) as world:
        world.reset(1)
        os.kill(world.player.pid, 9)
        with pytest.raises(SimulatorError, match="signal 9"):
            world.step(Action("turn_left"))


def test_closing_a_stopped_player_does_not_wait(standin: str) -> None:
    world = ThorSimulator.open("FloorPlan1", {"executable": standin, "display": ":7"})
    os.kill(world.player.pid, 19)
    world.close()
    assert not alive(world.player.pid)


@pytest.mark.parametrize(("program", "words"), [("#!/bin/sh\nexit 7\n", "code 7"), ("no program at all", "does not start")])
def test_a_player_that_does_not_start(standin: str, tmp_path: Path, program: str, words: str) -> None:
    del standin  # for its home
    broken = tmp_path / "a broken player"
    broken.write_text(program)
    broken.chmod(0o755)
    threads = threading.active_count()
    with pytest.raises(SimulatorError, match=words) as caught:
        ThorSimulator.open("FloorPlan1", {"executable": str(broken), "display": ":7"})
    assert "\n" not in str(caught.value)
    assert threading.active_count() == threads


def test_without_a_network_the_missing_player_is_explained(standin: str, monkeypatch: pytest.MonkeyPatch) -> None:
    del standin  # for its home
    monkeypatch.setattr(Controller, "find_platform_builds", lambda *args: [])
    for options in ({"display": ":7"}, {"platform": "CloudRendering"}):
        with pytest.raises(MissingPart, match="executable=PATH") as caught:
            ThorSimulator.open("FloorPlan1", options)
        assert "\n" not in str(caught.value)
        assert options.get("platform", "Linux64") in str(caught.value)


def test_without_the_package_the_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(player, "PACKAGE", "no_such_package_anywhere")
    assert "pip install" in ThorSimulator.missing()
    with pytest.raises(MissingPart, match="pip install"):
        ThorSimulator.open("FloorPlan1", {"display": ":7"})


@pytest.mark.parametrize(("scene", "options", "words"), [
    ("FloorPlan31", {}, "unknown AI2-THOR scene"), ("FloorPlan1", {"hands": "2"}, "unknown world option 'hands'"),
    ("FloorPlan1", {"timeout": "soon"}, "give seconds"), ("FloorPlan1", {"map": "old"}, "yes or no"),
    ("FloorPlan1", {"executable": "/nowhere/thor"}, "no such program"), ("FloorPlan1", {"platform": "WebGL"}, "CloudRendering"),
])
def test_wrong_settings_are_named_before_anything_starts(scene: str, options: dict[str, str], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        ThorSimulator.open(scene, options)
