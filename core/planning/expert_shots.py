"""Whole trajectories as few shots: the retrieval set, and the selection of those whose task is similar to a given one.

Zhao et al., section 2.3: the top K by cosine similarity of the instructions' sentence embeddings. K is 3 in the released code.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Mapping
from functools import lru_cache

from core.common.installation import RESOURCES
from core.planning.examples import overlap, words
from core.planning.model_requests import Expects, Message, ModelReply, ModelRequest
from core.planning.observation_text import SEPARATOR
from core.planning.planner import Sent, Yielded
from core.planning.trajectories import Trajectory, read_trajectories

RETRIEVAL = RESOURCES / "expert" / "retrieval.jsonl.gz"
"""200 trajectories, drawn uniformly at random from the expert set; all from homes marked seen."""
CLAUSE = re.compile(r"the (?P<subject>.+?) is (?:inside|on) the (?P<holder>.+?)(?P<state> and is (?:open|closed))?")
"""A clause of an observation in words, see `core.planning.observation_text`."""


@lru_cache(1)
def retrieval_set() -> tuple[Trajectory, ...]:
    """Returns the shipped trajectories, by number.

    Raises:
        DataError: the file is damaged.
    """
    return tuple(read_trajectories(RETRIEVAL))


@lru_cache(1)
def object_classes() -> tuple[str, ...]:
    """Returns the classes of objects that the shipped trajectories mention, by name: D_obj of section 2.2.

    Of an observation, those are the subjects of clauses with a place inside or on furniture, that hold nothing themselves and
    cannot be opened. The class is the name without its number.

    Raises:
        DataError: the shipped file is damaged.
    """
    known = retrieval_set()
    clauses = {c for t in known for step in t.steps for c in step.observation.removesuffix(".").split(SEPARATOR)}
    said = [match for clause in clauses if (match := CLAUSE.fullmatch(clause)) is not None]
    subjects, holders = {_class_of(m["subject"]) for m in said}, {_class_of(m["holder"]) for m in said}
    rooms = holders - subjects  # a room is in nothing
    lying = {_class_of(m["subject"]) for m in said if m["state"] is None and _class_of(m["holder"]) not in rooms}
    return tuple(sorted({literal.subject for t in known for literal in t.goal} | (lying - holders)))


def _class_of(name: str) -> str:
    return re.sub(r" \d+$", "", name).replace(" ", "_")


def likeness_ask(known: Iterable[Trajectory], instruction: str) -> ModelRequest:
    """Returns the request for the similarity of an instruction to those of the trajectories. No model is called for it."""
    choices = tuple(dict.fromkeys(t.instruction for t in known))
    return ModelRequest("few shots", (Message("user", instruction),), "expert trajectories like it",
                        expects=Expects(choices=choices), compare="only")


def likeness_of(ask: ModelRequest, reply: ModelReply) -> Mapping[str, float]:
    """Returns instruction -> cosine similarity; empty if no sentence embeddings are installed (then words are compared)."""
    row = reply.alike[0] if reply.alike else ()
    return dict(zip(ask.expects.choices, row, strict=True)) if len(row) == len(ask.expects.choices) else {}


def most_alike(known: Iterable[Trajectory], instruction: str, most: int,
               likeness: Mapping[str, float]) -> tuple[Trajectory, ...]:
    """Returns the trajectories of the K most similar instructions, best first; of equal instructions the first.

    Args:
        known: the trajectories.
        instruction: the goal as text.
        most: K.
        likeness: instruction -> similarity; if empty, the share of common words is used.
    """
    wanted = words(instruction)
    first: dict[str, Trajectory] = {}
    for t in sorted(known, key=lambda t: t.id):
        first.setdefault(t.instruction, t)
    scored = [(-(likeness.get(text, -1.0) if likeness else overlap(wanted, words(text))), t.id, t) for text, t in first.items()]
    return tuple(t for _, _, t in sorted(scored, key=lambda row: row[:2])[:most])


def retrieved(instruction: str, most: int) -> Generator[Yielded, Sent, tuple[Trajectory, ...]]:
    """Requests the similarities, and returns the K shipped trajectories to tell for this instruction; () if K is 0.

    Raises:
        DataError: the shipped file is damaged.
    """
    if not most:
        return ()
    known = retrieval_set()
    ask = likeness_ask(known, instruction)
    sent = yield ask
    reply = sent[0] if isinstance(sent, tuple) else sent
    return most_alike(known, instruction, most, likeness_of(ask, reply) if reply is not None else {})
