"""The icon of each verb, the same in timeline, ranking, tree and override. `core.world.vocabulary` has the words."""

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

def glyph(verb: str) -> str:
    """Returns the icon name of a verb, or that of a general action if the verb has none."""
    return _GLYPHS.get(verb, "act")
