"""Display names of the entities of a world, and the phrases of actions with these names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from core.world.vocabulary import Action, ActionSchema, Entity


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
