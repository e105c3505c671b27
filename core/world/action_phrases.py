"""Actions as English phrases, as used in lists, logs, reasons and annotations."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from core.world.vocabulary import Action

TEMPLATES: Mapping[str, str] = MappingProxyType({
    "walk": "walk to {0}",
    "go": "go {0}",
    "put_in": "put {0} in {1}",
    "put_on": "put {0} on {1}",
    "switch_on": "switch on {0}",
    "switch_off": "switch off {0}",
    "do": "{0}",
})
_NUMBERED = re.compile(r"\d$")
_ID = re.compile(r"(?P<the>\bthe )?\b(?P<id>[a-z][a-z0-9_]*_\d+)\b")


def verb_words(verb: str) -> str:
    """Returns a verb as readable text: `put_in` -> put in."""
    return verb.replace("_", " ")


def phrase(verb: str, names: Sequence[str]) -> str:
    """Returns a verb and its names as a phrase: put the apple in fridge 1."""
    template = TEMPLATES.get(verb, "")
    if template and template.count("{") == len(names):
        return template.format(*names)
    return " ".join((verb_words(verb), *names))


def definite(name: str) -> str:
    """Returns a display name as part of a sentence: the fridge, cabinet 3."""
    return name if _NUMBERED.search(name) else f"the {name}"


def in_words(action: Action | str) -> str:
    """Returns an action, or one written as its verb and ids, as a phrase with ids: put apple_1 in fridge_1.

    `named` replaces the ids by names.
    """
    verb, *args = (action.verb, *action.args) if isinstance(action, Action) else action.split()
    return phrase(verb, args)


def named(text: str, name_of: Callable[[str], str]) -> str:
    """Returns a sentence with names instead of ids: before put the apple in cabinet 3.

    Args:
        text: with ids such as `cabinet_3`.
        name_of: returns the display name of an id.
    """
    return _ID.sub(lambda found: definite(name_of(found["id"])), text)
