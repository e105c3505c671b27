"""Differences between the views of facets: what is new, gone, moved or changed, and by how much."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.planners.bcr.recorded_types import BlockingNode, BlockingTree
from core.planners.llm_state.recorded_types import StateDictionary, StateEntry
from core.planners.neoplanner.recorded_types import StateEdge, StateGraph, StateNode
from core.planning.belief_facets import Belief
from core.planning.facets import Facet, view_of
from core.planning.search_facets import RankedAction, Ranking, SearchTree, TreeNode
from core.recording.types import FACETS
from core.views import diff as diffs
from core.views.diff import LEAST, Aligned, Difference
from core.views.values import View
from core.world.vocabulary import Action, in_words
from tests.core.recording import strategies
from tests.core.views import drawn
from tests.long_tests import either

GO, OPEN, GRAB = Action("walk", ("kitchen_1",)), Action("open", ("fridge_1",)), Action("grab", ("apple_1",))


def ranked(*rows: tuple[Action, int, float]) -> Ranking:
    return Ranking(tuple(RankedAction((action,), 0.5, visits, value, 0.5, 0.0) for action, visits, value in rows), 9, 9)


def diff(left: Facet | None, right: Facet | None) -> tuple[Difference, ...]:
    return diffs.diff(None if left is None else view_of(left), None if right is None else view_of(right))


def aligned(left: Facet | None, right: Facet | None) -> tuple[Aligned, ...]:
    return diffs.aligned(None if left is None else view_of(left), None if right is None else view_of(right))


def told(rows: tuple[Difference, ...]) -> list[tuple[str, str, dict[str, tuple[str, str]]]]:
    return [(row.kind, row.name, {change.name: (change.left, change.right) for change in row.changes}) for row in rows]


def test_a_ranking_says_new_gone_moved_and_by_how_much() -> None:
    rows = diff(ranked((GO, 40, 0.5), (OPEN, 10, 0.25)), ranked((OPEN, 30, 0.5), (GO, 40, 0.5), (GRAB, 5, 0.0)))
    assert told(rows)[:2] == [
        ("moved", "walk to kitchen_1", {"": ("rank 1", "rank 2")}),
        ("moved", "open fridge_1", {"": ("rank 2", "rank 1"), "N": ("10", "30"), "Q": ("0.25", "0.5")})]
    assert [change.by for change in rows[1].changes] == [None, 20, 0.25]
    assert (rows[2].kind, rows[2].name, rows[2].changes[0].right) == ("new", "grab apple_1", "rank 3")
    assert [row.kind for row in diff(ranked((GO, 1, 0.0)), None)] == ["gone"]


def test_a_tree_is_compared_by_the_ways_through_it() -> None:
    def tree(*nodes: tuple[int, int, Action | None, int]) -> SearchTree:
        return SearchTree(tuple(TreeNode(k, parent, action, (), visits, 0.0, 0.5) for k, parent, action, visits in nodes), 0)

    left = tree((0, -1, None, 9), (1, 0, GO, 5), (2, 1, OPEN, 3))
    right = tree((0, -1, None, 9), (7, 0, OPEN, 2), (8, 0, GO, 7), (9, 8, OPEN, 3))
    assert told(diff(left, right))[0][:2] == ("new", "open fridge_1")
    [changed] = [row for row in diff(left, right) if row.kind == "changed"]
    assert (changed.name, changed.changes[0].by) == ("walk to kitchen_1", 2)
    assert len(diff(left, right)) == 2, "the ids of nodes mean nothing"


def test_inside_and_on_top_of_one_place_are_two_cells() -> None:
    def belief(*row: float) -> Belief:
        none = np.zeros((1, 2), bool)
        return Belief(("apple",), ("apple",), (True,), (None,), ("fridge_1", "fridge_1"), np.array([row]), np.array([row]),
                      none[0], none, none)

    cells = {row.name: row.changes[0].by for row in diff(belief(0.75, 0.25), belief(0.875, 0.125))}
    assert cells == {"apple · fridge_1": 0.125, "apple · fridge_1, on top": -0.125}


def test_a_belief_says_where_an_object_went_and_each_cell() -> None:
    def belief(*row: float, found: str | None = None) -> Belief:
        none = np.zeros((1, 3), bool)
        return Belief(("apple",), ("apple",), (True,), (found,), ("table_1", "fridge_1", "sofa_1"), np.array([row]),
                      np.array([row]), np.zeros(3, bool), none, none)

    rows = told(diff(belief(0.6, 0.4, 0.0), belief(0.25, 0.5, 0.25)))
    assert rows[0] == ("moved", "apple", {"": ("most likely table_1", "most likely fridge_1")})
    assert ("new", "apple · sofa_1", {"p": ("", "0.25")}) in rows
    assert ("changed", "apple · table_1", {"p": ("0.6", "0.25")}) in rows
    assert diff(belief(0.1 + 0.2, 0.7, 0), belief(0.3, 0.7, 0)) == (), "rounding is no difference"
    assert told(diff(belief(0, 1.0, 0), belief(0, 1.0, 0, found="apple_3")))[0][2][""][1] == "found: apple_3"


def test_dictionary_blocking_tree_and_state_graph() -> None:
    left = StateDictionary((StateEntry("mug1", attributes=("clean", "closed")),), "before")
    right = StateDictionary((StateEntry("mug1", attributes=("clean", "hot")), StateEntry("sink1")), "after")
    assert told(diff(left, right)) == [("new", "mug 1 › hot", {}), ("new", "sink 1", {}), ("gone", "closed", {}),
                                       ("changed", "Summary", {"": ("before", "after")})]

    def blocking(parent: int, state: str) -> BlockingTree:
        top = [BlockingNode(k, -1, "goal", f"goal {k}", "open") for k in (1, 2)]
        return BlockingTree((*top, BlockingNode(3, parent, "action", "open it", state)))  # type: ignore[arg-type]

    assert told(diff(blocking(1, "blocked"), blocking(2, "chosen"))) == [
        ("moved", "action: open it", {"": ("below: goal 1", "below: goal 2")} | {"": ("blocked", "chosen")})]

    def graph(*nodes: StateNode, edges: tuple[StateEdge, ...] = ()) -> StateGraph:
        return StateGraph(nodes, edges, 2)

    hall, cellar = StateNode(2, "hall", "", 0.5, 1.0, 3, 1, 0, 4, True), StateNode(3, "cellar", "", 0.0, 1.0, 1, 0, 0, 4, True)
    rows = diff(graph(hall), graph(replace(hall, value=0.75), cellar, edges=(StateEdge(2, 3, ("down",), 0.1),)))
    assert [(row.kind, row.name) for row in rows] == [("new", "cellar"), ("new", "hall → cellar: down"), ("changed", "hall")]
    assert rows[2].changes[0].by == 0.25


@pytest.mark.parametrize("kind", FACETS, ids=lambda kind: kind.__name__)
@settings(max_examples=either(4, 50), deadline=None)
@given(data=st.data())
def test_any_two_facets_differ_the_other_way_round_in_reverse(kind: type, data: st.DataObject) -> None:
    left, right = data.draw(strategies.of(kind)), data.draw(strategies.of(kind))
    assert diff(left, left) == ()
    assert diff(None, None) == ()
    there, back = diff(left, right), diff(right, left)
    swapped = {"new": "gone", "gone": "new", "moved": "moved", "changed": "changed"}
    assert Counter((row.kind, row.name) for row in there if row.kind != "moved") == Counter(
        (swapped[row.kind], row.name) for row in back if row.kind != "moved")
    assert sum(row.kind == "moved" for row in there) == sum(row.kind == "moved" for row in back)


@given(drawn.SOUND, drawn.SOUND)
def test_any_two_views_differ_the_other_way_round_in_reverse(left: View, right: View) -> None:
    assert diffs.diff(left, left) == ()
    there, back = diffs.diff(left, right), diffs.diff(right, left)
    assert Counter(row.name for row in there if row.kind == "new") == Counter(row.name for row in back if row.kind == "gone")
    assert len(there) == len(back)


# --- side by side ----------------------------------------------------------------
@st.composite
def trees(draw: st.DrawFn) -> SearchTree:
    """A tree of few actions, each child visited no more often than its parent."""
    nodes = [TreeNode(0, -1, None, (), 40, 1.0, 1.0)]
    taken = set()
    for number in range(1, draw(st.integers(1, 14))):
        parent = draw(st.sampled_from(nodes))
        action = Action("walk", (draw(st.sampled_from("abc")),))
        if (parent.id, action) not in taken:
            taken.add((parent.id, action))
            visits = draw(st.integers(0, parent.visits))
            nodes.append(TreeNode(number, parent.id, action, (), visits, draw(st.sampled_from([0.0, 0.5, 1.0])), 0.1))
    return SearchTree(tuple(nodes), 0)


Way = tuple[tuple[Action | None, tuple[tuple[str, str], ...]], ...]


def by_way(tree: SearchTree) -> dict[Way, TreeNode]:
    """The nodes of a tree by the actions and observations that lead to them: the plain way to tell which are the same."""
    ways: dict[int, Way] = {}
    for node in tree.nodes:
        ways[node.id] = (*ways.get(node.parent, ()), (node.action, node.observed))
    return {ways[node.id]: node for node in tree.nodes}


def figures(node: TreeNode | None) -> tuple[float, ...] | None:
    return None if node is None else (node.visits, node.value, node.prior)


@given(trees(), trees())
def test_two_trees_stand_side_by_side_as_in_a_plain_comparison(left: SearchTree, right: SearchTree) -> None:
    ours, theirs = by_way(left), by_way(right)

    def visits(way: Way) -> tuple[int, ...]:
        return tuple(-1 if way not in nodes else nodes[way].visits for nodes in (ours, theirs))

    expected = []
    left_over: list[Way] = [way for way in {**ours, **theirs} if len(way) == 1]
    while left_over:
        way = left_over.pop()
        expected.append((len(way) - 1, figures(ours.get(way)), figures(theirs.get(way)),
                         "start" if way[-1][0] is None else in_words(way[-1][0])))
        children = [w for w in {**ours, **theirs} if w[:-1] == way and (len(w) == 2 or max(visits(w)) >= LEAST)]
        left_over += sorted(children, key=visits)
    found = [(row.depth, *(None if item is None else tuple(dict(item.values)[name] for name in ("N", "Q", "P"))
                           for item in (row.left, row.right)), row.name) for row in aligned(left, right)]
    assert found == expected


@given(trees(), trees())
def test_trees_differ_as_in_a_plain_comparison(left: SearchTree, right: SearchTree) -> None:
    ours, theirs = by_way(left), by_way(right)
    kinds = {way: "gone" if way not in theirs else "new" if way not in ours else
             "" if figures(ours[way]) == figures(theirs[way]) else "changed" for way in {**ours, **theirs}}
    names = {way: " › ".join(in_words(action) for action, _ in way[1:] if action is not None) or "start" for way in kinds}
    assert Counter((row.kind, row.name) for row in diff(left, right)) == Counter(
        (kind, names[way]) for way, kind in kinds.items() if kind)


@given(trees())
def test_a_tree_beside_itself_has_no_marks(tree: SearchTree) -> None:
    assert all(row.kind == "same" for row in aligned(tree, tree))
    assert all(row.kind == "new" and row.left is None for row in aligned(None, tree))
