"""Words of tasks and names of objects."""

from __future__ import annotations

import re

_STOP = """a an the of to is in it its on for and or if that then which your task this be will where with any around located
there first next do are can you when take actions s n by from thing some as also place move above below may might found
degrees celsius state matter"""
STOP = frozenset(_STOP.split())
"""Words that do not indicate what a task is about."""


def words(text: str) -> list[str]:
    """Returns the relevant words in order."""
    return [w for w in re.findall(r"[a-z]+", text.lower()) if w not in STOP]


def stem(word: str) -> str:
    """Returns a word without its ending: `boiling` and `boils` give `boil`."""
    return re.sub(r"(ing|es|s|ed)$", "", word) if len(word) > 4 else word


def stems(text: str) -> list[str]:
    """Returns the stems of the relevant words."""
    return [stem(w) for w in words(text)]


def head(name: str) -> str:
    """Returns the head of a name: `cup containing nothing in table` -> `cup`; `door to kitchen` -> `door`."""
    return re.split(r" (?:in|on|to|containing|called|with|inside) ", name)[0]


def has_words(name: str, phrase: str) -> bool:
    """Returns True if a name contains a phrase as whole words: `fire pit` is in `big fire pit`, but `ice` is not in `juice`."""
    return f" {phrase} " in f" {name} "


def listed(name: str) -> str:
    """Returns a pattern for an object that a description lists by its whole name: `pot`, but not the pot of `a flower pot`."""
    return rf"(?:\b(?:an?|the|some|called) |\t){re.escape(name)}\b"


def ways(action: str) -> tuple[str, str]:
    """Returns an action's kind and its first object: `pick up red apple` -> (`pick up`, `red apple`)."""
    found = re.match(r"(pick up|look in|look at|put down|focus on|open door to|\w+) ?(.*)", action)
    kind, rest = found.groups() if found else ("", action)
    return kind, head(rest)
