"""How each literal stands: as the planner knows it, and as it really is. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

from core.goals.literals import Literal
from core.planning.facets import GoalProgress
from core.session.snapshot import Snapshot
from gui.widgets import Names


@dataclass(frozen=True, slots=True)
class Standing:
    """One literal.

    Attributes:
        words: the literal, to be read.
        known: subjects the planner knows to satisfy it, or None when it does not tell.
        real: subjects that satisfy it in the world.
        subjects: those of either, by id and name.
    """

    literal: Literal
    words: str
    real: int
    known: int | None
    subjects: tuple[tuple[str, str], ...]
    target: str = ""

    @property
    def reached(self) -> bool:
        """Whether it holds in the world."""
        return self.real >= self.literal.count

    @property
    def differs(self) -> str:
        """What the planner has wrong, or empty."""
        if self.known is None or self.known == self.real:
            return ""
        return f"planner knows of {self.known}" if self.known < self.real else f"planner believes {self.known}"


def standings(snapshot: Snapshot, names: Names) -> tuple[Standing, ...]:
    """All literals of the goal, in its order."""
    facet = snapshot.fresh(GoalProgress)  # what it knew in another turn or branch is not what it knows of the present
    known = {p.literal: p for p in facet.literals} if facet is not None else {}
    real = {p.literal: p for p in snapshot.progress}
    literals = snapshot.goal.literals if snapshot.goal is not None else ()
    found = []
    for literal in literals:
        true, told = real.get(literal), known.get(literal)
        ids = tuple(dict.fromkeys((*(true.subjects if true else ()), *(told.subjects if told else ()))))
        found.append(Standing(literal, str(literal), true.have if true else 0, told.have if told else None,
                              tuple((i, names.display(i)) for i in ids), _target(literal, snapshot)))
    return tuple(found)


def _target(literal: Literal, snapshot: Snapshot) -> str:
    """The id of the one thing the literal's target can be, or empty."""
    if literal.target is None or snapshot.seen is None:
        return ""
    known = (*snapshot.seen.entities, *snapshot.seen.landmarks)
    return next((e.id for e in known if literal.target in (e.id, e.cls)), "")
