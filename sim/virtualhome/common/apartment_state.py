"""An apartment at one moment as the robot knows it: where objects are, which it sees, and which it can reach.

VirtualHome itself lets a character walk to what is shut in a cupboard of another room. Here an object is in sight if it is
held, or if it is in the character's room and every container around it is open.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from core.common.errors import DataError
from core.world.vocabulary import (
    CONTAINER,
    DRINKABLE,
    EATABLE,
    GRABBABLE,
    LIEABLE,
    OPENABLE,
    READABLE,
    RINSES,
    SITTABLE,
    SURFACE,
    SWITCHABLE,
    TYPABLE,
    UNPLUGGED,
    WATCHABLE,
    Action,
    AgentState,
    Category,
    Entity,
    Observation,
    Pose,
    Posture,
    Relation,
    spaced,
)

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
    return frozenset(found | _used_as(node))


BODY_FLAGS = {"SITTABLE": SITTABLE, "LIEABLE": LIEABLE, "DRINKABLE": DRINKABLE, "EATABLE": EATABLE, "READABLE": READABLE}
"""VirtualHome's properties for postures and acts as ours."""
SCREENS = frozenset({"television", "computer", "laptop"})
"""What is watched. For VirtualHome, drawings and clocks can be watched, too."""
KEYS = frozenset({"computer", "laptop", "keyboard"})
VESSELS = ("cup", "mug", "glass")
"""Endings of the classes of what one drinks from."""


def _used_as(node: Node) -> set[str]:
    """Returns the properties of a node for postures and acts."""
    found = {ours for theirs, ours in BODY_FLAGS.items() if theirs in node.properties}
    if "RECIPIENT" in node.properties and node.cls.endswith(VESSELS):
        found.add(DRINKABLE)
    if node.cls in SCREENS and "LOOKABLE" in node.properties:
        found.add(WATCHABLE)
    if node.cls in KEYS and (node.cls == "keyboard" or "HAS_SWITCH" in node.properties):
        found.add(TYPABLE)
    if node.cls.endswith("sink"):
        found.add(RINSES)
    return found


STATES = {"OPEN": "open", "CLOSED": "closed", "ON": "on", "OFF": "off", "CLEAN": "clean", "DIRTY": "dirty",
          "PLUGGED_IN": "plugged in", "PLUGGED_OUT": UNPLUGGED}
NEEDS = {"open": OPENABLE, "closed": OPENABLE, "on": SWITCHABLE, "off": SWITCHABLE}
"""State -> the property without which it means nothing. The graphs have closed worktops."""
USEFUL = frozenset({SURFACE, CONTAINER, OPENABLE, SWITCHABLE})
"""Properties of furniture that belongs on the map."""


class Body(NamedTuple):
    """What is remembered of the robot beside the graph: entity ids, and the acts done in this episode."""

    seat: str = ""
    facing: str = ""
    acts: tuple[Action, ...] = ()


