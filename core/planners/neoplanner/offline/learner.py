"""The learner's answer: what an episode adds to the axioms, in lines the rules themselves can read again."""

from __future__ import annotations

from core.planners.neoplanner.offline.recollection import Recollection
from core.planners.neoplanner.prompt_facts import LearnerFacts


def learnt(facts: LearnerFacts) -> list[str]:
    """All that is known after an episode; lines of other forms (an operator's, a model's) stay as they are."""
    memory = Recollection()
    memory.believe(facts.learnings)
    own = set(memory.lines())
    others = [line for line in facts.learnings if line not in own]
    memory.live(facts.rooms, facts.trace)
    return [*(line for line in others if not _told(line)), *memory.lines()]


def _told(line: str) -> bool:
    """Whether a line is of a form that the rules write anew themselves."""
    one = Recollection()
    one.believe([line])
    return one != Recollection()
