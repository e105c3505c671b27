"""What the rules share that change tokens before the clauses of a task are found.

A rule looks at one index. It returns (start, end, tokens in place of these), or None. Tokens that are only taken out are
reported with their place in the typed task.
"""

from __future__ import annotations

from dataclasses import replace

from core.goals.parser import word_classes as words
from core.goals.parser.phrases import Phrase, noun_phrase
from core.goals.parser.tokens import Token, Tokens

Change = tuple[int, int, list[Token]]
SENTENCE_ENDS = (".", "!", "?", ";")


def word(like: Token, text: str) -> Token:
    """Returns another word at the place of a token."""
    return replace(like, text=text)


def opens(t: Tokens, k: int) -> bool:
    """Returns True at the beginning of a sentence."""
    return k == 0 or t.at(k - 1)[:1] in SENTENCE_ENDS


def begins_clause(t: Tokens, k: int) -> bool:
    """Returns True at the beginning of a sentence, and after a comma or a word such as "and"."""
    return opens(t, k) or t.at(k - 1) in words.COORDINATORS | {","}


def known_phrase(t: Tokens, k: int) -> Phrase | None:
    """Returns the noun phrase at an index if its noun is one of a household."""
    one = noun_phrase(t, k)
    return one if one is not None and one.known else None


def place_after(t: Tokens, k: int) -> Phrase | None:
    """Returns the known noun phrase after a preposition of place at an index."""
    return known_phrase(t, k + 1) if t.at(k) in words.PLACES else None