class Home:
    """An indexed graph. Made again after every change.

    Args:
        catalogue: the unchanging part of the apartment.
        graph: the present graph.
        focus: the node the robot last walked to or used.
        all_seen: the robot sees everything, as VirtualHome's own programs need it.
        plugs: there is a verb to plug in.
        body: what is remembered of the robot.
    """

    def __init__(self, catalogue: Catalogue, graph: Graph, *, focus: int | None = None, all_seen: bool = False,
                 plugs: bool = True, body: Body = Body()):  # noqa: B008 - an immutable value
        self.catalogue, self.graph, self.all_seen, self.plugs = catalogue, graph, all_seen, plugs
        self.body = body if self.posture == "standing" or body.seat else body._replace(seat=self._first_seat())
        self.focus = focus if focus in catalogue and focus not in graph.held else None
        self._parents: dict[int, tuple[str, int] | None] = {}

    @cached_property
    def nodes(self) -> dict[str, int]:
        """Returns entity id -> node."""
        return {kind.id: i for i, kind in self.catalogue.items()}

    @property
    def posture(self) -> Posture:
        """Returns whether the robot stands, sits or lies."""
        states = self.graph.nodes[self.graph.character].states
        return "lying" if "LYING" in states else "sitting" if "SITTING" in states else "standing"

    def _first_seat(self) -> str:
        """Returns the id of what the robot is on, for a graph in which it already sits; empty if that is unknown."""
        return next((self.catalogue[i].id for i in self.graph.on.get(self.graph.character, ()) if i in self.catalogue), "")

    # --- locations ---------------------------------------------------------------
    def parent(self, node: int) -> tuple[str, int] | None:
        """Returns `("inside" or "on", holder)` or None.

        Of several holders the innermost counts, which lies in or on the others.
        """
        if node not in self._parents:
            self._parents[node] = self._closest(node)
        return self._parents[node]

    def _closest(self, node: int) -> tuple[str, int] | None:
        if node in self.graph.held:
            return None
        within = [h for h in self._holders(self.graph.inside, node) if CONTAINER in self.catalogue[h].properties]
        if within:
            return "inside", self._innermost(within)
        beneath = self._holders(self.graph.on, node)
        if self.catalogue[node].category == "object":     # a cushion INSIDE a couch lies on it here
            beneath += [h for h in self._holders(self.graph.inside, node) if SURFACE in self.catalogue[h].properties]
        return ("on", self._innermost(beneath)) if beneath else None

    def _holders(self, links: Mapping[int, tuple[int, ...]], node: int) -> list[int]:
        return [h for h in links.get(node, ()) if h != node and h in self.catalogue and not self.graph.nodes[h].is_room
                and self.graph.nodes[h].cls not in NO_HOLDERS]

    def _innermost(self, holders: list[int]) -> int:
        def others_around(h: int) -> int:
            around = (*self.graph.inside.get(h, ()), *self.graph.on.get(h, ()))
            return sum(other in around for other in holders)

        return min(holders, key=lambda h: (-others_around(h), h))

    def holders(self, node: int) -> Iterator[tuple[str, int]]:
        """Yields the holders from the innermost outwards: on the plate, inside the freezer."""
        seen = {node}
        while (link := self.parent(node)) is not None and link[1] not in seen:
            yield link
            node = link[1]
            seen.add(node)

    def root(self, node: int) -> int:
        """Returns the outermost holder, or the node itself."""
        return next(reversed([node, *(h for _, h in self.holders(node))]))

    def is_held(self, node: int) -> bool:
        """Returns True if it is in a hand, or on or in something that is."""
        return self.root(node) in self.graph.held

    def cargo(self, carriers: set[int]) -> Iterator[tuple[int, str, int]]:
        """Returns what lies on or in any of these, directly or not: (object, VirtualHome's relation, holder)."""
        for node in self.catalogue:
            link = self.parent(node)
            if link is not None and any(holder in carriers for _, holder in self.holders(node)):
                yield node, "INSIDE" if link[0] == "inside" else "ON", link[1]

    def room_of(self, node: int) -> int:
        """Returns the room a node is in."""
        root = self.root(node)
        start = self.graph.character if root in self.graph.held else root
        rooms = [i for i in (start, *self.graph.inside.get(start, ())) if self.graph.nodes[i].is_room]
        return rooms[0] if rooms else self.rooms[0]

    @cached_property
    def rooms(self) -> tuple[int, ...]:
        """Returns all rooms."""
        return tuple(i for i, kind in self.catalogue.items() if kind.category == "room")

    @cached_property
    def room(self) -> int:
        """Returns the robot's room."""
        return next(i for i in self.graph.inside[self.graph.character] if self.graph.nodes[i].is_room)

    def is_closed(self, node: int) -> bool:
        """Returns True for a closed container."""
        return OPENABLE in self.catalogue[node].properties and "CLOSED" in self.graph.nodes[node].states

    def is_hidden(self, node: int) -> bool:
        """Returns True if it is inside a closed container."""
        return any(kind == "inside" and self.is_closed(holder) for kind, holder in self.holders(node))

    def is_in_sight(self, node: int) -> bool:
        """Returns True if the robot sees it. Rooms are always in sight."""
        if self.all_seen or node in self.rooms:
            return True
        return (self.is_held(node) or self.room_of(node) == self.room) and not self.is_hidden(node)

    def is_near(self, node: int) -> bool:
        """Returns True if the simulator says that the robot is close to it."""
        return node in self.graph.close

    def has_state(self, node: int, state: str) -> bool:
        """Returns True if a state holds. `state` is VirtualHome's name of it."""
        return state in self.graph.nodes[node].states

    def can_plug_in(self, node: int) -> bool:
        """Returns True if it is unplugged and can be plugged in. Many computers are unplugged and have no plug."""
        return self.plugs and self.has_state(node, "PLUGGED_OUT") and "HAS_PLUG" in self.graph.nodes[node].properties

    # --- observations --------------------------------------------------------------
    def observation(self, *, all_of_it: bool, hands: int, pose: Pose | None, text: str, step: int) -> Observation:
        """Returns what is in sight, or everything."""
        things = [i for i, kind in self.catalogue.items() if kind.category != "room" and (all_of_it or self.is_in_sight(i))]
        shown = [*self.rooms, *things]
        relations = tuple(self._relation(i, link) for i in things if (link := self.parent(i)) is not None)
        landmarks = () if all_of_it else self._landmarks(set(shown))
        return Observation(self.agent(hands, pose), tuple(map(self.entity, shown)), relations, landmarks, text, step)

    def agent(self, hands: int, pose: Pose | None) -> AgentState:
        """Returns the robot. What it stands at is first in what is near."""
        held = tuple(self.catalogue[i].id for i in self.graph.held if i in self.catalogue)
        return AgentState(self.catalogue[self.room].id, tuple(self.catalogue[i].id for i in self.near), held, hands, pose,
                          self.posture, self.body.seat, self.body.facing, self.body.acts)

    @cached_property
    def near(self) -> tuple[int, ...]:
        """Returns what the robot stands at, outwards, then everything else within reach and in sight."""
        at = [] if self.focus is None else [self.focus, *(h for _, h in self.holders(self.focus))]
        rest = sorted(i for i in self.graph.close if i in self.catalogue and i not in self.rooms)
        return tuple(dict.fromkeys(i for i in (*at, *rest) if self.is_near(i) and self.is_in_sight(i) and not self.is_held(i)))

    def entity(self, node: int) -> Entity:
        """Returns an entity as observations show it."""
        kind = self.catalogue[node]
        room = None if kind.category == "room" else self.catalogue[self.room_of(node)].id
        states = {STATES[s] for s in self.graph.nodes[node].states if s in STATES}
        known = frozenset(s for s in states if s not in NEEDS or NEEDS[s] in kind.properties)
        return Entity(kind.id, kind.node.cls, spaced(kind.node.cls), kind.category, room, known, kind.properties)

    def _relation(self, node: int, link: tuple[str, int]) -> Relation:
        return Relation("inside" if link[0] == "inside" else "on", self.catalogue[node].id, self.catalogue[link[1]].id)

    def _landmarks(self, shown: set[int]) -> tuple[Entity, ...]:
        """Returns useful furniture of the other rooms as on a map: its place without its states."""
        return tuple(self._landmark(i, kind) for i, kind in self.catalogue.items()
                     if kind.category == "furniture" and i not in shown and kind.properties & USEFUL and not self.is_hidden(i))

    def _landmark(self, node: int, kind: Kind) -> Entity:
        room = self.catalogue[self.room_of(node)].id
        return Entity(kind.id, kind.node.cls, spaced(kind.node.cls), kind.category, room, properties=kind.properties)
