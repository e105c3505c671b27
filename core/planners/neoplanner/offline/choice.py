"""Samples a plan from the menu: higher scores are likelier, repeated and refused actions less likely."""

from __future__ import annotations

import math

import numpy as np

from core.planners.neoplanner.offline.menu import Choice, Menu
from core.planners.neoplanner.offline_knowledge import Recollection, Task, first_of, into
from core.planners.neoplanner.recorded_types import ActionPlanFacts

TEMPERATURE, EXPLORING = 0.35, 2.0
"""The temperature of the softmax, and its factor if the objective is to explore."""
CONSIDERED = 12
MOST_WORTH = 3.0
PATIENCE = {"wait": 0.05, "go": 0.5}
"""The cost of repeating an action in the same episode; 1.2 for all others."""
CAN_BE_REFUSED = ("pick", "mix", "open", "activate", "use", "look")


def chosen(facts: ActionPlanFacts, rng: np.random.Generator) -> list[str]:
    """Returns a plan; empty if none is left."""
    memory = Recollection()
    memory.believe(facts.learnings)
    memory.live(facts.rooms, facts.trace)
    task = Task(facts.task, " ".join(memory.says.values()), facts.stand_in == "words")
    choices = Menu(facts, memory, task).choices()
    if not choices:
        return []
    scores = [_score(choice, memory) for choice in choices]
    best = sorted(range(len(choices)), key=lambda k: -scores[k])[:CONSIDERED]
    hot = TEMPERATURE * (EXPLORING if facts.explore else 1.0)
    shares = np.exp([(scores[k] - scores[best[0]]) / hot for k in best])
    return list(choices[best[int(rng.choice(len(best), p=shares / shares.sum()))]].plan)


def _score(choice: Choice, memory: Recollection) -> float:
    first, last = choice.plan[0], choice.plan[-1]
    kind = first.split(" ")[0]
    again = PATIENCE.get(last.split(" ")[0], 1.2) * memory.now_tried[last]
    score = choice.score - 0.3 * math.log1p(memory.tried[last]) - again
    if kind in ("move", "pour"):
        score -= 0.7 * memory.refused[into(first)]
    if kind in CAN_BE_REFUSED:
        score -= 0.8 * memory.refused[first_of(first)]
    return score + min(memory.worth.get(last, 0.0), MOST_WORTH)
