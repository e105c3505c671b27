"""From free text to admissible names and actions: the first sure way of several, and how sure it is.

In order: the very text, the text without articles, case and number, synonyms, typing errors, and at last sentence embeddings.
What is uncertain is never hidden: every match says how it came about, its score, and what else it might have been.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Generic, Literal, TypeVar

from core.clauses import SCANNED, clauses
from core.embeddings import Embedder
from core.wording import PARTICLES, PREPOSITIONS, Vocabulary, likeness, spaced_name, words
from core.world import Action

How = Literal["exact", "normalised", "synonym", "edit", "embedding", "none"]
T = TypeVar("T")

NORMALISED, WITHOUT_NUMBER, SYNONYM, PART = 0.98, 0.9, 0.88, 0.7
"""Scores of the sure ways; typing errors and embeddings are scored by likeness."""
EDIT_FLOOR = 0.7
EMBEDDING_FLOOR = 0.3
"""Below these, there is no match; the nearest candidate is still told as the runner-up."""
CLEAR_CUT = 0.6
"""An embedding from here on settles the matter for the first clause that has one; below, the best of all clauses wins."""
NAME_SCANNED = 4_000  # characters of a reply in which a name is looked for
COMPARED = 24  # clauses compared letter by letter
EMBEDDED = 8  # clauses that are embedded
SKIPPED_WORD, SKIPPED_PREPOSITION, CONTRADICTED, BETWEEN = 0.5, 0.12, 1.0, 0.03
"""What leaving out a word of the candidate costs, what saying "off" for "on" costs, and a strange word between its words."""


@dataclass(frozen=True, slots=True)
class Match(Generic[T]):
    """What a text was taken for.

    Attributes:
        candidate: what it means; None when nothing fits.
        score: 0..1; for `none`, that of the nearest candidate, which is then the runner-up.
        how: the way that led to it.
        runner_up: the second best candidate, if any.
        runner_up_score: its score; equal to `score` where the text does not say which of two it means.
    """

    candidate: T | None
    score: float
    how: How
    runner_up: T | None = None
    runner_up_score: float = 0.0


@dataclass(frozen=True, slots=True)
class _Hit:
    """The candidate's index, with all others that fit as well."""

    index: int
    score: float
    how: How
    also: tuple[int, ...] = ()


def ground(text: str, candidates: Sequence[str], alike: Sequence[float] = ()) -> Match[str]:
    """The candidate a name means: `the kitchen tables` -> `kitchen_table`. Candidates may be names, classes or ids.

    Args:
        text: the name as somebody wrote it.
        candidates: what it may mean.
        alike: how alike it is to each candidate (`alike_to`); empty where nobody compared them.
    """
    book = _Phrasebook(candidates)
    text = text[:NAME_SCANNED].strip()
    if text in book.exact:
        return _match(_Hit(book.exact[text], 1.0, "exact"), book, candidates)
    parts = [text, *clauses(text)] if text else []
    found = book.sure(parts) or book.partial(parts) or book.typing_error(parts)
    return _settled(found, alike, book, candidates)


def ground_action(text: str, actions: Sequence[tuple[Action, str]], alike: Sequence[float] = ()) -> Match[Action]:
    """The first action a reply names, among (action, phrase) pairs: `Next actions: grab the apple, walk to …` -> grab apple_1.

    The whole reply is searched, since models restate the question first: behind "next actions" before elsewhere, what is denied
    last. Of a very long reply, the beginning and the end are searched. `alike`: see `ground`.
    """
    book = _Phrasebook([phrase for _, phrase in actions])
    values = [action for action, _ in actions]
    stripped = text[:SCANNED].strip()
    if stripped in book.exact:
        return _match(_Hit(book.exact[stripped], 1.0, "exact"), book, values)
    parts = clauses(text)
    return _settled(book.sure(parts) or book.typing_error(parts), alike, book, values)


def _settled(found: _Hit | None, alike: Sequence[float], book: _Phrasebook, values: Sequence[T]) -> Match[T]:
    """The match of what the words gave; embeddings speak only where they gave nothing sure."""
    if found is not None and found.score >= EDIT_FLOOR:
        return _match(found, book, values)
    near = None
    if len(alike) == len(values) > 0:
        index = max(range(len(alike)), key=alike.__getitem__)
        near = _Hit(index, min(1.0, max(0.0, alike[index])), "embedding")
    best = max((hit for hit in (found, near) if hit is not None), key=lambda hit: hit.score, default=None)
    if near is not None and near.score >= EMBEDDING_FLOOR:
        return _match(near, book, values)
    if best is None:
        return Match(None, 0.0, "none")
    return Match(None, best.score, "none", values[best.index], best.score)


def _match(hit: _Hit, book: _Phrasebook, values: Sequence[T]) -> Match[T]:
    found: Match[T] = Match(values[hit.index], hit.score, hit.how)
    for other in hit.also:
        if values[other] != found.candidate:
            return replace(found, runner_up=values[other], runner_up_score=hit.score)
    second = book.most_alike(book.phrases[hit.index], [i for i in range(len(values)) if values[i] != found.candidate])
    if second is None:
        return found
    return replace(found, runner_up=values[second[0]], runner_up_score=min(second[1], hit.score))


def alike_to(text: str, phrases: Sequence[str], embedder: Embedder) -> tuple[float, ...]:
    """How alike a text is to each phrase, -1..1: its first clause that settles the matter, or the one that fits best.

    Slow (the embedder may have to be loaded first): for threads that may wait.
    """
    spoken = [name for part in clauses(text[:SCANNED])[:EMBEDDED] if (name := spaced_name(part))]
    if not spoken or not phrases:
        return ()
    likenesses = embedder.encode(spoken) @ embedder.encode([spaced_name(phrase) for phrase in phrases]).T
    best = likenesses.max(axis=1)
    row = next((i for i, value in enumerate(best) if value >= CLEAR_CUT), int(best.argmax()))
    return tuple(float(value) for value in likenesses[row])


