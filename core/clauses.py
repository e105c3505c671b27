"""A model's reply cut into clauses, the likeliest place of its answer first."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

SCANNED = 8_000  # characters of a reply that are looked at: three quarters from its beginning, one from its end
MOST_CLAUSES = 200
ANSWER = re.compile(r"\b(?:next|best|final|chosen|following) (?:actions?|steps?|plan)\b\s*(?:is|are|would be)?"
                    r"|\b(?:answer|actions?)\s*:", re.IGNORECASE)
RESTATED = re.compile(r"^[^\w\n]{0,8}(?:goal|task|completed actions?|done so far|(?:current )?observations?|history)\s*:.*$",
                      re.IGNORECASE | re.MULTILINE)
SEPARATOR = re.compile(r"[\n;,!?:\"“”«»|>]+|\.(?=\s|$)|\s(?:and )?then\s|(?:^|\s)\(?\d{1,2}[.)]\s|^[ \t]{0,16}[-*•–]\s|\*\*|`+",
                       re.MULTILINE)
NEGATION = re.compile(r"\b(?:not|never|don't|doesn't|can't|cannot|won't|shouldn't|already|instead of|unable|avoid)\b",
                      re.IGNORECASE)
JSON_KEYS = ("next_action", "action", "next action", "actions", "next_actions", "next actions", "answer", "plan", "steps")
DEEPEST = 8


def clauses(reply: str) -> list[str]:
    """The clauses in which to look for an action, in order: behind the last "next actions", else anywhere; denied ones last."""
    text = reply if len(reply) <= SCANNED else reply[:SCANNED * 3 // 4] + "\n" + reply[-SCANNED // 4:]
    from_json = _json_texts(text)
    text = "\n".join(from_json) if from_json else text
    kept = RESTATED.sub("\n", text) or text
    found: list[str] = []
    marks = list(ANSWER.finditer(kept))
    if marks:
        found += _split(kept[marks[-1].end():])
    found += _split(kept) + _split(text)
    unique = list(dict.fromkeys(found))
    affirmed = [clause for clause in unique if not NEGATION.search(clause)]
    denied = [clause for clause in unique if NEGATION.search(clause)]
    return (affirmed + denied)[:MOST_CLAUSES]


def _split(text: str) -> list[str]:
    return [clause for part in SEPARATOR.split(text) if (clause := part.strip(" \t\r.'*_()[]{}-"))]


def _json_texts(text: str) -> list[str]:
    """The texts of a JSON reply, those under names like `action` first; a verb and its things are also read as one sentence."""
    start = min((at for at in (text.find("{"), text.find("[")) if at >= 0), default=-1)
    if start < 0:
        return []
    try:
        value, _ = json.JSONDecoder().raw_decode(text[start:])
    except (ValueError, RecursionError):  # brackets in prose
        return []
    return [t for t in _texts(value, DEEPEST) if t.strip()]


def _texts(value: object, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif depth and isinstance(value, list):
        for item in value:
            yield from _texts(item, depth - 1)
    elif depth and isinstance(value, dict):
        names = [key for key in JSON_KEYS if key in value]
        flat = [v for key in (*names, *(k for k in value if k not in names)) if isinstance(v := value[key], str)]
        if len(flat) > 1 and all(len(text) < 60 for text in flat):
            yield " ".join(flat)
        for key in (*names, *(k for k in value if k not in names)):
            yield from _texts(value[key], depth - 1)
