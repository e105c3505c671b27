"""The rearrangement POMDP on integers: what the search simulates thousands of times a second.

A world state is a plain list `[room, at, near, held, opened, where]`:

* `room`: index of the robot's room; `at`: index of the spot (piece of furniture) it stands at, or -1;
* `near`: the slot it stands at within that spot, or -1; `held`: the slot in its hand, or -1;
* `opened`: bit mask of the open containers; `where`: for every slot its place, or one of HELD and NOWHERE.

Slots are things: those that the goal's literals ask for come first; a slot not found yet is a *ghost* whose place is drawn
from the
belief. Places are the insides and tops of furniture, and the floors of rooms. What the robot knows stands beside the state as
two
bit masks: `known` slots (located) and `looked` places (contents seen).

Primitive actions are integers: walk to room r is r, and so on upwards by the bases below.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

from core.world import Value

ROOM, AT, NEAR, HOLDS, OPENED, WHERE = range(6)
"""Positions in a state."""
HELD, NOWHERE = -1, -2
"""Instead of a place: in the hand; not known, or not sampled."""

WALK = 1 << 7
"""WALK + s: to spot s. Numbers below it walk to rooms."""
NEAR_TO = WALK + (1 << 12)
"""NEAR_TO + i: to the thing of slot i."""
GRAB = NEAR_TO + (1 << 10)
PUT = GRAB + (1 << 10)
"""PUT + p: lay what is held at place p."""
OPEN = PUT + (1 << 13)
CLOSE = OPEN + (1 << 13)
MOST_SLOTS = 1 << 10

State = list[Any]
"""[room, at, near, held, opened, where]: five ints and a list of ints; Any keeps the inner loop free of casts."""
Macro = tuple[int, ...]
"""Primitive actions done one after the other."""


class Place(NamedTuple):
    """Where a thing can lie: inside or on furniture, or on the floor of a room (`relation` floor, `id` the room's)."""

    id: str
    cls: str
    relation: Literal["inside", "on", "floor"]
    room: int
    openable: bool


@dataclass(frozen=True)
class Layout(Value):
    """The map: rooms and places by index.

    Attributes:
        rooms: (id, class) of each room.
        places: furniture first, then one floor a room.
    """

    rooms: tuple[tuple[str, str], ...]
    places: tuple[Place, ...]

    @cached_property
    def spots(self) -> tuple[str, ...]:
        """Ids of the things one can stand at to use a place."""
        return tuple(dict.fromkeys(p.id for p in self.places))

    @cached_property
    def spot(self) -> tuple[int, ...]:
        """Place -> its spot."""
        index = {s: k for k, s in enumerate(self.spots)}
        return tuple(index[p.id] for p in self.places)

    @cached_property
    def room(self) -> tuple[int, ...]:
        """Place -> its room."""
        return tuple(p.room for p in self.places)

    @cached_property
    def openable(self) -> tuple[bool, ...]:
        """Place -> whether it has to be opened."""
        return tuple(p.openable for p in self.places)

    @cached_property
    def inside(self) -> tuple[bool, ...]:
        """Place -> whether all in it is within reach of who stands there."""
        return tuple(p.relation == "inside" for p in self.places)

    @cached_property
    def usable(self) -> tuple[bool, ...]:
        """Place -> whether one can stand there and lay things down: not so the floor."""
        return tuple(p.relation != "floor" for p in self.places)

    @cached_property
    def in_room(self) -> tuple[tuple[int, ...], ...]:
        """Room -> its places."""
        return tuple(tuple(p for p, place in enumerate(self.places) if place.room == r) for r in range(len(self.rooms)))

    @cached_property
    def room_of_spot(self) -> tuple[int, ...]:
        """Spot -> its room."""
        rooms = {p.id: p.room for p in self.places}
        return tuple(rooms[s] for s in self.spots)

    @cached_property
    def openable_mask(self) -> int:
        """Bits of the places that open."""
        return mask(p for p, opens in enumerate(self.openable) if opens)

    @cached_property
    def room_mask(self) -> tuple[int, ...]:
        """Room -> bits of its places."""
        return tuple(mask(places) for places in self.in_room)

    @cached_property
    def shown_mask(self) -> tuple[int, ...]:
        """Room -> bits of the places whose contents anyone in the room sees."""
        return tuple(bits & ~self.openable_mask for bits in self.room_mask)

    def index(self, entity_id: str, relation: str) -> int:
        """The place with this id and relation, or -1."""
        return self._indices.get((entity_id, relation), -1)

    @cached_property
    def _indices(self) -> dict[tuple[str, str], int]:
        return {(p.id, p.relation): k for k, p in enumerate(self.places)}


def mask(bits: Iterator[int] | Sequence[int]) -> int:
    """A bit mask."""
    total = 0
    for bit in bits:
        total |= 1 << bit
    return total


@dataclass(frozen=True, slots=True)
class Want:
    """One literal: `number` of the `slots` at any of the `targets`.

    Attributes:
        bits: the targets as a bit mask.
    """

    slots: tuple[int, ...]
    targets: tuple[int, ...]
    bits: int
    number: int


class Problem:
    """A goal on a layout.

    Args:
        layout: the map.
        wants: the literals about placing things.
        slots: number of slots; those that no literal asks for are in the way, or in the hand.
        barred: slot -> bits of the places that refuse it (no room, wrong size).
        task: number of slots that matter to the goal; they come first. By default all.
    """

    def __init__(self, layout: Layout, wants: tuple[Want, ...], slots: int, barred: Sequence[int] = (),
                 task: int | None = None):
        self.layout, self.wants, self.slots = layout, wants, slots
        self.task = slots if task is None else task
        self.barred = [*barred, *([0] * (slots - len(barred)))]
        self.size = sum(want.number for want in wants)
        self.wanted_by = tuple(tuple(k for k, want in enumerate(wants) if i in want.slots) for i in range(slots))
        self.rivals = any(len(k) > 1 for k in self.wanted_by)
        self._counts = tuple((want.slots, want.bits, want.number) for want in wants)
        rooms = range(len(layout.rooms))
        self.other_rooms = tuple(tuple(r for r in rooms if r != room) for room in rooms)
        self._openable, self._spot = layout.openable, layout.spot
        self._inside, self._room = layout.inside, layout.room

    # --- what holds -------------------------------------------------------------
    def satisfied(self, where: list[int]) -> int:
        """How many subjects are where they should be, over all literals, none counted above what it asks for."""
        total = 0
        for slots, bits, count in self._counts:
            have = 0
            for i in slots:
                if where[i] >= 0 and bits >> where[i] & 1:
                    have += 1
            total += have if have < count else count
        return total

    def unmet(self, where: list[int]) -> list[int]:
        """Literals that do not hold."""
        found = []
        for k, (slots, bits, count) in enumerate(self._counts):
            have = 0
            for i in slots:
                if where[i] >= 0 and bits >> where[i] & 1:
                    have += 1
            if have < count:
                found.append(k)
        return found

    def spare(self, slot: int, where: list[int]) -> bool:
        """Whether a thing can be taken from where it lies without undoing a literal that holds."""
        if not self.rivals:
            return True
        for k in self.wanted_by[slot]:
            slots, bits, count = self._counts[k]
            if bits >> where[slot] & 1 and sum(1 for i in slots if where[i] >= 0 and bits >> where[i] & 1) <= count:
                return False
        return True

    def shown(self, room: int, opened: int) -> int:
        """Bits of the places whose contents are in sight in a room."""
        layout = self.layout
        return layout.shown_mask[room] | (layout.room_mask[room] & opened & layout.openable_mask)

    def closed(self, place: int, opened: int) -> bool:
        """Whether a place has to be opened first."""
        return self._openable[place] and not opened >> place & 1

    # --- what happens -----------------------------------------------------------
    def step(self, action: int, state: State) -> bool:
        """Do a primitive action in place; False when it is not admissible, and then nothing changed."""
        if action < WALK:
            if action == state[ROOM]:
                return False
            state[ROOM] = action
            state[AT] = state[NEAR] = -1
            return True
        if action < NEAR_TO:
            return self._walk(action - WALK, state)
        if action < GRAB:
            return self._approach(action - NEAR_TO, state)
        if action < PUT:
            return self._grab(action - GRAB, state)
        if action < OPEN:
            return self._put(action - PUT, state)
        return self._turn(action, state)

    def _walk(self, spot: int, state: State) -> bool:
        if self.layout.room_of_spot[spot] != state[ROOM] or (state[AT] == spot and state[NEAR] < 0):
            return False
        state[AT], state[NEAR] = spot, -1
        return True

    def _approach(self, slot: int, state: State) -> bool:
        place = state[WHERE][slot]
        if place < 0 or self._room[place] != state[ROOM] or state[NEAR] == slot or self.closed(place, state[OPENED]):
            return False
        state[AT], state[NEAR] = self._spot[place], slot
        return True

    def _grab(self, slot: int, state: State) -> bool:
        where = state[WHERE]
        place = where[slot]
        if state[HOLDS] >= 0 or place < 0 or self.closed(place, state[OPENED]):
            return False
        if state[NEAR] != slot and not (self._inside[place] and state[AT] == self._spot[place]):
            return False
        where[slot] = HELD
        state[HOLDS], state[NEAR] = slot, -1
        return True

    def _put(self, place: int, state: State) -> bool:
        slot = state[HOLDS]
        if slot < 0 or state[AT] != self._spot[place] or self.barred[slot] >> place & 1 or self.closed(place, state[OPENED]):
            return False
        state[WHERE][slot] = place
        state[HOLDS] = state[NEAR] = -1
        return True

    def _turn(self, action: int, state: State) -> bool:
        place = action - OPEN if action < CLOSE else action - CLOSE
        if state[AT] != self._spot[place] or not self._openable[place]:
            return False
        if (state[OPENED] >> place & 1) == (action < CLOSE):
            return False
        state[OPENED] ^= 1 << place
        return True


def copied(state: State) -> State:
    """A copy that can be stepped on its own."""
    return [state[0], state[1], state[2], state[3], state[4], state[5].copy()]
