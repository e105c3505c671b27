"""What a policy's reply was taken for, with its score: shown to the operator on every call, good or bad."""

from __future__ import annotations

import math
from collections.abc import Sequence

from core.effects import Ask, Reply
from core.facets import Grounding
from core.grounding import ground_action
from core.search.reading import read_choice
from core.world import Action

SHOWN = 200
"""Characters of a reply that are kept beside what it was taken for."""


def understood(ask: Ask, reply: Reply, phrases: Sequence[tuple[str, ...]]) -> Grounding:
    """The first sample's meaning among the choices offered; `phrases` are each choice's actions, one after the other."""
    sentences = [", ".join(p) for p in phrases]
    if reply.scores:
        return _by_probability(ask, reply, sentences)
    said = (reply.texts[0] if reply.texts else "").strip()
    shown = said[:SHOWN]
    if said.removesuffix(".") in sentences:
        return Grounding(ask.digest, shown, said.removesuffix("."), 1.0, "exact")
    listed = read_choice(said, phrases)
    if listed is not None:
        return Grounding(ask.digest, shown, sentences[listed], 1.0, "normalised")
    alike = reply.alike[0] if reply.alike else ()
    match = ground_action(said, [(Action("choose", (str(k),)), phrase[-1]) for k, phrase in enumerate(phrases)], alike)
    meant = sentences[int(match.candidate.args[0])] if match.candidate is not None else ""
    second = sentences[int(match.runner_up.args[0])] if match.runner_up is not None else ""
    return Grounding(ask.digest, shown, meant, match.score, match.how, second, match.runner_up_score)


def _by_probability(ask: Ask, reply: Reply, sentences: Sequence[str]) -> Grounding:
    known = sorted(((s, c) for c, s in reply.scores if c in sentences and math.isfinite(s)), reverse=True)
    if not known:
        return Grounding(ask.digest, "", "", 0.0, "none")
    total = sum(math.exp(s - known[0][0]) for s, _ in known)
    second = known[1] if len(known) > 1 else None
    return Grounding(ask.digest, known[0][1], known[0][1], 1 / total, "probability", second[1] if second else "",
                     math.exp(second[0] - known[0][0]) / total if second else 0.0)
