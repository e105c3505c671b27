"""What every simulator promises, whichever it is. A new one is taken up by its line in the registry or its entry point."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.common.errors import DataError, UsageError
from core.goals.literals import Goal, Literal
from core.recording.exports.episodes import MOST_ARGUMENTS, OTHER, ActionNumbers
from core.simulator.base import Simulator, WorldChange
from core.world.vocabulary import ACTS, BODY_VERBS, POSTURES, Action, Observation
from sim.registry import SIMULATORS, simulator_class
from tests.long_tests import either
from tests.sim.thor.launcher import launcher
from tests.sim.virtualhome.unity_server import UnityServer

WORLDS: dict[str, list[tuple[str, dict[str, str]]]] = {
    "household": [
        ("four-rooms-1", {}),
        ("four-rooms-3", {"hands": "2"}),
        ("FloorPlan12", {}),
        ("FloorPlan12", {"seeing": "camera"}),
    ],
    "virtualhome-graph": [("file628_2", {}), ("file1003_2", {"hands": "2"})],
    "virtualhome-unity": [("environment-0", {})],
    "thor": [("FloorPlan1", {"executable": "the stand-in", "display": ":7"})],
    "scienceworld": [("boil", {}), ("find-plant", {})],
    "decision-lab": [("multiplication-3", {}), ("journey-2", {}), ("journey-4", {"cities": "60"})],
}


TWO_NAMES = re.compile(r"\bthe (?:[a-z]+ ){1,3}\d+\b")
NAMED_BY_A_PLAYER = ("virtualhome-unity", "thor")
"""What is in their scenes is known to their players only."""


def skip_what_is_missing(name: str) -> None:
    """Contracts of optional worlds are kept where their package is installed."""
    if reason := simulator_class(name).missing():
        pytest.skip(reason)


@contextmanager
def reachable(name: str, options: Mapping[str, str], folder: Path) -> Iterator[Mapping[str, str]]:
    """The options with which a simulator that speaks to a program finds ours."""
    if name == "thor":
        yield {**options, "executable": str(launcher(folder))}
    elif name == "virtualhome-unity":
        with UnityServer() as server:
            yield {**options, "url": server.url}
    else:
        yield options


def worlds(name: str) -> list[tuple[str, dict[str, str]]]:
    """Scenes and options to try; of another package's simulator its first scene."""
    return WORLDS[name] if name in WORLDS else [(simulator_class(name).scenes()[0][0], {})]


CASES = [(name, scene, options) for name in SIMULATORS for scene, options in worlds(name)]


@pytest.fixture(params=CASES, ids=lambda c: "-".join([c[0], c[1], *c[2].values()]))
def world(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Simulator]:
    name, scene, options = request.param
    skip_what_is_missing(name)
    monkeypatch.setenv("HOME", str(tmp_path))  # ai2thor writes there
    with reachable(name, options, tmp_path) as found, simulator_class(name).open(scene, found) as simulator:
        yield simulator


def walked(world: Simulator, seed: int, steps: int) -> list[str]:
    """A chain of admissible actions and what each left behind."""
    world.reset(seed)
    trace = []
    for k in range(steps):
        options = world.admissible()
        outcome = world.step(options[(7 * k + seed) % len(options)])
        assert outcome.ok, f"{outcome.action} is listed as admissible but failed: {outcome.reason}"
        trace.append(f"{outcome.action} {world.save()}")
    return trace


def test_the_same_seed_gives_the_same_episode(world: Simulator) -> None:
    assert walked(world, 3, 8) == walked(world, 3, 8)
    first, second = world.reset(1), world.reset(1)
    assert first == second
    assert world.reset(2) != first


def test_save_and_restore_are_exact(world: Simulator) -> None:
    trace = walked(world, 5, 6)
    saved, seen, everything = world.save(), world.observe(), world.reveal()
    walked(world, 6, 4)
    assert world.restore(saved) == seen
    assert world.save() == saved
    assert world.reveal() == everything
    assert walked(world, 5, 6) == trace


@pytest.mark.parametrize("text", ["", "{}", "null", "[1, 2]", '{"scene": 1}', "\x00", "{" * 4000])
def test_a_damaged_state_is_refused_in_one_line(world: Simulator, text: str) -> None:
    before = world.save()
    with pytest.raises(DataError) as caught:
        world.restore(text)
    assert "\n" not in str(caught.value)
    assert world.save() == before


