"""An apartment at one moment as the robot knows it: where objects are, which it sees, and which it can reach.

VirtualHome itself lets a character walk to what is shut in a cupboard of another room. Here an object is in sight if it is
held, or if it is in the character's room and every container around it is open.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from core.world.vocabulary import (
    CONTAINER,
    OPENABLE,
    SURFACE,
    SWITCHABLE,
    UNPLUGGED,
    AgentState,
    Entity,
    Observation,
    Pose,
    Relation,
    spaced,
)
from sim.virtualhome.common.catalogue import NO_HOLDERS, Catalogue, Kind
from sim.virtualhome.common.graph import Graph

STATES = {"OPEN": "open", "CLOSED": "closed", "ON": "on", "OFF": "off", "CLEAN": "clean", "DIRTY": "dirty",
          "PLUGGED_IN": "plugged in", "PLUGGED_OUT": UNPLUGGED}
NEEDS = {"open": OPENABLE, "closed": OPENABLE, "on": SWITCHABLE, "off": SWITCHABLE}
"""State -> the property without which it means nothing. The graphs have closed worktops."""
USEFUL = frozenset({SURFACE, CONTAINER, OPENABLE, SWITCHABLE})
"""Properties of furniture that belongs on the map."""


class Home:
    """An indexed graph. Made again after every change.

    Args:
        catalogue: the unchanging part of the apartment.
        graph: the present graph.
        focus: the node the robot last walked to or used.
        all_seen: the robot sees everything, as VirtualHome's own programs need it.
        plugs: there is a verb to plug in.
    """

    def __init__(self, catalogue: Catalogue, graph: Graph, *, focus: int | None = None, all_seen: bool = False,
                 plugs: bool = True):
        self.catalogue, self.graph, self.all_seen, self.plugs = catalogue, graph, all_seen, plugs
        self.focus = focus if focus in catalogue and focus not in graph.held else None
        self._parents: dict[int, tuple[str, int] | None] = {}

    @cached_property
    def nodes(self) -> dict[str, int]:
        """Returns entity id -> node."""
        return {kind.id: i for i, kind in self.catalogue.items()}

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
        return AgentState(self.catalogue[self.room].id, tuple(self.catalogue[i].id for i in self.near), held, hands, pose)

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
