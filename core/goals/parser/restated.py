"""Says clauses in the form of a command where they have another one, before the clauses of a task are found.

    narration  := the person takes the milk, opens the fridge and puts it in
    a place    := give it a spot on the shelf | find a home for it on the shelf
    list       := these go in the fridge: the milk and the eggs | on the table: two plates
    by light   := look at the book under the desk lamp
    nearest    := whichever plum is nearest | the nearest plum
    request    := why don't you close it
    contrast   := the mug rather than the cup | on the desk, not on the bed

Each rule is as in `core.goals.parser.changes`.
"""

from __future__ import annotations

from core.goals.parser import word_classes as words
from core.goals.parser.changes import SENTENCE_ENDS, Change, opens, place_after, word
from core.goals.parser.phrases import Phrase, noun_list, noun_phrase
from core.goals.parser.tokens import Token, Tokens

NARRATORS = words.word_set("person robot agent character actor human bot assistant machine")
SPOTS = words.word_set("spot place home space slot room corner position")
UNCOUNTED = frozenset({"room", "space"})
SPOT_WORDS = words.ARTICLES | words.word_set("new nice good proper better safe suitable free")
MOVES = words.word_set("go goes belong belongs live lives")
THESE = words.word_set("these those them following things items all everything")
INTO = words.word_set("into onto")
ASKING = frozenset({"i", "we", "you"})
NEAREST = words.word_set("nearest closest nearer closer handiest easiest handy best freshest ripest available left quickest")
LIGHTS = ("lamp", "light")
MOST_OBJECT = 7
"""The most tokens of an object that a rule passes."""


def _nearest(t: Tokens, k: int) -> Change | None:
    """Takes out what says which of several is handiest: "the nearest plum", "whichever plum is nearest". Any one will do."""
    if t.at(k) in ("nearest", "closest") and t.is_noun(k + 1) and t.at(k - 1) in words.ARTICLES:
        return k, k + 1, []
    if t.at(k) in ("whichever", "whatever") and t.is_noun(k + 1) and _handiest_end(t, k + 2) > k + 2:
        return k, k + 1, [word(t.tokens[k], "one")]
    end = _handiest_end(t, k) if t.at(k - 2) == "one" and t.is_noun(k - 1) else k
    return (k, end, []) if end > k else None


def _handiest_end(t: Tokens, k: int) -> int:
    """Returns the index after "is (the) nearest"; k if there are other words."""
    n = k + 1 + (t.at(k + 1) in ("the", "most"))
    return n + 1 if t.at(k) in ("is", "'s", "looks", "seems") and t.at(n) in NEAREST else k


def _why_not(t: Tokens, k: int) -> Change | None:
    """Says "why don't you" and "why not" as "please"."""
    if t.at(k) != "why" or not opens(t, k):
        return None
    n = k + 1 + (t.at(k + 1) == "do")
    asked = t.at(n) in ("n't", "not") and (n == k + 1 or t.at(n + 1) in ("you", "we"))
    end = n + 1 + (n > k + 1)
    return (k, end, [word(t.tokens[k], "please")]) if asked and t.verbs(end) else None


def _contrasted(t: Tokens, k: int) -> Change | None:
    """Takes out "rather than the cup" after a thing and ", not on the bed" after a place.

    They only repeat that the other thing or place is not meant.
    """
    n = k + (t.at(k) == ",")
    opposed = t.at(n) == "not" and n > k
    short = opposed or t.joined(n, n + 2) == "rather than" or t.at(n) == "rather_than"
    whole = t.at(n) == "instead_of" or t.joined(n, n + 2) == "instead of"
    if not (short or whole) or not t.is_noun(k - 1):
        return None
    n += 1 + (t.at(n) in ("rather", "instead"))
    placed = t.at(n) in words.PLACES
    one = noun_phrase(t, n + placed)
    if one is None or not one.known or ((whole or opposed) and not placed) or t.at(one.start) not in words.ARTICLES:
        return None
    end = one.end + (t.at(one.end) == "," and t.at(k) == ",")
    follows = end >= len(t) or t.is_stop(end) or t.at(end) in words.PLACES | words.MODALS | words.COORDINATORS | MOVES or (
        end > one.end and not placed)
    return (k, end, []) if follows and t.at(end) != "but" else None


def _sentence_end(t: Tokens, k: int) -> int:
    return next((n for n in range(k, len(t)) if t.at(n)[:1] in SENTENCE_ENDS), len(t))


def _third(t: Tokens, k: int) -> str:
    """Returns the base form of a verb in the third person: `take` of `takes`. Empty for other words and for possible nouns."""
    lemma = next((verb.lemma for verb in t.verbs(k) if verb.form == "s"), "")
    follows = t.at(k + 1) in words.DETERMINERS | words.OBJECT_PRONOUNS | words.PREPOSITIONS | words.PARTICLES
    return lemma if lemma and (follows or not t.is_noun(k)) else ""


