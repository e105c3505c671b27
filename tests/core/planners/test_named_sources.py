"""A source in the goal helps: the same hidden thing, demanded with and without the place it lies in."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

from core.evaluation.episode import drive
from core.goals.kinds import THING
from core.goals.literals import Goal, Literal
from core.goals.progress import progress
from core.goals.tracker import GoalTracker
from core.llm.model import LanguageModel, open_for
from core.llm.stack import assembled
from core.planners.registry import make_planner
from core.suites.contestant import Drive
from core.world.known_world import KnownWorld
from core.world.vocabulary import CONTAINER, GRABBABLE, OPENABLE, SURFACE, AgentState, Category, Entity, Observation
from sim.household.simulator import HouseholdSimulator
from tests.long_tests import either

STEPS = 30
SOUGHT = ("llm-mcts", "bcr", "greedy", "llm-policy", "progprompt", "inner-monologue", "llm-state")


@lru_cache(4)
def home(number: int) -> HouseholdSimulator:
    return HouseholdSimulator.open(f"four-rooms-{number}", {})


@lru_cache(4)
def model(number: int) -> LanguageModel:
    return assembled(open_for("commonsense", {}, f"four-rooms-{number}"))


def closed(place: Entity) -> bool:
    return place.category == "furniture" and {CONTAINER, OPENABLE} <= place.properties and "open" not in place.states


def hidden_thing(simulator: HouseholdSimulator, seed: int) -> tuple[str, str, Entity]:
    """A thing behind a closed door, a class of surface it can go to, and where it lies."""
    world, seen, rng = simulator.reveal(), simulator.observe(), np.random.default_rng((seed, 90))
    things = sorted(e.id for e in world.entities if GRABBABLE in e.properties and e.id not in seen.by_id
                    and (link := world.holder.get(e.id)) is not None and closed(world.by_id[link.object]))
    surfaces = sorted({e.cls for e in world.entities if e.category == "furniture" and SURFACE in e.properties})
    while True:
        thing, surface = things[int(rng.integers(len(things)))], surfaces[int(rng.integers(len(surfaces)))]
        goal = Goal((Literal("on", thing, surface),))
        if not progress(goal, world)[0].reached and simulator.possible(goal, tidy=True):
            return thing, surface, world.by_id[world.holder[thing].object]


def played(planner: str, seed: int, goal: Goal) -> Drive:
    number = seed % 4 + 1
    home(number).reset(seed)
    return drive(make_planner(planner, "", {}), home(number), goal, model(number), seed, STEPS)


def demanded(seed: int) -> tuple[str, str, Entity]:
    home(seed % 4 + 1).reset(seed)
    return hidden_thing(home(seed % 4 + 1), seed)


@pytest.mark.parametrize("planner", SOUGHT)
def test_a_named_source_never_makes_it_worse(planner: str) -> None:
    with_source, of_class, without = 0, 0, 0
    seeds = range(7300, either(7302, 7308))
    for seed in seeds:
        thing, surface, source = demanded(seed)
        with_source += played(planner, seed, Goal((Literal("on", thing, surface, source=source.id),))).success
        of_class += played(planner, seed, Goal((Literal("on", thing, surface, source=source.cls),))).success
        without += played(planner, seed, Goal((Literal("on", thing, surface),))).success
    assert min(with_source, of_class) >= without
    assert with_source >= len(seeds) - 1


@pytest.mark.parametrize("planner", ["llm-mcts", "bcr", "greedy"])
def test_the_source_is_looked_into_before_any_other_place(planner: str) -> None:
    for seed in range(7320, either(7322, 7324)):
        thing, surface, source = demanded(seed)
        run = played(planner, seed, Goal((Literal("on", thing.rpartition("_")[0], surface, source=source.id),)))
        opened = [action.args[0] for action, ok in run.actions if ok and action.verb == "open"]
        assert opened[0] == source.id, (seed, run.actions)


@pytest.mark.parametrize("planner", ["llm-mcts", "bcr", "greedy"])
def test_all_that_is_in_a_named_place_is_looked_for_there_alone(planner: str) -> None:
    for seed in range(7340, either(7342, 7344)):
        _, _, source = demanded(seed)
        run = played(planner, seed, Goal((Literal("away", THING, source.id, every=True, source=source.id),)))
        opened = [action.args[0] for action, ok in run.actions if ok and action.verb == "open"]
        assert opened[:1] == [source.id], (seed, run.actions)


def entity(id_: str, category: Category, *flags: str, room: str | None = "kitchen_1") -> Entity:
    cls = id_.rpartition("_")[0]
    return Entity(id_, cls, cls, category, room, frozenset({"closed"} if OPENABLE in flags else ()), frozenset(flags))


def seen(*things: Entity) -> KnownWorld:
    world, kitchen = KnownWorld(), entity("kitchen_1", "room", room=None)
    agent = AgentState("kitchen_1")
    world.see(Observation(agent, (kitchen, *things), ()))
    return world


def test_a_cabinet_whose_top_was_seen_still_hides_what_is_inside() -> None:
    world = seen(entity("dresser_1", "furniture", SURFACE, CONTAINER, OPENABLE))
    aim = GoalTracker(Goal((Literal("on", "sock", "bed", source="dresser"),)))
    aim.see(world)
    assert aim.hidden == ("dresser_1",)
    assert aim.sought == aim.asked.literals


def test_a_source_that_was_never_seen_is_not_empty() -> None:
    world = seen(entity("table_1", "furniture", SURFACE), entity("cabinet_1", "furniture", CONTAINER, OPENABLE))
    aim = GoalTracker(Goal((Literal("away", THING, "desk", every=True, source="desk"),)))
    aim.see(world)
    assert aim.hidden == ("cabinet_1",)
    assert not aim.progress()[0].reached
