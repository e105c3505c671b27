"""What grounding begins and ends with: the clauses of a reply, and the match that a text is resolved to."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

How = Literal["exact", "normalised", "synonym", "part", "edit", "embedding", "refused", "none"]
T = TypeVar("T")

NORMALISED, WITHOUT_NUMBER, SYNONYM = 0.98, 0.9, 0.88
PART, RELATED = 0.7, 0.68
"""Scores if only the last word of a name was given, and if a related object was given (oven, stove)."""
PRONOUN = 0.8
"""`put it in the fridge`: "it" is not identified."""
SURE = 0.86
"""The score of a partial name that matches only one candidate; planners may accept it."""
EMBEDDING_FLOOR = 0.5
"""The minimum cosine of a match; below, the nearest candidate is reported as the runner-up."""
WORST: tuple[How, ...] = ("exact", "normalised", "synonym", "part", "edit", "embedding", "refused", "none")
"""Methods, the most certain first."""


@dataclass(frozen=True, slots=True)
class Match(Generic[T]):
    """What a text was resolved to.

    Attributes:
        candidate: the candidate; None if none matches.
        score: 0..1; for `none` and `refused`, that of the nearest candidate, which is then the runner-up.
        how: the method. `part`: only a part of the name, or a related object, was given; `refused`: the text declines to
            answer; `none`: it names no candidate.
        runner_up: the second best candidate, if any.
        runner_up_score: its score; equal to `score` if the text is ambiguous.
    """

    candidate: T | None
    score: float
    how: How
    runner_up: T | None = None
    runner_up_score: float = 0.0


def least_sure(*methods: How) -> How:
    """Returns the least certain of several methods."""
    return max(methods, key=WORST.index)


SCANNED = 8_000  # the maximum number of characters that are read: three quarters from the beginning, one from the end
MOST_CLAUSES = 200
THINKING = re.compile(r"<(think(?:ing)?|reasoning|scratchpad)>.*?</\1>", re.IGNORECASE | re.DOTALL)
CONTROL = re.compile(r"<\|?/?(?:im_start|im_end|eot_id|end_of_turn|start_of_turn|end|s|user|assistant|system)\|?>(?:\s*(?:user"
                     r"|assistant|model|system)\b(?=\s*(?:\n|<|$)))?", re.IGNORECASE)
FINAL = re.compile(r"\b(?:final|correct|chosen|my) (?:answer|choice|action)\b\s*(?:is|:|=)", re.IGNORECASE)
ANSWER = re.compile(r"\b(?:next|best|final|chosen|following) (?:actions?|steps?|plan)\b\s*(?:is|are|would be)?"
                    r"|\b(?:answer|actions?|position|location)[\s*_\"'`]*(?::|\bis\b)"
                    r"|\bi(?:'d| would| will|'ll)? (?:pick|choose|select|go (?:with|for)|say|guess|bet)\b"
                    r"|\b(?:therefore|thus|hence|so)\b(?=\s*[,:])",
                    re.IGNORECASE)
RESTATED = re.compile(r"^[^\w\n]{0,8}(?:goal|task|completed actions?|done so far|(?:current )?observations?|history|question)"
                      r"\s*:.*$", re.IGNORECASE | re.MULTILINE)
ANOTHER = re.compile(r"\b(?:question|goal)\s*:", re.IGNORECASE)
"""A base model continues with another question that it invents."""
CALL = re.compile(r"\b(\w+)\(([^()\n]{1,200})\)")
SEPARATOR = re.compile(r"[\n;,!?:\"“”«»|>=]+|\.(?=\s|$)|\s(?:and )?then\s|(?:^|\s)\(?(?:\d{1,2}|[a-h])[.)]\s"
                       r"|^[ \t]{0,16}[-*•–]\s|\*\*|`+|\$\$|\s[-–—]\s"
                       r"|\b(?:but|however|because)\b|\bso\b(?! that)|\bafter that\b|\band if\b",
                       re.MULTILINE | re.IGNORECASE)
NEGATION = re.compile(r"\b(?:not(?! only\b)|never|no|neither|nor|cannot|instead of|rather than|already|unable|avoid|without"
                      r"|except|\w+n['’]t|makes no sense)\b", re.IGNORECASE)
REFUSAL = re.compile(
    r"\b(?:i|we|you)(?:['’]m| am)? (?:cannot|can['’]t|could not|couldn['’]t|do not|don['’]t|am not able to|not able to"
    r"|unable to|have no)\b"
    r"|\bas an? (?:ai|assistant|(?:large )?language model)\b|\b(?:no|not enough) (?:idea|information|answer|clue)\b"
    r"|\bnot (?:sure|certain|applicable|listed|available|known|possible to)\b|\bnone of\b|\bimpossible\b|\bunknown\b|\bn/a\b"
    r"|\b(?:i['’]m|i am) just an?\b|\bnothing to do\b|\bno (?:such|further|more|other) (?:action|object|thing|step)"
    r"|\bno actions?\b|\bdoes not (?:contain|have|exist)\b|\bcould be anywhere\b|\bsorry\b|\bi have no\b"
    r"|^\W*(?:none|nothing)\W*$",
    re.IGNORECASE)
JSON_KEYS = ("next_action", "action", "next action", "actions", "next_actions", "next actions", "answer", "plan", "steps")
JSON_RANKS = {"relation": 1, "preposition": 1, "target": 2, "place": 2, "destination": 2, "container": 2, "surface": 2,
              "room": 3}
"""In a sentence made from an object's texts, the relation precedes its argument, and everything else precedes both."""
JSON_THOUGHTS = frozenset(("thought", "thoughts", "reason", "reasoning", "explanation", "rationale", "why", "analysis"))
DEEPEST = 8


