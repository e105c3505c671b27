"""The household: a scene in a state, with queries about it and the elementary changes."""

from __future__ import annotations

import bisect
from collections.abc import Collection, Iterable, Iterator

from core.common.errors import DataError
from core.world.vocabulary import BREWS, CONTAINER, HEATS, OPENABLE, RINSES, RUNS_CLOSED, Entity, Relation, spaced
from sim.household import spots
from sim.household.scene import FLOOR, HELD, IN_HAND, Item, Place, Scene, Spot, State


class Household:
    """The world as the rules see it.

    All queries are cheap: entities and relations are cached until their subject changes, because planners step simulators
    thousands of times a second.

    Attributes:
        scene: rooms and items the episode started from.
        state: the changing part.
        items: id -> item.
        room_ids, rooms: ids in order, and id -> index.
        fixed_relations: what controls what.
        controllers: id -> ids of its controllers.
        furniture_in: ids of the furniture of each room.
        stands_on: furniture id -> ids of furniture that stands on it.
        contents: holder id -> sorted ids of what lies on and in it.
        on_floor: for each room, the sorted ids of the objects on its floor.
        appliances: items that heat, rinse or brew.
        room_entities: the rooms as entities.
        landmarks: for each room, the furniture of the others as a map shows it: positions without states.
    """

    def __init__(self, scene: Scene, items: tuple[Item, ...], state: State):
        self.scene = scene
        self.items = {item.id: item for item in items}
        self.room_ids = tuple(room_id for room_id, _ in scene.rooms)
        self.rooms = {room_id: k for k, room_id in enumerate(self.room_ids)}
        self.fixed_relations = tuple(Relation("controls", i.id, i.controls) for i in items if i.controls in self.items)
        self.controllers: dict[str, list[str]] = {}
        for relation in self.fixed_relations:
            self.controllers.setdefault(relation.object, []).append(relation.subject)
        self.furniture_in = tuple(tuple(i.id for i in items if i.category == "furniture" and i.thing.room == k)
                                  for k in range(len(self.room_ids)))
        self.stands_on: dict[str, list[str]] = {}
        for item in items:
            if item.category == "furniture" and item.holder is not None:
                self.stands_on.setdefault(item.holder.id, []).append(item.id)
        self.appliances = tuple(i for i in items if i.properties & {HEATS, RINSES, BREWS})
        self.room_entities = tuple(Entity(r, cls, spaced(cls), "room") for r, cls in scene.rooms)
        furniture = [Entity(i.id, i.cls, spaced(i.cls), i.category, self.room_ids[i.thing.room], properties=i.properties)
                     for i in items if i.category == "furniture"]
        self.landmarks = tuple(tuple(entity for entity in furniture if entity.room != room) for room in self.room_ids)
        self.load(state)

    def load(self, state: State) -> None:
        """Replaces the state by another of the same scene.

        Raises:
            DataError: the state names entities that this household does not have.
        """
        unknown = (set(state.places) | set(state.states)) - set(self.items)
        missing = {i for i, item in self.items.items() if item.category == "object"} - set(state.places)
        if unknown or missing or not 0 <= state.room < len(self.room_ids):
            odd = sorted(unknown or missing)[:3] or [f"room {state.room}"]
            raise DataError(f"the state does not fit scene '{self.scene.name}' ({', '.join(odd)}): it was saved elsewhere")
        for name in (state.seat, state.facing, *(thing for act in state.acts for thing in act.args)):
            if name and name not in self.items:
                raise DataError(f"the state names unknown '{name}': it was saved elsewhere")
        self.state = state
        self._entities: dict[str, Entity] = {}
        self._relations: dict[str, Relation] = {}
        self.contents: dict[str, list[str]] = {}
        self.on_floor: list[list[str]] = [[] for _ in self.room_ids]
        for thing, place in sorted(state.places.items()):
            if place.holder and place.holder not in self.items:
                raise DataError(f"the state puts '{thing}' on unknown '{place.holder}': it was saved elsewhere")
            self._index(thing, place)
        self._refuse_cycles()

    def _refuse_cycles(self) -> None:
        """Raises DataError if an object contains itself."""
        for thing in self.state.places:
            chain = [thing]
            while (place := self.state.places.get(chain[-1])) is not None and place.holder:
                if place.holder in chain:
                    raise DataError(f"the state has '{thing}' inside itself ({' in '.join(chain)}): the file is damaged")
                chain.append(place.holder)

    # --- queries --------------------------------------------------------------
    def states(self, entity_id: str) -> frozenset[str]:
        """Returns the present states of an entity."""
        return self.state.states.get(entity_id, frozenset())

    def is_closed(self, entity_id: str) -> bool:
        """Returns True for a closed container."""
        properties = self.items[entity_id].properties
        return OPENABLE in properties and CONTAINER in properties and "open" not in self.states(entity_id)

    def is_running(self, entity_id: str) -> bool:
        """Returns True if the entity or one of its controllers is switched on."""
        return "on" in self.states(entity_id) or any("on" in self.states(c) for c in self.controllers.get(entity_id, ()))

    def runs_shut(self, entity_id: str) -> bool:
        """Returns True if it is running and must stay closed while it does."""
        return RUNS_CLOSED in self.items[entity_id].properties and self.is_running(entity_id)

    def holders(self, thing_id: str) -> Iterator[Place]:
        """Yields the places of an object from the innermost outwards: on the plate, inside the fridge."""
        place = self.place(thing_id)
        while place is not None:
            yield place
            place = self.place(place.holder) if place.holder else None

    def place(self, entity_id: str) -> Place | None:
        """Returns the place of an object, or of furniture that stands on other furniture; None for what stands on its own."""
        found = self.state.places.get(entity_id)
        if found is None:
            holder = self.items[entity_id].holder
            return Place(holder.relation, holder.id, Spot(0.0, 0.0, 0.0)) if holder else None
        return found

    def root(self, entity_id: str) -> str:
        """Returns the outermost holder: a piece of furniture, or the object itself on the floor or in the hand."""
        for place in self.holders(entity_id):
            if place.holder:
                entity_id = place.holder
        return entity_id

    def is_held(self, entity_id: str) -> bool:
        """Returns True if it is in the robot's hand, or on or in something that is."""
        return any(place.relation == HELD for place in self.holders(entity_id))

    def is_hidden(self, entity_id: str) -> bool:
        """Returns True if it is inside a closed container."""
        return any(place.relation == "inside" and self.is_closed(place.holder) for place in self.holders(entity_id))

    def room_of(self, entity_id: str) -> int:
        """Returns the index of an entity's room."""
        root = self.root(entity_id)
        place = self.state.places.get(root)
        if place is not None and place.relation == HELD:
            return self.state.room
        return self.items[root].thing.room

    def within(self, holder_id: str) -> Iterator[str]:
        """Yields everything on and in a holder, outermost first, whether closed or not."""
        for thing in self.contents.get(holder_id, ()):
            yield thing
            yield from self.within(thing)

    def in_room(self, room: int) -> Iterator[str]:
        """Yields what is in a room and not in a closed container: furniture first, then what lies on and in it."""
        yield from self.furniture_in[room]
        for root in (*self.furniture_in[room], *self.on_floor[room]):
            if root in self.state.places:
                yield root
            yield from self._open_contents(root)

    def _open_contents(self, holder_id: str) -> Iterator[str]:
        inside = self.contents.get(holder_id)
        if not inside:
            return
        shut = self.is_closed(holder_id)
        for thing in inside:
            if not shut or self.state.places[thing].relation != "inside":
                yield thing
                yield from self._open_contents(thing)

    def entity(self, entity_id: str) -> Entity:
        """Returns an entity as observations show it."""
        found = self._entities.get(entity_id)
        if found is None:
            item = self.items[entity_id]
            found = Entity(entity_id, item.cls, spaced(item.cls), item.category, self.room_ids[self.room_of(entity_id)],
                           self.states(entity_id), item.properties)
            self._entities[entity_id] = found
        return found

    def relation(self, entity_id: str) -> Relation | None:
        """Returns what an entity lies on or in, as observations show it."""
        found = self._relations.get(entity_id)
        if found is None:
            place = self.place(entity_id)
            if place is None or not place.holder:
                return None
            found = Relation("inside" if place.relation == "inside" else "on", entity_id, place.holder)
            self._relations[entity_id] = found
        return found

    # --- changes ------------------------------------------------------------
    def set_states(self, entity_id: str, *, add: frozenset[str], drop: frozenset[str]) -> None:
        """Adds and removes states of an entity."""
        new = (self.states(entity_id) - drop) | add
        if new != self.states(entity_id):
            self.state.states[entity_id] = new
            self._entities.pop(entity_id, None)

    def take(self, thing_id: str) -> None:
        """Moves an object into the hand, with everything on and in it."""
        self._move(thing_id, IN_HAND)
        self.state.held = (*self.state.held, thing_id)

    def put(self, thing_id: str, place: Place) -> None:
        """Moves an object, usually from the hand, to a place found by `free_place`, with everything on and in it."""
        self.state.held = tuple(h for h in self.state.held if h != thing_id)
        self._move(thing_id, place)

    def free_place(self, thing_id: str, relation: str, holder_id: str, near: tuple[float, float] | None = None) -> Place | None:
        """Returns where an object would lie on or in a holder, as near as possible to a point in the holder's frame.

        None if there is no room for it. The place that it leaves counts as free.
        """
        others = [t for t in self.contents.get(holder_id, ()) if t != thing_id]
        spot = self.spot_when_cleared(thing_id, relation, holder_id, self.solids_on(holder_id, others), near)
        return None if spot is None else Place(relation, holder_id, spot)

    def solids_on(self, holder_id: str, only: Collection[str] | None = None) -> list[spots.Solid]:
        """Returns the boxes of the objects on and in a holder, in its frame. `only` limits them to these ids."""
        return [spots.solid(self.state.places[t].spot, self.items[t].thing.size) for t in self.contents.get(holder_id, ())
                if only is None or t in only]

    def spot_when_cleared(self, thing_id: str, relation: str, holder_id: str, taken: Iterable[spots.Solid] = (),
                          near: tuple[float, float] | None = None) -> Spot | None:
        """Returns a spot for an object beside the boxes in `taken` and beside furniture that stands on the holder."""
        standing = (self._standing(f, holder_id) for f in self.stands_on.get(holder_id, ()))
        size = self.items[thing_id].thing.size
        return spots.free_spot(self.items[holder_id], relation, thing_id, size, (*taken, *standing), near)

    def _standing(self, furniture_id: str, holder_id: str) -> spots.Solid:
        """Returns the box of a piece of furniture on another, in the other's frame.

        A built-in sink reaches above its worktop, so the box is 0.3 m higher.
        """
        piece, holder = self.items[furniture_id].thing, self.items[holder_id].thing
        spot = spots.local(holder, piece.base, piece.yaw)
        return spots.solid(spot, (piece.size[0], piece.size[1], piece.size[2] + 0.3))

    def _move(self, thing_id: str, place: Place) -> None:
        old = self.state.places[thing_id]
        if old.relation == FLOOR:
            self.on_floor[self.items[thing_id].thing.room].remove(thing_id)
        elif old.holder:
            self.contents[old.holder].remove(thing_id)
        for moved in (thing_id, *self.within(thing_id)):
            self._entities.pop(moved, None)
        self._relations.pop(thing_id, None)
        self.state.places[thing_id] = place
        self._index(thing_id, place)

    def _index(self, thing_id: str, place: Place) -> None:
        if place.relation == FLOOR:
            bisect.insort(self.on_floor[self.items[thing_id].thing.room], thing_id)
        elif place.holder:
            bisect.insort(self.contents.setdefault(place.holder, []), thing_id)

    def walk_into(self, room: int) -> None:
        """Moves the robot to another room, with what it holds."""
        self.state.room = room
        for held in self.state.held:
            for moved in (held, *self.within(held)):
                self._entities.pop(moved, None)
