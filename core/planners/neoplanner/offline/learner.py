"""The offline answer to the learner's request: the axioms after an episode, as lines that the rules can parse again."""

from __future__ import annotations

from core.planners.neoplanner.offline.recollection import Recollection
from core.planners.neoplanner.prompt_facts import LearnerFacts


def learnt(facts: LearnerFacts) -> list[str]:
    """Returns all that is known after an episode. Lines in other formats (an operator's, a model's) are kept."""
    memory = Recollection()
    memory.believe(facts.learnings)
    own = set(memory.lines())
    others = [line for line in facts.learnings if line not in own]
    memory.live(facts.rooms, facts.trace)
    return [*(line for line in others if not _told(line)), *memory.lines()]


def _told(line: str) -> bool:
    """Returns True if a line has a format that the rules write themselves."""
    one = Recollection()
    one.believe([line])
    return one != Recollection()
