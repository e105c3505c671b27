"""What a search's tree holds, whatever the task and the way of searching: counts, values, questions, worlds.

The part of a tree that is shown is the same as if all of it were sorted.
"""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.search import search as searches
from core.search import simulate
from core.search.model import GO, GRAB, HELD, KIND, NOWHERE, PUT, ROOM, State
from core.search.problem import Layout, Place, Problem, Want, knowledge_of
from core.search.rollouts import REWARD
from core.search.search import Options, Search
from core.search.simulate import WAITING
from core.search.tree import NODES, Tree, most_visited
from tests.core.search.interpreted import interpreted
from tests.core.search.problems import Task, random_task, tasks
from tests.core.search.searching import STEPS_LEFT, Rule, begun, contents, digests, every_option, go_on, searched

ways = st.sampled_from(list(every_option()))
WAYS = 60
"""Random ways of searching that a property is tried with."""
ROUNDING = 1e-12
"""By how much a weighted mean of equal returns may exceed them, as a share."""


def policy_of(asks: bool) -> Rule | None:
    return Rule() if asks else None


# --- the same seed, the same tree -----------------------------------------------------------------------------------------
@pytest.mark.filterwarnings("error")
def test_interpreted_every_way_of_searching_grows_the_same_trees() -> None:
    if not simulate.run.is_compiled:
        pytest.skip("there is nothing to compare with")
    compiled = list(digests())
    assert len(compiled) == len(list(every_option()))
    with interpreted():
        assert list(digests()) == compiled


def test_machine_code_may_take_over_in_the_middle_of_a_search() -> None:
    machine = simulate.run._machine
    if machine is None:
        pytest.skip("there is nothing to change to")
    changed = 0
    ways = list(enumerate(every_option()))
    for seed, (options, asks) in ways:
        asked = [policy_of(asks), policy_of(asks)]
        usual = searched(random_task(seed), options, 60, asked[0], seed)
        with interpreted():
            other = searched(random_task(seed), options, 60, asked[1], seed, lambda search: simulate.run.use(machine))
            changed += simulate.run.is_compiled
        assert contents(other.tree) == contents(usual.tree)
        assert [p.asked for p in asked if p] == [p.asked for p in asked[::-1] if p]
    assert changed > len(ways) / 2, "else nothing changed over"


@pytest.mark.parametrize("beginning", [0, 3, 25, 99, 100, 101, 799, 800, 6400])
def test_interpreted_a_search_also_pauses_where_it_would_if_compiled(beginning: int) -> None:
    pause, paused = searches.next_pause(beginning, True), [beginning]
    while paused[-1] < pause:
        paused.append(searches.next_pause(paused[-1], False))
    assert paused[-1] == pause
    assert all(0 < b - a <= searches.FIRST_PAUSE for a, b in itertools.pairwise(paused))


@settings(max_examples=WAYS)
@given(tasks, ways, st.integers(1, 40), st.integers(1, 40))
def test_checkpoints_do_not_matter(task: Task, way: tuple[Options, bool], first: int, most: int) -> None:
    options, asks = way
    asked = [policy_of(asks), policy_of(asks)]
    usual = searched(task, options, 150, asked[0])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(searches, "FIRST_PAUSE", first)
        patch.setattr(searches, "next_pause", lambda simulations, is_compiled: simulations + most)
        other = searched(task, options, 150, asked[1])
    assert contents(other.tree) == contents(usual.tree)
    assert [p.asked for p in asked if p] == [p.asked for p in asked[::-1] if p]


@settings(max_examples=WAYS)
@given(tasks, ways, st.integers(1, 150))
def test_a_budget_that_rises_is_as_good_as_a_larger_one(task: Task, way: tuple[Options, bool], before: int) -> None:
    """Where several questions wait for each other, they are asked when the budget is used: so one at a time."""
    options, asks = replace(way[0], batch=1), way[1]
    asked = [policy_of(asks), policy_of(asks)]
    whole, risen = searched(task, options, 150, asked[0]), begun(task, options, asked[1])
    go_on(risen, before, asked[1])
    assert risen.simulations == before
    go_on(risen, 150, asked[1])
    assert contents(risen.tree) == contents(whole.tree)


@settings(max_examples=WAYS)
@given(tasks, ways)
def test_a_tree_that_has_to_grow_all_the_time_is_the_same(task: Task, way: tuple[Options, bool]) -> None:
    options, asks = way
    usual = searched(task, options, 150, policy_of(asks))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Search, "_spare_capacity", least_room)
        narrow = searched(task, options, 150, policy_of(asks))
    assert contents(narrow.tree) == contents(usual.tree)
    assert len(narrow.tree.node_visits) != len(usual.tree.node_visits)


