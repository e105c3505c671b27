"""Finds what a task sets against what it asks for: not the one on the counter, but not desk lamp two, instead of the plate.

A contrast asks for nothing. Where the command before it is about all of something, what is set against it is left out of that.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.goals.parser import word_classes as words
from core.goals.parser.edges import Edge
from core.goals.parser.phrases import noun_list, place_phrase
from core.goals.parser.tokens import Tokens

COST = 0.7
LONGEST = 8
MEANING = "only set against what is asked for"
POINTING = words.word_set("here there one ones pair too either")


def contrasts(t: Tokens, i: int) -> Iterator[Edge]:
    """Yields a contrast with what was asked for before a token, and one that a sentence begins with."""
    k = i + (t.at(i) == "but")
    if t.at(k) == "not" and not any(t.verbs(k + 1)):
        yield from _opposed(t, i, k + 1)
    whole = {"every", "all", "each", "everything"} & set(t.texts[:i])
    left = noun_list(t, i + 1, bare=False) if t.at(i) == "but" and whole else None
    if left is not None and left.known and (left.end >= len(t) or t.is_stop(left.end)):
        yield Edge(i, left.end, "exception", COST, (left.words,))
    opens = i == 0 or t.at(i - 1) in words.GREETINGS | {".", "!", ";", "and", "so"}
    before = i + 1 + (t.joined(i, i + 2) == "instead of")
    if opens and (t.at(i) == "instead_of" or before == i + 2):
        one = noun_list(t, before, bare=False)
        if one is not None and one.known and t.at(one.end) == ",":
            yield Edge(i, one.end, "remark", COST, guess=t.said(i, one.end), meaning=MEANING)


def _opposed(t: Tokens, i: int, k: int) -> Iterator[Edge]:
    k += t.at(k) in ("just", "also", "even")
    place = place_phrase(t, k)
    one = place or noun_list(t, k)
    end = one.end if one is not None else k
    while t.at(end) in POINTING or (end > k and not t.is_known(end) and t.at(end).isalpha() and end < k + LONGEST):
        end += 1
    more = place_phrase(t, end) if t.at(end) in words.PLACES else None
    end = more.end if more is not None else end
    if one is None or end == k or not (end >= len(t) or t.is_stop(end) or t.at(end) in words.COORDINATORS):
        return
    if t.is_stop(end) and t.at(end) == "," and noun_list(t, end + 1) is not None:
        return  # not the plate, the mug
    if place is not None or not one.known:
        yield Edge(i, end, "remark", COST, guess=t.said(i, end), meaning=MEANING)
    else:
        but = "but " if "but" in (t.at(i), t.at(i - 1)) else ""
        yield Edge(i, end, "contrast", COST, (but + t.joined(k, one.end) + (f" {more.said}" if more is not None else ""),),
                   guess=t.said(i, end), meaning=MEANING)
