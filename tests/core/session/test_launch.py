"""The parts a run is launched with: replies of earlier runs, limits that can be raised, a prior without its own scene."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import ClassVar, Self

import pytest

from core.app.launch import build, drawn_task, goal_of, unsuited
from core.app.run_request import Request
from core.common.cancellation import Cancellation
from core.common.errors import UsageError
from core.llm.budget import Limits, read_limits
from core.planners.registry import PLANNERS, planner_class
from core.planning.model_requests import ModelRequest
from core.planning.prompt_facts import ObjectPositionsFacts, PlaceFact
from core.session import commands as c
from core.session import events as e
from core.session.session import Session
from core.world.vocabulary import WorldKind
from sim.household.simulator import HouseholdSimulator
from sim.registry import simulator_class
from tests.core.session.toys import Ear
from tests.loopback.chat_server import ChatServer, completion, serving

APPLE = Request(planner="llm-policy", provider="openai", task="Put one apple inside the fridge", max_steps=3)


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with serving(lambda body: completion(*["go to the kitchen"] * int(body.get("n", 1)))) as server:
        yield server


def played(request: Request) -> Ear:
    run = Session(build(request, simulator_class))
    ear = Ear(run)
    run.run()
    return ear


def test_replies_outlive_a_run_unless_told_otherwise(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    request = dataclasses.replace(APPLE, model={"base_url": server.base_url})
    first = played(request)
    asked = len(server.requests)
    assert asked > 0
    second = played(request)
    assert len(server.requests) == asked
    assert all(r.reply.cached for r in second.of(e.Replied))
    assert [r.reply.texts for r in second.of(e.Replied)] == [r.reply.texts for r in first.of(e.Replied)]
    played(dataclasses.replace(request, cache=False))
    assert len(server.requests) > asked


def test_a_limit_pauses_the_run_and_raising_it_lets_it_go_on(server: ChatServer) -> None:
    request = dataclasses.replace(APPLE, model={"base_url": server.base_url}, cache=False, limits=Limits(calls=1))
    run = Session(build(request, simulator_class))
    ear = Ear(run)
    ear.when(lambda event: isinstance(event.what, e.Failed), c.SetLimits(), c.Retry())
    run.run()
    [failed] = ear.of(e.Failed)
    assert "1 of 1 calls are made" in failed.message
    assert ear.of(e.Began)[0].limits == c.SetLimits(calls=1)
    assert len(ear.of(e.Acted)) == 3


class Counted(HouseholdSimulator):
    """Counts how often it was opened and how many are open now."""

    opened: ClassVar[int] = 0
    alive: ClassVar[int] = 0

    @classmethod
    def open(cls, scene: str, options: Mapping[str, str]) -> Self:
        cls.opened, cls.alive = cls.opened + 1, cls.alive + 1
        return super().open(scene, options)

    def close(self) -> None:
        type(self).alive -= 1
        super().close()


@pytest.fixture
def counted() -> Iterator[type[Counted]]:
    Counted.opened = Counted.alive = 0
    yield Counted
    assert (Counted.opened, Counted.alive) == (1, 0)


ORACLE = Request(planner="oracle", task="Put one apple inside the fridge", max_steps=3)


def test_a_world_is_opened_once_to_read_the_goal_and_to_play(counted: type[Counted]) -> None:
    run = Session(build(ORACLE, lambda name: counted))
    ear = Ear(run)
    run.run()
    assert played(ORACLE).of(e.TurnBegan) == ear.of(e.TurnBegan)


def test_a_session_that_is_never_played_leaves_no_world_behind(counted: type[Counted]) -> None:
    Session(build(ORACLE, lambda name: counted)).close()


@pytest.mark.parametrize("wrong", [dataclasses.replace(ORACLE, task="Put one unicorn inside the fridge"),
                                   dataclasses.replace(ORACLE, provider="nobody", planner="llm-mcts")])
def test_a_run_that_cannot_be_made_leaves_no_world_behind(wrong: Request, counted: type[Counted]) -> None:
    with pytest.raises(UsageError):
        build(wrong, lambda name: counted)


@pytest.mark.parametrize("given", [{"calls": "x"}, {"cost": "-1"}, {"tokens": "1.5"}, {"minutes": "3"}])
def test_limits_that_make_no_sense_are_named(given: dict[str, str]) -> None:
    with pytest.raises(UsageError) as caught:
        read_limits(given)
    assert "\n" not in str(caught.value)
    assert read_limits({"calls": "3", "cost": "0.5"}) == Limits(3, None, 0.5)


def test_a_room_that_is_played_is_left_out_of_the_prior() -> None:
    furniture = (("fridge", True), ("counter_top", False))
    places = tuple(PlaceFact(name, name, "room", "kitchen", inside) for name, inside in furniture)
    ask = ModelRequest("object positions", (), facts=ObjectPositionsFacts("lettuce", places), samples=1000)
    counts = []
    for scene in ("FloorPlan1", "FloorPlan2", "four-rooms-1"):
        setup = build(Request(scene=scene, planner="llm-mcts"), simulator_class)
        counts.append(setup.models["commonsense"].answer(ask, Cancellation()).texts)
    assert counts[0] != counts[2]
    assert counts[0] != counts[1]


def test_a_planner_that_cannot_act_in_a_world_is_refused_before_it_opens() -> None:
    with pytest.raises(UsageError, match="neoplanner cannot play household: it acts by sentences"):
        build(Request(planner="neoplanner"), simulator_class)


@pytest.mark.parametrize("name", PLANNERS)
def test_who_walks_through_rooms_is_not_offered_where_there_are_none(name: str) -> None:
    class Spoken(HouseholdSimulator):
        kind: ClassVar[WorldKind] = "sentences"

    walks = name not in ("neoplanner", "oracle", "inner-monologue", "progprompt")
    assert bool(unsuited(planner_class(name), Spoken)) is walks


@pytest.mark.parametrize("scene", ["four-rooms-2", "FloorPlan3"])
def test_a_drawn_task_is_understood_and_can_be_done(scene: str) -> None:
    request = Request(scene=scene, seed=5)
    drawn = {drawn_task(request, number, simulator_class) for number in range(8)}
    assert len(drawn) > 1, "each number draws its own"
    assert drawn_task(request, 3, simulator_class) == drawn_task(request, 3, simulator_class)
    for task in drawn:
        assert goal_of(dataclasses.replace(request, task=task), simulator_class).text == task
