"""What a policy's reply was taken for, with its score: shown to the operator on every call, good or bad."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from core.llm.grounding import ground_choice
from core.llm.position_replies import Position, read_places
from core.planning.facets import Grounding
from core.planning.model_requests import Ask, Reply

SHOWN = 200
"""Characters of a reply that are kept beside what it was taken for."""
MOST_NAMED = 3
"""Places that may be meant alike which are all named."""


def understood(ask: Ask, reply: Reply, phrases: Sequence[tuple[str, ...]]) -> Grounding:
    """The first sample's meaning among the choices offered; `phrases` are each choice's actions, one after the other."""
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
    """Where the samples say that something is: what most say, and what comes second."""
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
    """Places in words; of many, the first and how many more."""
    shown = " or ".join(phrases[k] for k in spots[:MOST_NAMED])
    return f"{shown} or {len(spots) - MOST_NAMED} others" if len(spots) > MOST_NAMED else shown


def words_only(alike: Sequence[object], how: str) -> bool:
    """Whether embeddings were wanted and are not installed: nothing but shared words was compared."""
    return not alike and how in ("none", "edit", "part")


def _by_probability(ask: Ask, reply: Reply, sentences: Sequence[str]) -> Grounding:
    known = sorted(((s, c) for c, s in reply.scores if c in sentences and math.isfinite(s)), reverse=True)
    if not known:
        return Grounding(ask.digest, "", "", 0.0, "none")
    total = sum(math.exp(s - known[0][0]) for s, _ in known)
    second = known[1] if len(known) > 1 else None
    return Grounding(ask.digest, known[0][1], known[0][1], 1 / total, "probability", second[1] if second else "",
                     math.exp(second[0] - known[0][0]) / total if second else 0.0)