@dataclass(frozen=True, slots=True)
class Clauses:
    """The clauses of a reply.

    Attributes:
        affirmed: where the answer is searched, in order: after a mark such as "next actions", then anywhere.
        denied: the text after "not", "instead of" and similar words.
        refused: True if the reply declines to answer.
    """

    affirmed: tuple[str, ...]
    denied: tuple[str, ...]
    refused: bool


def clauses(reply: str) -> Clauses:
    """Splits a reply into clauses; of a very long one, the beginning and the end."""
    text = reply if len(reply) <= SCANNED else reply[:SCANNED * 3 // 4] + "\n" + reply[-SCANNED // 4:]
    text = CONTROL.sub("\n", THINKING.sub("\n", text).replace("’", "'"))
    from_json = _json_texts(text)
    text = "\n".join(from_json) if from_json else CALL.sub(_spoken_call, text)
    text = _without_more(text)
    kept = RESTATED.sub("\n", text) or text
    found: list[str] = []
    mark = _mark(kept)
    if mark >= 0:
        found += _split(kept[mark:])
    found += _split(kept) + _split(text)
    affirmed, denied = list[str](), list[str]()
    for clause in dict.fromkeys(found[:3 * MOST_CLAUSES]):
        no = NEGATION.search(clause)
        if no is None:
            affirmed.append(clause)
            continue
        denied.append(clause[no.start():])
        if clause[:no.start()].strip():
            affirmed.append(clause[:no.start()].strip())
    return Clauses(tuple(affirmed[:MOST_CLAUSES]), tuple(denied[:MOST_CLAUSES]), REFUSAL.search(text) is not None)


def _mark(text: str) -> int:
    """Returns where the answer starts: after the last "final answer", the first "Answer:", or the last "next actions"."""
    final = list(FINAL.finditer(text))
    if final:
        return final[-1].end()
    marks = [mark for mark in ANSWER.finditer(text) if text[mark.end():].strip(" .:*\n")]
    answers = [mark for mark in marks if mark.group().lower().startswith(("answer", "position", "location"))]
    return (answers[0] if answers else marks[-1]).end() if marks else -1


def _without_more(text: str) -> str:
    """Returns a reply without the questions that a base model adds after its answer."""
    for found in ANOTHER.finditer(text):
        if len(text[:found.start()].strip()) > 2 and not ANOTHER.match(text.strip()):
            return text[:found.start()]
    return text


def _spoken_call(found: re.Match[str]) -> str:
    """Returns `put_in(banana, fridge)` without the comma, which would split it."""
    inner = found.group(2)
    return f"{found.group(1)} {inner.replace(',', ' ')}" if "_" in found.group(1) or "," in inner or found.end() == len(
        found.string.rstrip()) else found.group()


def _split(text: str) -> list[str]:
    return [clause for part in SEPARATOR.split(text) if (clause := part.strip(" \t\r.'‘’*_()[]{}<>-#"))]


def _json_texts(text: str) -> list[str]:
    """Returns the texts of a JSON reply, those of keys like `action` first.

    A verb and its objects are also joined to one sentence.
    """
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
        ordered = (*names, *(k for k in value if k not in names and str(k).lower() not in JSON_THOUGHTS))
        spoken = sorted(ordered, key=lambda key: JSON_RANKS.get(str(key).lower(), 0))
        flat = [v for key in spoken if isinstance(v := value[key], str)]
        if len(flat) > 1 and all(len(text) < 60 for text in flat):
            yield " ".join(flat)
        for key in ordered:
            yield from _texts(value[key], depth - 1)
