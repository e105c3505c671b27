"""What the offline provider answers to NeoPlanner: plain rules, no language model.

They read the task's words, the room's description, the inventory, the kinds of action and the learnings, as the prompt tells
them. They know no task by name, no way to any goal, and nothing of the world's own knowledge of it.
"""

from __future__ import annotations

import json

import numpy as np

from core.planners.neoplanner.offline.choice import chosen
from core.planners.neoplanner.offline.learner import learnt
from core.planners.neoplanner.prompt_facts import ActionPlanFacts, LearnerFacts
from core.planners.neoplanner.random_actions import filled
from core.planning.offline_answers import register


def action_plan(facts: ActionPlanFacts) -> str:
    """A short plan as a JSON list; an empty list where the rules know nothing to do."""
    rng = np.random.default_rng(facts.draw)
    if facts.stand_in == "random":
        one = filled(facts.templates, facts.things, facts.avoid, rng)
        return json.dumps([one] if one else [])
    return json.dumps(chosen(facts, rng))


def learnings(facts: LearnerFacts) -> str:
    """The axioms after an episode, as a JSON list."""
    return json.dumps(learnt(facts), ensure_ascii=False)


register(ActionPlanFacts, lambda facts, ask, prior: action_plan(facts))
register(LearnerFacts, lambda facts, ask, prior: learnings(facts))
