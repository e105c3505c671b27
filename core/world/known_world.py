"""All observations of a world merged into one: for each object its last observation.

A planner sees one room at a time, but goals, regression planning and the belief concern the whole home.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from core.world.vocabulary import CONTAINER, OPENABLE, SURFACE, TREATED_BY, AgentState, Entity, Observation, Relation

Inside = tuple[str, str]
"""A location: (id of the furniture, "inside" or "on"), or (id of a room, "floor")."""


class KnownWorld:
    """Stores what was observed, and removes an object that is missing where it should be visible.

    Attributes:
        all_seen: True with full observation: nothing is left to search.
        agent: the robot in the last observation.
        entities: id -> entity as last observed.
        relations: id of an entity -> the relation to its holder.
        looked: locations whose contents have been observed.
        step: the step of the last observation.
        seen: the last observation.
    """

    def __init__(self, *, all_seen: bool = False):
        self.all_seen = all_seen
        self.agent = AgentState(None)
        self.entities: dict[str, Entity] = {}
        self.relations: dict[str, Relation] = {}
        self.looked: set[Inside] = set()
        self.step = 0
        self.seen = Observation(self.agent, (), ())
        self._controls: dict[Relation, None] = {}

    def see(self, observation: Observation) -> bool:
        """Merges an observation. Returns True if it tells something new about where objects are."""
        before = (len(self.looked), self._located())
        self.agent, self.step, self.seen = observation.agent, observation.step, observation
        for landmark in observation.landmarks:
            self.entities.setdefault(landmark.id, landmark)
        self.entities.update(observation.by_id)
        for entity in observation.entities:
            self.relations.pop(entity.id, None)
        self.relations.update(observation.holder)
        self._controls.update(dict.fromkeys(r for r in observation.relations if r.kind == "controls"))
        self._forget(observation)
        self._infer_treatments(observation)
        for entity in observation.entities:
            self.looked.update(self._contents_shown(entity))
        self.looked.update((e.id, "floor") for e in observation.entities if e.category == "room" and self._in_view(e))
        return before != (len(self.looked), self._located())

    def _located(self) -> frozenset[str]:
        return frozenset(e.id for e in self.entities.values() if e.category == "object")

    def _in_view(self, room: Entity) -> bool:
        return self.all_seen or room.id == self.agent.room

    def _contents_shown(self, entity: Entity) -> list[Inside]:
        if entity.category != "furniture":
            return []
        shown: list[Inside] = [(entity.id, "on")] if SURFACE in entity.properties else []
        if CONTAINER in entity.properties and (self.all_seen or is_open(entity)):
            shown.append((entity.id, "inside"))
        return shown

    def _forget(self, observation: Observation) -> None:
        """Removes stored objects that would be visible if they were still in their place."""
        gone = [i for i, e in self.entities.items()
                if e.category == "object" and i not in observation.by_id and self._would_be_seen(e, observation)]
        for thing in gone:
            del self.entities[thing]
            self.relations.pop(thing, None)

    def _would_be_seen(self, entity: Entity, observation: Observation) -> bool:
        root, shut = self.root(entity.id)
        if shut and not self.all_seen:
            return False
        if observation.partial:
            # the camera shows the furniture next to the robot; the rest of the room may be out of the picture
            return root in observation.agent.near[:1]
        if root in observation.by_id:
            return True
        return self.entities[root].room == observation.agent.room

    def _infer_treatments(self, observation: Observation) -> None:
        """Gives objects that are out of sight in a running appliance the states that it causes, until they are seen again."""
        switches = {r.object: r.subject for r in self._controls}
        for machine in observation.entities:
            given = {state: need for state, (need, gives) in TREATED_BY.items() if need and gives in machine.properties}
            switch = self.entities.get(switches.get(machine.id, machine.id))
            if not given or switch is None or "on" not in switch.states:
                continue
            for thing in [e for e in self.entities.values() if e.id not in observation.by_id]:
                states = {state for state, need in given.items() if need in thing.properties} - thing.states
                if states and any(link.object == machine.id for link in self._links(thing.id)):
                    self.entities[thing.id] = replace(thing, states=thing.states | states)

    def _links(self, thing: str) -> Iterator[Relation]:
        """Yields the relations from an object outwards."""
        seen: set[str] = set()
        while thing in self.relations and thing not in seen:
            seen.add(thing)
            yield self.relations[thing]
            thing = self.relations[thing].object

    def root(self, thing: str) -> tuple[str, bool]:
        """Returns the outermost holder of an object, and whether a closed container is around the object."""
        shut, seen = False, {thing}
        while thing in self.relations and self.relations[thing].object in self.entities:
            link = self.relations[thing]
            if link.object in seen:
                break
            holder = self.entities[link.object]
            shut = shut or (link.kind == "inside" and not is_open(holder))
            thing = link.object
            seen.add(thing)
        return thing, shut

    def place_of(self, thing: str) -> Inside | None:
        """Returns the furniture that holds an object, directly or through other objects; None if there is none known."""
        for link in self._links(thing):
            holder = self.entities.get(link.object)
            if holder is not None and holder.category == "furniture":
                return link.object, link.kind
        return None

    def merged(self) -> Observation:
        """Returns everything known as one observation of the whole home."""
        relations = (*self.relations.values(), *self._controls)
        return Observation(self.agent, tuple(self.entities.values()), relations, step=self.step)


def is_open(entity: Entity) -> bool:
    """Returns True if one can see and reach into an entity: it is open, or cannot be opened or closed."""
    return OPENABLE not in entity.properties or "open" in entity.states
