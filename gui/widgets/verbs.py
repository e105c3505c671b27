"""Verbs for people: one glyph and one way to say each, in timeline, ranking, tree and override alike."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

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
_PHRASES: Mapping[str, str] = MappingProxyType({
    "walk": "walk to {0}",
    "go": "go {0}",
    "put_in": "put {0} in {1}",
    "put_on": "put {0} on {1}",
    "switch_on": "switch {0} on",
    "switch_off": "switch {0} off",
})


def glyph(verb: str) -> str:
    """The icon of a verb; a verb nobody has drawn yet gets a plain one."""
    return _GLYPHS.get(verb, "act")


def verb_words(verb: str) -> str:
    """A verb as people read it: `put_in` -> put in."""
    return verb.replace("_", " ")


def phrase(verb: str, names: tuple[str, ...]) -> str:
    """An act in words: walk to fridge 1, put apple in fridge 1."""
    template = _PHRASES.get(verb, "")
    if template and template.count("{") == len(names):
        return template.format(*names)
    return " ".join((verb_words(verb), *names))
