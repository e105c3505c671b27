"""Names as LLM-State's prompts write them: `kitchen_table_2` is `kitchentable2`."""

from __future__ import annotations

import re
from collections.abc import Iterable

from core.llm.grounding import ground
from core.world.vocabulary import Entity


def call_name(entity_id: str) -> str:
    """An id without what stands between its words."""
    return re.sub(r"[\W_]+", "", entity_id).lower()


class CallNames:
    """Finds ids by the names models write."""

    def __init__(self, entities: Iterable[Entity]):
        self._ids: dict[str, str] = {}
        for entity in entities:
            self._ids.setdefault(call_name(entity.id), entity.id)

    def find(self, text: str) -> str | None:
        """The id a name means: exactly, the first of a class without a number, or with a typing error; None: nothing known."""
        name = call_name(text)
        if not name:
            return None
        if name in self._ids:
            return self._ids[name]
        if re.search(r"\d$", name):
            return None  # a number that is not there: an assumption of the model
        first = next((i for key, i in self._ids.items() if key.rstrip("0123456789") == name), None)
        return first or ground(text, list(self._ids.values())).candidate
