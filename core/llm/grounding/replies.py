"""How a reply was understood: the choice, the action or the place that it means, as shown to the operator."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from core.llm.grounding.choices import first_action, ground_choice, word_overlap
from core.llm.grounding.match import SCANNED, clauses
from core.llm.grounding.places import Position, read_places
from core.planning.facets import Grounding
from core.planning.model_requests import ModelReply, ModelRequest

SHOWN = 200
"""The maximum number of characters of a reply that are stored with its interpretation."""
MOST_NAMED = 3
"""The maximum number of equally plausible places that are named."""


def grounding_of_choice(ask: ModelRequest, reply: ModelReply, phrases: Sequence[tuple[str, ...]]) -> Grounding:
    """Returns how the first sample was resolved to one of the choices.

    Args:
        ask: the request.
        reply: its reply.
        phrases: for each choice the phrases of its actions.
    """
    sentences = [", ".join(p) for p in phrases]
    if reply.scores:
        return _by_probability(ask, reply, sentences)
    said = (reply.texts[0] if reply.texts else "").strip()
    alike = reply.alike[0] if reply.alike else ()
    match = ground_choice(said, phrases, alike)
    meant = sentences[match.candidate] if match.candidate is not None else ""
    second = sentences[match.runner_up] if match.runner_up is not None else ""
    return Grounding(ask.digest, said[:SHOWN], meant, match.score, match.how, second, match.runner_up_score,
                     words_only(alike, match.how))


def grounding_of_plan(ask: ModelRequest, reply: ModelReply, phrases: Sequence[tuple[str, ...]],
               rows: Sequence[Sequence[float]]) -> Grounding:
    """Returns the admissible action that the samples' first actions resemble most together, as in section 2.3.

    Args:
        ask: the request.
        reply: its reply, free text.
        phrases: (n,) for each admissible action its phrases.
        rows: for each sample its (n,) similarities; empty if it names no action.
    """
    scores, lost = _summed(rows), sum(not row for row in rows)
    if not scores:
        said = (reply.texts[0] if reply.texts else "").strip()
        how = "refused" if clauses(said[:SCANNED]).refused else "none"
        return Grounding(ask.digest, said[:SHOWN], "", 0.0, how, words_only=not reply.alike, untranslated=lost)
    first, second = [*sorted(range(len(scores)), key=lambda k: -scores[k]), 0][:2]
    told = len(rows) - lost
    best = max((k for k, row in enumerate(rows) if row), key=lambda k: rows[k][first])
    share, next_share = (min(1.0, max(0.0, scores[k] / told)) for k in (first, second))
    runner_up = ", ".join(phrases[second]) if len(phrases) > 1 else ""
    how = "embedding" if reply.alike else "nearest"
    return Grounding(ask.digest, first_action(reply.texts[best])[:SHOWN], ", ".join(phrases[first]), share, how, runner_up,
                     next_share if runner_up else 0.0, words_only=not reply.alike, untranslated=lost)


def grounding_of_place(ask: ModelRequest, reply: ModelReply, places: Sequence[Position]) -> Grounding:
    """Returns the place that most samples name, and the second."""
    phrases = [place.phrase for place in places]
    if reply.scores:
        return _by_probability(ask, reply, phrases)
    if not reply.texts:
        return Grounding(ask.digest, "", "", 0.0, "none")
    read = read_places(reply, places)
    votes = Counter(answers.answers[0].spots for answers in read if answers.answers)
    first = next((k for k, answers in enumerate(read) if answers.answers), 0)
    said, shown = reply.texts[first].strip()[:SHOWN], read[first]
    if not votes:
        nearest = _named(shown.nearest, phrases)
        return Grounding(ask.digest, said, "", shown.nearest_score, shown.how, nearest, shown.nearest_score,
                         words_only(reply.alike, shown.how))
    spots, _ = votes.most_common(1)[0]
    answer = next(a.answers[0] for a in read if a.answers and a.answers[0].spots == spots)
    others = Counter(a.spots for answers in read for a in answers.answers if a.spots != spots)
    second = others.most_common(1)[0][0] if others else ()
    score = next((a.score for answers in read for a in answers.answers if a.spots == second), 0.0)
    return Grounding(ask.digest, said, _named(spots, phrases), answer.score, answer.how, _named(second, phrases),
                     min(score, answer.score), words_only(reply.alike, answer.how))


def _named(spots: Sequence[int], phrases: Sequence[str]) -> str:
    """Returns places in words; of many, the first ones and the number of the others."""
    shown = " or ".join(phrases[k] for k in spots[:MOST_NAMED])
    return f"{shown} or {len(spots) - MOST_NAMED} others" if len(spots) > MOST_NAMED else shown


def words_only(alike: Sequence[object], how: str) -> bool:
    """Returns True if embeddings were requested but are not installed, so that only words were compared."""
    return not alike and how in ("none", "edit", "part")


def _by_probability(ask: ModelRequest, reply: ModelReply, sentences: Sequence[str]) -> Grounding:
    known = sorted(((s, c) for c, s in reply.scores if c in sentences and math.isfinite(s)), reverse=True)
    if not known:
        return Grounding(ask.digest, "", "", 0.0, "none")
    total = sum(math.exp(s - known[0][0]) for s, _ in known)
    second = known[1] if len(known) > 1 else None
    return Grounding(ask.digest, known[0][1], known[0][1], 1 / total, "probability", second[1] if second else "",
                     math.exp(second[0] - known[0][0]) / total if second else 0.0)


def similarities(reply: ModelReply, phrases: Sequence[tuple[str, ...]]) -> list[tuple[float, ...]]:
    """Returns for each sample the similarity of its first action to the first action of each choice; () if it names none.

    It is the cosine of sentence embeddings if the reply contains it, else of word counts.
    """
    rows: dict[str, tuple[float, ...]] = {}
    for k, text in enumerate(reply.texts):
        if text not in rows:
            embedded, first = reply.alike[k] if k < len(reply.alike) else (), first_action(text)
            by_words = () if not first or len(embedded) == len(phrases) else tuple(word_overlap(first, p[0]) for p in phrases)
            rows[text] = (by_words if any(by_words) else ()) if not first or by_words else embedded
    return [rows[text] for text in reply.texts]


def _summed(rows: Sequence[Sequence[float]]) -> list[float]:
    """Returns the sum over the samples that name an action; empty if none does."""
    said = [row for row in rows if row]
    return [sum(column) for column in zip(*said, strict=True)] if said else []
