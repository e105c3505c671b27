"""How a reply of the policy or world model was interpreted, with its score, as shown to the operator for every call."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from core.llm.grounding import ground_choice
from core.llm.grounding.places import Position, read_places
from core.planning.facets import Grounding
from core.planning.model_requests import Ask, Reply

SHOWN = 200
"""The maximum number of characters of a reply that are stored with its interpretation."""
MOST_NAMED = 3
"""The maximum number of equally plausible places that are named."""


def understood(ask: Ask, reply: Reply, phrases: Sequence[tuple[str, ...]]) -> Grounding:
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


def understood_places(ask: Ask, reply: Reply, places: Sequence[Position]) -> Grounding:
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


def _by_probability(ask: Ask, reply: Reply, sentences: Sequence[str]) -> Grounding:
    known = sorted(((s, c) for c, s in reply.scores if c in sentences and math.isfinite(s)), reverse=True)
    if not known:
        return Grounding(ask.digest, "", "", 0.0, "none")
    total = sum(math.exp(s - known[0][0]) for s, _ in known)
    second = known[1] if len(known) > 1 else None
    return Grounding(ask.digest, known[0][1], known[0][1], 1 / total, "probability", second[1] if second else "",
                     math.exp(second[0] - known[0][0]) / total if second else 0.0)
