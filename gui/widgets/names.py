"""What things are called: `kitchen_table_2` is a kitchen table, with its number only where two share a name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from core.world.action_phrases import definite, named, phrase, verb_words
from core.world.vocabulary import CONTAINER, SURFACE, Action, Entity, Observation, spaced


def split_id(entity_id: str) -> tuple[str, str]:
    """Class and number of an id: `kitchen_table_2` -> (`kitchen_table`, `2`); no number gives an empty one."""
    cls, _, number = entity_id.rpartition("_")
    return (cls, number) if cls and number.isdecimal() else (entity_id, "")


class Names:
    """Display names of one world, as far as it is known."""

    def __init__(self, entities: Iterable[Entity] = ()):
        known = tuple(entities)
        self._plain: dict[str, str] = {e.id: e.name for e in known}
        self._tops = frozenset(e.id for e in known if SURFACE in e.properties and CONTAINER not in e.properties)
        self._count = Counter(self._plain.values())

    @classmethod
    def of(cls, seen: Observation | None) -> Names:
        """The names of what is in sight and on the map."""
        return cls(()) if seen is None else cls((*seen.entities, *seen.landmarks))

    def plain(self, entity_id: str) -> str:
        """The name without its number."""
        return self._plain.get(entity_id) or spaced(split_id(entity_id)[0])

    def full(self, entity_id: str) -> str:
        """The name with its number, always."""
        number = split_id(entity_id)[1]
        return f"{self.plain(entity_id)} {number}".strip()

    def display(self, entity_id: str) -> str:
        """The name, with its number where two share it."""
        name = self.plain(entity_id)
        known = entity_id in self._plain
        return self.full(entity_id) if self._count[name] > (1 if known else 0) else name

    def where(self, entity_id: str) -> str:
        """Where things at a place are: on the kitchen table, in fridge 2."""
        return f"{'on' if entity_id in self._tops else 'in'} {definite(self.display(entity_id))}"

    def target(self, action: Action) -> str:
        """What an action is about in one name: the place something is put, otherwise the thing; empty for none."""
        return self.display(action.args[-1]) if action.args else ""

    def phrase(self, action: Action) -> str:
        """The action in words, in lower case: put the apple in fridge 1."""
        return phrase(action.verb, [self.definite(arg) for arg in action.args])

    def definite(self, entity_id: str) -> str:
        """The name as part of a sentence: the apple, fridge 1; text that is no id stays as it is."""
        return definite(self.display(entity_id)) if split_id(entity_id)[1] else self.display(entity_id)

    def button(self, action: Action) -> str:
        """The action as a button names it: Walk to coffee table 24."""
        text = self.phrase(action)
        return text[:1].upper() + text[1:]

    def told(self, text: str) -> str:
        """A sentence of the session, with names for its ids: before open cabinet 3."""
        return named(text, self.display)

    def parts(self, action: Action) -> tuple[str, str]:
        """Verb and target, to be set apart by weight: (`put in`, `fridge 1`)."""
        return verb_words(action.verb), self.target(action)


class Namer:
    """Keeps the names of the newest observation, so that asking with every snapshot costs nothing.

    Names once learned stay, so that a cabinet does not lose its number when the other one is out of sight.
    """

    def __init__(self) -> None:
        self._seen: Observation | None = None
        self._known: dict[str, Entity] = {}
        self._met: dict[str, Entity] = {}
        self._names = Names()

    def of(self, seen: Observation | None) -> Names:
        """The names, after what is seen now."""
        if seen is not None and seen is not self._seen:
            self._seen = seen
            before = len(self._known)
            self._known.update((e.id, e) for e in (*seen.landmarks, *seen.entities))
            if len(self._known) != before:
                self._names = Names((self._met | self._known).values())
        return self._names

    def meet(self, actions: Iterable[Action | None]) -> None:
        """What something was done to in turns that are past is named with its number, too, where another shares its name."""
        before = len(self._met)
        for action in actions:
            for thing in action.args if action is not None else ():
                if thing not in self._met:
                    cls = split_id(thing)[0]
                    self._met[thing] = Entity(thing, cls, spaced(cls), "object")
        if len(self._met) != before:
            self._names = Names((self._met | self._known).values())

    def forget(self) -> None:
        """Another world begins."""
        self._seen, self._known, self._met, self._names = None, {}, {}, Names()
