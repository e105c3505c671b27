"""A VirtualHome scene graph at one moment, as plain data, for both simulators."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.common.errors import DataError

BUILDING = frozenset({"Walls", "Ceiling", "Floor", "Floors", "Doors", "Windows", "Characters"})
"""Categories that are no entities: they cannot be carried, and nothing can be put into them."""
HANDS = ("HOLDS_RH", "HOLDS_LH")


@dataclass(frozen=True, slots=True)
class Node:
    """One object of the graph. `properties` and `states` are in VirtualHome's own capitals."""

    id: int
    cls: str
    category: str
    properties: frozenset[str]
    states: frozenset[str]

    @property
    def is_room(self) -> bool:
        """Returns True for a room."""
        return self.category == "Rooms"


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes, and the edges that matter.

    Attributes:
        nodes: id -> node.
        inside: node -> what it is INSIDE, including rooms.
        on: node -> what it is ON.
        held: what the character holds, right hand first.
        close: what the character is close to, according to the simulator.
        character: node of the character.
    """

    nodes: Mapping[int, Node]
    inside: Mapping[int, tuple[int, ...]]
    on: Mapping[int, tuple[int, ...]]
    held: tuple[int, ...]
    close: frozenset[int]
    character: int


def node_of(raw: Mapping[str, Any]) -> Node:
    """Returns a node as VirtualHome writes it."""
    return Node(raw["id"], raw["class_name"], raw["category"], frozenset(p.upper() for p in raw.get("properties") or ()),
                frozenset(s.upper() for s in raw.get("states") or ()))


def graph_of(raw: Mapping[str, Any], name: str) -> Graph:
    """Returns a graph as VirtualHome writes it. It has passed `check_graph`, so nodes and edges fit together.

    Raises:
        DataError: there is no character, or it is in no room.
    """
    nodes = {n["id"]: node_of(n) for n in raw["nodes"]}
    character = character_in(nodes, name)
    edges: dict[str, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for edge in raw["edges"]:
        if edge["to_id"] not in edges[edge["relation_type"]][edge["from_id"]]:
            edges[edge["relation_type"]][edge["from_id"]].append(edge["to_id"])
    inside, on = ({i: tuple(sorted(to)) for i, to in edges[kind].items()} for kind in ("INSIDE", "ON"))
    if not any(nodes[i].is_room for i in inside.get(character, ())):
        raise DataError(f"{name}: the character {character} is in no room: add one to a room first.")
    held = tuple(i for hand in HANDS for i in edges[hand][character])
    return Graph(nodes, inside, on, held, frozenset(edges["CLOSE"][character]), character)


def character_in(nodes: Mapping[int, Node], name: str) -> int:
    """Returns the node of the first character.

    Raises:
        DataError: there is none.
    """
    found = min((i for i, n in nodes.items() if n.category == "Characters" or n.cls == "character"), default=None)
    if found is None:
        raise DataError(f"{name} has no character: add one to a room first.")
    return found