def least_room(search: Search) -> tuple[int, int, int]:
    """Room for one more simulation."""
    return 1, len(search.problem.room_for_actions()), len(search.knowledge.where)


def test_other_seeds_grow_other_trees() -> None:
    trees = [contents(searched(task_with_ghosts(2), Options(worlds="each"), 200, seed=seed).tree) for seed in range(5)]
    assert all(one != other for k, one in enumerate(trees) for other in trees[:k])


# --- counts and values ----------------------------------------------------------------------------------------------------
@settings(max_examples=WAYS)
@given(tasks, ways)
def test_visits_add_up(task: Task, way: tuple[Options, bool]) -> None:
    search = searched(task, replace(way[0], counting="usual"), 150, policy_of(way[1]))
    tree = search.tree
    assert search.simulations == 150
    assert tree.node_visits[0] == 150
    for node in range(tree.used[0]):
        ended = tree.node_visits[node] - sum(tree.edge_visits[e] for e in tree.edges(node))
        assert ended >= 0, "virtual loss is taken back"
        assert node == 0 or ended >= 1, "each node was made by a trial that ended there"
        assert node or not ended or not search.moves
        for edge in tree.edges(node):
            assert tree.edge_node[edge] == node
            assert tree.edge_visits[edge] == sum(tree.node_visits[c] for c in tree.children(edge))


@settings(max_examples=WAYS)
@given(tasks, ways)
def test_visits_add_up_as_algorithm_1_counts_them(task: Task, way: tuple[Options, bool]) -> None:
    search = searched(task, replace(way[0], counting="paper"), 150, policy_of(way[1]))
    tree = search.tree
    assert search.simulations == 150
    assert tree.node_visits[0] == (149 if search.moves else 0), "the first simulation is a rollout from the root"
    for node in range(tree.used[0]):
        assert tree.node_visits[node] == sum(tree.edge_visits[e] for e in tree.edges(node))
        for edge in tree.edges(node):
            ended = tree.edge_visits[edge] - sum(tree.node_visits[c] for c in tree.children(edge))
            assert ended >= (1 if tree.edge_visits[edge] else 0), "a history is rolled out before it has actions"


@settings(max_examples=WAYS)
@given(tasks, ways)
def test_values_are_within_the_range_of_the_reward(task: Task, way: tuple[Options, bool]) -> None:
    options = replace(way[0], reward="goal")
    tree = searched(task, options, 150, policy_of(way[1])).tree
    values = [tree.value(edge) for edge in range(tree.used[1])]
    assert all(value is None or 0.0 <= value <= REWARD * (1 + ROUNDING) for value in values)
    shared = searched(task, replace(options, reward="literals"), 150, policy_of(way[1])).tree
    most = REWARD * STEPS_LEFT * (1 + ROUNDING)
    assert all(-most <= (shared.value(edge) or 0.0) <= most for edge in range(shared.used[1]))


@settings(max_examples=WAYS)
@given(tasks, ways)
def test_priors_are_probabilities(task: Task, way: tuple[Options, bool]) -> None:
    tree = searched(task, way[0], 150, policy_of(way[1])).tree
    for node in range(tree.used[0]):
        priors = [tree.edge_prior[e] for e in tree.edges(node)]
        assert not priors or sum(priors) == pytest.approx(1)
        assert all(prior >= (0.5 if way[1] else 1.0) / len(priors) - 1e-12 for prior in priors)


# --- the policy -----------------------------------------------------------------------------------------------------------
@settings(max_examples=WAYS)
@given(tasks, ways, st.integers(1, 6), st.integers(1, 5))
def test_no_more_is_asked_than_is_allowed_and_nothing_twice(task: Task, way: tuple[Options, bool], most: int,
                                                            batch: int) -> None:
    policy = Rule()
    searched(task, replace(way[0], questions=most, batch=batch), 200, policy)
    assert len(policy.asked) == len(set(policy.asked)) <= most
    assert all(1 <= together <= batch for together in policy.together)


@settings(max_examples=WAYS)
@given(tasks, ways)
def test_with_enough_questions_the_number_makes_no_difference(task: Task, way: tuple[Options, bool]) -> None:
    free, counted = Rule(), Rule()
    whole = searched(task, way[0], 200, free)
    most = max(1, len(free.asked))
    assert contents(searched(task, replace(way[0], questions=most), 200, counted).tree) == contents(whole.tree)
    assert counted.asked == free.asked


