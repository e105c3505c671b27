"""The conditions of asserts and `if`s: near, held, in sight, a state, or a place. Parsed tolerantly, word by word."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from core.goals.literals import lies
from core.world.vocabulary import UNPLUGGED, Observation

Kind = Literal["near", "held", "seen", "state", "inside", "on"]
QUOTED = re.compile(r"'([^']*)'|\"([^\"]*)\"")
WORD = re.compile(r"[A-Za-z_]\w*")
STATES = {
    "open": "open", "opened": "open", "closed": "closed", "shut": "closed", "on": "on", "switchedon": "on", "running": "on",
    "off": "off", "switchedoff": "off", "sliced": "sliced", "cut": "sliced", "cooked": "cooked", "toasted": "cooked",
    "clean": "clean", "cleaned": "clean", "washed": "clean", "filled": "filled", "full": "filled",
    "unplugged": UNPLUGGED, "pluggedin": "plugged in",
}
NEAR = frozenset({"close", "near", "reachable", "reach", "next", "at"})
HELD = frozenset({"hand", "hands", "holding", "held", "grabbed", "holds"})
SEEN = frozenset({"visible", "seen", "found", "sight", "located", "exists"})
SELF = frozenset({"robot", "agent", "self", "character", "i", "me", "my"})


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on what is known now.

    Attributes:
        kind: what is tested.
        subject: a name as written in the program.
        object: the state, or the name of the holder; empty if the kind has none.
        negated: True if the condition must not hold.
    """

    kind: Kind
    subject: str
    object: str = ""
    negated: bool = False


def read_condition(text: str) -> Condition | None:
    """Returns the condition in a piece of text; None if it is not understood."""
    text = text[:300]
    names = [a or b for a, b in QUOTED.findall(text)]
    bare = [w for word in WORD.findall(QUOTED.sub(" ", text)) for w in word.lower().split("_")]
    negated = "not" in bare or "!=" in text
    # A quoted word that is a state or a relation is no object: 'close' to 'fridge', 'stove' is 'on'.
    quoted_words = {n: "".join(re.split(r"[\s_]+", n.lower())) for n in names}
    things = [n for n in names if not _is_word(quoted_words[n])]
    said = [*bare, *(w for n in names if n not in things for w in (quoted_words[n], *n.lower().replace("_", " ").split()))]
    if not things:
        return None
    if len(things) > 1 and not NEAR & set(said):
        kind: Kind = "inside" if {"in", "inside", "into"} & set(said) else "on"
        return Condition(kind, things[0], things[1], negated)
    return _about_one(things[-1], said, negated)


def _about_one(thing: str, said: list[str], negated: bool) -> Condition | None:
    for words, kind in ((HELD, "held"), (NEAR, "near"), (SEEN, "seen")):
        if words & set(said):
            return Condition(kind, thing, "", negated)  # type: ignore[arg-type]  # the literals of the table
    state = next((STATES[w] for w in reversed(said) if w in STATES), "")
    return Condition("state", thing, state, negated) if state else None


def _is_word(text: str) -> bool:
    return text in STATES or text in NEAR or text in HELD | {"inhand", "inhands", "inmyhand"} or text in SEEN or text in SELF


def holds(condition: Condition, world: Observation, means: Callable[[str], tuple[str, ...]]) -> bool:
    """Returns True if a condition holds according to what is known.

    Args:
        condition: the condition.
        world: all that is known, merged.
        means: returns the ids a name may refer to.
    """
    ids = means(condition.subject)
    match condition.kind:
        case "near":
            true = any(i in world.agent.near or i in world.agent.holding for i in ids)
        case "held":
            true = any(i in world.agent.holding for i in ids)
        case "seen":
            true = bool(ids)
        case "state":
            true = any(condition.object in world.by_id[i].states for i in ids if i in world.by_id)
        case relation:
            true = any(lies(world, i, relation, target) for i in ids for target in means(condition.object))
    return true != condition.negated
