"""Reads and checks VirtualHome graphs, and indexes what they say: which node is in which room, on and in what, facing what."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any, Final

from core.common.errors import DataError
from core.common.json_fields import (
    FARTHEST,
    LARGEST_SIDE,
    MOST_DEPTH,
    MOST_EDGES,
    MOST_ROOMS,
    MOST_THINGS,
    MOST_WORDS,
    SMALLEST_FLOOR,
    Field,
    read_json,
    shown,
)
from sim.rendering.graph.classes import AS_ON, BUILDING, CLASSES, NO_HOLDERS, Entry, class_of, entry_of

Graph = dict[str, Any]
Node = dict[str, Any]
CURE: Final = "export the graph from VirtualHome again, or mend the file"
HIGHEST_ID: Final = 10**9
EDGE_KEYS: Final = ("from_id", "to_id", "relation_type")
Links = dict[int, list[int]]
"""Node -> what it is INSIDE or ON."""


def read_graph(path: Path | str) -> Graph:
    """Returns the graph of a .json or .json.gz file: either {nodes, edges} or {init_graph: {nodes, edges}}.

    Raises:
        DataError: the file is missing or damaged, or `check_graph` finds a fault.
    """
    path = Path(path)
    content = read_json(path, CURE)
    graph = content.get("init_graph", content) if isinstance(content, dict) else content
    check_graph(graph, path.name)
    return graph  # type: ignore[no-any-return]  # check_graph has checked it


def check_graph(graph: Any, name: str) -> None:
    """Checks types, counts, extent and depth, so that laying out takes seconds at most.

    Args:
        graph: parsed JSON.
        name: where it came from, for messages.

    Raises:
        DataError: names the fault and where it is.
    """
    if not isinstance(graph, dict) or not all(isinstance(graph.get(part), list) for part in ("nodes", "edges")):
        raise DataError(f"{name} is no graph with a list of nodes and a list of edges: {CURE}.")
    top = Field(graph, name, CURE)
    nodes: dict[int, Node] = {}
    for part in top.field("nodes").items(MOST_THINGS):
        _check_node(part)
        number = part.value["id"]
        if number in nodes:
            raise DataError(f"{name}: two nodes have the id {number}: {CURE}.")
        nodes[number] = part.value
    rooms = sum(n["category"] == "Rooms" for n in nodes.values())
    if not rooms:
        raise DataError(f"{name} has no node of the category Rooms: {CURE}.")
    if rooms > MOST_ROOMS:
        raise DataError(f"{name} has {rooms:,} rooms, at most {MOST_ROOMS} are read: {CURE}.")
    _check_extent(nodes, name)
    for part in top.field("edges").items(MOST_EDGES):
        _check_edge(part, nodes)
    _check_inside(graph, nodes, name)
    _check_depth(graph, nodes, name)


def _check_node(field: Field) -> None:
    node = field.value
    if not isinstance(node, dict):
        field.fail(f"is {shown(node)}: it is no node")
    if any(node.get(key) is None for key in ("id", "class_name", "category")):
        field.fail("lacks an id, a class_name or a category")
    field.field("id").whole(-HIGHEST_ID, HIGHEST_ID)
    for key in ("class_name", "category"):
        if not field.field(key).text().isprintable():
            field.field(key).fail("holds characters that cannot be printed")
    for key in ("properties", "states"):
        if field.has(key):
            field.field(key).texts(MOST_WORDS)
    if field.has("bounding_box"):
        _check_box(field.field("bounding_box"), is_room=node["category"] == "Rooms")


def _check_box(box: Field, *, is_room: bool) -> None:
    for corner, low, high in (("center", -FARTHEST, FARTHEST), ("size", 0.0, LARGEST_SIDE)):
        part = box.field(corner)
        numbers = [x.number(low, high) for x in part.items(3)]
        if len(numbers) < 3:
            part.fail(f"has {len(numbers)} numbers instead of 3")
    width, _, depth = box.value["size"]
    if is_room and min(width, depth) < SMALLEST_FLOOR:
        box.field("size").fail(f"is a floor of {width:g} m by {depth:g} m, less than {SMALLEST_FLOOR:g} m")


def _check_extent(nodes: dict[int, Node], name: str) -> None:
    """Checks that the boxes together do not extend further than a scene may."""
    boxes = [n["bounding_box"] for n in nodes.values() if n.get("bounding_box") is not None]
    for axis in range(3) if boxes else ():
        ends = [(b["center"][axis] - b["size"][axis] / 2, b["center"][axis] + b["size"][axis] / 2) for b in boxes]
        side = max(high for _, high in ends) - min(low for low, _ in ends)
        if side > LARGEST_SIDE:
            raise DataError(f"{name}: its boxes reach over {side:,.0f} m, at most {LARGEST_SIDE:g} m are drawn: {CURE}.")


def _check_edge(field: Field, nodes: dict[int, Node]) -> None:
    edge = field.value
    if not isinstance(edge, dict) or any(key not in edge for key in EDGE_KEYS):
        field.fail("lacks from_id, to_id or relation_type")
    field.field("relation_type").text()
    for key in ("from_id", "to_id"):
        if type(edge[key]) is not int:
            field.field(key).fail(f"is {shown(edge[key])}, not a node's id")
        if edge[key] not in nodes:
            field.fail(f"names node {shown(edge[key])}, which does not exist")


def _links(graph: Graph, nodes: dict[int, Node], *relations: str) -> Links:
    """Returns what lies in or on what. In VirtualHome's own graphs curtains are INSIDE each other; they hold nothing."""
    found: Links = {}
    for edge in graph["edges"]:
        if edge["relation_type"] in relations and class_of(nodes[edge["to_id"]]) not in NO_HOLDERS:
            found.setdefault(edge["from_id"], []).append(edge["to_id"])
    return found


