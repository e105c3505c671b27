"""What is shown of a search names the right objects, also deep in its tree."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from core.planners.llm_mcts.planner import TUNED, LlmMctsFullyObservable
from core.planning.prompt_facts import PolicyFacts
from core.planning.search_facets import SearchTree, TreeNode
from core.search import search_facets
from core.search.model import HELD
from core.search.rearrangement import Rearrangement
from core.search.search import Options, Search
from core.search.translation import to_actions
from tests.benchmarks.homes import TEXT
from tests.core.planners.by_hand import goal_of, home, turn

SIMULATIONS = 3000


@cache
def two() -> tuple[Search, Rearrangement]:
    """A search in a home where all is seen."""
    with home() as simulator:
        mind = Rearrangement(goal_of(simulator, TEXT), simulator.schemas, all_seen=True)
        mind.see(simulator.reveal())
    problem, knowledge = mind.problem()
    search = Search(problem, knowledge, *mind.ghosts(), replace(Options(), depth=20), None, np.random.default_rng(0), 30)
    for _ in search.run(lambda: SIMULATIONS):
        pass
    return search, mind


@cache
def shown() -> SearchTree:
    return search_facets.tree(*two())


def way(node: TreeNode) -> list[TreeNode]:
    """The nodes from the root to this one."""
    return [*way(shown().nodes[node.parent]), node] if node.parent >= 0 else [node]


def test_each_node_is_shown_with_its_counts_parents_first() -> None:
    search, _ = two()
    assert shown().folded == 0
    assert len(shown().nodes) == search.tree.used[0]
    assert [node.id for node in shown().nodes] == list(range(len(shown().nodes)))
    assert all(node.parent < node.id for node in shown().nodes)
    assert sorted(n.visits for n in shown().nodes) == sorted(search.tree.node_visits[:len(shown().nodes)].tolist())
    assert sum(node.visits for node in shown().nodes if node.parent == 0) == shown().nodes[0].visits == SIMULATIONS


def test_a_put_names_what_was_grabbed_before_it() -> None:
    depths = set()
    for node in shown().nodes[1:]:
        assert node.action is not None
        if node.action.verb in ("put_in", "put_on"):
            before = [n.action for n in way(node)[1:-1] if n.action is not None]
            grabbed = [a.args[0] for a in before if a.verb == "grab"]
            assert grabbed[-1:] == [node.action.args[0]]
            depths.add(len(grabbed))
    assert {1, 2} <= depths, "also the second thing that is brought"


def test_the_ranking_and_the_expected_line_are_those_of_the_tree() -> None:
    search, mind = two()
    ranking = search_facets.ranking(*two(), SIMULATIONS)
    names, held = mind.names, int(search.knowledge.robot[HELD])
    assert [r.steps for r in ranking.actions] == [to_actions(mind.layout, names, search.moves[e].steps, held)
                                                  for e in search.ranked()]
    line = [shown().nodes[k] for k in shown().expected]
    assert line[0].id == 0
    assert [node.parent for node in line[1:]] == [node.id for node in line[:-1]]
    last = [node.action for node in line[1:]]
    assert last[0] == ranking.actions[0].steps[-1]
    assert [a for a in ranking.expected if a in last] == last
    assert ranking.expected[:len(ranking.actions[0].steps)] == ranking.actions[0].steps
    assert {a.args[0] for a in ranking.expected if a.verb == "grab"} == {a.args[0] for a in ranking.expected if "put" in a.verb}


def test_a_line_is_the_steps_that_lead_to_a_node() -> None:
    search, _ = two()
    tree = search.tree
    for node in range(1, int(tree.used[0]), 7):
        state = search.knowledge.copy()
        steps = search.line(node)
        assert len(steps) == len(tree.line(node))
        assert all(search.problem.step(state, step) for macro in steps for step in macro)


def test_a_small_picture_holds_the_most_visited_and_counts_the_rest() -> None:
    small = search_facets.tree(*two(), 50)
    assert len(small.nodes) == 50
    assert small.folded > 0
    assert {n.visits for n in small.nodes if n.parent == 0} == {n.visits for n in shown().nodes if n.parent == 0}


def test_a_question_tells_of_the_objects_that_were_laid_down_on_the_way() -> None:
    with home() as simulator:
        planner = LlmMctsFullyObservable(replace(TUNED, simulations=300, ask_after=0, most_questions=0))
        planner.begin(goal_of(simulator, TEXT), simulator.schemas, 0)
        asked = turn(planner, simulator).asked
    told = 0
    for ask in asked:
        if isinstance(ask.facts, PolicyFacts):
            actions = [action.split(" ") for action in ask.facts.history]
            for k, (verb, *names) in enumerate(actions):
                if verb in ("put_in", "put_on"):
                    assert names[0] == [a[1] for a in actions[:k] if a[0] == "grab"][-1]
                    told += 1
    assert told > 5
