"""Reads and checks VirtualHome graphs."""

from __future__ import annotations

from collections.abc import Iterator
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

from .classes import NO_HOLDERS, class_of

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
    for field in top.field("nodes").items(MOST_THINGS):
        _check_node(field)
        number = field.value["id"]
        if number in nodes:
            raise DataError(f"{name}: two nodes have the id {number}: {CURE}.")
        nodes[number] = field.value
    rooms = sum(n["category"] == "Rooms" for n in nodes.values())
    if not rooms:
        raise DataError(f"{name} has no node of the category Rooms: {CURE}.")
    if rooms > MOST_ROOMS:
        raise DataError(f"{name} has {rooms:,} rooms, at most {MOST_ROOMS} are read: {CURE}.")
    _check_extent(nodes, name)
    for field in top.field("edges").items(MOST_EDGES):
        _check_edge(field, nodes)
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
    holders = _links(graph, nodes, "INSIDE")
    done: set[int] = set()
    for start in holders:
        circle = _circle_from(start, holders, done)
        if circle is not None:
            kind = nodes[circle]["class_name"]
            raise DataError(f"{name}: node {circle} ({kind}) is INSIDE itself, in a circle of containers: {CURE}.")


def _circle_from(start: int, holders: Links, done: set[int]) -> int | None:
    """Returns a node of a cycle reached from `start`, or None. Not recursive, because chains may be long."""
    path: set[int] = set()
    stack: list[tuple[int, Iterator[int]]] = []
    if start not in done:
        stack.append((start, iter(holders.get(start, ()))))
        path.add(start)
    while stack:
        here, rest = stack[-1]
        following = next((h for h in rest if h not in done), None)
        if following is None:
            stack.pop()
            path.discard(here)
            done.add(here)
        elif following in path:
            return following
        else:
            path.add(following)
            stack.append((following, iter(holders.get(following, ()))))
    return None


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
