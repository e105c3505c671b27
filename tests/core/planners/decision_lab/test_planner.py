"""The policy and the model of the decision lab: the algorithms are right, wrong answers stay wrong, any reply is survived."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.common.errors import ModelError
from core.evaluation.episode import drive
from core.llm.commonsense import Commonsense
from core.llm.model import LanguageModel
from core.planners.decision_lab.planner import LabModel, LabModelParameters, LabPlanner, LabPolicy
from core.planners.decision_lab.problem import Answer, Journey, Multiplication, problem_in
from core.planners.decision_lab.questions import cities_in, number_in, path_in
from core.planners.decision_lab.recorded_types import FlightsFacts, PathFacts, ProductFacts
from core.planners.decision_lab.uniform_cost import search
from core.planners.decision_lab.written_multiplication import entries_for, multiplied
from core.planning.facets import Facet, Plan, Steps
from core.planning.model_requests import ModelReply, ModelRequest
from core.suites.contestant import Drive
from sim.decision_lab.simulator import DecisionLab
from tests.core.planners.by_hand import PROVIDER

RIGHT = {(a, b): int(a) * int(b) for a in "0123456789" for b in "0123456789"}
NUMBERS = st.integers(0, 10**15).map(str)
THREE = Journey("Arden", "Cavel", MappingProxyType({
    "Arden": ("Belmor",), "Belmor": ("Arden", "Cavel"), "Cavel": ("Belmor", "Dunost"), "Dunost": ("Cavel",)}))


class Scripted(Commonsense):
    """Answers with a function of the request."""

    def __init__(self, answer: Callable[[ModelRequest], str]):
        self._answer = answer

    def answer(self, ask: ModelRequest, cancelled: threading.Event) -> ModelReply:
        del cancelled
        return ModelReply((self._answer(ask),), "script")


def played(planner: LabPlanner, scene: str, seed: int, model: LanguageModel, shown: list[Facet] | None = None) -> Drive:
    with DecisionLab.open(scene, {}) as world:
        world.reset(seed)
        found = [] if shown is None else shown
        return drive(planner, world, world.goal(), model, seed, 30, found.append)


# --- the algorithms ------------------------------------------------------------------
@given(NUMBERS, NUMBERS)
def test_written_multiplication_is_multiplication(first: str, second: str) -> None:
    table = {entry: RIGHT[entry] for entry in entries_for(first, second)}
    assert multiplied(first, second, table) == str(int(first) * int(second))


def test_a_wrong_entry_of_the_table_is_carried_through() -> None:
    # 78 × 7 with 8 × 7 = 54 in place of 56: units 54 -> 4, carry 5; tens 49 + 5 = 54. By hand: 544, where 546 is right.
    assert multiplied("78", "7", {("8", "7"): 54, ("7", "7"): 49}) == "544"


@given(st.integers(0, 10**6), st.integers(2, 15), st.floats(0.0, 0.6))
def test_uniform_cost_search_finds_a_shortest_path_and_expands_each_node_once(seed: int, nodes: int, share: float) -> None:
    graph = nx.gnp_random_graph(nodes, share, seed=seed)
    expanded: list[str] = []
    run = search("0", str(nodes - 1), 200)
    try:
        node = next(run)
        while True:
            expanded.append(node)
            node = run.send(tuple(map(str, graph[int(node)])))
    except StopIteration as end:
        path: tuple[str, ...] = end.value
    assert len(expanded) == len(set(expanded))
    if nx.has_path(graph, 0, nodes - 1):
        assert len(path) == nx.shortest_path_length(graph, 0, nodes - 1) + 1
        assert nx.is_path(graph, list(map(int, path)))
    else:
        assert path == ()


def test_the_search_gives_up_after_its_limit() -> None:
    run = search("0", "goal", 2)
    assert (next(run), run.send(("1",))) == ("0", "1")
    with pytest.raises(StopIteration) as end:
        run.send(("2",))
    assert end.value.value == ()


# --- texts and replies ---------------------------------------------------------------
@pytest.mark.parametrize("scene", ["multiplication-1", "multiplication-5", "journey-3"])
@pytest.mark.parametrize("seed", range(5))
def test_a_problem_is_read_back_from_its_text(scene: str, seed: int) -> None:
    with DecisionLab.open(scene, {}) as world:
        problem = problem_in(world.reset(seed).text)
    assert problem is not None
    assert problem_in(problem.text) == problem


def test_other_texts_state_no_problem() -> None:
    assert problem_in("") is None
    assert problem_in("You are in the kitchen.") is None
    assert problem_in("Fly from Arden to Cavel by direct flights.") is None
    assert problem_in("Fly from Arden to Nowhere by direct flights.\nDirect flights:\nArden: Belmor") is None


@pytest.mark.parametrize(("text", "number"), [
    ("56", ("56",)), ("7 × 8 = 56.", ("56",)), ("The product is 20,126.", ("20126",)), ("007", ("7",)), ("0", ("0",)),
    ("I do not know", ()), ("", ()), ("12 345", ("12345",)),
])
def test_the_last_number_of_a_reply_is_the_product(text: str, number: tuple[str, ...]) -> None:
    assert number_in(text) == number


@pytest.mark.parametrize(("text", "path"), [
    ("Arden -> Belmor -> Cavel", ("Arden", "Belmor", "Cavel")),
    ("Belmor -> Cavel.", ("Arden", "Belmor", "Cavel")),
    ("The route is:\n**arden** → Belmor → Cavel\nThat is two flights.", ("Arden", "Belmor", "Cavel")),
    ("Arden, Belmor, Cavel", ("Arden", "Belmor", "Cavel")),
    ("Arden -> Paris -> Cavel", ()), ("", ()), ("I cannot say.", ()),
])
def test_a_path_is_read_or_refused_as_a_whole(text: str, path: tuple[str, ...]) -> None:
    assert path_in(text, THREE) == path


def test_listed_cities_are_read_once_and_strangers_left_out() -> None:
    assert cities_in("Cavel: Belmor, Dunost and Belmor, Paris, Cavel", "Cavel", THREE.flights) == ("Belmor", "Dunost")
    assert cities_in("1. Belmor\n2. Dunost", "Cavel", THREE.flights) == ("Belmor", "Dunost")
    assert cities_in("none", "Cavel", THREE.flights) == ()


def test_answers_are_judged() -> None:
    assert Multiplication("12", "12").is_right(Answer(("7", "8"), ("56",)))
    assert not Multiplication("12", "12").is_right(Answer(("7", "8"), ()))
    assert THREE.is_right(Answer(("Arden", "Cavel"), ("Arden", "Belmor", "Cavel")))
    assert not THREE.is_right(Answer(("Arden", "Cavel"), ("Arden", "Cavel")))
    assert not THREE.is_right(Answer(("Arden", "Cavel"), ("Arden", "Belmor")))
    assert THREE.is_right(Answer(("Belmor",), ("Cavel", "Arden")))
    assert not THREE.is_right(Answer(("Belmor",), ("Cavel",)))


# --- the planners --------------------------------------------------------------------
def test_a_model_of_digits_multiplies_what_a_policy_cannot() -> None:
    """A model that knows the products of two digits, and no others: section 1 of the paper."""
    def answer(ask: ModelRequest) -> str:
        assert isinstance(ask.facts, ProductFacts)
        known = len(ask.facts.first) == len(ask.facts.second) == 1
        return str(int(ask.facts.first) * int(ask.facts.second)) if known else "1000"

    model, policy = LabModel(), LabPolicy()
    assert played(model, "multiplication-4", 3, Scripted(answer)).success
    run = played(policy, "multiplication-4", 3, Scripted(answer))
    assert not run.success
    assert (run.ended, run.asked("whole product")) == ("the answer is carried out", 1)


def test_a_flight_that_does_not_exist_ends_the_journey() -> None:
    def answer(ask: ModelRequest) -> str:
        assert isinstance(ask.facts, PathFacts)
        return f"{ask.facts.start} -> {ask.facts.goal}"

    run = played(LabPolicy(), "journey-3", 0, Scripted(answer))
    assert not run.success
    assert run.ended.startswith("the answer cannot be carried out: there is no direct flight from")
    assert len(run.actions) == 1


def test_a_world_model_without_the_flights_of_the_start_finds_no_path() -> None:
    shown: list[Facet] = []
    run = played(LabModel(), "journey-2", 0, Scripted(lambda ask: "none"), shown)
    assert run.ended.startswith("the flights of 1 city do not lead to")
    assert (run.success, run.asked("direct flights")) == (False, 1)
    assert Plan((), "there is no usable answer") in shown


def test_a_search_that_reaches_its_limit_says_so() -> None:
    run = played(LabModel(LabModelParameters(expansions=1)), "journey-3", 0, Commonsense())
    assert (run.success, run.ended) == (False, "the search gave up after 1 city, as the parameter expansions says")


@pytest.mark.parametrize("planner", [LabModel, LabPolicy])
@pytest.mark.parametrize("scene", ["multiplication-5", "journey-4"])
def test_with_right_answers_both_succeed_and_show_their_progress(planner: type[LabPlanner], scene: str) -> None:
    shown: list[Facet] = []
    run = played(planner(), scene, 2, PROVIDER, shown)
    assert run.success
    steps = [facet for facet in shown if isinstance(facet, Steps)]
    assert [sum(line.state == "done" for line in s.lines) for s in steps] == list(range(len(steps)))


def test_the_prompts_hold_all_that_the_facts_hold() -> None:
    asked: list[ModelRequest] = []

    def answer(ask: ModelRequest) -> str:
        asked.append(ask)
        return "none"

    for planner in (LabModel(), LabPolicy()):
        for scene in ("multiplication-3", "journey-2"):
            played(planner, scene, 1, Scripted(answer))
    for ask in asked:
        text = ask.messages[0].content
        match ask.facts:
            case ProductFacts(first, second):
                assert f"{first} times {second}" in text
            case PathFacts(start, goal, table):
                assert table in text
                assert f"from {start} to {goal}" in text
            case FlightsFacts(city, table):
                assert table in text
                assert f"from {city}" in text
            case _:
                raise AssertionError("unknown facts")


def test_real_flights_are_asked_from_memory(tmp_path: Path) -> None:
    """Listed cities are real answers of the script; the offline rules know no real flights and say so."""
    file = tmp_path / "routes.csv"
    file.write_text("from,to\nAlma,Bray\nBray,Trim and Usk 2\nTrim and Usk 2,Dorn\n")
    flights = {"Alma": "Bray", "Bray": "Alma, Trim and Usk 2, Paris", "Trim and Usk 2": "Bray, Dorn", "Dorn": "Trim and Usk 2"}
    asked: list[ModelRequest] = []

    def answer(ask: ModelRequest) -> str:
        asked.append(ask)
        assert isinstance(ask.facts, FlightsFacts)
        return flights[ask.facts.city]

    with DecisionLab.open("journey-3", {"routes": str(file)}) as world:
        world.reset(0)
        run = drive(LabModel(), world, world.goal(), Scripted(answer), 0, 30)
        assert run.success
        assert all("Trim" not in ask.messages[0].content for ask in asked if ask.subject != "Trim and Usk 2")
        world.reset(0)
        with pytest.raises(ModelError, match="from memory: choose a language model"):
            drive(LabPolicy(), world, world.goal(), PROVIDER, 0, 30)


@settings(max_examples=60, deadline=None)
@given(st.text() | st.text("0123456789 ,", max_size=5000) | st.sampled_from(["[{(" * 3000, "9" * 100_000, "->" * 5000]),
       st.sampled_from(["multiplication-2", "journey-2"]), st.sampled_from([LabModel, LabPolicy]))
def test_any_reply_is_survived(text: str, scene: str, planner: type[LabPlanner]) -> None:
    run = played(planner(), scene, 1, Scripted(lambda ask: text))
    assert run.success or run.ended or run.steps == 30
