"""Translates integer actions of the model into actions of the world, and entities into display names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from core.search.model import CLOSE, GRAB, NEAR_TO, OPEN, PUT, WALK
from core.search.problem import Layout, Macro
from core.world.vocabulary import Action, ActionSchema, Entity


def to_actions(layout: Layout, things: Sequence[str], macro: Macro, held: int) -> tuple[Action, ...]:
    """Returns the actions of a sequence of primitive steps.

    Args:
        layout: the map.
        things: index of an object -> its id.
        macro: the primitive steps.
        held: index of the object in the hand before them, or -1.
    """
    found = []
    for primitive in macro:
        found.append(_action(layout, things, primitive, held))
        if GRAB <= primitive < PUT:
            held = primitive - GRAB
    return tuple(found)


def _action(layout: Layout, things: Sequence[str], primitive: int, held: int) -> Action:
    if primitive < WALK:
        return Action("walk", (layout.rooms[primitive][0],))
    if primitive < NEAR_TO:
        return Action("walk", (layout.spots[primitive - WALK],))
    if primitive < GRAB:
        return Action("walk", (things[primitive - NEAR_TO],))
    if primitive < PUT:
        return Action("grab", (things[primitive - GRAB],))
    if primitive < OPEN:
        place = layout.places[primitive - PUT]
        return Action("put_in" if place.relation == "inside" else "put_on", (things[held], place.id))
    if primitive < CLOSE:
        return Action("open", (layout.places[primitive - OPEN].id,))
    return Action("close", (layout.places[primitive - CLOSE].id,))


class Names:
    """Display names for people and language models: the class if it is unique in the world, else the class with its number."""

    def __init__(self, entities: Iterable[Entity], schemas: Iterable[ActionSchema]):
        known = list(entities)
        counts = Counter(e.name for e in known)
        self._names = {e.id: e.name if counts[e.name] == 1 else e.id.replace("_", " ") for e in known}
        self._schemas: Mapping[str, ActionSchema] = {s.verb: s for s in schemas}

    def __call__(self, entity_id: str) -> str:
        """Returns the name of an entity; for an unknown entity, its label with spaces."""
        return self._names.get(entity_id) or entity_id.replace("_", " ")

    def phrase(self, action: Action) -> str:
        """Returns the action as a phrase: `put the apple inside the fridge`."""
        names = tuple(self(a) for a in action.args)
        schema = self._schemas.get(action.verb)
        return schema.phrase(names) if schema else " ".join((action.verb, *names))

    def verbs(self) -> str:
        """Returns the allowed actions as a prompt lists them."""
        return ", ".join(s.phrase(tuple(f"<{role}>" for role in s.roles)) for s in self._schemas.values())

    def sentence(self, actions: Iterable[Action]) -> str:
        """Returns the phrases of the actions, joined by commas."""
        return ", ".join(self.phrase(a) for a in actions)
