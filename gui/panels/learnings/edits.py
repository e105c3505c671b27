"""The operator's edits of learnings, as functions from one version to the next. No Qt."""

from __future__ import annotations

from dataclasses import replace

from core.planners.neoplanner.recorded_types import Axiom, Learnings

LONGEST = 600


def pinned(now: Learnings, text: str, on: bool) -> Learnings:
    """Returns the learnings with a line pinned or unpinned."""
    return replace(now, axioms=tuple(replace(a, pinned=on) if a.text == text else a for a in now.axioms))


def deleted(now: Learnings, text: str) -> Learnings:
    """Returns the learnings without a line. The line is struck: it stays out if the model writes it again."""
    return replace(now, axioms=tuple(a for a in now.axioms if a.text != text), struck=tuple(dict.fromkeys((*now.struck, text))))


def rewritten(now: Learnings, text: str, words: str) -> Learnings:
    """Returns the learnings with a line rewritten by the operator. The old text is struck.

    Returns `now` unchanged if there is no such line, or if the new text is unusable (see `usable`).
    """
    words = " ".join(words.split())
    if not usable(now, words) or all(a.text != text for a in now.axioms):
        return now
    axioms = tuple(Axiom(words, a.pinned, "operator", a.episode) if a.text == text else a for a in now.axioms)
    return replace(now, axioms=axioms, struck=tuple(s for s in dict.fromkeys((*now.struck, text)) if s != words))


def added(now: Learnings, words: str) -> Learnings:
    """Returns the learnings with one more line at the top. The line is no longer struck if it was."""
    words = " ".join(words.split())
    if not usable(now, words):
        return now
    return replace(now, axioms=(Axiom(words, False, "operator", now.episodes), *now.axioms),
                   struck=tuple(s for s in now.struck if s != words))


def usable(now: Learnings, words: str) -> bool:
    """Returns True if a text can be a new line: not empty, not too long, and not there already."""
    return bool(words) and len(words) <= LONGEST and all(a.text != words for a in now.axioms)


def undone(now: Learnings, before: Learnings, after: Learnings) -> Learnings:
    """Returns the newest version with one edit (before → after) undone. What the model wrote since the edit stays."""
    old, new = {a.text: a for a in before.axioms}, {a.text: a for a in after.axioms}
    gone = [text for text in new if text not in old]
    changed = {text: old[text] for text in old if new.get(text) != old[text]}
    axioms = [changed.pop(a.text, a) for a in now.axioms if a.text not in gone]
    struck = tuple(s for s in now.struck if s in before.struck or s not in after.struck)
    return replace(now, axioms=(*changed.values(), *axioms), struck=struck)
