"""What the evidence of a failure counts and names, for any planner: detours, loops, the costliest turns, wrong facts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest

from core.app.launch import build
from core.app.run_request import Request
from core.llm.stack import assembled
from core.planners.decision_lab.recorded_types import FlightsFacts, PathFacts, ProductFacts
from core.planning.model_requests import ModelRequest
from core.recording.failures.beliefs import POOR
from core.recording.failures.causes import propose
from core.recording.failures.labels import Evidence, Proposal
from core.recording.failures.lost_turns import course_of
from core.recording.failures.moments import key_moments
from core.recording.failures.run import read_run
from core.recording.failures.searches import evidence_of_searches, unjudged
from core.session.commands import Override
from core.session.events import Event
from core.session.setup import Setup
from core.world.vocabulary import Action
from sim.household.simulator import HouseholdSimulator
from sim.registry import simulator_class
from tests.core.recording.failing import Scripted, events_of, place_of, setup
from tests.core.recording.test_missed_steps import DEGRADED, is_success, played
from tests.long_tests import some_pairs

SEARCHING = ("bcr", "llm-state", "progprompt", "cloned-policy", "inner-monologue")
SEEDS = (113920, 113923)
TWO = "Put one juice on the kitchen table and one plum inside the microwave"


@cache
def searched(planner: str, seed: int) -> tuple[Event, ...]:
    return tuple(events_of(setup(planner, seed=seed, scene="four-rooms-2", task=TWO, steps=16)))


@pytest.mark.parametrize(("planner", "seed"), some_pairs(SEARCHING, SEEDS, 1))
def test_every_searching_turn_is_counted_once_and_a_detour_only_if_it_could_have_been_spared(planner: str, seed: int) -> None:
    events = searched(planner, seed)
    found = propose(events)
    assert found is not None
    searches = [one for one in found.evidence if one.label == "long search" and one.cost]
    assert searches
    course = course_of(read_run(events))
    assert sum(one.cost for one in searches) == sum(map(len, unjudged(course).values()))
    for one in searches:
        if "only the way back is counted" in one.text:
            assert one.cost == 1
            assert one.told < min(one.turns), "the robot left before it came back"
        elif "before it had looked into" in one.text:
            assert "it was found in turn" in one.text
        if "before it had looked into" in one.text or "it was found in turn" in one.text:
            assert one.instead is not None, "the sentence names the better place"


@pytest.mark.parametrize("is_there", [True, False])
def test_a_detour_counts_as_a_whole_only_if_the_object_was_in_the_room_that_was_left(is_there: bool) -> None:
    """The robot passes a closed cabinet by, looks elsewhere, and comes back to open this cabinet."""
    with HouseholdSimulator.open("four-rooms-1", {}) as home:
        home.reset(3)
        world = home.reveal()
        shut = [e.id for e in world.entities if e.category == "furniture" and "closed" in e.states and e.room == "kitchen_1"]
        lone = {e.cls for e in world.entities if sum(other.cls == e.cls for other in world.entities) == 1}
        holder, thing = next((r.object, world.by_id[r.subject]) for r in world.relations
                             if r.kind == "inside" and r.object in shut and world.by_id[r.subject].cls in lone)
    opened = holder if is_there else next(place for place in shut if place != holder)
    targets = ("kitchen_1", "bathroom_1", "bathroom_cabinet_1", "kitchen_1", opened)
    walks = [Action("walk", (target,)) for target in targets]
    way = [*walks[:3], Action("open", ("bathroom_cabinet_1",)), *walks[3:], Action("open", (opened,))]
    task = f"Put one {thing.name} on the sofa"
    found = propose(events_of(setup("llm-state", steps=len(way), task=task), *map(Override, way)))
    course = course_of(read_run(events_of(setup("llm-state", steps=len(way), task=task), *map(Override, way))))
    assert [one.turn.action for one in course.yields] == way
    assert found is not None
    (detour,) = [one for one in evidence_of_searches(course, "they chose") if "left the kitchen" in one.text]
    assert detour.instead == Action("walk", (opened,))
    assert "before it had looked into" in detour.text
    assert detour.told == 2, "there it left the kitchen"
    assert detour.turns == ((2, 3, 4) if is_there else (5,)), "in turn 5 it goes to the place where it is"
    assert ("it was found in turn" in detour.text) == is_there
    assert ("only the way back is counted" in detour.text) != is_there


@pytest.mark.parametrize(("mine", "other", "kinds"), [(3, 5, {"cause", "most lost"}), (5, 3, {"cause"}), (0, 2, {"most lost"})])
def test_the_costliest_turns_are_marked_also_if_they_speak_for_another_label(mine: int, other: int, kinds: set[str]) -> None:
    run = read_run(played("uct", 9241))
    evidence = (Evidence("policy failure", (1, 2), mine, "it went there", ""),
                Evidence("long search", (3,), other, "it looked", ""))
    moments = key_moments(run, course_of(run).yields, "policy failure", evidence)
    told = {one.kind: one.moment.turn for one in moments if one.kind in ("cause", "most lost")}
    assert set(told) == kinds
    assert told.get("most lost", 3) == 3


@pytest.mark.parametrize("rounds", [1, 2])
def test_the_way_to_what_is_done_next_is_no_part_of_a_loop(rounds: int) -> None:
    """The robot walks back and forth, then to a closed cabinet, and opens it: only going back and forth is lost."""
    with HouseholdSimulator.open("four-rooms-1", {}) as home:
        home.reset(3)
        world = home.reveal()
        shut = next(e for e in world.entities if e.category == "furniture" and "closed" in e.states and e.room == "kitchen_1")
    first = [Action("walk", (room,)) for room in ("kitchen_1", "bedroom_1", "kitchen_1")]
    loop = [Action("walk", (room,)) for room in ("bedroom_1", "kitchen_1") * rounds]
    way = [*first, *loop, Action("walk", (shut.id,)), Action("open", (shut.id,))]
    run = read_run(events_of(setup("llm-policy", steps=len(way)), *map(Override, way)))
    yields = course_of(run).yields
    assert [one.turn.action for one in yields] == way
    assert yields[-2].kind == "approach"
    assert yields[-1].kind in ("look", "find")
    assert {one.kind for one in yields[3:-2]} == {"loop"}


def test_going_to_an_open_place_without_the_object_is_lost() -> None:
    """The hair product is in a closed cabinet of the living room; the robot walks to where the goal wants it."""
    targets = ("kitchen_1", "bedroom_1", "kitchen_1", "kitchen_counter_1", "living_room_1", "cabinet_1")
    way = [*(Action("walk", (target,)) for target in targets), Action("open", ("cabinet_1",))]
    task = "Put one hair product on the kitchen counter"
    run = read_run(events_of(setup("llm-policy", steps=len(way), task=task), *map(Override, way)))
    assert [turn.action for turn in run.turns] == way
    assert [one.kind for one in course_of(run).yields][:6] == ["look", "look", "aimless", "aimless", "look", "approach"]


@pytest.mark.parametrize("planner", DEGRADED)
def test_the_marks_name_the_costliest_evidence_of_the_label_and_of_all(planner: str) -> None:
    found = propose(played(planner, 9241))
    if found is None:
        assert is_success(played(planner, 9241))
        return
    costs = {label: max((one.cost for one in found.evidence if one.label == label), default=0)
             for label in {one.label for one in found.evidence}}
    told = {one.kind: one.text for one in found.moments}
    if costs.get(found.label):
        assert told["cause"] in {one.sentence for one in found.evidence
                                 if one.label == found.label and one.cost == costs[found.label]}
    most = max(costs.values(), default=0)
    assert ("most lost" in told) == (most > costs.get(found.label, 0))


def test_a_belief_is_wrong_if_it_spoke_against_all_places_that_are_left() -> None:
    task = "Put one dish bowl on the kitchen table"
    made = setup("greedy", scene="four-rooms-3", seed=9242, task=task, steps=14)
    events = events_of(made)
    found, run = propose(events), read_run(events)
    assert found is not None
    assert found.label == "world model failure"
    one = found.evidence[0]
    assert "are left" in one.text
    assert one.instead is not None
    first, last = run.turns[0].belief, run.every_turn[-1].belief
    assert first is not None
    assert last is not None
    row, left = first.classes.index("dish_bowl"), ~last.looked & ~first.looked & ~first.bars(0)
    places = {place for place, is_left in zip(first.places, left, strict=True) if is_left}
    assert one.instead.args[0] in places
    assert first.probability[row][left].sum() < POOR * left.sum() / (~first.looked & ~first.bars(row)).sum()
    with HouseholdSimulator.open("four-rooms-3", {}) as home:
        home.reset(9242)
        assert place_of(home.reveal(), "dish_bowl") in places


# --- the decision lab ---------------------------------------------------------------------
def lab(planner: str, scene: str, says: Callable[[ModelRequest], str], **parameters: str) -> Setup:
    made = build(Request(planner, simulator="decision-lab", scene=scene, seed=3, parameters=parameters, max_steps=30),
                 simulator_class)
    purposes = ("product", "whole product", "flight path", "direct flights")
    return replace(made, models={"scripted": assembled(Scripted(dict.fromkeys(purposes, says)))})


def wrong(ask: ModelRequest) -> str:
    """Says one more than the product, a path that does not exist, and the first flight of a city alone."""
    match ask.facts:
        case ProductFacts(first=first, second=second):
            return str(int(first) * int(second) + 1)
        case PathFacts(start=start, goal=goal):
            return f"{start} -> {goal}"
        case FlightsFacts(city=city, timetable=timetable):
            return next(line.split(": ")[1].split(", ")[0] for line in timetable.splitlines() if line.startswith(f"{city}: "))
    raise AssertionError(ask.purpose)


def right(ask: ModelRequest) -> str:
    assert isinstance(ask.facts, FlightsFacts)
    return next(line.split(": ")[1] for line in ask.facts.timetable.splitlines() if line.startswith(f"{ask.facts.city}: "))


def failed(made: Setup) -> Proposal:
    found = propose(events_of(made))
    assert found is not None
    return found


@pytest.mark.parametrize("scene", ["multiplication-3", "journey-3"])
def test_a_wrong_whole_answer_is_a_policy_failure(scene: str) -> None:
    found = failed(lab("lab-policy", scene, wrong))
    assert found.label == "policy failure"
    assert any("it had carried out the model's reply" in one.text for one in found.evidence)
    assert not any("led back" in one.text for one in found.evidence), "what is written on a sheet is not observed"


@pytest.mark.parametrize(("scene", "words"), [("multiplication-3", "the reply about"), ("journey-3", "leaves out")])
def test_a_wrong_fact_is_a_world_model_failure_and_named(scene: str, words: str) -> None:
    found = failed(lab("lab-model", scene, wrong))
    assert found.label == "world model failure"
    assert found.opens_at is not None
    assert found.opens_at.turn == 1, "the facts were asked there"
    assert any(words in one.text for one in found.evidence)


def test_a_search_that_gives_up_with_right_facts_is_a_planner_failure() -> None:
    found = failed(lab("lab-model", "journey-3", right, expansions="1"))
    assert found.label == "planner failure"
    assert any("none of 1 replies about “direct flights” is wrong" in one.text for one in found.evidence)
