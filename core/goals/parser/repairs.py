"""Takes back what a speaker corrects: the mug, no wait, the cup; on the desk, I mean on the bed."""

from __future__ import annotations

from core.goals.parser import word_classes as words
from core.goals.parser.phrases import noun_phrase, place_phrase
from core.goals.parser.tokens import Tokens
from core.goals.vocabulary import Lexicon

LONGEST_PHRASE = 10
"""The most tokens of a phrase that is corrected."""


def repaired(t: Tokens, lexicon: Lexicon) -> tuple[Tokens, list[tuple[int, int]]]:
    """Returns the tokens without corrected phrases, and (start, end) of these in the typed task."""
    out: list[tuple[int, int]] = []
    k = 1
    while k < len(t):
        end = _repair(t, k)
        start = _corrected(t, k, end) if end > k else k
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
        if t.at(k) == "," and (t.at(k + 1) in ASIDE or t.at(k + 1) in words.SOFT) and end and t.at(end) == "," and not any(
                _may_matter(t, n) for n in range(k + 2, end)):
            out.append((t.tokens[k + 1].start, t.tokens[end - 1].end))
            t = Tokens(t.typed, t.tokens[:k] + t.tokens[end + 1:], lexicon)
        k += 1
    return t, out


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
    return end if strong and end < len(t) else k


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