@settings(max_examples=WAYS)
@given(tasks, ways)
def test_what_the_policy_knows_is_not_asked_and_counts_for_nothing(task: Task, way: tuple[Options, bool]) -> None:
    policy = Rule()
    first = searched(task, way[0], 200, policy)
    asked = list(policy.asked)
    again = searched(task, replace(way[0], questions=1), 200, policy)
    assert policy.asked == asked
    assert contents(again.tree) == contents(first.tree)


@settings(max_examples=WAYS)
@given(tasks, ways, st.integers(1, 30))
def test_only_what_has_earned_it_is_asked_about(task: Task, way: tuple[Options, bool], earned: int) -> None:
    policy = Rule()
    options = replace(way[0], earned=earned)
    search = begun(task, options, policy)
    root = True
    for requests in search.run(lambda: 200):
        for node in waiting(search) if requests else ():
            assert node == 0 or search.tree.node_visits[node] >= earned
            assert root or node, "the root is asked about first, and once"
        root = root and not requests
        policy.take(requests)


def waiting(search: Search) -> list[int]:
    """The nodes at which trials wait for the policy."""
    rows = search._trials.order[:search._progress[WAITING]]
    return [int(search._trials.node[row]) for row in rows]


@settings(max_examples=WAYS)
@given(tasks, ways)
def test_a_question_tells_the_way_and_what_is_known_there(task: Task, way: tuple[Options, bool]) -> None:
    policy = Rule()
    search = searched(task, way[0], 100, policy)
    for request in policy.requests:
        room, _, _, held = task.knowledge.robot.tolist()
        for step in (step for steps in request.path for step in steps):
            kind, index = step & KIND, step & ~KIND
            room = index if kind == GO else room
            held = index if kind == GRAB else -1 if kind == PUT else held
        assert request.knowledge.robot[[ROOM, HELD]].tolist() == [room, held]
        assert (request.knowledge.where >= -1).tolist() == request.knowledge.known.tolist(), "never where a ghost really is"
        assert list(request.moves) == task.problem.moves(request.knowledge, searches.ACTIONS[search.options.actions])


# --- the operator ---------------------------------------------------------------------------------------------------------
@settings(max_examples=WAYS)
@given(tasks, ways, st.integers(0, 30), st.integers(1, 70))
def test_deepening_is_on_top_of_the_budget(task: Task, way: tuple[Options, bool], which: int, visits: int) -> None:
    options, policy = way[0], policy_of(way[1])
    search = searched(task, options, 60, policy)
    if not search.moves:
        return
    before, edge = search.visits(), which % len(search.moves)
    search.deepen(edge, visits)
    go_on(search, 60, policy)
    more = np.zeros(len(before), int)
    more[edge] = visits
    assert (search.visits() - before).tolist() == more.tolist()
    search.deepen(None, 0)
    go_on(search, 60, policy)
    assert len(set(search.visits().tolist())) == 1


@settings(max_examples=WAYS)
@given(tasks, ways)
def test_what_is_banned_is_not_tried_unless_all_is(task: Task, way: tuple[Options, bool]) -> None:
    moves = begun(task, way[0]).moves
    for banned in (moves[::2], moves):
        steps = {move.steps for move in banned}
        search = Search(task.problem, task.knowledge, task.ghosts, task.belief, way[0], None, np.random.default_rng(0),
                        STEPS_LEFT, steps.__contains__)
        go_on(search, 30)
        left = [move for move in moves if move.steps not in steps]
        assert search.moves == (left or moves)


# --- the worlds drawn -----------------------------------------------------------------------------------------------------
def drawn(search: Search) -> State:
    """The world of the newest trial."""
    trials, row = search._trials, search._trials.order[0]
    return State(trials.robot[row], trials.opened[row], trials.where[row], trials.known[row], trials.looked[row])


def worlds(task: Task, kind: str, number: int) -> list[tuple[int, tuple[int, ...]]]:
    """The root edge of each trial, and where it had the ghosts."""
    found: list[tuple[int, tuple[int, ...]]] = []
    search = begun(task, Options(worlds=kind, depth=1, rollout="none", exploration=50.0))
    for count in range(1, number + 1):
        before = search.visits()
        go_on(search, count)
        found.append((int(np.flatnonzero(search.visits() - before)[0]), tuple(drawn(search).where[list(task.ghosts)].tolist())))
    return found


def task_with_ghosts(number: int) -> Task:
    """The first task in which so many are to be found and several things can be done."""
    tasks = (task for task in map(random_task, range(1000)) if len(task.ghosts) >= number)
    return next(task for task in tasks if len(begun(task, Options()).moves) > 2 and (task.belief > 0).sum() > 4 * number)


