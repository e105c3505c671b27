"""Takes back what a speaker corrects: the mug, no wait, the cup; on the desk, I mean on the bed."""

from __future__ import annotations

from core.goals.parser import word_classes as words
from core.goals.parser.commands import said_at, verb_at
from core.goals.parser.phrases import noun_list, noun_phrase, place_phrase
from core.goals.parser.tokens import Token, Tokens
from core.goals.vocabulary import Lexicon

SENTENCES = frozenset({".", "!", "?", "..", "...", "…"})
LONGEST_PHRASE = 10
"""The most tokens of a phrase that is corrected."""


def repaired(t: Tokens, lexicon: Lexicon) -> tuple[Tokens, list[tuple[int, int]]]:
    """Returns the tokens without corrected phrases, and (start, end) of these in the typed task."""
    out: list[tuple[int, int]] = []
    k = 1
    while k < len(t):
        end = _repair(t, k)
        start = _corrected(t, k, end) if end > k else k
        if start == k < end and t.at(k - 1) in SENTENCES and t.at(end) in words.PLACES:
            start = _corrected(t, k - 1, end)  # to the bed. Correction: to the sofa
            start += start == k - 1
        if start < k:
            out.append((t.tokens[start].start, t.tokens[end - 1].end))
            t = Tokens(t.typed, t.tokens[:start] + t.tokens[end:], lexicon)
            k = start
        k += 1
    return t, out


MOST_ASIDE = 7
ASIDE = words.word_set("in at for of by during as to")


def without_asides(t: Tokens, lexicon: Lexicon) -> tuple[Tokens, list[tuple[int, int]]]:
    """Returns the tokens without phrases between commas that change nothing: ", at the end of the episode,"."""
    out: list[tuple[int, int]] = []
    k = 0
    while k < len(t):
        end = next((n for n in range(k + 2, min(len(t), k + 2 + MOST_ASIDE)) if t.is_stop(n)), 0)
        end = end or (len(t) if t.at(k) == "," and len(t) - k < MOST_ASIDE else 0)
        closed = t.at(k) == "," and end and t.at(end) in (",", "", ".", "!")
        which = t.at(k + 1) == "which" and t.at(k + 2) in words.BE and t.is_noun(k - 1)
        opens = which or t.at(k + 1) in ASIDE or t.at(k + 1) in words.SOFT
        aside = opens and not any(_may_matter(t, n) for n in range(k + 2, end))
        whole = _all_of_them(t, k, end) if closed else None
        if whole is not None:
            t = Tokens(t.typed, whole + t.tokens[end + 1:], lexicon)
        elif closed and t.at(end) == "," and (aside or _says_which(t, k, end)):
            out.append((t.tokens[k + 1].start, t.tokens[end - 1].end))
            goes_on = t.at(end + 1) in words.SUBJECTS - words.DETERMINERS  # all plums on the table, please, I count them
            t = Tokens(t.typed, t.tokens[:k] + t.tokens[end + (not goes_on):], lexicon)
        k += 1
    return t, out


def _all_of_them(t: Tokens, k: int, end: int) -> list[Token] | None:
    """Returns the tokens up to a comma with "all of them" or "both pairs of them" after it said before; None if it is not."""
    said = t.texts[k + 1:end]
    if said[:1] not in (["all"], ["both"], ["each"], ["every"]) or said[-2:] != ["of", "them"]:
        return None
    start = next((n for n in range(k - 1, max(-1, k - LONGEST_PHRASE), -1) if t.at(n) in words.ARTICLES and (
        one := noun_phrase(t, n)) is not None and one.several), -1)
    if start < 0:  # the carrots sliced, all of them
        return t.tokens[:k] if said[0] != "both" else None
    return [*t.tokens[:start], *t.tokens[k + 1:end - 1], *t.tokens[start:k]]


def _says_which(t: Tokens, k: int, end: int) -> bool:
    """Returns True if a phrase between commas names again what a plural before it does: both soaps, the bar and the bottle,."""
    phrases = (noun_phrase(t, n) for n in range(max(0, k - LONGEST_PHRASE), k))
    before = next((one for one in phrases if one is not None and one.end == k), None)
    which = noun_list(t, k + 1, subject=True) if t.at(k + 1) in words.ARTICLES else None
    verb = t.at(end + 1) in words.BE | words.MODALS | words.HAVE | {"belong", "need", "go"}
    both = before is not None and before.several and before.known and which is not None and which.several
    return both and which is not None and which.end == end and verb


def distributed(t: Tokens, lexicon: Lexicon) -> Tokens:
    """Returns the tokens with a verb and its place said of each thing that has its own order: put A and then B in the box."""
    for k in range(2, len(t)):
        if t.at(k) not in words.ORDER or t.is_stop(k + 1) or verb_at(t, k + 1) is not None:
            continue
        thing = noun_list(t, k + 1)
        place = place_phrase(t, thing.end) if thing is not None and thing.known else None
        joint = k - (t.at(k - 1) in ("and", ","))
        verb = next((n for n in range(joint - 1, -1, -1) if (said := said_at(t, n)) is not None and said.end == joint
                     and said.object is not None and not said.places and said.verb.frame in ("put", "bring")), -1)
        if place is not None and thing is not None and verb >= 0:
            there = t.tokens[place.start:place.end]
            first, second = t.tokens[:joint], [*t.tokens[joint:k + 1], t.tokens[verb], *t.tokens[k + 1:]]
            return Tokens(t.typed, [*first, *there, *second], lexicon)
    return t


def _may_matter(t: Tokens, n: int) -> bool:
    word = t.at(n)
    return t.is_noun(n) or word in words.NUMBERS | words.NEGATIONS | words.CONDITIONS | words.CLOCK or word.isdecimal() or bool(
        t.verbs(n)) or word in words.SUBJECTS


def _repair(t: Tokens, k: int) -> int:
    """Returns the index after the words of a correction that begin at k; k if there are none."""
    end, strong = k, False
    while t.at(end) in words.REPAIRS or (t.is_stop(end) and t.at(end) not in ".!?"):
        word = t.at(end)
        strong = strong or (word in words.STRONG_REPAIRS and (
            word != "no" or t.is_stop(end - 1) or t.is_stop(end + 1)
            or (t.is_noun(end - 1) and t.at(end + 1) in words.ARTICLES)))
        end += 1
    easy = t.at(end) in words.ABSTRACT | {"need", "more", "else"}  # no excuses
    return end if strong and end < len(t) and not easy else k


def _corrected(t: Tokens, start: int, end: int) -> int:
    """Returns where the phrase begins that the phrase after a correction replaces; `start` if there is none of its kind."""
    if t.at(end) in words.PLACES and place_phrase(t, end) is not None:
        found = (n for n in range(start - 1, max(-1, start - LONGEST_PHRASE), -1)
                 if t.at(n) in words.PLACES and (one := place_phrase(t, n)) is not None and one.end == start)
        return next(found, start)
    if noun_phrase(t, end) is None or t.at(end) in words.OBJECT_PRONOUNS:
        return start
    starts = [n for n in range(max(0, start - LONGEST_PHRASE), start)
              if (one := noun_phrase(t, n)) is not None and one.end == start]
    return starts[0] if starts else start
