"""Finds what stands around clauses: before you sit down, except the lamp, for the kids, isn't it, not on the sofa."""

from __future__ import annotations

from collections.abc import Iterator

from core.goals.parser import word_classes as words
from core.goals.parser.commands import BESIDE, Said, said_at
from core.goals.parser.edges import Edge, Kind
from core.goals.parser.phrases import Phrase, noun_list, noun_phrase, place_phrase
from core.goals.parser.plain_form import plain
from core.goals.parser.predicates import listed, predicates
from core.goals.parser.tokens import Tokens

DONE_WORDS = words.word_set("you have 've are 're having finished done just first and had been")
"""After "once" and before a verb: once you have finished."""
PRONOUNS = frozenset({"it", "they", "them", "this", "that", "everything", "both", "both of them"})


# --- before and after another command ------------------------------------------------
def timed(t: Tokens, i: int) -> Iterator[Edge]:
    """Yields what must be done before or after another command: before you sit down, once the salmon is cooked."""
    word = t.at(i)
    soon = t.joined(i, i + 3) == "as soon as"
    if word not in ("before", "after", "once", "when") and not soon:
        return
    k = i + (3 if soon else 1)
    if word == "after" and t.at(i - 1) == "and" and i > 1 and said_at(t, k + (t.at(k) == "you")) is not None:
        yield Edge(i, k + (t.at(k) == "you"), "joint", 0.05)  # and after you watch the television
        return
    kind: Kind = "late" if word == "before" else "early"
    said = _said_then(t, k)
    if said is not None:
        yield Edge(i, said.end, kind, 1.0, tuple(plain(said)), tuple(said.skipped),
                   object=said.object.words if said.object else "")
    elif kind == "early":
        yield from _reached(t, i, k)
    elif (one := noun_phrase(t, k)) is not None and t.at(k) not in words.PEOPLE:
        found = predicates(t, one, one.end, wished=t.at(one.end) in words.BE)
        if found is not None and found[1]:  # before it goes in the bowl
            yield Edge(i, found[0], "late", 1.0, found[1], found[2])


def _said_then(t: Tokens, k: int) -> Said | None:
    """Returns the command of "you have opened the fridge" and "opening the fridge"; None if it names nothing known."""
    n = k
    while t.at(n) in DONE_WORDS or (t.at(n) == "go" and t.at(n + 1) == "and"):
        n += 1
    said = said_at(t, n, "ing") or (said_at(t, n, "ed") if n > k else None)
    said = said or (said_at(t, n) if "you" in t.texts[k:n] else None)
    if said is None or not plain(said):
        return None
    known = (said.object is not None and said.object.known) or any(one.known for one in said.places)
    return said if known or said.verb.frame in ("sit", "lie", "stand", "rise") else None


def _reached(t: Tokens, i: int, k: int) -> Iterator[Edge]:
    """Yields what must be so before another command: you are in the kitchen, the salmon is cooked. Of "it" it says "then"."""
    if t.at(i) == "after" and said_at(t, k + (t.at(k) == "to")) is not None:
        yield Edge(i, k, "joint", 0.05)  # and after cook it
    if t.at(k) == "you" and t.at(k + 1) in words.BE and (place := place_phrase(t, k + 2)) is not None and place.known:
        where = "near" if place.preposition in BESIDE else "in"
        yield Edge(i, place.end, "early", 1.0, (f"stand {where} {place.words}",))
        return
    one = noun_phrase(t, k) if t.at(k) not in ("you", "they") else Phrase(k, k + 1, t.at(k), True)
    if one is None or t.at(one.end) not in words.BE | words.HAVE:
        return
    n = one.end + 1 + (t.at(one.end + 1) == "been")
    done = t.at(n) in ("done", "ready", "finished", "in", "there")
    found = None if done or (t.at(i) == "when" and t.at(n) in words.STATES) else listed(t, one, n, never=False)
    asked_here = i > 0 and not t.is_stop(i - 1) and t.at(i - 1) not in words.COORDINATORS  # hold the mug once it is washed
    if found is not None and one.words in PRONOUNS and asked_here:
        yield Edge(i, found[0], "early", 1.0, found[1])
    elif (one.words in PRONOUNS and (done or found)) or (one.words == "you" and done):
        yield Edge(i, n + 1, "joint", 0.05)
    elif found is not None and one.words != "you":
        yield Edge(i, found[0], "early", 1.0, found[1])