def _narrated(t: Tokens, k: int) -> Change | None:
    """Says "the person takes the milk and opens the fridge" as commands."""
    n = k + (t.at(k) in ("the", "a"))
    if not opens(t, k) or t.at(n) not in NARRATORS:
        return None
    n += 1 + (t.at(n + 1) in words.ORDER | words.SOFT | words.FIRST)
    if not _third(t, n):
        return None
    end, fresh = _sentence_end(t, k), list[Token]()
    for m in range(n, end):
        joined = m == n or t.at(m - 1) in {",", "and", "then"} | words.ORDER
        base = _third(t, m) if joined else ""
        fresh.append(word(t.tokens[m], base) if base else t.tokens[m])
    return k, end, fresh


def _spot_end(t: Tokens, k: int) -> int:
    """Returns the index after "a (new) spot"; k if there is none."""
    n = k
    while t.at(n) in SPOT_WORDS:
        n += 1
    return n + 1 if t.at(n) in (SPOTS if n > k else UNCOUNTED) else k


def _given_a_place(t: Tokens, k: int) -> Change | None:
    """Says "give the mug a spot on the shelf" as "put the mug on the shelf"."""
    if t.at(k) != "give":
        return None
    for n in range(k + 2, min(len(t), k + MOST_OBJECT)):
        end = _spot_end(t, n)
        if end > n and t.at(end) in words.PLACES:
            return k, end, [word(t.tokens[k], "put"), *t.tokens[k + 1:n]]
        if t.is_stop(n):
            return None
    return None


def _found_a_place(t: Tokens, k: int) -> Change | None:
    """Says "find a home for the book on the shelf" as "put the book on the shelf"."""
    end = _spot_end(t, k + 1) if t.at(k) in ("find", "make") else k + 1
    what = end + 1
    if end == k + 1 or t.at(end) != "for":
        return None
    for n in range(what + 1, min(len(t), what + MOST_OBJECT)):
        if t.at(n) in words.PLACES and noun_phrase(t, n + 1) is not None:
            return k, n, [word(t.tokens[k], "put"), *t.tokens[what:n]]
        if t.is_stop(n):
            return None
    return None


def _list_after(t: Tokens, k: int) -> Phrase | None:
    """Returns the known things after a colon, up to the end of the sentence."""
    things = noun_list(t, k + 1) if t.at(k) == ":" else None
    ends = things is not None and things.known and (things.end >= len(t) or t.at(things.end)[:1] in SENTENCE_ENDS)
    return things if ends else None


def _listed(t: Tokens, k: int) -> Change | None:
    """Says "cold things go in the fridge: the milk" and "in the fridge: the milk" as "put the milk in the fridge"."""
    if not opens(t, k):
        return None
    n = k
    while t.at(n) not in words.PLACES and n < min(len(t), k + MOST_OBJECT) and not t.is_stop(n):
        n += 1
    place = place_after(t, n)
    things = _list_after(t, place.end) if place is not None and (n == k or t.at(n - 1) in MOVES) else None
    if place is None or things is None:
        return None
    put = word(t.tokens[k], "put")
    return k, things.end, [put, *t.tokens[things.start:things.end], *t.tokens[n:place.end]]


def _listed_after(t: Tokens, k: int) -> Change | None:
    """Says "put these in the fridge: the milk" as "put the milk in the fridge"."""
    n = k + (t.at(k) == "the") + (t.at(k + 1) == "following" and t.at(k) == "the")
    n += t.at(n) in THESE
    before = next((verb for verb in t.verbs(k - 1) if verb.form == "base"), None)
    place = place_after(t, n) if n > k and before is not None else None
    things = _list_after(t, place.end) if place is not None else None
    if place is None or things is None:
        return None
    return k, things.end, [*t.tokens[things.start:things.end], *t.tokens[n:place.end]]


def _by_light(t: Tokens, k: int) -> Change | None:
    """Says "look at the book under the lamp" as "switch on the lamp and look at the book"."""
    verb = next((verb for verb in t.verbs(k) if verb.form == "base" and (verb.plain in ("look at", "read") or (
        verb.lemma == "look" and t.at(k + 1) == "at"))), None)
    if verb is None:
        return None
    for n in range(k + 2, min(len(t), k + MOST_OBJECT)):
        if t.is_stop(n) or t.at(n) in words.COORDINATORS:
            return None
        if t.at(n) in ("under", "beneath", "with", "by", "using", "in"):
            m = n + 1 + 3 * (t.joined(n + 1, n + 4) == "the light of")
            lamp = noun_phrase(t, m)
            if lamp is None or not lamp.known or not t.at(lamp.end - 1).endswith(LIGHTS):
                continue
            switch = [word(t.tokens[k], "switch"), word(t.tokens[k], "on")]
            return k, lamp.end, [*switch, *t.tokens[m:lamp.end], word(t.tokens[k], "and"), *t.tokens[k:n]]
    return None


RULES = (_nearest, _why_not, _contrasted, _narrated, _given_a_place, _found_a_place, _listed, _listed_after, _by_light)
"""In the order in which they are tried."""