def _check_inside(graph: Graph, nodes: dict[int, Node], name: str) -> None:
    """Refuses a cycle of containers."""
    try:
        TopologicalSorter(_links(graph, nodes, "INSIDE")).prepare()
    except CycleError as error:
        circle = error.args[1][0]
        kind = nodes[circle]["class_name"]
        raise DataError(f"{name}: node {circle} ({kind}) is INSIDE itself, in a circle of containers: {CURE}.") from error


def _check_depth(graph: Graph, nodes: dict[int, Node], name: str) -> None:
    """Refuses long chains of objects in and on one another."""
    holders = {i: {h for h in found if nodes[h]["category"] != "Rooms"}
               for i, found in _links(graph, nodes, "INSIDE", "ON").items()}
    depths = _depths(holders)
    deepest = max(depths, key=depths.__getitem__, default=None)
    if deepest is not None and depths[deepest] > MOST_DEPTH:
        kind, others = nodes[deepest]["class_name"], depths[deepest] - 1
        raise DataError(f"{name}: node {deepest} ({kind}) lies in or on a chain of {others:,} others, at most {MOST_DEPTH - 1} "
                        f"are read: {CURE}.")


def _depths(holders: dict[int, set[int]]) -> dict[int, int]:
    """Returns node -> length of its longest chain of holders, including itself. A cycle of ON is cut at one of its nodes."""
    held: Links = {}
    for node, around in holders.items():
        for holder in around:
            held.setdefault(holder, []).append(node)
    waiting = {node: len(around) for node, around in holders.items()}
    depths = dict.fromkeys((*holders, *held), 1)
    done: set[int] = set()
    for start in sorted(depths, key=lambda i: (waiting.get(i, 0) > 0, i)):  # nodes without a holder come first
        ready = [] if start in done else [start]
        while ready:
            here = ready.pop()
            done.add(here)
            for node in held.get(here, ()):
                if node not in done:
                    depths[node] = max(depths[node], depths[here] + 1)
                    waiting[node] -= 1
                    if not waiting[node]:
                        ready.append(node)
    return depths


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

    def chain(self, node: int) -> list[int]:
        """Returns the node, what it lies on or in, what that lies on or in, and so on to the furniture on the floor."""
        chain = [node]
        while (parent := self.parent.get(chain[-1])) and parent[0] not in chain:
            chain.append(parent[0])
        return chain

    def faced_by(self, node: int) -> set[int]:
        """Returns the furniture that carries what this piece is FACING, and that faces what this piece carries."""
        return {f for f in self._facing.get(node, ()) if f != node and self.room_of[f] == self.room_of[node]}

    @cached_property
    def _facing(self) -> dict[int, set[int]]:
        """Returns both sides of every FACING edge that counts. Cached, because each piece asks and there may be many edges."""
        found: dict[int, set[int]] = defaultdict(set)
        for source, targets in self.edges["FACING"].items():
            if self.name(source) in SITTING:
                for root in {self.chain(t)[-1] for t in targets if self.name(t) in FACED and t in self.entries}:
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
