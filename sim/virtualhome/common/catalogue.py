"""The unchanging part of an apartment: which nodes are entities, their names, and what can be done with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.world.vocabulary import CONTAINER, GRABBABLE, OPENABLE, SURFACE, SWITCHABLE, Category
from sim.virtualhome.common.graph import BUILDING, Graph, Node

NO_HOLDERS = frozenset({"curtain", "curtains", "shower", "hanger", "closetdrawer", "floor", "wall", "ceiling", "rug"})
"""What the graphs say to be in or on these is only near them."""
BODY = "BODY_PART"
OPENED_ANYWAY = frozenset({"desk"})
"""Classes that VirtualHome opens although they lack CAN_OPEN. This matters if something lies inside."""


@dataclass(frozen=True, slots=True)
class Kind:
    """The unchanging part of an entity.

    Attributes:
        id: its name.
        node: the node at the start.
        category: room, furniture or object.
        properties: what can be done with it.
    """

    id: str
    node: Node
    category: Category
    properties: frozenset[str]


Catalogue = Mapping[int, Kind]
"""Node -> its kind, for rooms and entities. The building itself is left out."""


def catalogue_of(graph: Graph) -> dict[int, Kind]:
    """Returns the catalogue of an apartment's first graph, ordered by node id."""
    filled = {h for i, holders in graph.inside.items() for h in holders if _is_entity(graph.nodes[i])}
    laden = {h for i, holders in (*graph.on.items(), *graph.inside.items()) for h in holders
             if not _is_carried(graph.nodes[i])}
    found = {}
    for i, node in sorted(graph.nodes.items()):
        if node.is_room or _is_entity(node):
            properties = _properties(node, has_contents=i in filled)
            carried = not node.is_room and _is_carried(node) and i not in laden
            category: Category = "room" if node.is_room else "object" if carried else "furniture"
            found[i] = Kind(name_of(node), node, category, properties | ({GRABBABLE} if carried else frozenset()))
    return found


def name_of(node: Node) -> str:
    """Returns the id that people and planners know a node by, such as `kitchen_table_231`."""
    return f"{node.cls}_{node.id}"


def _is_entity(node: Node) -> bool:
    return not node.is_room and node.category not in BUILDING and BODY not in node.properties


def _is_carried(node: Node) -> bool:
    """Returns True if a node can be carried.

    Chairs, benches and towel racks are GRABBABLE in VirtualHome. Here they stay where they are, and objects are put on them.
    """
    if "GRABBABLE" not in node.properties or node.properties & {"SITTABLE", "LIEABLE"}:
        return False
    return not (node.category == "Furniture" and "SURFACES" in node.properties)


def _properties(node: Node, *, has_contents: bool) -> frozenset[str]:
    found = {SURFACE} if "SURFACES" in node.properties else set()
    opens = "CAN_OPEN" in node.properties or (has_contents and node.cls in OPENED_ANYWAY)
    if opens and node.states & {"OPEN", "CLOSED"}:
        found.add(OPENABLE)
    if "HAS_SWITCH" in node.properties and node.states & {"ON", "OFF"}:
        found.add(SWITCHABLE)
    vessel = "RECIPIENT" in node.properties and SURFACE not in found
    if node.cls not in NO_HOLDERS and ("CONTAINERS" in node.properties or vessel or (has_contents and OPENABLE in found)):
        found.add(CONTAINER)
    return frozenset(found)
