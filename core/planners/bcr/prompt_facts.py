"""What the prompt of BCR's selection is built from, for a provider of plain rules."""

from __future__ import annotations

from dataclasses import dataclass

from core.goals.literals import Goal
from core.planning.prompt_facts import PlaceFact
from core.world.vocabulary import Value


@dataclass(frozen=True, slots=True)
class CandidateFact(Value):
    """One candidate action as the prompt lists it.

    Attributes:
        action: `verb id id`; what is not known yet goes by its class.
        phrase: the same as the prompt words it.
        goal: index of the literal it serves.
        depth: blocked actions between it and that literal.
        resolves: the kind of need it may bring about (`blocking_table.CONDITIONS`); empty: it achieves the literal.
        subject: class of what that need, or the literal, is about.
        certain: it surely has that effect; otherwise possibly.
        place: the furniture or room it is done to, if it is done to one.
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
    """Which candidate next? See BCR, §IV-B.

    Attributes:
        goal: all literals.
        done: indices of the literals that hold.
        candidates: in the order of the prompt.
        holding: (id, class) of what the robot holds.
        history: what was done so far, as `verb id id`.
    """

    goal: Goal
    done: tuple[int, ...]
    candidates: tuple[CandidateFact, ...]
    holding: tuple[tuple[str, str], ...]
    history: tuple[str, ...]
