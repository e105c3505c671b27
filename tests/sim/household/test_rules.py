"""Whatever is done in a household, in whatever order: nothing is lost, doubled or moved by itself."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.world.vocabulary import Action
from sim.household.scenes import load_scene
from sim.household.simulator import HouseholdSimulator
from tests.long_tests import either

SCENES = ("four-rooms-1", "FloorPlan7", "FloorPlan210", "FloorPlan413")


@lru_cache
def world_of(scene: str, hands: int) -> HouseholdSimulator:
    return HouseholdSimulator(load_scene(scene), hands=hands)


def chosen(world: HouseholdSimulator, pick: tuple[int, int, int, int]) -> Action:
    """Mostly admissible actions, sometimes any verb on any things."""
    honest, verb, first, second = pick
    options = world.admissible()
    if honest and options:
        return options[verb * 31 % len(options)]
    schema = world.schemas[verb % len(world.schemas)]
    ids = [e.id for e in world.reveal().entities]
    return Action(schema.verb, tuple(ids[n % len(ids)] for n in (first, second))[: len(schema.roles)])


def without_steps(saved: str) -> dict[str, Any]:
    state: dict[str, Any] = json.loads(saved)
    return {k: v for k, v in state.items() if k != "steps"}


PICKS = st.lists(st.tuples(st.integers(0, 3), *[st.integers(0, 10_000)] * 3), min_size=1, max_size=40)


@settings(max_examples=either(25, 200), deadline=None)
@given(scene=st.sampled_from(SCENES), hands=st.integers(1, 2), seed=st.integers(0, 50), picks=PICKS)
def test_no_sequence_of_actions_breaks_the_world(
    scene: str, hands: int, seed: int, picks: list[tuple[int, int, int, int]]
) -> None:
    world = world_of(scene, hands)
    world.reset(seed)
    objects = {e.id for e in world.reveal().entities if e.category == "object"}
    for pick in picks:
        action = chosen(world, pick)
        before, verdict = world.save(), world.verdict(action)
        assert world.save() == before, "asking changed the world"
        outcome = world.step(action)
        after = world.save()
        assert outcome.ok == verdict.ok
        assert bool(outcome.reason) != outcome.ok
        if not outcome.ok:
            assert without_steps(after) == without_steps(before)
        check_places(world, objects, before, action)
        check_sight(world)
        assert world.restore(before)
        assert world.save() == before
        world.restore(after)
        assert world.save() == after


def check_places(world: HouseholdSimulator, objects: set[str], before: str, action: Action) -> None:
    """Each object is in one place; only what was grabbed or put changed its place; hands are not overfull."""
    seen = world.reveal()
    assert {e.id for e in seen.entities if e.category == "object"} == objects
    assert len(seen.agent.holding) <= world.hands
    placed = [r.subject for r in seen.relations if r.kind != "controls"]
    assert len(placed) == len(set(placed)), "a thing is in two places"
    assert not set(placed) & set(seen.agent.holding), "a held thing also lies somewhere"
    was, now = json.loads(before)["places"], json.loads(world.save())["places"]
    moved = {i for i in now if now[i] != was[i]}
    assert moved <= set(action.args[:1]), f"{action} moved {moved}"
    for thing in objects:
        chain = list(seen.holders(thing))
        assert len(chain) < 10
        assert thing not in [link.object for link in chain], "a thing lies in itself"


def check_sight(world: HouseholdSimulator) -> None:
    """Nothing inside a closed container is seen; what is seen is in this room."""
    everything, seen = world.reveal(), world.observe()
    for entity in seen.entities:
        if entity.category == "room":
            continue
        assert entity.room == seen.agent.room
        assert entity == everything.by_id[entity.id]
        for link in everything.holders(entity.id):
            holder = everything.by_id[link.object]
            shut = link.kind == "inside" and "openable" in holder.properties and "open" not in holder.states
            assert not shut, f"{entity.id} is seen inside closed {holder.id}"
    ids = {e.id for e in seen.entities}
    assert {i for r in seen.relations if r.kind != "controls" for i in r[1:]} <= ids
    assert set(seen.agent.near) <= ids


@pytest.mark.parametrize("scene", SCENES)
def test_admissible_lists_exactly_what_the_verdict_allows(scene: str) -> None:
    world = HouseholdSimulator(load_scene(scene))
    for seed in range(either(1, 3)):
        world.reset(seed)
        for step in range(12):
            listed = set(world.admissible())
            assert all(world.verdict(a).ok for a in listed)
            assert listed == every_admissible(world)
            options = sorted(listed, key=str)
            world.step(options[(step * 7 + seed) % len(options)])


def every_admissible(world: HouseholdSimulator) -> set[Action]:
    ids = [e.id for e in world.reveal().entities]
    held = world.reveal().agent.holding
    found = set()
    for schema in world.schemas:
        pairs = [(i,) for i in ids] if len(schema.roles) == 1 else [(h, i) for h in held for i in ids]
        found |= {a for args in pairs if world.verdict(a := Action(schema.verb, args)).ok}
    return found
