"""Entity names as in LLM-State's prompts: `kitchen_table_2` is `kitchentable2`."""

from __future__ import annotations

import re
from collections.abc import Iterable

from core.llm.grounding.names import ground
from core.world.vocabulary import Entity


def call_name(entity_id: str) -> str:
    """Returns an id without the separators between its words."""
    return re.sub(r"[\W_]+", "", entity_id).lower()


class CallNames:
    """Finds ids by the names that models write."""

    def __init__(self, entities: Iterable[Entity]):
        self._ids: dict[str, str] = {}
        for entity in entities:
            self._ids.setdefault(call_name(entity.id), entity.id)

    def find(self, text: str) -> str | None:
        """Returns the id of a name: exact, the first of a class named without number, or misspelt; None if it is unknown."""
        name = call_name(text)
        if not name:
            return None
        if name in self._ids:
            return self._ids[name]
        if re.search(r"\d$", name):
            return None  # a number that does not exist: the model made it up
        first = next((i for key, i in self._ids.items() if key.rstrip("0123456789") == name), None)
        return first or ground(text, list(self._ids.values())).candidate
