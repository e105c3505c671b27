"""Few-shot examples: recorded decisions, and the selection of those whose task is similar to a given one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from core.planning.model_requests import Expects, Message, ModelReply, ModelRequest

WORD = re.compile(r"[a-z0-9]+")
IGNORED = frozenset({"a", "an", "and", "in", "inside", "into", "of", "on", "one", "put", "the", "to"})


@dataclass(frozen=True, slots=True)
class Example:
    """One decision to imitate.

    Attributes:
        instruction: the goal as text.
        history: the earlier actions of the episode, as `verb id id`.
        observation: the observation as text.
        action: the action taken, as `verb id id`.
        instead_of: the action the planner had chosen, if an operator corrected it.
        origin: the recording and turn it comes from.
        id: its number in the set; 0 while it is in none.
    """

    instruction: str
    history: tuple[str, ...]
    observation: str
    action: str
    instead_of: str = ""
    origin: str = ""
    id: int = 0


def likeness_ask(examples: Iterable[Example], instruction: str) -> ModelRequest:
    """Returns the request for the similarity of an instruction to those of the examples.

    The similarity is the cosine of sentence embeddings (Zhao et al., section 2.3). It is a model request although no model is
    called: the answer is recorded with the run, so that a replay needs no embeddings.
    """
    known = tuple(dict.fromkeys(e.instruction for e in examples))
    messages = (Message("user", instruction),)
    return ModelRequest("examples", messages, "tasks like it", expects=Expects(choices=known), compare="only")


def likeness_of(ask: ModelRequest, reply: ModelReply) -> Mapping[str, float]:
    """Returns instruction -> similarity from the reply; empty if none were computed (`alike` then compares words)."""
    row = reply.alike[0] if reply.alike else ()
    return dict(zip(ask.expects.choices, row, strict=True)) if len(row) == len(ask.expects.choices) else {}


def alike(examples: Iterable[Example], instruction: str, most: int, *, but: str = "",
          likeness: Mapping[str, float] | None = None) -> tuple[Example, ...]:
    """Returns the examples with the most similar instructions, best first (Zhao et al., section 2.3: the top K by similarity).

    Among equals, corrections come first, and each recording contributes one example before any contributes a second. So the
    first steps of one long episode do not fill the list.

    Args:
        examples: the set.
        instruction: the goal as text.
        most: K, the number of examples.
        but: the recording to leave out, so that an episode is not tested on itself.
        likeness: instruction of an example -> similarity; None: the share of common words is used.
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
    """Returns the words of a text in the singular, without the words that occur in every task."""
    return frozenset(word.removesuffix("s") for word in WORD.findall(text.lower())) - IGNORED


def overlap(a: frozenset[str], b: frozenset[str]) -> float:
    """Returns the number of shared words over the number of all words (Jaccard index); 0 if both sets are empty."""
    return len(a & b) / len(a | b) if a | b else 0.0
