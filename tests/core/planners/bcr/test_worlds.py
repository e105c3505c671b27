"""BCR in every vocabulary, and its suite: what is drawn is what the cells say, and what is played is counted."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from core.evaluation.contestants import contestant
from core.evaluation.episode import drive
from core.goals.literals import Goal, Literal
from core.goals.progress import progress
from core.planners.bcr.planner import Bcr
from core.planners.bcr.suite import CAMERA, TASKS, Blocking, Considered, draw, goal_of
from core.planning.facets import Plan
from core.planning.search_facets import RankedAction, Ranking
from core.simulator.base import Simulator
from core.suites.tasks import draw_task
from core.world.vocabulary import Action
from sim.household.simulator import HouseholdSimulator
from sim.registry import simulator_class
from sim.virtualhome.unity.simulator import VirtualHomeUnity
from tests.core.planners.by_hand import PROVIDER, answerers
from tests.core.planners.drawn_goals import GRAPH
from tests.long_tests import either
from tests.sim.virtualhome.unity_server import UnityServer

ERRANDS = (
    (Literal("on", "apple", "kitchentable"),), (Literal("on", "pear", "sofa"),),
    (Literal("on", "apple", "kitchentable"), Literal("is", "fridge", None, 1, frozenset({"closed"}))),
)


class Worlds:
    """Opens each scene once."""

    def __init__(self) -> None:
        self.open: dict[str, HouseholdSimulator] = {}

    def __call__(self, scene: str, options: Mapping[str, str]) -> Simulator:
        assert options == CAMERA
        if scene not in self.open:
            self.open[scene] = HouseholdSimulator.open(scene, options)
        return self.open[scene]


WORLDS = Worlds()


@pytest.mark.parametrize("literals", ERRANDS)
@pytest.mark.parametrize("seed", [0, 1])
def test_errands_in_virtualhomes_words(literals: tuple[Literal, ...], seed: int) -> None:
    with UnityServer() as server, VirtualHomeUnity.open("environment-3", {"url": server.url, "timeout": "0.4"}) as world:
        world.reset(seed)
        assert drive(Bcr(), world, Goal(literals), PROVIDER, seed, 40).success


@pytest.mark.parametrize(("scene", "options"), [("four-rooms-3", {}), ("four-rooms-4", {"hands": "2"}),
                                                ("FloorPlan12", {"seeing": "camera"}), ("FloorPlan212", {"seeing": "camera"})])
def test_tasks_of_every_kind_in_rooms_and_before_the_camera(scene: str, options: dict[str, str]) -> None:
    with HouseholdSimulator.open(scene, options) as world:
        for seed in range(30_000, either(30_002, 30_005)):
            world.reset(seed)
            goal = draw_task(world, seed)
            run = drive(Bcr(), world, goal, PROVIDER, seed, 100)
            assert run.success, (goal.text, run.ended)


# --- the suite -----------------------------------------------------------------------
@pytest.mark.parametrize("task", TASKS)
def test_trials_are_open_possible_and_drawn_by_the_seed(task: str) -> None:
    kitchens = set()
    for seed in range(70_000, 70_004):
        _, world, _ = draw(task, seed, WORLDS)
        assert isinstance(world, HouseholdSimulator)
        kitchens.add(world.scene.name)
        saved = world.save()
        assert not any(p.have for p in progress(goal_of(task), world.reveal()))
        assert world.possible(goal_of(task))
        assert draw(task, seed, WORLDS)[1].save() == saved
    assert len(kitchens) > 1


@pytest.mark.parametrize("task", TASKS)
def test_unseen_trials_are_done_with_few_actions_considered(task: str) -> None:
    suite = Blocking()
    rows = [suite.play(contestant("bcr"), task, seed, WORLDS, answerers, 100) for seed in range(80_000, either(80_002, 80_004))]
    assert {tuple(row) for row in rows} == {tuple(m.key for m in suite.measures)}
    assert all(row["success"] for row in rows)
    assert all(0 < row["considered"] < 14 for row in rows)
    assert all(row["steps"] <= row["decisions"] for row in rows)


def test_planners_that_rank_nothing_consider_nothing() -> None:
    row = Blocking().play(contestant("oracle"), "apple", 80_000, WORLDS, answerers, 100)
    assert (row["success"], row["considered"], row["calls"]) == (1, 0, 0)


def test_one_ranking_is_one_decision() -> None:
    considered = Considered()
    ranked = RankedAction((Action("scan"),), 1.0, 0, None, 0.0, None)
    for facet in (Ranking((ranked,) * 3, 0, 0), Plan(()), Ranking((ranked,), 0, 0)):
        considered(facet)
    assert (considered.decisions, considered.mean) == (2, 2.0)


def test_coffee_is_one_joint_goal() -> None:
    _, world, _ = draw("coffee", 80_000, WORLDS)
    assert len(goal_of("coffee").literals) == 2
    assert "coffee machine" in goal_of("coffee").text
    assert not world.reveal().by_id["coffee_machine_1"].states & {"on"}


@pytest.mark.parametrize("simulator", ["household", "virtualhome-graph"])
@pytest.mark.parametrize("cls", ["after_shave", "cup", "shower"])
def test_it_looks_for_what_it_is_to_walk_to(cls: str, simulator: str) -> None:
    kind = simulator_class(simulator)
    if kind.missing():
        pytest.skip(kind.missing())
    with kind.open(GRAPH, {}) as world:
        world.reset(1)
        run = drive(Bcr(), world, Goal((Literal("robot_near", cls),)), PROVIDER, 0, 60)
        assert run.success, run.ended
