"""The offline answers to NeoPlanner's requests: rules, no language model.

They use the task's text, the room's description, the inventory, the kinds of action and the learnings, as the prompt contains
them. They have no knowledge of specific tasks, solutions or the world's internals.
"""

from __future__ import annotations

import json

import numpy as np

from core.planners.neoplanner.offline.choice import chosen
from core.planners.neoplanner.offline_knowledge import Recollection
from core.planners.neoplanner.planner import filled
from core.planners.neoplanner.recorded_types import ActionPlanFacts, LearnerFacts
from core.planning.offline_answers import register


def action_plan(facts: ActionPlanFacts) -> str:
    """Returns a short plan as a JSON list; an empty list if the rules find no action."""
    rng = np.random.default_rng(facts.draw)
    if facts.stand_in == "random":
        one = filled(facts.templates, facts.things, facts.avoid, rng)
        return json.dumps([one] if one else [])
    return json.dumps(chosen(facts, rng))


def learnings(facts: LearnerFacts) -> str:
    """Returns the axioms after an episode as a JSON list."""
    return json.dumps(learnt(facts), ensure_ascii=False)


def learnt(facts: LearnerFacts) -> list[str]:
    """Returns all that is known after an episode. Lines in other formats (an operator's, a model's) are kept."""
    memory = Recollection()
    memory.believe(facts.learnings)
    own = set(memory.lines())
    others = [line for line in facts.learnings if line not in own]
    memory.live(facts.rooms, facts.trace)
    return [*(line for line in others if not _is_own_format(line)), *memory.lines()]


def _is_own_format(line: str) -> bool:
    """Returns True if a line has a format that the rules write themselves."""
    one = Recollection()
    one.believe([line])
    return one != Recollection()


register(ActionPlanFacts, lambda facts, ask, prior: action_plan(facts))
register(LearnerFacts, lambda facts, ask, prior: learnings(facts))
