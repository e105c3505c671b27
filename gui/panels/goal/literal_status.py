"""The status of each literal, as the planner believes it and as it is in the world. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

from core.goals.literals import Literal
from core.planning.facets import GoalProgress
from core.session.snapshot import Snapshot
from gui.widgets import Names


@dataclass(frozen=True, slots=True)
class Standing:
    """The status of one literal.

    Attributes:
        literal: the literal; `words` is its text.
        known: the number of subjects that satisfy it as far as the planner knows; None if the planner does not report it.
        real: the number of subjects that satisfy it in the world.
        subjects: (id, name) of the subjects counted in either number.
    """

    literal: Literal
    words: str
    real: int
    known: int | None
    subjects: tuple[tuple[str, str], ...]
    target: str = ""

    @property
    def reached(self) -> bool:
        """True if the literal holds in the world."""
        return self.real >= self.literal.count

    @property
    def differs(self) -> str:
        """How the planner's count differs from the world, as text; "" if it does not."""
        if self.known is None or self.known == self.real:
            return ""
        return f"planner knows of {self.known}" if self.known < self.real else f"planner believes {self.known}"


def standings(snapshot: Snapshot, names: Names) -> tuple[Standing, ...]:
    """Returns the status of all literals of the goal, in its order."""
    facet = snapshot.fresh(GoalProgress)  # progress from another turn or branch does not describe the present
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
    """Returns the id of the first known object that matches the literal's target, or ""."""
    if literal.target is None or snapshot.seen is None:
        return ""
    known = (*snapshot.seen.entities, *snapshot.seen.landmarks)
    return next((e.id for e in known if literal.target in (e.id, e.cls)), "")
