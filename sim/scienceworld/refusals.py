"""ScienceWorld's refusals: the complete answers that mean that nothing was done, and what was missing.

The engine's interface returns a text and no success flag. Internally its actions return (text, false) for these texts, and true
for a broken device. Patterns match the whole answer, because what is read or seen may quote any of them.
"""

from __future__ import annotations

import re

THING = r"[^\n.:]+?"
NOT_UNDERSTOOD = "sentence"
PATTERNS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (NOT_UNDERSTOOD, (
        r"No known action matches that input\.", r"Unknown action\..*", r"Ambiguous request:.*",
        r"I'm not sure what that means", r"ERROR: .*", r"<ERROR> .*", r"<unknown catch>", r"Empty action \(.*\)\.",
    )),
    ("open", (
        rf"That can't be moved there, because the {THING} isn't open\.", rf"The {THING} isn't open, so you can't see inside\.",
        rf"The {THING} can't be poured out, because it's not open\.", rf"The {THING} is not open\.",
        rf"The {THING} is (?:locked|not currently passable)\.",
    )),
    ("moveable", (
        rf"The {THING} is not moveable\.", rf"The {THING} the {THING} is in is not movable\.",
        rf"The liquids in {THING} aren't able to move\.", r"You can't pick up a liquid directly\..*",
        r"You can't pick up a gas directly\.", r"I'm not sure how to pour a solid\.", r"You can't pour a gas directly\.",
    )),
    ("container", (
        r"That can't be moved there\.", r"That can't be moved there, because it's not a container\.",
        rf"The {THING} is not a container\.",
        rf"The {THING} can't be poured out because it doesn't appear to be in a container\.",
        r"It's not clear how to look inside of that\.",
    )),
    ("another thing", (
        r"You can't move something into itself\.", r"You can't dunk something into itself\.",
        r"Something can't be connected to itself\.",
    )),
    ("filled", (
        rf"The {THING} is empty, so there's nothing to pour\.", rf"The {THING} does not contain any liquids to dunk into\.",
        r"That container is empty, so there are no items to mix\.", rf"There is only one thing \({THING}\)",
    )),
    ("not already so", (
        rf"The {THING} is already (?:open|closed|activated|deactivated)\.", r"That is already flushing\.",
        r"That object already appears to be in the inventory\.",
        rf"{THING} is already connected, and must be disconnected before it can be connected to something else",
    )),
    ("held", (r"That object does not appear to be in the inventory\.",)),
    ("working", (rf"The {THING} appears broken, and can't be activated or deactivated\.",)),
    ("a way", (
        r"It's not clear how to get there from here\.", rf"Its not clear how to go to(?:/through a)? {THING}\.",
        r"The door doesn't appear to go anywhere\.",
    )),
    ("made for it", (
        rf"The {THING} is not (?:openable|closeable|edible)\.", rf"The {THING} is not something that can be activated\.",
        rf"I'm not sure how to use the {THING}\.", r"I'm not sure how to use those two things together\.",
        r"It's not clear how to (?:flush|read|disconnect) that\.?", rf"It's not clear how to connect something to {THING}",
        r"Connections must specify specific points of contact on [^\n]+", r"That is not flammable\.",
        rf"You must disconnect entire objects \({THING}\) instead of just single terminals",
        r"It's not clear how to (?:use an axe with|shovel) that\.",
    )),
)
"""Short name of what is missing -> the answers that say so."""
COMPILED = tuple((missing, re.compile("|".join(f"(?:{p})" for p in patterns), re.DOTALL)) for missing, patterns in PATTERNS)


def missing_for(reply: str) -> str:
    """Returns the short name of what was missing if an answer is a refusal; empty if something was done."""
    whole = re.sub(" +", " ", reply).strip()
    return next((missing for missing, pattern in COMPILED if pattern.fullmatch(whole)), "")
