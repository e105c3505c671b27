"""A small apartment that obeys scripts as VirtualHome's Unity does; behind the loopback server."""

from __future__ import annotations

import re
from typing import Any

Json = dict[str, Any]
Edge = tuple[int, str, int]
LINE = re.compile(r"<char(\d+)> \[(\w+)\]((?: <[^>]+> \(\d+\))*)$")
ROOMS = {11: ("kitchen", 2.0, 2.0), 12: ("livingroom", 7.0, 2.0), 13: ("bedroom", 12.0, 2.0), 14: ("homeoffice", 17.0, 2.0)}
"""Room -> class, x and z of its middle; each is 5 by 4 metres."""
FIRST_ROOMS = ("kitchen", "bedroom", "livingroom", "bathroom")
"""What `initial_room` may be: VirtualHome's client asserts it."""
OPENS, SURFACE, SWITCH, CARRIED = ["CAN_OPEN", "CONTAINERS"], ["SURFACES"], ["HAS_SWITCH"], ["GRABBABLE", "MOVABLE"]
FURNITURE: tuple[tuple[int, str, int, list[str], list[str], tuple[float, float], tuple[float, float, float]], ...] = (
    (20, "fridge", 11, OPENS, ["CLOSED"], (0.5, 3.5), (0.7, 1.8, 0.7)),
    (21, "kitchencabinet", 11, OPENS, ["CLOSED"], (2.0, 3.7), (0.9, 0.8, 0.4)),
    (22, "kitchencounter", 11, SURFACE, [], (3.4, 3.6), (1.2, 0.9, 0.6)),
    (23, "stove", 11, [*OPENS, *SWITCH], ["CLOSED", "OFF"], (1.2, 3.6), (0.6, 0.9, 0.6)),
    (24, "kitchentable", 11, SURFACE, [], (2.4, 1.4), (1.2, 0.8, 0.8)),
    (30, "sofa", 12, [*SURFACE, "SITTABLE", "MOVABLE"], [], (7.0, 0.6), (1.9, 0.8, 0.8)),
    (31, "tvstand", 12, SURFACE, [], (7.0, 3.6), (1.4, 0.5, 0.4)),
    (32, "tv", 12, SWITCH, ["OFF"], (7.0, 3.6), (1.0, 0.6, 0.1)),
    (33, "bookshelf", 12, SURFACE, [], (9.1, 2.5), (0.3, 1.8, 1.0)),
    (35, "bed", 13, [*SURFACE, "LIEABLE"], [], (12.0, 1.2), (1.6, 0.6, 2.0)),
    (36, "nightstand", 13, [*OPENS, *SURFACE], ["CLOSED"], (13.4, 0.5), (0.4, 0.5, 0.4)),
)
THINGS = (
    (40, "apple", "INSIDE", 20), (41, "plate", "ON", 24), (42, "cupcake", "ON", 22), (43, "book", "ON", 30),
    (44, "pear", "ON", 41),
)
CHARACTER = 100


class Trouble(Exception):  # noqa: N818 - what Unity complains of
    """A line that cannot be done."""


