"""The facts of BCR's selection prompt, for rules that answer without a model."""

from __future__ import annotations

from dataclasses import dataclass

from core.goals.literals import Goal
from core.planning.prompt_facts import PlaceFact
from core.world.vocabulary import Value


@dataclass(frozen=True, slots=True)
class CandidateFact(Value):
    """One candidate action as the prompt lists it.

    Attributes:
        action: `verb id id`; objects not known yet are named by their class.
        phrase: the action as the prompt phrases it.
        goal: index of the literal it serves.
        depth: the number of blocked actions between it and that literal.
        resolves: the kind of need it may bring about (`blocking_table.CONDITIONS`); empty if it achieves the literal.
        subject: the class that the need, or the literal, concerns.
        certain: True if it surely has that effect, False if possibly.
        place: the furniture or room of the action, if it has one.
    """

    action: str
    phrase: str
    goal: int
    depth: int
    resolves: str
    subject: str
    certain: bool
    place: PlaceFact | None = None


@dataclass(frozen=True, slots=True)
class SelectionFacts(Value):
    """Request: which candidate is next? BCR, §IV-B.

    Attributes:
        goal: all literals.
        done: indices of the literals that hold.
        candidates: in the order of the prompt.
        holding: (id, class) of the held objects.
        history: the executed actions, as `verb id id`.
    """

    goal: Goal
    done: tuple[int, ...]
    candidates: tuple[CandidateFact, ...]
    holding: tuple[tuple[str, str], ...]
    history: tuple[str, ...]
