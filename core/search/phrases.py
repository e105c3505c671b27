"""Integers of the rearrangement model in the world's words: actions, and the names people call things by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from core.search.model import CLOSE, GRAB, NEAR_TO, OPEN, PUT, WALK
from core.search.problem import Macro
from core.search.task_map import Layout
from core.world.vocabulary import Action, ActionSchema, Entity


def to_actions(layout: Layout, things: Sequence[str], macro: Macro, held: int) -> tuple[Action, ...]:
    """The actions of a macro; `held` is the slot in the hand before it, or -1."""
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
    """What people and language models call things: by class where there is one of it, else with its number."""

    def __init__(self, entities: Iterable[Entity], schemas: Iterable[ActionSchema]):
        known = list(entities)
        counts = Counter(e.name for e in known)
        self._names = {e.id: e.name if counts[e.name] == 1 else e.id.replace("_", " ") for e in known}
        self._schemas: Mapping[str, ActionSchema] = {s.verb: s for s in schemas}

    def __call__(self, entity_id: str) -> str:
        """The name of an entity; what is not known yet goes by its label."""
        return self._names.get(entity_id) or entity_id.replace("_", " ")

    def phrase(self, action: Action) -> str:
        """The action as a sentence: `put the apple inside the fridge`."""
        names = tuple(self(a) for a in action.args)
        schema = self._schemas.get(action.verb)
        return schema.phrase(names) if schema else " ".join((action.verb, *names))

    def verbs(self) -> str:
        """The allowed actions as a prompt lists them."""
        return ", ".join(s.phrase(tuple(f"<{role}>" for role in s.roles)) for s in self._schemas.values())

    def sentence(self, actions: Iterable[Action]) -> str:
        """Actions one after the other, joined by commas."""
        return ", ".join(self.phrase(a) for a in actions)