def test_observations_are_well_formed(world: Simulator) -> None:
    world.reset(0)
    for _ in range(5):
        seen, everything = world.observe(), world.reveal()
        ids = {e.id for e in everything.entities}
        assert len(ids) == len(everything.entities), "two entities share an id"
        assert {e.id for e in seen.entities} <= ids
        assert {e.id for e in seen.landmarks} <= ids
        assert not {e.id for e in seen.landmarks} & {e.id for e in seen.entities}
        assert all(r.subject in ids and r.object in ids for r in everything.relations)
        assert seen.agent.room in ids
        assert all(e.name and e.name == e.name.strip() and "_" not in e.name for e in seen.entities)
        world.step(world.admissible()[-1])


def test_refusals_change_nothing_and_say_why(world: Simulator) -> None:
    world.reset(0)
    before = world.reveal()
    for action in (Action("fly", ("x",)), Action("walk", ("nowhere_1",)), Action("grab", ()), Action("open", ("a", "b", "c"))):
        verdict, outcome = world.verdict(action), world.step(action)
        assert not verdict.ok
        assert not outcome.ok
        assert outcome.reason == verdict.reason != ""
        assert outcome.precondition == verdict.precondition != ""
    after = world.reveal()
    assert (after.entities, after.relations, after.agent) == (before.entities, before.relations, before.agent)


def test_postures_and_acts_do_what_they_say(world: Simulator) -> None:
    """A world may have none of these verbs; those it declares leave their mark on the robot, and nothing else is done by it."""
    declared = {schema.verb for schema in world.schemas} & BODY_VERBS
    if world.kind != "rooms" or not declared:
        pytest.skip("no postures and no acts")
    assert {"sit", "lie", "stand_up"} <= declared or not {"sit", "lie", "stand_up"} & declared
    world.reset(0)
    tried: set[str] = set()
    for walk in [a for a in world.admissible() if a.verb == "walk"][:25]:
        if world.verdict(walk).ok:
            world.step(walk)
        for verb in sorted(declared - tried - {"stand_up"}):
            action = next((a for a in world.admissible() if a.verb == verb), None)
            if action is None:
                continue
            tried.add(verb)
            before, outcome = world.reveal().agent, world.step(action)
            assert outcome.ok
            agent = world.reveal().agent
            assert (action in agent.acts) == (verb in ACTS)
            assert agent.holding == before.holding
            if verb in POSTURES:
                assert (agent.posture, agent.seat) == ({"sit": "sitting", "lie": "lying"}[verb], action.args[0])
                other = next(e.id for e in world.observe().entities if e.id not in (*agent.near, agent.room))
                refused = world.step(Action("walk", (other,)))
                assert (refused.ok, refused.remedy) == (False, Action("stand_up"))
                assert world.step(Action("stand_up")).ok
                assert (world.reveal().agent.posture, world.reveal().agent.seat) == ("standing", "")
            if verb == "turn_to":
                assert agent.facing == action.args[0]
    assert tried >= {"look_at", "turn_to"} & declared
    if "stand_up" in declared:
        assert not world.verdict(Action("stand_up")).ok, "it stands"


@pytest.mark.parametrize("subject", ["sitting", "done"])
def test_a_world_without_a_verb_says_that_goals_for_it_are_impossible(world: Simulator, subject: str) -> None:
    literal = Literal("sitting", "chair") if subject == "sitting" else Literal("done", "mug", act="drink")
    if world.kind == "rooms" and not Goal((literal,)).verbs <= {schema.verb for schema in world.schemas}:
        world.reset(0)
        assert world.possible(Goal((literal,))).cause == "not a task here"


def test_every_verb_has_a_schema(world: Simulator) -> None:
    world.reset(0)
    for action in world.admissible():
        schema = world.schema(action.verb)
        assert len(schema.roles) == len(action.args)
        assert schema.phrase(tuple(action.args))
    with pytest.raises(UsageError, match="fly"):
        world.schema("fly")


@pytest.mark.gl
def test_pictures_show_what_is_in_sight(world: Simulator) -> None:
    world.reset(0)
    for view in ("dollhouse", "first person"):
        frame = world.render(view, 160, 120)
        assert frame.pixels.shape == (120, 160, 3)
        assert frame.pixels.dtype == np.uint8
        assert frame.pixels.std() > 5, "the picture is blank"
        assert not frame.pixels.flags.writeable
        known = {e.id for e in world.reveal().entities}
        assert {name for name, _ in frame.boxes} <= known
        assert all(0 <= x0 < x1 <= 160 and 0 <= y0 < y1 <= 120 for _, (x0, y0, x1, y1) in frame.boxes)


