"""What differs between two facets of a kind: what is new, gone, moved or changed, and by how much.

A kind of facet that is a collection has a function in `ITEMS` or `TREES` that lists its items. All other kinds, also those of
other packages, are compared part by part. Two items are the same if their keys are equal, whatever their order.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeVar

import numpy as np

from core.planners.bcr.recorded_types import BlockingTable, BlockingTree
from core.planners.llm_state.recorded_types import StateDictionary
from core.planners.neoplanner.recorded_types import Learnings, StateGraph
from core.planning.belief_facets import Belief
from core.planning.companion import CompanionDecision
from core.planning.facets import Facet, Plan
from core.planning.search_facets import Ranking, SearchTree, TreeNode
from core.session.snapshot import Snapshot
from core.views.fields import parts_of
from core.world.vocabulary import Action, in_words

T = TypeVar("T")
Kind = Literal["new", "gone", "moved", "changed"]
ORDER: tuple[Kind, ...] = ("moved", "new", "gone", "changed")
Leaf = float | str | frozenset[str] | None
MOST_PARTS = 4000
"""Parts of a facet without items that are compared; the rest counts as one part."""
ROOT, EMPTY, STEP = "start", "–", " › "
Ways = dict[tuple[Hashable, ...], int]
"""Numbers of the nodes of two trees, by the number of the parent (-1 above the roots) and the step that leads from it.

Nodes of both trees to which the same steps lead have the same number. A parent has a smaller number than its children.
"""
ROUNDING = 1e-12
"""The largest difference of two figures, relative and absolute, that comes from the order in which they were added up."""
LEAST = 2
"""Visits from which nodes below the root's actions are compared side by side."""


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a facet.

    Attributes:
        key: identifies it among the items of its facet.
        name: what it is called.
        place: where it stands in the facet, as text; two items of one name and other places are one that moved.
        values: its quantities and states by name.
    """

    key: Hashable
    name: str
    place: str = ""
    values: tuple[tuple[str, Leaf], ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """One value of an item on both sides.

    Attributes:
        by: right minus left, for numbers; else None.
    """

    name: str
    left: str
    right: str
    by: float | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """An item that is not the same on both sides.

    Attributes:
        kind: new: only on the right; gone: only on the left; moved: in another place; changed: other values.
        changes: the values that differ; of a new or gone item all values, with the other side empty.
    """

    kind: Kind
    name: str
    changes: tuple[Change, ...] = ()

    @property
    def size(self) -> float:
        """The largest change of a number, in absolute value; infinite if something is new, gone, moved or no number."""
        sizes = [abs(change.by) if change.by is not None and not math.isnan(change.by) else math.inf for change in self.changes]
        return max(sizes, default=math.inf) if self.kind == "changed" else math.inf


@dataclass(frozen=True, slots=True)
class Aligned:
    """An action of two rankings, or a node of two search trees, in one row.

    Attributes:
        depth: the depth of the node, from 0; 0 in a ranking.
        left, right: its item on each side; None: the side does not have it.
    """

    depth: int
    left: Item | None
    right: Item | None

    @property
    def name(self) -> str:
        """The action; of a node, that of its last step."""
        item = self.left or self.right
        assert item is not None, "one side has it"
        return item.name.rpartition(STEP)[2]

    @property
    def kind(self) -> Kind | Literal["same"]:
        """How both sides differ, as in `Difference`."""
        if self.left is None or self.right is None:
            return "new" if self.left is None else "gone"
        if self.left.place != self.right.place:
            return "moved"
        return "same" if next(_changes(self.left, self.right), None) is None else "changed"


def aligned(left: Facet | None, right: Facet | None) -> tuple[Aligned, ...]:
    """Returns the rows of two rankings or two search trees side by side; of other kinds none.

    The actions of a ranking come in the order of the left one, then those that only the right one has. The nodes of a tree come
    below their parents, the most visited one first; those that both sides visited less than `LEAST` times are left out, unless
    they are at the root.
    """
    if not isinstance(left or right, Ranking | SearchTree):
        return ()
    ways: Ways = {}
    ours, theirs = _by_key(left, ways), _by_key(right, ways)
    if isinstance(left or right, Ranking):
        return tuple(Aligned(0, ours.get(key), theirs.get(key)) for key in dict.fromkeys((*ours, *theirs)))
    visits = [(_visits(ours.get(key)), _visits(theirs.get(key))) for key in range(len(ways))]
    depths, below = [0] * len(ways), {key: list[int]() for key in range(-1, len(ways))}
    for (parent, *_), key in ways.items():
        assert isinstance(parent, int), "see Ways"
        depths[key] = depths[parent] + 1 if parent >= 0 else 0
        if depths[key] <= 1 or max(visits[key]) >= LEAST:
            below[parent].append(key)
    rows, left_over = [], below[-1]
    while left_over:
        key = left_over.pop()
        rows.append(Aligned(depths[key], ours.get(key), theirs.get(key)))
        left_over += sorted(below[key], key=visits.__getitem__)  # the last one comes first
    return tuple(rows)


def _visits(item: Item | None) -> float:
    if item is None:
        return -1.0
    visits = dict(item.values)["N"]
    assert isinstance(visits, int | float), "see _of_tree"
    return visits


def facets_of(decision: CompanionDecision, driving: Snapshot) -> Snapshot:
    """Returns the snapshot of the driving planner with the companion's facets of that turn in place of its own."""
    return dataclasses.replace(driving, facets=MappingProxyType({type(f): (f, driving.moment) for f in decision.facets}))


