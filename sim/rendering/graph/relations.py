"""What the graph says: which node is in which room, on and in what, and what furniture faces."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from sim.rendering.graph.classes import AS_ON, BUILDING, CLASSES, NO_HOLDERS, Entry, class_of, entry_of
from sim.rendering.graph.graph_reader import Graph, Node

FACED: Final = frozenset({"television", "computer", "cpuscreen", "laptop"})
"""Targets of FACING that furniture is turned to. The graphs also list FACING towards every drawing in view."""
SITTING: Final = frozenset({"couch", "chair", "bench", "bed", "bookshelf", "armchair", "sofa"})
"""Furniture whose FACING edges tell how it stands."""
Edges = dict[str, dict[int, list[int]]]


@dataclass(frozen=True)
class Relations:
    """An indexed graph.

    Attributes:
        nodes: id -> node.
        edges: relation -> id -> ids.
        room_ids: node ids of the rooms.
        room_of: node id -> index of its room.
        entries: everything that becomes a thing.
        parent: what a node lies on or in, and True if in.
    """

    nodes: dict[int, Node]
    edges: Edges
    room_ids: list[int]
    room_of: dict[int, int]
    entries: dict[int, Entry] = field(default_factory=dict)
    parent: dict[int, tuple[int, bool] | None] = field(default_factory=dict)

    def name(self, node: int) -> str:
        """Returns a node's class by the name used here."""
        return class_of(self.nodes[node])

    def room_name(self, node: int) -> str:
        """Returns the class of the room a node is in."""
        return self.name(self.room_ids[self.room_of[node]])

    def on_furniture(self, node: int) -> bool:
        """Returns True if a piece that could stand on the floor stands on another piece."""
        parent = self.parent[node]
        if parent is None or self.entries[parent[0]].place == "rug":
            return False
        height = self.entries[node].size[2]
        return height < 0.6 and self.entries[parent[0]].size[2] > height

    def placed(self, *places: str) -> list[int]:
        """Returns the nodes with these kinds of place by area, largest first."""
        members = [i for i, e in self.entries.items() if e.place in places]
        return sorted(members, key=lambda i: (-self.entries[i].size[0] * self.entries[i].size[1], i))

    def root(self, node: int) -> int:
        """Returns the furniture a node finally stands on."""
        seen = {node}
        while (parent := self.parent.get(node)) and parent[0] not in seen:
            node = parent[0]
            seen.add(node)
        return node

    def faced_by(self, node: int) -> set[int]:
        """Returns the furniture that carries what this piece is FACING, and that faces what this piece carries."""
        return {f for f in self._facing.get(node, ()) if f != node and self.room_of[f] == self.room_of[node]}

    @cached_property
    def _facing(self) -> dict[int, set[int]]:
        """Returns both sides of every FACING edge that counts. Cached, because each piece asks and there may be many edges."""
        found: dict[int, set[int]] = defaultdict(set)
        for source, targets in self.edges["FACING"].items():
            if self.name(source) in SITTING:
                for root in {self.root(t) for t in targets if self.name(t) in FACED and t in self.entries}:
                    found[source].add(root)
                    if source in self.entries and source != root:
                        found[root].add(source)
        return found


def relations_of(graph: Graph) -> Relations:
    """Returns an indexed graph. The graph has passed `check_graph`."""
    nodes: dict[int, Node] = {n["id"]: n for n in graph["nodes"]}
    edges: Edges = defaultdict(lambda: defaultdict(list))
    for e in graph["edges"]:
        edges[e["relation_type"]][e["from_id"]].append(e["to_id"])
    room_ids = [i for i, n in nodes.items() if n["category"] == "Rooms"]
    found = Relations(nodes, edges, room_ids, _rooms(nodes, edges, room_ids))
    for i, node in nodes.items():
        entry = _entry(found, node)
        if node["category"] not in BUILDING and entry.place not in ("skip", "part"):
            found.entries[i] = entry
    found.parent.update({i: _parent(found, i) for i in found.entries})
    _cut_circles(found.parent)
    return found


def _cut_circles(parents: dict[int, tuple[int, bool] | None]) -> None:
    """Removes cycles of nodes that lie ON each other, as some graphs have them: one of them lies on nothing."""
    done: set[int] = set()
    for start in parents:
        path: dict[int, None] = {}
        node = start
        while node not in done:
            path[node] = None
            parent = parents.get(node)
            if parent is None:
                break
            if parent[0] in path:
                parents[node] = None
                break
            node = parent[0]
        done.update(path)


def _rooms(nodes: dict[int, Node], edges: Edges, room_ids: list[int]) -> dict[int, int]:
    """Returns node id -> index of its room. Nodes without a room go where most of their neighbours are."""
    index = {r: k for k, r in enumerate(room_ids)}
    rooms = {i: index[j] for i, targets in edges["INSIDE"].items() for j in targets if j in index}
    for i in nodes:
        if i not in rooms:
            votes = Counter(rooms[j] for j in edges["CLOSE"][i] + edges["ON"][i] if j in rooms)
            rooms[i] = votes.most_common(1)[0][0] if votes else 0
    return rooms


def _entry(relations: Relations, node: Node) -> Entry:
    """Returns a node's entry. A table next to a couch is a coffee table, one in a bedroom a side table."""
    entry = entry_of(node)
    if class_of(node) != "table":
        return entry
    if any(relations.name(j) == "couch" for j in relations.edges["INSIDE"][node["id"]]):
        return CLASSES["coffee_table"]
    if relations.room_name(node["id"]) == "bedroom":
        return Entry((0.6, 0.45, 0.7), "wall")
    return entry


def _parent(relations: Relations, node: int) -> tuple[int, bool] | None:
    """Returns the holder of a node.

    INSIDE takes precedence over ON. Of several holders the smallest counts that is not much smaller than the node itself.
    """

    def volume(i: int) -> float:
        return math.prod(relations.entries[i].size)

    for relation, inside in (("INSIDE", True), ("ON", False)):
        holders = [j for j in relations.edges[relation][node] if j in relations.entries and j != node]
        able = [j for j in holders if relations.name(j) not in NO_HOLDERS and volume(j) > volume(node) * 0.8]
        if able:
            best = min(able, key=lambda j: (volume(j), j))
            return best, inside and relations.name(best) not in AS_ON
    return None
