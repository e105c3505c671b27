"""The axioms a planner believes, and who may change them: the model rewrites, the operator pins, strikes and edits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from core.common.errors import UsageError
from core.planners.neoplanner.replies import LONGEST_LINE
from core.planning.facets import Axiom, Learnings


def rewritten(now: Learnings, lines: Iterable[str], episode: int, most: int) -> Learnings:
    """What the model wrote in place of what it wrote before.

    Pinned lines stay, struck ones stay out, lines kept word for word keep author and episode; nothing usable changes nothing.
    """
    before = {a.text: a for a in now.axioms}
    kept = [a for a in now.axioms if a.pinned or a.by == "operator"]
    texts = [t for t in dict.fromkeys(lines) if t not in now.struck]
    if not texts:
        return replace(now, episodes=episode)
    held = {a.text for a in kept}
    written = [before.get(t) or Axiom(t, episode=episode) for t in texts if t not in held]
    return Learnings((*kept, *written)[:most], now.struck, episode)


def checked(facet: Learnings) -> Learnings:
    """An operator's version, as it is.

    Raises:
        UsageError: a line is empty, too long, or there twice.
    """
    seen: set[str] = set()
    for axiom in facet.axioms:
        text = axiom.text
        if not text.strip() or "\n" in text or len(text) > LONGEST_LINE:
            raise UsageError(f"a learning is one line of 1 to {LONGEST_LINE} characters, not “{text[:40]}”")
        if text in seen:
            raise UsageError(f"“{text[:60]}” is listed twice: change or delete one")
        seen.add(text)
    return facet
