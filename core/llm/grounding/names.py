"""Resolves a written name to one of the known names."""

from __future__ import annotations

from collections.abc import Sequence

from core.goals.word_forms import words
from core.llm.grounding.actions import by_meaning
from core.llm.grounding.match import PART, SURE, SYNONYM, Match, clauses
from core.llm.grounding.name_finder import Finder, Mention, finder_of

NAME_SCANNED = 4_000  # the maximum number of characters of a text that are searched


def ground(text: str, candidates: Sequence[str], alike: Sequence[float] = ()) -> Match[str]:
    """Resolves a name to a candidate: `the kitchen tables` -> `kitchen_table`. Candidates may be names, classes or ids.

    Args:
        text: the name as written.
        candidates: the known names.
        alike: the similarity to each candidate (`alike_to`); empty if it was not computed.
    """
    text = text[:NAME_SCANNED].strip()
    if text and text in candidates:
        return Match(text, 1.0, "exact")
    finder, cut = finder_of(tuple(candidates)), clauses(text)
    parts = [text, *cut.affirmed] if text and not cut.denied else cut.affirmed
    mention = _first(finder, parts)
    if mention is None or mention.meanings[0].score <= PART:
        right = _first(finder, parts, respell=True)
        if right is not None and (mention is None or right.meanings[0].score > mention.meanings[0].score):
            return _match(right, candidates, misspelt=True)
    if mention is not None:
        return _match(mention, candidates)
    return Match(None, 0.0, "refused") if cut.refused else by_meaning(alike, candidates)


def _first(finder: Finder, parts: Sequence[str], *, respell: bool = False) -> Mention | None:
    for part in parts:
        said: list[str] | None = words(part)[:60]
        if respell:
            said = finder.respelt(said or [])
        found = finder.mentions(said) if said else []
        if found:
            return found[0]
    return None


def _match(mention: Mention, candidates: Sequence[str], *, misspelt: bool = False) -> Match[str]:
    best, first = mention.best, mention.meanings[0]
    score, how = (min(first.score, SYNONYM), first.how) if misspelt else (first.score, first.how)
    if how == "part" and len(best) == 1 and not misspelt:
        score = SURE if first.score >= PART else first.score
    second = next((m for m in mention.meanings if candidates[m.name] != candidates[first.name]), None)
    found = Match(candidates[first.name], score, "edit" if misspelt else how)
    if second is None:
        return found
    return Match(found.candidate, found.score, found.how, candidates[second.name], min(second.score, score))