def diff(left: Facet | None, right: Facet | None) -> tuple[Difference, ...]:
    """Returns how the right facet differs from the left one: what moved, is new and is gone, then what changed, by size.

    None stands for a facet without items. Both are of the same kind, or one is None.
    """
    ways: Ways = {}
    ours, theirs = _by_key(left, ways), _by_key(right, ways)
    both = [_compared(ours[key], theirs[key]) for key in ours if key in theirs]
    gone = [item for key, item in ours.items() if key not in theirs]
    new = [item for key, item in theirs.items() if key not in ours]
    rows = [*_moved(gone, new), *(row for row in both if row is not None)]
    return tuple(sorted(rows, key=lambda row: (ORDER.index(row.kind), -row.size)))


def _by_key(facet: Facet | None, ways: Ways) -> dict[Hashable, Item]:
    """Returns the items of a facet by key. Call it with the same `ways` for both facets."""
    if facet is None:
        return {}
    of_tree = TREES.get(type(facet))
    items = of_tree(facet, ways) if of_tree is not None else ITEMS.get(type(facet), _parts)(facet)
    return {item.key: item for item in items}


def _compared(left: Item, right: Item) -> Difference | None:
    if left.values == right.values and left.place == right.place:
        return None
    changes = tuple(_changes(left, right))
    if left.place != right.place:
        return Difference("moved", right.name, (Change("", left.place, right.place), *changes))
    return Difference("changed", right.name, changes) if changes else None


def _changes(left: Item, right: Item) -> Iterator[Change]:
    before, after = dict(left.values), dict(right.values)
    for name in {**before, **after}:
        one, other = before.get(name), after.get(name)
        if not _is_same(one, other):
            by = other - one if isinstance(one, float | int) and isinstance(other, float | int) else None
            if isinstance(one, frozenset) and isinstance(other, frozenset):
                yield Change(name, _listed(one - other), _listed(other - one))
            else:
                yield Change(name, _text(one), _text(other), by)


def _is_same(one: Leaf, other: Leaf) -> bool:
    """Returns True for equal values, for NaN twice, and for numbers that differ by no more than rounding."""
    if isinstance(one, float) and isinstance(other, float):
        return (math.isnan(one) and math.isnan(other)) or math.isclose(one, other, rel_tol=ROUNDING, abs_tol=ROUNDING)
    return one == other


def _moved(gone: list[Item], new: list[Item]) -> Iterator[Difference]:
    """Yields what is gone and what is new. An item whose name is on both lists once has moved."""
    names = [Counter(item.name for item in items) for items in (gone, new)]
    arrived = {item.name: item for item in new}
    once = {name for name, n in names[0].items() if n == 1 == names[1][name] and arrived[name].place}
    for item in gone:
        if item.name in once:
            other = arrived[item.name]
            yield Difference("moved", item.name, (Change("", item.place, other.place), *_changes(item, other)))
        else:
            yield Difference("gone", item.name, tuple(Change(n, text, "") for n, text in _all(item)))
    yield from (Difference("new", item.name, tuple(Change(n, "", text) for n, text in _all(item)))
                for item in new if item.name not in once)


