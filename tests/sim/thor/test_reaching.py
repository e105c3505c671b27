"""What the robot sees, what it can use, and where AI2-THOR is forced: the stand-in judges as the published player does."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("ai2thor", reason="AI2-THOR is not installed (extra thor)")

from core.world.vocabulary import Action, Outcome
from sim.thor import action_requests
from sim.thor.observation import ARM
from sim.thor.simulator import ThorSimulator


@pytest.fixture(scope="module")
def kitchen(standin: str) -> Iterator[ThorSimulator]:
    with ThorSimulator.open("FloorPlan1", {"executable": standin, "display": ":7"}) as world:
        yield world


@pytest.fixture
def asked(kitchen: ThorSimulator, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What AI2-THOR is asked from now on."""
    log: list[dict[str, Any]] = []
    ask = kitchen.player.ask

    def record(action: str, **arguments: Any) -> Any:
        log.append({"action": action, **arguments})
        return ask(action, **arguments)

    monkeypatch.setattr(kitchen.player, "ask", record)
    return log


def act(world: ThorSimulator, *words: str) -> Outcome:
    outcome = Outcome(Action("none"), True, "", world.observe())
    for text in words:
        verb, *args = text.split()
        outcome = world.step(Action(verb, tuple(args)))
        assert outcome.ok, f"{text}: {outcome.reason}"
    return outcome


def about_turn(world: ThorSimulator) -> None:
    act(world, *["turn_left"] * 6)


def test_what_is_far_is_seen_but_neither_in_reach_nor_interactable(kitchen: ThorSimulator) -> None:
    kitchen.reset(1)
    about_turn(kitchen)
    now = kitchen.moment
    far = [i for i in now.visible if now.distance(i, (now.pose.x, now.pose.y)) > ARM]
    assert far, "the camera looks across the room"
    assert not set(far) & set(now.interactable)
    assert not set(far) & set(now.near)
    event = kitchen.player.ask("PickupObject", objectId=now.metas[far[0]]["objectId"])
    assert "visibility" in event.metadata["errorMessage"], "AI2-THOR's own reach is ours"


def test_walking_ends_within_reach(kitchen: ThorSimulator) -> None:
    kitchen.reset(1)
    for thing in ("fridge_1", "sink_1", "toaster_1", "microwave_1"):
        act(kitchen, f"walk {thing}")
        now = kitchen.moment
        assert now.distance(thing, (now.pose.x, now.pose.y)) <= ARM
        assert thing in now.interactable


def test_only_what_the_camera_misses_where_the_robot_stands_is_forced(
    kitchen: ThorSimulator, asked: list[dict[str, Any]],
) -> None:
    kitchen.reset(1)
    act(kitchen, "walk fridge_1", "open fridge_1")
    assert not any(q.get("forceAction") for q in asked)
    about_turn(kitchen)
    assert "egg_1" not in kitchen.moment.interactable
    act(kitchen, "grab egg_1")
    assert [q["action"] for q in asked if q.get("forceAction")] == ["PickupObject"]
    act(kitchen, "walk counter_top_1", "put_on egg_1 counter_top_1", "grab egg_1", "walk fridge_1")
    assert not [q for q in asked if q["action"] == "PutObject" and q.get("forceAction")]


def test_something_put_down_lies_where_the_robot_looks(kitchen: ThorSimulator, asked: list[dict[str, Any]]) -> None:
    kitchen.reset(1)
    act(kitchen, "walk fridge_1", "open fridge_1", "grab egg_1", "walk counter_top_1")
    about_turn(kitchen)
    act(kitchen, "put_on egg_1 counter_top_1")
    now = kitchen.moment
    assert "egg_1" in now.interactable, "the robot turned to where it put the egg"
    assert now.distance("egg_1", (now.pose.x, now.pose.y)) <= ARM
    puts = [q for q in asked if q["action"] == "PutObject"]
    assert len(puts) == 2
    assert not any("forceAction" in q for q in puts)


def test_types_that_do_not_go_together_are_not_tried_again(kitchen: ThorSimulator, asked: list[dict[str, Any]]) -> None:
    kitchen.reset(1)
    put = Action("put_in", ("apple_1", "drawer_1"))
    act(kitchen, "scan", "walk drawer_1", "open drawer_1", "walk apple_1", "grab apple_1", "walk drawer_1")
    stood = kitchen.observe().agent.pose
    outcome = kitchen.step(put)
    assert (outcome.ok, outcome.precondition) == (False, "placement")
    assert kitchen.observe().agent.pose == stood
    assert kitchen.observe().agent.holding == ("apple_1",)
    act(kitchen, "turn_left", "turn_right")
    assert kitchen.verdict(put).precondition == "placement", "whatever has changed since"
    assert put not in kitchen.admissible()
    assert len([q for q in asked if q["action"] == "PutObject"]) == 1, "turning would not help"
    kitchen.reset(1)
    assert kitchen.verdict(put).precondition != "placement"


def test_what_stands_behind_glass_is_seen_but_out_of_reach(kitchen: ThorSimulator) -> None:
    kitchen.reset(1)
    act(kitchen, "walk toaster_1")
    behind = next(i for i in kitchen.moment.near if i not in kitchen.moment.at and kitchen.moment.metas[i]["pickupable"])
    kitchen.player.ask("Pass", standin="glass", objectId=kitchen.moment.metas[behind]["objectId"])
    act(kitchen, "turn_left", "turn_right")
    assert behind in kitchen.moment.visible
    verdict = kitchen.verdict(Action("grab", (behind,)))
    assert (verdict.ok, verdict.precondition) == (False, "within reach")


@pytest.mark.parametrize("order", ["one", "the other"])
def test_a_complaint_is_one_plain_line_with_our_names(kitchen: ThorSimulator, order: str) -> None:
    del order  # of the objects: it is another after each reset
    kitchen.reset(2)
    whole = kitchen.moment.metas["tomato_1"]["objectId"]
    act(kitchen, "scan", "walk butter_knife_1", "grab butter_knife_1", "walk tomato_1", "slice tomato_1")
    piece = kitchen.moment.metas["tomato_2"]["objectId"]
    assert piece.startswith(whole)
    said = f"NullReferenceException: {piece} is not\nthere. trace:   at UnityStandardAssets.X (System.String objectId)"
    event = SimpleNamespace(metadata={"lastActionSuccess": False, "errorMessage": said})
    assert action_requests.complaint_of(event, kitchen.moment) == ("AI2-THOR refuses: tomato 2 is not there", "refused")
