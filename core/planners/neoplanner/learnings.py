"""Updates of the learned axioms: the model rewrites them; an operator pins, deletes and edits them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from core.common.errors import UsageError
from core.planners.neoplanner.prompts import LONGEST_LINE
from core.planners.neoplanner.recorded_types import Axiom, Learnings


def rewritten(now: Learnings, lines: Iterable[str], episode: int, most: int) -> Learnings:
    """Returns the axioms after the model rewrote them.

    Pinned lines are kept, deleted ones are left out, and unchanged lines keep author and episode. An unusable reply changes
    nothing.
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
    """Returns an operator's version if it is valid.

    Raises:
        UsageError: a line is empty, too long, or duplicate.
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