def _all(item: Item) -> Iterator[tuple[str, str]]:
    """Yields the place and the values of an item as text, without those that are empty."""
    texts = (("", item.place), *((name, _text(value)) for name, value in item.values))
    yield from (pair for pair in texts if pair[1] not in ("", EMPTY))


def _text(value: Leaf) -> str:
    if value is None:
        return EMPTY
    if isinstance(value, frozenset):
        return _listed(value)
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _listed(values: Iterable[str]) -> str:
    return ", ".join(sorted(values))


# --- the items of our kinds ------------------------------------------------------
def _of_plan(plan: Plan) -> Iterator[Item]:
    for action, rank, key in _numbered(plan.actions, by=in_words):
        yield Item(key, in_words(action), f"step {rank}")


def _of_ranking(ranking: Ranking) -> Iterator[Item]:
    for rank, row in enumerate(ranking.actions, 1):
        values = (("P", row.prior), ("N", row.visits), ("Q", row.value), ("loss", row.loss))
        yield Item(row.steps, ", then ".join(map(in_words, row.steps)), f"rank {rank}", values)


def _of_tree(tree: SearchTree, ways: Ways) -> Iterator[Item]:
    """Yields the nodes; a node is the same if the same actions and observations lead to it from the root."""
    keys: dict[int, int] = {}
    names: dict[int, str] = {}
    words: dict[tuple[Hashable, ...], str] = {}
    best, states = frozenset(tree.expected), {}
    for marks in itertools.product((False, True), repeat=2):
        states[marks] = frozenset(itertools.compress(("on the best line", "goal"), marks))
    for node in tree.nodes:
        step = node.action, node.observed
        if step not in words:
            words[step] = _step_words(node)
        parent = keys.get(node.parent, -1)
        keys[node.id] = key = ways.setdefault((parent, *step), len(ways))
        before = names.get(node.parent, "")
        name = f"{before}{STEP}{words[step]}" if before else words[step]
        names[node.id] = name if parent >= 0 else ""  # a way is told from the root's actions on
        state = states[node.id in best, node.reached]
        yield Item(key, name, "", (("N", node.visits), ("Q", node.value), ("P", node.prior), ("", state)))


def _step_words(node: TreeNode) -> str:
    words = in_words(node.action) if node.action is not None else ROOT
    return words + (f" [{', '.join(f'{what} {where}' for what, where in node.observed)}]" if node.observed else "")


def _of_belief(belief: Belief) -> Iterator[Item]:
    """Yields a row for each object, placed where it was found or is most likely, and a cell for each place that is possible."""
    shape = len(belief.objects), len(belief.places)
    arrays = belief.probability, belief.pinned, belief.zeroed
    if any(array.shape != shape for array in arrays) or len(belief.located) != shape[0]:
        yield from _parts(belief)  # of a file from another program
        return
    places = [key for _, _, key in _numbered(belief.places, by=str)]  # furniture with two columns: its inside, then its top
    for k, name in enumerate(belief.objects):
        row = belief.probability[k]
        found = belief.located[k]
        where = belief.places[int(row.argmax())] if len(row) else ""
        yield Item(name, name, f"found: {found}" if found is not None else f"most likely {where}")
        for place in map(int, np.flatnonzero(row)):
            flags = ("pinned", belief.pinned), ("ruled out", belief.zeroed)
            marks = frozenset(word for word, array in flags if array[k, place])
            yield Item((name, *places[place]), f"{name} · {places[place][0]}{', on top' * (places[place][1] > 1)}", "",
                       (("p", float(row[place])), ("", marks)))


def _of_dictionary(dictionary: StateDictionary) -> Iterator[Item]:
    for entry in dictionary.entries:
        yield Item(entry.name, entry.name, "", (("", frozenset(entry.attributes)), ("locked", str(entry.locked))))
    yield Item("summary", "Summary", "", (("", dictionary.summary),))


def _of_blocking(tree: BlockingTree, ways: Ways) -> Iterator[Item]:
    """Yields the nodes; a node is the same if it stands below the same nodes, by their texts."""
    keys: dict[int, int] = {}
    texts = {node.id: node.text for node in tree.nodes}
    for node in tree.nodes:
        keys[node.id] = key = ways.setdefault((keys.get(node.parent, -1), node.kind, node.text), len(ways))
        place = f"below: {texts[node.parent]}" if node.parent in texts else "goal"
        yield Item(key, f"{node.kind}: {node.text}", place, (("", node.state),))


