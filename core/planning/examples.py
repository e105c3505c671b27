"""Decisions worth imitating, and which of them are about something like a task: the few shots of a prompt."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from core.planning.model_requests import Ask, Expects, Message, Reply

WORD = re.compile(r"[a-z0-9]+")
IGNORED = frozenset({"a", "an", "and", "in", "inside", "into", "of", "on", "one", "put", "the", "to"})


@dataclass(frozen=True, slots=True)
class Example:
    """One decision worth imitating.

    Attributes:
        instruction: the goal in words.
        history: what had been done before, as `verb id id`.
        observation: what was in sight, in words.
        action: what was done, as `verb id id`.
        instead_of: what the planner would have done, where an operator corrected it.
        origin: the recording and turn it is from.
        id: its number in the set; 0 while it is in none.
    """

    instruction: str
    history: tuple[str, ...]
    observation: str
    action: str
    instead_of: str = ""
    origin: str = ""
    id: int = 0


def likeness_ask(examples: Iterable[Example], instruction: str) -> Ask:
    """How alike the goal is to those of the examples: CosineSim of sentence embeddings (Zhao et al., section 2.3).

    A question, though no model is asked: so the answer is on record, and a run that is repeated needs no embeddings.
    """
    known = tuple(dict.fromkeys(e.instruction for e in examples))
    return Ask("examples", (Message("user", instruction),), "tasks like it", expects=Expects(choices=known), compare="only")


def likeness_of(ask: Ask, reply: Reply) -> Mapping[str, float]:
    """What came back: instruction -> likeness; empty where nothing was compared, and words must do."""
    row = reply.alike[0] if reply.alike else ()
    return dict(zip(ask.expects.choices, row, strict=True)) if len(row) == len(ask.expects.choices) else {}


def alike(examples: Iterable[Example], instruction: str, most: int, *, but: str = "",
          likeness: Mapping[str, float] | None = None) -> tuple[Example, ...]:
    """Those whose instruction is most alike, best first (Zhao et al., section 2.3: the top K by similarity).

    Among equals corrections come before others, and each recording gives one before any gives a second, so that the first
    steps of one long episode are not all there is.

    Args:
        examples: the set.
        instruction: the goal in words.
        most: K, how many.
        but: leave out those from this recording, so that an episode is not tested on itself.
        likeness: of the examples' instructions to this one; without any, the share of words they have in common.
    """
    wanted = words(instruction)
    given: dict[str, int] = {}
    scored = []
    for e in sorted(examples, key=lambda e: (not e.instead_of, e.id)):
        score = likeness.get(e.instruction, 0.0) if likeness else overlap(wanted, words(e.instruction))
        if score > 0 and not (but and e.origin.startswith(but)):
            source = e.origin.rpartition(", turn ")[0]
            given[source] = given.get(source, 0) + 1
            scored.append((-score, given[source], not e.instead_of, e.id, e))
    scored.sort(key=lambda row: row[:4])
    return tuple(row[4] for row in scored[:most])


def words(text: str) -> frozenset[str]:
    """What a text is about: its words without those that every task has, plurals as singulars."""
    return frozenset(word.removesuffix("s") for word in WORD.findall(text.lower())) - IGNORED


def overlap(a: frozenset[str], b: frozenset[str]) -> float:
    """Shared words over all words (Jaccard)."""
    return len(a & b) / len(a | b) if a | b else 0.0
