"""Display names of entities, and the icons of verbs. `core.world.vocabulary` has the verbs' words.

`kitchen_table_2` is shown as "kitchen table", with its number only if two entities share the name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from core.world.vocabulary import CONTAINER, SURFACE, Action, Entity, Observation, definite, named, phrase, spaced, verb_words


def split_id(entity_id: str) -> tuple[str, str]:
    """Returns the class and the number of an id: `kitchen_table_2` gives (`kitchen_table`, `2`).

    The number is "" if the id has none.
    """
    cls, _, number = entity_id.rpartition("_")
    return (cls, number) if cls and number.isdecimal() else (entity_id, "")


class Names:
    """The display names of one world, as far as it is known."""

    def __init__(self, entities: Iterable[Entity] = ()):
        known = tuple(entities)
        self._plain: dict[str, str] = {e.id: e.name for e in known}
        self._tops = frozenset(e.id for e in known if SURFACE in e.properties and CONTAINER not in e.properties)
        self._count = Counter(self._plain.values())

    @classmethod
    def of(cls, seen: Observation | None) -> Names:
        """Returns the names of the entities in sight and on the map."""
        return cls(()) if seen is None else cls((*seen.entities, *seen.landmarks))

    def plain(self, entity_id: str) -> str:
        """Returns the name without its number."""
        return self._plain.get(entity_id) or spaced(split_id(entity_id)[0])

    def full(self, entity_id: str) -> str:
        """Returns the name with its number."""
        number = split_id(entity_id)[1]
        return f"{self.plain(entity_id)} {number}".strip()

    def display(self, entity_id: str) -> str:
        """Returns the name, with its number if another entity shares the name."""
        name = self.plain(entity_id)
        known = entity_id in self._plain
        return self.full(entity_id) if self._count[name] > (1 if known else 0) else name

    def where(self, entity_id: str) -> str:
        """Returns a location as a phrase: "on the kitchen table", "in fridge 2"."""
        return f"{'on' if entity_id in self._tops else 'in'} {definite(self.display(entity_id))}"

    def target(self, action: Action) -> str:
        """Returns the name of an action's target: the location of a put action, otherwise the object; "" if there is none."""
        return self.display(action.args[-1]) if action.args else ""

    def phrase(self, action: Action) -> str:
        """Returns the action in words, in lower case: "put the apple in fridge 1"."""
        return phrase(action.verb, [self.definite(arg) for arg in action.args])

    def definite(self, entity_id: str) -> str:
        """Returns the name as part of a sentence: "the apple", "fridge 1". Text that is not an id stays unchanged."""
        return definite(self.display(entity_id)) if split_id(entity_id)[1] else self.display(entity_id)

    def button(self, action: Action) -> str:
        """Returns the action as the text of a button: "Walk to coffee table 24"."""
        text = self.phrase(action)
        return text[:1].upper() + text[1:]

    def with_names(self, text: str) -> str:
        """Returns a sentence of the session with names in place of ids: "before open cabinet 3"."""
        return named(text, self.display)

    def label(self, text: str) -> str:
        """Returns a text of a list with names in place of ids; an id alone becomes its name, without an article."""
        return self.display(text) if text in self._plain else self.with_names(text)

    def parts(self, action: Action) -> tuple[str, str]:
        """Returns verb and target, to be shown in different weights: (`put in`, `fridge 1`)."""
        return verb_words(action.verb), self.target(action)


class Namer:
    """Keeps the names of the newest observation, so that a request with every snapshot costs nothing.

    Known names stay, so that a cabinet does not lose its number when the other one is out of sight.
    """

    def __init__(self) -> None:
        self._seen: Observation | None = None
        self._known: dict[str, Entity] = {}
        self._met: dict[str, Entity] = {}
        self._names = Names()

    def of(self, seen: Observation | None) -> Names:
        """Returns the names, updated with an observation."""
        if seen is not None and seen is not self._seen:
            self._seen = seen
            before = len(self._known)
            self._known.update((e.id, e) for e in (*seen.landmarks, *seen.entities))
            if len(self._known) != before:
                self._names = Names((self._met | self._known).values())
        return self._names

    def meet(self, actions: Iterable[Action | None]) -> None:
        """Adds the objects of past actions, so that they too get a number if another object shares their name."""
        before = len(self._met)
        for action in actions:
            for thing in action.args if action is not None else ():
                if thing not in self._met:
                    cls = split_id(thing)[0]
                    self._met[thing] = Entity(thing, cls, spaced(cls), "object")
        if len(self._met) != before:
            self._names = Names((self._met | self._known).values())

    def forget(self) -> None:
        """Forgets all names, because another world begins."""
        self._seen, self._known, self._met, self._names = None, {}, {}, Names()


_GLYPHS: Mapping[str, str] = MappingProxyType({
    "walk": "walk",
    "go": "walk",
    "move_ahead": "walk",
    "move_back": "walk",
    "open": "open",
    "close": "close_door",
    "grab": "grab",
    "pick_up": "grab",
    "put_in": "putin",
    "put_on": "puton",
    "drop": "drop",
    "switch_on": "switchon",
    "switch_off": "switchon",
    "look": "look",
    "look_up": "look",
    "look_down": "look",
    "scan": "look",
    "turn_left": "turn",
    "turn_right": "turn",
    "slice": "slice",
    "cook": "cook",
    "wash": "wash",
    "fill": "fill",
})

def glyph(verb: str) -> str:
    """Returns the icon name of a verb, or that of a general action if the verb has none."""
    return _GLYPHS.get(verb, "act")