# --- what a task leaves out ------------------------------------------------------
def excepted(t: Tokens, i: int) -> Iterator[Edge]:
    """Yields what a command about all of something leaves out: except the vase, but not the lamp in the kitchen.

    Numbers are none: which one of the apples is left out would not be known.
    """
    but = t.at(i) == "but" and t.at(i + 1) == "not"
    if not but and t.at(i) not in words.EXCEPTIONS:
        return
    one = noun_list(t, i + 1 + but)
    k = i + 1 + but
    if t.at(k) == "the" and t.at(k + 1) in ("one", "ones") and (place := place_phrase(t, k + 2)) is not None:
        yield Edge(i, place.end, "exception", 0.5, (f"the one {place.said}",))
        return
    if one is None or not one.known or t.at(one.start) in words.NUMBERS | words.OBJECT_PRONOUNS:
        return
    place = place_phrase(t, one.end)
    if place is not None and place.known:
        yield Edge(i, place.end, "exception", 0.5, (f"{one.words} {place.said}",))
    yield Edge(i, one.end, "exception", 0.6, (one.words,))


# --- what changes nothing ----------------------------------------------------------
def asides(t: Tokens, i: int) -> Iterator[Edge]:
    """Yields words beside a task: question tags, "all of them", for whom or when it is, contrasts such as "not on the sofa"."""
    called = t.at(i + 1) in words.QUESTION_WORDS | words.MODALS | {","}
    if called and t.at(i) in words.PEOPLE and t.at(i - 1) in ("", ".", "!", "?", ","):
        yield Edge(i, i + 1, "filler", 0.1)  # mum, where is teddy
    end = _tag(t, i)
    if end > i and (end >= len(t) or t.is_stop(end)):
        yield Edge(i, end, "filler", 0.1)
    for end in (_purpose(t, i), _for_whom(t, i), _contrast(t, i)):
        if end > i:
            yield Edge(i, end, "remark", 1.0)


def _tag(t: Tokens, i: int) -> int:
    """Returns the index after "isn't it", "could you", "my dear" and "all of them"; i if these words are not there."""
    if t.at(i) in words.POSSESSIVES and t.at(i + 1) in words.GREETINGS:
        return i + 2
    if t.at(i) in words.BE | words.DO | words.MODALS | words.HAVE and t.at(i + 1) in ("n't", "not"):
        return i + 3 if t.at(i + 2) in words.SUBJECTS else i
    if t.at(i) in words.REQUESTS and t.at(i + 1) == "you":
        return i + 2
    one = noun_phrase(t, i) if t.at(i) in ("all", "both", "each") else None
    return one.end if one is not None and one.words in ("all of them", "both of them", "all") else i


def _purpose(t: Tokens, i: int) -> int:
    """Returns the index after "for the experiment" at the beginning of a clause; i if a known thing or a time is named."""
    if t.at(i) not in ("for", "during", "as") or t.at(i - 1) not in ("", ",", ".", "!", "?", ";", "and", "so"):
        return i
    one = noun_phrase(t, i + 1)
    if one is None or one.known or one.end >= len(t):
        return i
    return i if any(t.at(n) in words.NUMBERS | words.CLOCK or t.at(n).isdecimal() for n in range(i, one.end)) else one.end


def _for_whom(t: Tokens, i: int) -> int:
    """Returns the index after "for him", "before dinner" and "for later"; i if these words are not there."""
    k = i + 1 + (t.at(i + 1) in words.ARTICLES)
    whom = words.TIMES | words.PEOPLE | words.SPEAKER | {"him", "her", "them", "later", "now", "once"}
    said = t.at(i) in ("for", "before", "after", "at", "by", "in") and t.at(k) in whom and not t.is_noun(k + 1)
    return k + 1 if said else i


def _contrast(t: Tokens, i: int) -> int:
    """Returns the index after a contrast: "not on the sofa", or "not the cup" before the right thing; i if there is none."""
    if t.at(i) != "not":
        return i
    place = place_phrase(t, i + 1 + (t.at(i + 1) in words.PARTICLES and t.at(i + 2) in words.PLACES))
    one = place or noun_phrase(t, i + 1)
    if one is None or not one.known or not (one.end >= len(t) or t.is_stop(one.end)):
        return i
    return one.end if place is not None or noun_phrase(t, one.end + 1) is not None else i
