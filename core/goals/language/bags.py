"""Sorts the phrases of a clause by their role: things, places around them, what is said of them, and the words that ask."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.goals.language.chunks import Chunk
from core.goals.parser import word_classes as words
from core.goals.parser.tokens import Tokens

WHOLE = frozenset({"all of it", "all of them", "both of them", "all", "both", "them all", "each of them"})
"""Quantifiers that follow the noun or verb: fold the towels, all of them."""
PERSON_LEADS = frozenset({"i", "we", "he", "she", "they"})


@dataclass
class Bag:
    """The phrases of a clause by their role.

    Attributes:
        things: what it is about.
        near: places directly after the things, which may tell where these are now.
        fronted: places before the things.
        said: what is said of the things: places, states and verbs, with the joints between them.
        function: all other words.
        left_out: words of no class among those that ask.
        asks: True if words before another clause ask for this one, too.
        you: True if it is about the robot.
        second: things after "where".
    """

    things: list[Chunk] = field(default_factory=list)
    near: list[Chunk] = field(default_factory=list)
    fronted: list[Chunk] = field(default_factory=list)
    said: list[Chunk] = field(default_factory=list)
    function: list[str] = field(default_factory=list)
    left_out: list[Chunk] = field(default_factory=list)
    second: list[Chunk] = field(default_factory=list)
    whole: bool = False
    linked: bool = False
    you: bool = False
    who: bool = False


def parts_of(chunks: list[Chunk]) -> list[list[Chunk]]:
    """Splits the clauses that "and" or a comma joins, each with its own thing: the box is on the sofa and the lamp is on."""
    parts: list[list[Chunk]] = [[]]
    for n, one in enumerate(chunks):
        joined = one.kind in ("and", "comma") and n + 1 < len(chunks) and chunks[n + 1].kind == "thing"
        first = next((k for k, x in enumerate(parts[-1]) if x.kind == "thing"), len(parts[-1]))
        told = any(x.kind in ("state", "verb", "place") for x in parts[-1][first:])
        more = any(x.kind in ("state", "verb", "place") for x in chunks[n + 1:])
        if joined and told and more and not _is_whole(chunks[n + 1]):
            parts.append([])
        else:
            parts[-1].append(one)
    return parts


def _is_whole(one: Chunk) -> bool:
    return one.phrase is not None and one.phrase.words in WHOLE


def may_lead(t: Tokens, chunks: list[Chunk]) -> bool:
    """Returns True if words may stand before what is asked for: those of no class are nouns or adjectives there."""
    for one in chunks:
        if one.kind == "unknown":
            before = t.at(one.start - 1)
            if before not in words.BE | words.ARTICLES | {"be", "so", "very", "most", "of", "in", "for"} | words.WELCOME:
                return False
        if one.kind not in ("unknown", "ask", "who", "you", "link", "func", "comma"):
            return False
    return True


def bag_of(t: Tokens, chunks: list[Chunk]) -> Bag | None:
    """Returns the phrases of a clause by their role; None if one has none."""
    bag = Bag()
    for n, one in enumerate(chunks):
        before, after = chunks[n - 1] if n else None, chunks[n + 1] if n + 1 < len(chunks) else None
        if not _sorted_in(t, bag, one, before, after):
            return None
    return bag


def _sorted_in(t: Tokens, bag: Bag, one: Chunk, before: Chunk | None, after: Chunk | None) -> bool:
    """Adds a phrase to its role. Returns False if it has none."""
    if one.kind == "then":
        bag.said.append(one)
        return bool(bag.said[:-1]) and before is not None and before.kind in ("and", "comma")
    if one.kind in ("link", "ask", "func", "comma", "and"):
        return _add_function(bag, one, before, after)
    if one.kind == "unknown":
        bag.left_out.append(one)
        return not bag.things and not bag.said and may_lead(t, [one])
    if one.kind in ("who", "you"):
        return _add_person(bag, one, after)
    if one.kind == "thing":
        return _add_thing(t, bag, one, before, after)
    if one.kind == "verb" and one.verb is not None:
        bag.said.append(one)
        return bool(bag.things) and (before is None or before.word not in PERSON_LEADS)
    return _add_said(bag, one, before)


def _add_function(bag: Bag, one: Chunk, before: Chunk | None, after: Chunk | None) -> bool:
    if one.kind in ("comma", "and"):
        if bag.said:
            bag.said.append(one)
        return True
    ends = after is None or after.kind in ("comma", "and", "link")
    if one.kind == "func" and one.word in words.PREPOSITIONS and ends:
        return False  # sliced by then
    bag.function.append(one.word)
    bag.linked = bag.linked or (one.kind == "link" and bool(bag.things))
    owns = one.word in words.HAVE | {"need", "has"} and before is not None and before.word in PERSON_LEADS and bool(bag.things)
    return not owns


def _add_person(bag: Bag, one: Chunk, after: Chunk | None) -> bool:
    """Adds a person. After a thing one must wish: "the mug I'd like washed", and not "the mug I used"."""
    bag.you = bag.you or one.kind == "you"
    bag.who = bag.who or one.kind == "who"
    if after is None:
        return True
    if one.kind == "who" and one.word in PERSON_LEADS:
        return after.kind in ("ask", "link", "func") and after.word not in ("is", "'s", "go", "goes")
    return True


def _add_thing(t: Tokens, bag: Bag, one: Chunk, before: Chunk | None, after: Chunk | None) -> bool:
    empty = one.word == "it" and after is not None and after.word in words.BE | {"would", "'d"} and not bag.things
    if empty and _is_empty_subject(t, one):
        bag.function.append("it")
        return True
    if _is_whole(one) and bag.things:
        linking = before is not None and before.kind == "link" and after is not None and after.kind == "link"
        if linking:
            return True
        if (before is not None and before.kind not in ("comma", "thing", "place", "state")) or (
                after is not None and after.kind not in ("comma", "place", "state")):
            return False
        bag.whole = True
        return True
    joined = before is None or before.kind in ("comma", "and", "thing") or (
        before.word in ("with", "for") and one.word in words.OBJECT_PRONOUNS and not bag.near)
    joined = joined and not (bag.linked and before is not None and before.word != "for")
    if not bag.things or (joined and not bag.said and not bag.near):
        bag.things.append(one)
        return True
    if "where" in bag.function and not bag.second:
        bag.second.append(one)
        return True
    return False


def _is_empty_subject(t: Tokens, one: Chunk) -> bool:
    """Returns True for the "it" of "it is time to" and "it's the remote I want"."""
    k = one.end
    while t.at(k) in words.BE | words.MODALS | words.SOFT | {"be", "the", "a", "my"}:
        k += 1
    return t.is_noun(k) or t.at(k) in words.WELCOME or not t.is_known(k)


def _add_said(bag: Bag, one: Chunk, before: Chunk | None) -> bool:
    """Adds a place or a state."""
    if one.kind == "place":
        if not bag.things:
            bag.fronted.append(one)
        elif not bag.linked and not bag.said and (before is None or before.kind in ("thing", "place")):
            bag.near.append(one)
        else:
            bag.said.append(one)
        return True
    bag.said.append(one)
    return bool(bag.things) or not bag.fronted


