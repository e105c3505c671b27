"""The world of the decision lab: its maps hold what they promise, and only right answers are right."""

from __future__ import annotations

import json
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.common.errors import DataError, UsageError
from core.goals.progress import reached
from core.planners.decision_lab.problem import Journey, Multiplication, problem_in
from core.world.vocabulary import Action
from sim.decision_lab import maps
from sim.decision_lab.simulator import DecisionLab


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**9), st.integers(20, 60), st.integers(1, 4))
def test_a_map_has_the_journey_and_the_number_of_flights_it_promises(seed: int, cities: int, edges: int) -> None:
    drawn = maps.drawn(seed, cities, edges)
    graph = nx.Graph((a, b) for a, there in drawn.flights.items() for b in there)
    assert len(drawn.flights) == len(drawn.places) == graph.number_of_nodes() == cities
    assert nx.is_connected(graph)
    assert graph.number_of_edges() == maps.number_of_flights(cities)
    assert all(a in drawn.flights[b] for a, there in drawn.flights.items() for b in there), "flights go both ways"
    assert nx.shortest_path_length(graph, drawn.start, drawn.goal) == edges
    assert maps.drawn(seed, cities, edges) == drawn


def test_a_journey_that_no_map_allows_is_refused() -> None:
    with pytest.raises(UsageError, match=r"no map of 5 cities .* give more cities"):
        maps.drawn(0, 5, 9)


@given(st.integers(0, 10**6), st.integers(1, 9))
def test_factors_have_the_digits_of_the_scene(seed: int, digits: int) -> None:
    with DecisionLab.open(f"multiplication-{digits}", {}) as world:
        problem = problem_in(world.reset(seed).text)
    assert isinstance(problem, Multiplication)
    assert (len(problem.first), len(problem.second)) == (digits, digits)


@pytest.mark.parametrize(("change", "right"), [(0, True), (1, False), (-10, False)])
def test_only_the_right_product_that_is_handed_in_solves_the_problem(change: int, right: bool) -> None:
    with DecisionLab.open("multiplication-3", {}) as world:
        problem, goal = problem_in(world.reset(4).text), world.goal()
        assert isinstance(problem, Multiplication)
        for digit in str(int(problem.first) * int(problem.second) + change):
            assert world.step(Action("write", (f"digit_{digit}",))).ok
        assert not reached(goal, world.reveal())
        assert world.step(Action("hand_in")).ok
        assert reached(goal, world.reveal()) is right
        refused = world.step(Action("write", ("digit_1",)))
        assert (refused.ok, refused.remedy) == (False, Action("start_over"))


def test_one_travels_by_direct_flights_only() -> None:
    with DecisionLab.open("journey-2", {}) as world:
        problem, goal = problem_in(world.reset(1).text), world.goal()
        assert isinstance(problem, Journey)
        ids = {e.name: e.id for e in world.observe().entities}
        refused = world.step(Action("travel", (ids[problem.goal],)))
        assert refused.reason == f"there is no direct flight from {problem.start} to {problem.goal}"
        between = next(c for c in problem.flights[problem.start] if problem.goal in problem.flights[c])
        for city in (between, problem.goal):
            assert not reached(goal, world.reveal())
            assert world.step(Action("travel", (ids[city],))).ok
        assert reached(goal, world.reveal())


@pytest.mark.parametrize(("scene", "options", "words"), [
    ("multiplication-10", {}, "unknown scene"), ("journey-2", {"cities": "4"}, "cities=4: give a whole number of 5 to 100"),
    ("multiplication-2", {"cities": "20"}, "unknown world option 'cities'"), ("journey-2", {"cities": "²"}, "whole number"),
])
def test_wrong_scenes_and_options_are_named(scene: str, options: dict[str, str], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        DecisionLab.open(scene, options)


@pytest.mark.parametrize("change", [{"written": "12a"}, {"written": "1" * 99}, {"seed": -1}, {"steps": True}, {"handed_in": 1},
                                    {"scene": "journey-2"}, {"cities": 7}, {"more": 1}])
def test_a_state_of_another_world_is_refused(change: dict[str, object]) -> None:
    with DecisionLab.open("multiplication-3", {}) as world:
        saved = json.loads(world.save())
        with pytest.raises(DataError):
            world.restore(json.dumps({**saved, **change}))


# --- real routes ---------------------------------------------------------------------
ROUTES = """from,to,from_population,to_population
Alma,Bray,6000000,600000
Bray,Ceto,600000,700000
Ceto,Dorn Bay,700000,9000000
Alma,Alma,6000000,6000000
"""


def routes(folder: Path, text: str = ROUTES) -> str:
    path = folder / "routes.csv"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_journeys_over_real_routes_connect_cities_of_a_group_and_hide_the_flights(tmp_path: Path) -> None:
    with DecisionLab.open("journey-3", {"routes": routes(tmp_path), "group": "large"}) as world:
        told, truth = problem_in(world.reset(1).text), problem_in(world.reveal().text)
        assert isinstance(told, Journey)
        assert isinstance(truth, Journey)
        assert {told.start, told.goal} == {"Alma", "Dorn Bay"}
        assert not told.told
        assert set(told.flights) == {"Alma", "Bray", "Ceto", "Dorn Bay"}
        assert not any(told.flights.values())
        assert truth.flights["Alma"] == ("Bray",)
        assert truth.flights["Ceto"] == ("Bray", "Dorn Bay")
        assert truth.kept_back == told
        assert len(world.admissible()) == 2, "one flight from either end, and the start"


@pytest.mark.parametrize(("text", "words"), [
    ("a,b\n1,2\n", "lacks the columns 'from' and 'to'"), ("", "lacks the columns"),
    ("from,to\nAlma,\n", "line 2: a city's name"), ("from,to\nAlma,B->C\n", "line 2: a city's name"),
    ("from,to,from_population\nAlma,Bray,many\n", "line 2: 'many' is no population"),
    ("from,to,from_population\nAlma,Bray,-1\n", "'-1' is no population"),
    ("from,to\nAlma,Bray\nalma,Ceto\n", "in two ways"),
])
def test_a_damaged_file_of_routes_is_refused_in_one_line(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(DataError, match=words) as caught:
        DecisionLab.open("journey-1", {"routes": routes(tmp_path, text)})
    assert "\n" not in str(caught.value)


def test_routes_that_are_not_there_or_do_not_suffice_are_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read as CSV"):
        DecisionLab.open("journey-1", {"routes": str(tmp_path / "none.csv")})
    with pytest.raises(UsageError, match="no two cities of the group 'large' with 2 flights"):
        DecisionLab.open("journey-2", {"routes": routes(tmp_path), "group": "large"})
    for options in ({"group": "large"}, {"routes": routes(tmp_path), "cities": "20"}):
        with pytest.raises(UsageError, match="set the world option routes"):
            DecisionLab.open("journey-2", options)
    with pytest.raises(UsageError, match="group=huge: choose all, large, middle"):
        DecisionLab.open("journey-2", {"routes": routes(tmp_path), "group": "huge"})
