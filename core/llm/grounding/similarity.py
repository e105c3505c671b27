"""The similarity of a reply to each choice by sentence embeddings: the last method, for words that no other resolves."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.goals.word_forms import PREPOSITIONS, spaced_name, words
from core.llm.embeddings import Embedder
from core.llm.grounding import actions, places
from core.llm.grounding.match import SCANNED, clauses

EMBEDDED = 6
"""The maximum number of clauses of a reply that are embedded."""
CLEAR_CUT = 0.6
"""The cosine from which the first clause with it decides; below, the best of all clauses wins."""
PLACE = re.compile(r"(inside|on) the (.+) in the (.+)")
"""The format of a place offered as a choice."""
NEVER = -1.0
"""The similarity to a choice that the words contradict."""


def alike_to(text: str, phrases: Sequence[str], embedder: Embedder) -> tuple[float, ...]:
    """Returns the similarity of a text to each phrase, -1..1: of its first decisive clause, or of the best one.

    Words that already exclude candidates are not compared: with `grab`, only objects that can be grabbed; of a place, only its
    name. If nothing is left to compare, all are -1. Slow (the embedder may have to be loaded first): for threads that may wait.
    """
    cut = clauses(text[:SCANNED])
    if not phrases or not text.strip():
        return ()
    if cut.refused:
        return (NEVER,) * len(phrases)
    spots = [PLACE.fullmatch(phrase) for phrase in phrases]
    found = [match for match in spots if match is not None]
    if len(found) == len(phrases):
        names = tuple(match.group(2) for match in found)
        rows = [(said, tuple(enumerate(names))) for part in cut.affirmed[:EMBEDDED] if (said := _place_words(part))]
    elif any(" " in phrase for phrase in phrases):
        book = actions.book_of(tuple(phrase.rsplit(", ", 1)[-1] for phrase in phrases))
        rows = [row for part in cut.affirmed[:EMBEDDED] if (row := book.comparable(part)) is not None and row[1]]
    else:
        rows = [(said, tuple((k, spaced_name(p)) for k, p in enumerate(phrases))) for part in cut.affirmed[:EMBEDDED]
                if (said := spaced_name(part))]
    return _compared(rows, len(phrases), embedder) or (NEVER,) * len(phrases)


def cosines(text: str, phrases: Sequence[str], embedder: Embedder) -> tuple[float, ...]:
    """Returns CosineSim of a reply with each whole phrase, -1..1, as in the paper's equation: for a prior, not grounding."""
    spoken = [name for part in clauses(text[:SCANNED]).affirmed[:EMBEDDED] if (name := spaced_name(part))]
    names = tuple((k, spaced_name(phrase)) for k, phrase in enumerate(phrases))
    return _compared([(said, names) for said in spoken], len(phrases), embedder) if phrases else ()


def _place_words(part: str) -> str:
    return " ".join(word for word in words(part)[:places.MOST_WORDS] if word not in PREPOSITIONS and word not in places.NEAR)


def _compared(rows: Sequence[tuple[str, Sequence[tuple[int, str]]]], count: int, embedder: Embedder) -> tuple[float, ...]:
    best: tuple[float, tuple[float, ...]] = NEVER, ()
    for said, choices in rows:
        likenesses = (embedder.encode([said]) @ embedder.encode([name for _, name in choices]).T)[0]
        row = [NEVER] * count
        for (index, _), value in zip(choices, likenesses, strict=True):
            row[index] = float(value)
        top = max(row)
        if top > best[0]:
            best = top, tuple(row)
        if top >= CLEAR_CUT:
            break
    return best[1]