class UnityWorld:
    """The graph, and what scripts do to it.

    Attributes:
        rooms: as ROOMS; a test may rename them before `clear`.
    """

    def __init__(self) -> None:
        self.rooms = dict(ROOMS)
        self.nodes: dict[int, Json] = {}
        self.edges: set[Edge] = set()
        self.clear()

    def clear(self) -> None:
        """As `environment` leaves it: nobody is there."""
        self.nodes, self.edges = {}, set()
        for i, (cls, x, z) in self.rooms.items():
            self._add(i, cls, "Rooms", [], [], (x, 1.25, z), (5.0, 2.5, 4.0))
        for i, cls, room, properties, states, (x, z), size in FURNITURE:
            self._add(i, cls, "Furniture", properties, states, (x, size[1] / 2, z), size)
            self.edges.add((i, "INSIDE", room))
        self.edges |= {(32, "ON", 31)}
        for i, cls, relation, holder in THINGS:
            x, y, z = self.nodes[holder]["bounding_box"]["center"]
            self._add(i, cls, "Food", list(CARRIED) + (SURFACE if cls == "plate" else []), [], (x, y + 0.3, z), (0.1, 0.1, 0.1))
            self.edges |= {(i, relation, holder), (i, "INSIDE", self._room(holder))}
        self.edges.add((44, "ON", 24))          # Unity lists the table beneath the plate, too

    def _add(self, number: int, cls: str, category: str, properties: list[str], states: list[str], centre: tuple[float, ...],
             size: tuple[float, ...]) -> None:
        self.nodes[number] = {
            "id": number, "class_name": cls, "category": category, "prefab_name": f"PRE_{cls}", "properties": list(properties),
            "states": list(states), "bounding_box": {"center": list(centre), "size": list(size)},
            "obj_transform": {"position": list(centre), "rotation": [0.0, 0.0, 0.0, 1.0], "scale": [1.0, 1.0, 1.0]}}

    def _room(self, number: int) -> int:
        return next(to for start, relation, to in self.edges if start == number and relation == "INSIDE" and to in ROOMS)

    def add_character(self, room: str) -> None:
        """Somebody appears in the middle of a room.

        Raises:
            Trouble: nobody can appear in such a room.
        """
        here = {r[0].lower().replace("_", ""): (i, r) for i, r in reversed(self.rooms.items())}
        if room not in FIRST_ROOMS or room not in here:
            raise Trouble(f"unknown initial room {room}")
        number, (_, x, z) = here[room]
        self._add(CHARACTER, "character", "Characters", [], [], (x, 0.9, z), (0.5, 1.8, 0.5))
        self.edges.add((CHARACTER, "INSIDE", number))

    def graph(self) -> Json:
        """As `environment_graph` sends it."""
        edges = [{"from_id": a, "relation_type": r, "to_id": b} for a, r, b in sorted(self.edges)]
        return {"nodes": list(self.nodes.values()), "edges": edges}

    # --- scripts ------------------------------------------------------------------
    def run(self, lines: list[str]) -> None:
        """Do the lines of a script in order.

        Raises:
            Trouble: one cannot be done.
        """
        for line in lines:
            match = LINE.match(line)
            if match is None:
                raise Trouble(f"cannot parse {line}")
            numbers = [int(n) for n in re.findall(r"\((\d+)\)", match[3])]
            for number in numbers:
                if number not in self.nodes:
                    raise Trouble(f"cannot find object ({number})")
            self._do(match[2], numbers)

    def _do(self, verb: str, numbers: list[int]) -> None:
        first, *rest = numbers
        if verb == "walk":
            self._walk(first)
        elif verb == "grab":
            self._near(first)
            if self._held():
                raise Trouble("no free hand")
            self._lift(first)
        elif verb in ("putback", "putin"):
            self._put(first, rest[0], "ON" if verb == "putback" else "INSIDE")
        elif verb in ("open", "close", "switchon", "switchoff"):
            self._near(first)
            old, new = {"open": ("CLOSED", "OPEN"), "close": ("OPEN", "CLOSED"), "switchon": ("OFF", "ON"),
                        "switchoff": ("ON", "OFF")}[verb]
            self._turn(first, old, new)
        else:
            raise Trouble(f"unknown action {verb}")

    def _walk(self, target: int) -> None:
        room = target if target in ROOMS else self._room(target)
        self._drop_edges(CHARACTER, "INSIDE", "CLOSE")
        self.edges.add((CHARACTER, "INSIDE", room))
        self.nodes[CHARACTER]["obj_transform"]["position"] = list(self.nodes[target]["bounding_box"]["center"])
        near = [] if target in ROOMS else [target, *self._holders(target), *self._contents(target)]
        self.edges |= {(CHARACTER, "CLOSE", i) for i in (*near, *self._held())}
        for held in self._held():
            for thing in (held, *self._contents(held)):
                self.edges = {e for e in self.edges if not (e[0] == thing and e[1] == "INSIDE" and e[2] in ROOMS)}
                self.edges.add((thing, "INSIDE", room))

    def _holders(self, number: int) -> list[int]:
        return [b for a, r, b in self.edges if a == number and r in ("ON", "INSIDE") and b not in ROOMS]

    def _contents(self, number: int) -> list[int]:
        return [a for a, r, b in sorted(self.edges) if b == number and r in ("ON", "INSIDE")]

    def _held(self) -> list[int]:
        return [b for a, r, b in self.edges if a == CHARACTER and r == "HOLDS_RH"]

    def _near(self, number: int) -> None:
        if (CHARACTER, "CLOSE", number) not in self.edges:
            node = self.nodes[number]
            raise Trouble(f"Path partially completed, not able to reach <{node['class_name']}> ({number})")

    def _turn(self, number: int, old: str, new: str) -> None:
        states = self.nodes[number]["states"]
        if old not in states:
            raise Trouble(f"<{self.nodes[number]['class_name']}> ({number}) is not {old.lower()}")
        states[states.index(old)] = new

    def _lift(self, number: int) -> None:
        left = set(self._holders(number))
        lifted = {number, *self._contents(number)}
        self.edges = {e for e in self.edges if not (e[0] in lifted and e[1] in ("ON", "INSIDE") and e[2] in left)}
        self.edges |= {(CHARACTER, "HOLDS_RH", number), (CHARACTER, "CLOSE", number)}

    def _put(self, thing: int, holder: int, relation: str) -> None:
        self._near(holder)
        if thing not in self._held():
            raise Trouble(f"({thing}) is not in a hand")
        self._drop_edges(CHARACTER, "HOLDS_RH")
        self.edges.add((thing, relation, holder))

    def _drop_edges(self, start: int, *relations: str) -> None:
        self.edges = {e for e in self.edges if not (e[0] == start and e[1] in relations)}
