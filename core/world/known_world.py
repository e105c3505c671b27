"""All that has been seen of a world, merged: for each thing the last look at it.

A planner sees one room at a time; goals, regression planning and the belief are about the whole home.
"""

from __future__ import annotations

from core.world.vocabulary import CONTAINER, OPENABLE, SURFACE, AgentState, Entity, Observation, Relation

Inside = tuple[str, str]
"""A place: (id of the furniture, "inside" or "on"), or (id of a room, "floor")."""


class KnownWorld:
    """Remembers what was seen, and forgets a thing when it is not where it should be in sight.

    Attributes:
        looked: places whose contents have been seen.
        all_seen: everything is shown at once (full observation): nothing is left to look into.
    """

    def __init__(self, *, all_seen: bool = False):
        self.all_seen = all_seen
        self.agent = AgentState(None)
        self.entities: dict[str, Entity] = {}
        self.relations: dict[str, Relation] = {}
        self.looked: set[Inside] = set()
        self.step = 0
        self._controls: dict[Relation, None] = {}

    def see(self, observation: Observation) -> bool:
        """Take an observation; whether it tells anything new about where things are."""
        before = (len(self.looked), self._located())
        self.agent, self.step = observation.agent, observation.step
        for landmark in observation.landmarks:
            self.entities.setdefault(landmark.id, landmark)
        self.entities.update(observation.by_id)
        for entity in observation.entities:
            self.relations.pop(entity.id, None)
        self.relations.update(observation.holder)
        self._controls.update(dict.fromkeys(r for r in observation.relations if r.kind == "controls"))
        self._forget(observation)
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
        """Drop remembered things that would be in sight if they still were where they were."""
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
            return root in observation.agent.near[:1]  # one bends over what one stands at; the rest is out of the picture
        if root in observation.by_id:
            return True
        return self.entities[root].room == observation.agent.room

    def root(self, thing: str) -> tuple[str, bool]:
        """The outermost holder of a thing, and whether a closed door is around it."""
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
        """The furniture a thing lies in or on, directly or through what carries it; None elsewhere, or where not known."""
        seen: set[str] = set()
        while thing in self.relations and thing not in seen:
            seen.add(thing)
            link = self.relations[thing]
            holder = self.entities.get(link.object)
            if holder is not None and holder.category == "furniture":
                return link.object, link.kind
            thing = link.object
        return None

    def merged(self) -> Observation:
        """What is known as one observation of the whole home."""
        relations = (*self.relations.values(), *self._controls)
        return Observation(self.agent, tuple(self.entities.values()), relations, step=self.step)


def is_open(entity: Entity) -> bool:
    """Whether one can see and reach into it: open, or nothing that opens."""
    return OPENABLE not in entity.properties or "open" in entity.states