_Keys = dict[str, list[int]]
"""Phrases without their spaces -> candidates: `kitchentable` is found like `kitchen table`."""


class _Phrasebook:
    """The candidates in all forms they are looked for in."""

    def __init__(self, candidates: Sequence[str]):
        self.exact = {candidate: i for i, candidate in reversed(tuple(enumerate(candidates))) if candidate}
        self.phrases = [words(candidate) for candidate in candidates]
        self.vocabulary = Vocabulary.of(self.phrases)
        self._numberless = [_numberless(phrase) for phrase in self.phrases]
        self._plain = _keys(self.phrases), _keys(self._numberless)
        ours = [self.vocabulary.in_our_words(phrase) for phrase in self.phrases]
        self._ours = _keys(ours), _keys([_numberless(phrase) for phrase in ours])
        self._longest = max(map(len, self.phrases), default=0) + 2
        self._firsts = {key[:2] for keys in (*self._plain, *self._ours) for key in keys}

    def sure(self, parts: Sequence[str]) -> _Hit | None:
        """The first candidate named in so many words, or in synonyms, in the first clause that names one."""
        for part in parts:
            said = words(part)
            if not said:
                continue
            plain = self.vocabulary.in_singular(said)
            hit = self._named(said, self._plain, "normalised", NORMALISED)
            if hit is None and plain != said:
                hit = self._named(plain, self._plain, "normalised", NORMALISED)
            ours = self.vocabulary.in_our_words(said) if hit is None else plain
            if hit is None and self.vocabulary.synonyms:
                hit = self._named(ours, self._ours, "synonym", SYNONYM)
            if hit is not None:
                return hit
        return None

    def _named(self, said: list[str], keys: tuple[_Keys, _Keys], how: How, score: float) -> _Hit | None:
        """The first and longest run of words that is a candidate, or one but for its number."""
        full, bare = keys
        for at, word in enumerate(said):
            if word[:2] not in self._firsts and len(word) > 1:
                continue
            for end in range(min(len(said), at + self._longest), at, -1):
                key = "".join(said[at:end])
                found = full.get(key) or bare.get(key)
                if found is None:
                    continue
                # It names a number that is not on offer, where numbers tell candidates apart: perhaps another thing is meant.
                if end < len(said) and said[end].isdigit() and (key not in full or len(bare.get(key, ())) > 1):
                    return _Hit(found[0], PART, "edit", tuple(found[1:]))
                return _Hit(found[0], score if key in full else min(score, WITHOUT_NUMBER), how, tuple(found[1:]))
        return None

    def partial(self, parts: Sequence[str]) -> _Hit | None:
        """A candidate of several words of which only the last was said: `table` for `kitchen table`."""
        for part in parts:
            said = self.vocabulary.in_singular(words(part))
            fitting = [i for i, phrase in enumerate(self._numberless)
                       if 0 < len(said) < len(phrase) and phrase[-len(said):] == said]
            if fitting:
                return _Hit(fitting[0], PART, "edit", tuple(fitting[1:]))
        return None

    def typing_error(self, parts: Sequence[str]) -> _Hit | None:
        """The candidate whose words all stand in a clause in order, but for typing errors and small words."""
        best: list[tuple[float, int]] = []
        for part in parts[:COMPARED]:
            said = self.vocabulary.in_our_words(words(part)[:40])
            scored = sorted(((_aligned(phrase, said), -i) for i, phrase in enumerate(self.phrases) if phrase), reverse=True)
            if scored and scored[0][0] >= EDIT_FLOOR:
                best = scored
                break
            best = max(best, scored[:2])
        if not best or best[0][0] <= 0:
            return None
        also = tuple(-i for score, i in best[1:] if score == best[0][0])
        return _Hit(-best[0][1], best[0][0], "edit", also)

    def most_alike(self, phrase: Sequence[str], others: Sequence[int]) -> tuple[int, float] | None:
        """The other candidate that shares most words with this one."""
        mine = set(phrase)
        scored = [(2 * len(mine & set(self.phrases[i])) / max(1, len(mine) + len(self.phrases[i])), -i) for i in others]
        return (-max(scored)[1], max(scored)[0]) if scored else None


def _numberless(phrase: Sequence[str]) -> list[str]:
    return [word for word in phrase if not word.isdigit()]


def _keys(phrases: Sequence[Sequence[str]]) -> _Keys:
    keys: _Keys = {}
    for index, phrase in enumerate(phrases):
        if phrase:
            keys.setdefault("".join(phrase), []).append(index)
    return keys


def _aligned(phrase: Sequence[str], said: Sequence[str]) -> float:
    """How much of a phrase is said, in order: 1 for all of it."""
    at, lost = 0, 0.0
    for number, word in enumerate(phrase):
        found = max(((likeness(word, said[i]), -i) for i in range(at, len(said))), default=(0.0, 0))
        if found[0] > 0:
            lost += 1 - found[0] + (BETWEEN * (-found[1] - at) if number else 0)
            at = -found[1] + 1
        elif word in PARTICLES and not PARTICLES.isdisjoint(said[at:]):
            lost += CONTRADICTED
        elif word in PREPOSITIONS or word.isdigit():
            lost += SKIPPED_PREPOSITION
        elif number == 0:
            return 0.0  # without its verb it is another action
        else:
            lost += SKIPPED_WORD
    return float(max(0.0, 1 - lost / math.sqrt(len(phrase))))