def test_closing_twice_is_safe(world: Simulator) -> None:
    world.close()
    world.close()


@pytest.mark.parametrize("name", SIMULATORS)
def test_wrong_scenes_and_options_are_named(name: str) -> None:
    skip_what_is_missing(name)
    cls = simulator_class(name)
    for scene, options in (("no such scene", {}), (cls.scenes()[0][0], {"nonsense": "1"})):
        with pytest.raises(UsageError) as caught:
            cls.open(scene, options)
        assert "\n" not in str(caught.value)


def test_unknown_simulators_are_named() -> None:
    with pytest.raises(UsageError, match="household"):
        simulator_class("houshold")


def shots(world: Simulator, seed: int) -> list[Action]:
    """Actions drawn over all verbs and all known things: some are admissible, most are not."""
    rng, ids = np.random.default_rng(seed), sorted(e.id for e in world.reveal().entities)
    schemas = [s for s in world.schemas if s.verb != "restart"]
    drawn = [schemas[int(rng.integers(len(schemas)))] for _ in range(16)]
    return [Action(s.verb, tuple(ids[int(rng.integers(len(ids)))] for _ in s.roles)) for s in drawn]


def places(world: Simulator) -> tuple[object, ...]:
    """What an action can change: where things and the robot are, and all states."""
    now = world.reveal()
    return now.agent, frozenset(now.relations), frozenset((e.id, e.states) for e in now.entities), now.score


def test_what_is_not_admissible_is_never_done_and_never_counts_as_done(world: Simulator) -> None:
    world.reset(4)
    for action in shots(world, 4):
        before, verdict = places(world), world.verdict(action)
        outcome = world.step(action)
        assert not TWO_NAMES.search(verdict.reason), "an entity with its number has no article: cabinet 3"
        if not verdict.ok:
            assert not outcome.ok, f"{action} is not admissible ({verdict.reason}), and yet it was done"
            assert places(world) == before, f"{action} was refused, and yet something changed"
            assert outcome.remedy == verdict.remedy
        if not outcome.ok:
            assert outcome.reason
            assert outcome.precondition
        options = world.admissible()
        assert all(world.verdict(option).ok for option in options[:20])
        world.step(options[int(np.random.default_rng(len(options)).integers(len(options)))])


def test_a_remedy_is_an_action_of_this_world(world: Simulator) -> None:
    world.reset(0)
    verbs = {s.verb: len(s.roles) for s in world.schemas}
    known = {e.id for e in world.reveal().entities}
    for action in (a for seed in range(4) for a in shots(world, seed)):
        remedy = world.verdict(action).remedy
        assert remedy is None or (len(remedy.args) == verbs[remedy.verb] and set(remedy.args) <= known)


def test_datasets_have_a_number_for_every_verb_and_class(world: Simulator) -> None:
    """Where this fails, run `python resources/export/build_action_numbers.py`: it gives new ones the next numbers."""
    numbers = ActionNumbers.load()
    if world.name in SIMULATORS.foreign:
        pytest.skip("datasets number the verbs and classes of our own worlds")
    assert [schema.verb for schema in world.schemas if schema.verb not in numbers.verbs] == []
    assert max(len(schema.roles) for schema in world.schemas) <= MOST_ARGUMENTS
    if world.kind == "rooms" and world.name not in NAMED_BY_A_PLAYER:
        world.reset(0)
        things = [entity.id for entity in world.reveal().entities]
        assert [id_ for id_ in things if OTHER in numbers.of(Action("walk", (id_,)))] == []


# --- changes of the world -------------------------------------------------------
def change_of(world: Simulator, rng: np.random.Generator) -> WorldChange | None:
    """Returns a possible change of a random entity; None if there is none of it."""
    entities = world.reveal().entities
    found = world.possible_changes(entities[int(rng.integers(len(entities)))].id)
    if not found:
        return None
    change = found[int(rng.integers(len(found)))]
    near = change.kind != "state" and bool(rng.integers(2))
    return replace(change, point=(float(rng.uniform(-3, 6)), float(rng.uniform(-3, 6)))) if near else change


