"""VirtualHome graphs, checked where they enter."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from core.errors import DataError
from sim.rendering.files import read_json

from .classes import NO_HOLDERS, class_of

Graph = dict[str, Any]
Node = dict[str, Any]
CURE: Final = "export the graph from VirtualHome again, or mend the file"


def read_graph(path: Path | str) -> Graph:
    """The graph of a .json or .json.gz file: either {nodes, edges} or {init_graph: {nodes, edges}}.

    Raises:
        DataError: the file is missing or damaged, or `check_graph` finds fault with it.
    """
    path = Path(path)
    content = read_json(path, CURE)
    graph = content.get("init_graph", content) if isinstance(content, dict) else content
    check_graph(graph, path.name)
    return graph  # type: ignore[no-any-return]  # check_graph has made sure of it


def check_graph(graph: Any, name: str) -> None:
    """Raise a DataError that names the fault unless `graph` can be laid out; `name` says where it came from."""
    if not isinstance(graph, dict) or not all(isinstance(graph.get(part), list) for part in ("nodes", "edges")):
        raise DataError(f"{name} is no graph with a list of nodes and a list of edges: {CURE}.")
    nodes: dict[int, Node] = {}
    for node in graph["nodes"]:
        _check_node(node, name)
        if node["id"] in nodes:
            raise DataError(f"{name}: two nodes have the id {node['id']}: {CURE}.")
        nodes[node["id"]] = node
    if not any(n["category"] == "Rooms" for n in nodes.values()):
        raise DataError(f"{name} has no node of the category Rooms: {CURE}.")
    for edge in graph["edges"]:
        _check_edge(edge, nodes, name)
    _check_inside(graph, nodes, name)


def _check_node(node: Any, name: str) -> None:
    if not isinstance(node, dict):
        raise DataError(f"{name}: {str(node)[:40]!r} is no node: {CURE}.")
    number, kind, category = (node.get(key) for key in ("id", "class_name", "category"))
    if not isinstance(number, int) or not isinstance(kind, str) or not kind or not isinstance(category, str):
        raise DataError(f"{name}: node {number} lacks an id, a class_name or a category: {CURE}.")
    for key in ("properties", "states"):
        if not isinstance(node.get(key), list | None):
            raise DataError(f"{name}: the {key} of node {number} are no list: {CURE}.")
    box = node.get("bounding_box")
    if box is not None and not _is_box(box):
        raise DataError(f"{name}: the bounding_box of node {number} is not finite or has a negative side: {CURE}.")


def _is_box(box: Any) -> bool:
    try:
        centre, size = ([float(v) for v in box[part]] for part in ("center", "size"))
    except (KeyError, TypeError, ValueError):
        return False
    return len(centre) == len(size) == 3 and all(map(math.isfinite, (*centre, *size))) and min(size) >= 0


def _check_edge(edge: Any, nodes: dict[int, Node], name: str) -> None:
    if not isinstance(edge, dict) or any(key not in edge for key in ("from_id", "to_id", "relation_type")):
        raise DataError(f"{name}: the edge {str(edge)[:60]} lacks from_id, to_id or relation_type: {CURE}.")
    for key in ("from_id", "to_id"):
        if not isinstance(edge[key], int) or edge[key] not in nodes:
            raise DataError(f"{name}: an edge {edge['relation_type']} names node {edge[key]}, which does not exist: {CURE}.")


def _check_inside(graph: Graph, nodes: dict[int, Node], name: str) -> None:
    """No circle of containers. Curtains are INSIDE each other in VirtualHome's own graphs; they hold nothing, so they may."""
    holders: dict[int, list[int]] = {}
    for edge in graph["edges"]:
        if edge["relation_type"] == "INSIDE" and class_of(nodes[edge["to_id"]]) not in NO_HOLDERS:
            holders.setdefault(edge["from_id"], []).append(edge["to_id"])
    done: set[int] = set()
    for start in holders:
        circle = _circle_from(start, holders, done)
        if circle is not None:
            kind = nodes[circle]["class_name"]
            raise DataError(f"{name}: node {circle} ({kind}) is INSIDE itself, in a circle of containers: {CURE}.")


def _circle_from(start: int, holders: dict[int, list[int]], done: set[int]) -> int | None:
    """A node of a circle reached from `start`; without recursion, as chains may be long."""
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