def test_worlds_follow_the_belief() -> None:
    task, number = task_with_ghosts(2), 4000
    seen = [places for _, places in worlds(task, "each", number)]
    for k, row in enumerate(task.belief):
        counts = Counter(places[k] for places in seen)
        likely = np.flatnonzero(row)
        assert set(counts) <= set(likely.tolist()), "nothing is where it cannot be"
        chi_square = sum((counts[int(p)] - number * row[p]) ** 2 / (number * row[p]) for p in likely)
        freedom = len(likely) - 1
        assert chi_square < freedom + 4 * np.sqrt(2 * freedom), "of the seed: it is the same each time"
    both = Counter((places[0], places[1]) for places in seen)
    together = sum((both[(int(a), int(b))] - number * task.belief[0][a] * task.belief[1][b]) ** 2
                   / (number * task.belief[0][a] * task.belief[1][b])
                   for a in np.flatnonzero(task.belief[0]) for b in np.flatnonzero(task.belief[1]))
    freedom = (task.belief[0] > 0).sum() * (task.belief[1] > 0).sum() - 1
    assert together < freedom + 4 * np.sqrt(2 * freedom), "and two ghosts know nothing of each other"


def test_common_worlds_are_the_same_for_each_action() -> None:
    met: dict[int, list[tuple[int, ...]]] = {}
    for edge, places in worlds(task_with_ghosts(1), "common", 300):
        met.setdefault(edge, []).append(places)
    assert len(met) > 1
    longest = max(met.values(), key=len)
    assert all(places == longest[:len(places)] for places in met.values())
    assert len(set(longest)) > 1


def test_one_world_is_one() -> None:
    assert len({places for _, places in worlds(task_with_ghosts(1), "one", 100)}) == 1


def test_a_tree_says_what_its_fields_hold() -> None:
    """The shapes of the docstring."""
    tree: Tree = searched(random_task(3), Options(), 50).tree
    nodes, edges, _ = tree.used.tolist()
    assert tree.node_parent[0] == -1
    for node in range(1, nodes):
        edge = int(tree.node_parent[node])
        assert node in tree.children(edge)
        assert tree.edge_node[edge] < node
        assert tree.line(node)[-1] == node
    assert sorted(e for node in range(nodes) for e in tree.edges(node)) == list(range(edges))


LAYOUT = Layout(
    (("kitchen_1", "kitchen"), ("bedroom_1", "bedroom")),
    (Place("fridge_1", "fridge", "inside", 0, True), Place("table_1", "table", "on", 0, False),
     Place("box_1", "box", "inside", 1, True), Place("bed_1", "bed", "on", 1, False)))
THINGS = 3


@pytest.fixture(scope="module")
def tree() -> Tree:
    """Of two thousand simulations: thousands of nodes, many with as many visits as others."""
    problem = Problem(LAYOUT, (Want((0, 1, 2), (0,), THINGS),), THINGS)
    knowledge = knowledge_of((0, -1, -1, -1), np.zeros(4, np.bool_), (NOWHERE,) * THINGS, np.zeros(4, np.bool_))
    belief, options = np.full((THINGS, 4), 0.25), Options(rollout="uniform", actions="relevant")
    search = Search(problem, knowledge, range(THINGS), belief, options, None, np.random.default_rng(0), 20)
    for _ in search.run(lambda: 2000):
        pass
    return search.tree


def parent_of(tree: Tree, node: int) -> int:
    return int(tree.edge_node[tree.node_parent[node]]) if tree.node_parent[node] >= 0 else -1


@pytest.mark.parametrize("most", [1, 2, 17, 300, 1_000_000])
def test_the_most_visited_come_first_and_the_rest_is_counted(tree: Tree, most: int) -> None:
    count = int(tree.used[NODES])
    assert count > 500
    by_hand = sorted(range(count), key=lambda node: (-tree.node_visits[node], node))[:most]
    shown, parents, left_out = most_visited(tree, most)
    assert shown.tolist() == by_hand
    assert [shown[p] if p >= 0 else -1 for p in parents] == [parent_of(tree, node) for node in by_hand]
    below = [node for node in range(1, count) if parent_of(tree, node) in set(by_hand)]
    assert left_out == len(set(below) - set(by_hand))


def test_parents_come_before_their_children(tree: Tree) -> None:
    _, parents, _ = most_visited(tree, 300)
    assert parents[0] == -1
    assert all(parent < place for place, parent in enumerate(parents))
