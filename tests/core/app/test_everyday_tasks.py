"""Tasks that are offered to people put objects where people put them, and ask for nothing odd."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.app.everyday_tasks import UNFIT, UsualPlaces, everyday_robot_tasks, everyday_task
from core.app.launch import drawn_task
from core.app.run_request import Request
from core.app.scene_content import sample_tasks
from core.goals.literals import Literal
from core.goals.parser.sentence import parse_goal
from core.goals.vocabulary import Lexicon
from core.planning.offline_answers import prior
from core.simulator.base import Simulator
from core.suites.tasks import draw_task
from sim.household.scenes import SCENES_FOLDER
from sim.registry import simulator_class
from tests.long_tests import LONG

ALL = tuple(name for name, _ in simulator_class("household").scenes()) if LONG else ()
SCENES = ALL or ("four-rooms-1", "four-rooms-4", "FloorPlan7", "FloorPlan28", "FloorPlan212", "FloorPlan302", "FloorPlan402",
                 str(next(SCENES_FOLDER.glob("graphs/*.json.gz"))))
ODD = {("candle", "stove"), ("notes", "fridge"), ("salmon", "desk"), ("lime", "bathroom_counter"), ("cereal", "bed"),
       ("tomato", "coffee_machine"), ("credit_card", "garbage_can"), ("apple", "chair"), ("candle", "toilet")}
"""What was offered once."""


def opened(scene: str) -> Simulator:
    world = simulator_class("household").open(scene, {})
    world.reset(0)
    return world


def placements(world: Simulator, numbers: range) -> Iterator[Literal]:
    for number in numbers:
        yield from (x for x in everyday_task(world, number).literals if x.predicate in ("inside", "on"))


@pytest.mark.parametrize("scene", SCENES)
def test_objects_go_where_such_objects_usually_are(scene: str) -> None:
    world = opened(scene)
    usual = UsualPlaces(world.reveal())
    found = list(placements(world, range(60)))
    assert len({(x.subject, x.target) for x in found}) > 5
    for literal in found:
        assert literal.target in usual.sensible(literal.subject), literal
        best = [place.cls for place in usual.places_of(literal.subject)]
        assert best.index(literal.target or "") < 3
        assert prior().kind_of_thing(literal.subject) is not None
        assert (literal.subject, literal.target) not in ODD


@pytest.mark.parametrize("scene", SCENES)
def test_nobody_is_offered_a_drink_from_the_bottle_or_a_seat_on_the_toilet(scene: str) -> None:
    world = opened(scene)
    for number in range(40):
        for goal in everyday_robot_tasks(world, number):
            assert all(x.subject not in UNFIT.get(x.act or x.predicate, ()) for x in goal.literals)


@pytest.mark.parametrize("scene", SCENES[::3])
def test_the_list_the_card_and_the_dice_offer_everyday_tasks(scene: str) -> None:
    request = Request("llm-mcts", simulator="household", scene=scene)
    world = opened(scene)
    usual, lexicon = UsualPlaces(world.reveal()), Lexicon(world.reveal().entities, world.reveal().relations)
    texts = [task.text for task in sample_tasks(request, 0, simulator_class)]
    texts += [drawn_task(request, number, simulator_class) for number in range(5)]
    for text in texts:
        for literal in parse_goal(text, lexicon).literals:
            if literal.predicate in ("inside", "on"):
                assert literal.target in usual.sensible(literal.subject), text


def test_the_tasks_of_evaluations_stay_what_they_are() -> None:
    world = opened("FloorPlan7")
    odd = [draw_task(world, seed) for seed in range(30)]
    sensible = UsualPlaces(world.reveal()).sensible
    assert any(x.target not in sensible(x.subject) for goal in odd for x in goal.literals if x.target)
    assert odd[0].text == "Put one dish sponge inside the cabinet"
    assert odd[9].text == "Put one tomato inside the coffee machine"


def test_a_scene_in_which_all_is_in_its_place_still_has_a_task(monkeypatch: pytest.MonkeyPatch) -> None:
    world = opened("FloorPlan402")

    def nowhere(self: UsualPlaces, cls: str) -> tuple[str, ...]:
        del self, cls
        return ()

    monkeypatch.setattr(UsualPlaces, "sensible", nowhere)
    monkeypatch.setattr("core.suites.tasks._work", lambda drawing: None)
    assert everyday_task(world, 0).text