def _of_table(table: BlockingTable) -> Iterator[Item]:
    for part, rows in (("is blocked by", table.blocked_by), ("is resolved by", table.resolved_by)):
        yield from (Item((part, row.name), f"{row.name} {part}", "", (("", frozenset(row.entries)),)) for row in rows)


def _of_graph(graph: StateGraph) -> Iterator[Item]:
    """Yields states, named by what they are, and transitions; numbers of states differ from run to run."""
    names = {node.id: f"{node.title} · {node.detail}" if node.detail else node.title for node in graph.nodes}
    path = frozenset(graph.path)
    for node, _, key in _numbered(graph.nodes, by=lambda node: names[node.id]):
        marks = frozenset(word for word, holds in (("here", node.id == graph.here), ("on the path", node.id in path)) if holds)
        values = (("V", node.value), ("bound", node.bound), ("n", node.visits), ("tried", node.tried), ("", marks))
        yield Item(key, names[node.id], "", values)
    for edge in graph.edges:
        name = f"{names.get(edge.source, edge.source)} → {names.get(edge.target, 'refused')}"
        yield from (Item((name, action), f"{name}: {action}", "", (("r", edge.reward),)) for action in edge.actions)


def _of_learnings(learnings: Learnings) -> Iterator[Item]:
    for axiom, rank, key in _numbered(learnings.axioms, by=lambda axiom: axiom.text):
        yield Item(key, axiom.text, f"number {rank}")


def _of_companion(decision: CompanionDecision) -> Iterator[Item]:
    for name, text in (("driving planner", decision.driving), ("companion", decision.action)):
        yield Item(name, name, "", (("", None if text is None else in_words(text)),))
    yield Item("because", "because", "", (("", decision.because),))
    yield Item("calls", "calls", "", (("n", decision.spent[0]),))


def _numbered(items: Iterable[T], by: Callable[[T], Hashable]) -> Iterator[tuple[T, int, tuple[Hashable, int]]]:
    """Yields each item with its number from 1, and a key that tells equal items apart by their order."""
    seen: Counter[Hashable] = Counter()
    for rank, item in enumerate(items, 1):
        seen[by(item)] += 1
        yield item, rank, (by(item), seen[by(item)])


# --- any other kind ----------------------------------------------------------------
def _parts(facet: Facet) -> Iterator[Item]:
    """Yields each number, text or flag of a facet, named by the way that leads to it."""
    found = list(itertools.islice(_leaves("", facet), MOST_PARTS))
    return (Item(name, name or "value", "", (("", leaf),)) for name, leaf in found)


def _leaves(name: str, value: object) -> Iterator[tuple[str, Leaf]]:
    if isinstance(value, Action):
        yield name, in_words(value)
    elif isinstance(value, np.ndarray):
        flat = value.ravel()
        yield from ((f"{name}[{k}]", float(x)) for k, x in enumerate(flat)) if value.dtype.kind in "biuf" else ()
    elif isinstance(value, frozenset | set):
        yield name, frozenset(map(str, value))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield name, value
    else:
        parts = list(parts_of(value))
        if not parts:
            yield name, str(value) if value not in ((), None) else None
        for part, inner in parts:
            words = part.replace("_", " ")
            number = str(int(part) + 1) if part.isdecimal() else words
            yield from _leaves(f"{name} {number}".strip(), inner)


ITEMS: Mapping[type[Facet], Callable[..., Iterator[Item]]] = MappingProxyType({
    Plan: _of_plan, Ranking: _of_ranking, Belief: _of_belief, StateDictionary: _of_dictionary, BlockingTable: _of_table,
    StateGraph: _of_graph, Learnings: _of_learnings, CompanionDecision: _of_companion,
})
"""The kinds that are collections, with what lists their items."""
TREES: Mapping[type[Facet], Callable[..., Iterator[Item]]] = MappingProxyType({
    SearchTree: _of_tree, BlockingTree: _of_blocking,
})
"""The kinds that are trees, with what lists their nodes and numbers them; see `Ways`."""