def check_world(world: Simulator) -> None:
    """Checks what holds in every state: nothing is in two places or inside itself, and what is held is not elsewhere."""
    now = world.reveal()
    subjects = [r.subject for r in now.relations if r.kind != "controls"]
    assert len(subjects) == len(set(subjects))
    for entity in now.entities:
        chain = [link.object for link in now.holders(entity.id)]
        assert entity.id not in chain
        rooms = {now.by_id[holder].room for holder in chain} | {entity.room}
        assert len(rooms) == 1, f"{entity.id} is in another room than {chain}"
        assert not {"open", "closed"} <= entity.states
        assert not {"on", "off"} <= entity.states
        assert not {"clean", "dirty"} <= entity.states
    assert not set(now.agent.holding) & set(subjects)
    seen = world.observe()
    assert {(e.id, e.states) for e in seen.entities} <= {(e.id, e.states) for e in now.entities}
    assert set(seen.relations) <= set(now.relations)


@pytest.mark.parametrize("seed", range(either(1, 3)))
def test_a_change_does_what_it_says_and_nothing_else(world: Simulator, seed: int) -> None:
    if not world.changes:
        pytest.skip("only actions change this world")
    world.reset(seed)
    rng, replayed = np.random.default_rng(seed), list[tuple[Action | WorldChange, Observation]]()
    for _ in range(8 if world.slow else either(20, 40)):
        options = world.admissible()
        action = options[int(rng.integers(len(options)))]
        world.step(action)
        replayed.append((action, world.observe()))
        change = change_of(world, rng)
        if change is None:
            continue
        assert change.kind in world.changes
        before, saved = world.reveal(), world.save()
        try:
            seen = world.change(change)
        except UsageError:
            assert world.slow, "only a player of its own may know better than the list"
            check_world(world)
            assert world.save() == saved
            continue
        replayed.append((change, seen))
        now, carried = world.reveal(), {change.thing}
        assert seen == world.observe()
        assert now.step == before.step
        check_world(world)
        if change.kind == "state":
            assert change.to in now.by_id[change.thing].states
            assert now.relations == before.relations
        else:
            assert now.holder[change.thing] == (change.kind, change.thing, change.to)
            carried |= {e.id for e in now.entities if change.thing in [link.object for link in now.holders(e.id)]}
            assert set(now.agent.holding) == set(before.agent.holding) - {change.thing}
        links = [{r for r in state.relations if r.subject != change.thing} for state in (before, now)]
        assert links[0] == links[1]
        assert {e for e in now.entities if e.id not in carried} == {e for e in before.entities if e.id not in carried}
        assert (now.agent.pose, now.agent.room, now.agent.acts) == (before.agent.pose, before.agent.room, before.agent.acts)
        changed = world.save()
        if not world.slow:
            world.restore(saved)
            assert world.reveal() == before
        assert world.restore(changed) == seen
        assert (world.save(), world.reveal()) == (changed, now)
    world.reset(seed)
    for deed, seen in replayed:
        again = world.change(deed) if isinstance(deed, WorldChange) else world.step(deed).observation
        assert replace(again, text="") == replace(seen, text="")


def test_a_refused_change_says_why_and_changes_nothing(world: Simulator) -> None:
    world.reset(2)
    now, saved = world.reveal(), world.save()
    rng, ids = np.random.default_rng(2), [e.id for e in now.entities]
    nested = [(r.object, r.subject) for r in now.relations if r.kind != "controls"]
    tried = [WorldChange("nothing_1", "on", ids[0]), WorldChange(ids[0], "on", "nothing_1"),
             WorldChange(ids[-1], "state", "odd"),
             *(WorldChange(i, "inside", i) for i in ids[:5]), *(WorldChange(a, "inside", b) for a, b in nested[:20])]
    for _ in range(60):
        thing, kind = ids[int(rng.integers(len(ids)))], ("inside", "on", "state")[int(rng.integers(3))]
        to = ids[int(rng.integers(len(ids)))] if kind != "state" else ("open", "off", "sliced", "dirty")[int(rng.integers(4))]
        change = WorldChange(thing, kind, to)  # type: ignore[arg-type]
        if change not in world.possible_changes(thing):
            tried.append(change)
    for change in tried:
        with pytest.raises(UsageError) as caught:
            world.change(change)
        assert str(caught.value)
        assert "\n" not in str(caught.value)
    assert (world.save(), world.reveal()) == (saved, now)
