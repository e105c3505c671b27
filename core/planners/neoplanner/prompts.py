"""The two model requests: which actions are next, and what was learned. Paper, section V and appendix."""

from __future__ import annotations

from collections.abc import Sequence

from core.planners.neoplanner.prompt_facts import ActionPlanFacts, LearnerFacts, RoomSeen, StepTaken
from core.planners.neoplanner.situation import Situation
from core.planning.model_requests import Ask
from core.planning.prompts import prompt

EXPLORE = "Make a long sequence of actions to find out more about the surroundings: go where nobody has been, try what is new."
"""The exploration objective that sometimes replaces the task (section V-A)."""
NOTHING = "(nothing yet)"
PURPOSES = ("action plan", "learner")
PLAN_TOKENS, LEARNER_TOKENS = 512, 4096


def plan_ask(facts: ActionPlanFacts, trace: int, temperature: float, fresh: int) -> Ask:
    """Returns the request for actions.

    Args:
        facts: the facts of the prompt.
        trace: the number of steps in the prompt.
        temperature: of sampling.
        fresh: the number of the attempt.
    """
    avoid = "You should STRICTLY AVOID these IMMEDIATE ACTIONS, they were tried here:\n" + "\n".join(facts.avoid)
    fields = {
        "trace": told(facts.trace[-trace:] if trace else (), [r for r in facts.rooms if r.name != facts.room]),
        "objective": EXPLORE if facts.explore else facts.task,
        "templates": ", ".join(facts.templates), "learnings": "\n".join(facts.learnings) or NOTHING, "look": facts.look,
        "things": ", ".join(facts.things), "inventory": facts.inventory, "avoid": avoid if facts.avoid else "",
    }
    subject = f"from the {facts.room}" + (", exploring" if facts.explore else "")
    return Ask(PURPOSES[0], prompt("neoplanner", "action_plan", **fields), subject, facts, temperature=temperature,
               max_tokens=PLAN_TOKENS, fresh=fresh)


def learner_ask(facts: LearnerFacts, episode: int) -> Ask:
    """Returns the request for what was learned in an episode."""
    messages = prompt("neoplanner", "learner", objective=facts.task, learnings="\n".join(facts.learnings) or NOTHING,
                      trace=told(facts.trace, facts.rooms), feedback=feedback(facts.score))
    return Ask(PURPOSES[1], messages, f"episode {episode}", facts, max_tokens=LEARNER_TOKENS)


def told(trace: Sequence[StepTaken], rooms: Sequence[RoomSeen]) -> str:
    """Returns the steps with their replies, then each room as last seen."""
    steps = [f"{s.action} -> {' '.join(s.reply.split())}" + (f" (score {s.reward:+g})" if s.reward else "") for s in trace]
    seen = [room.look for room in rooms]
    return "\n".join([*steps, *(["Rooms as they were seen last:", *seen] if seen else [])]) or NOTHING


def feedback(score: float) -> str:
    """Returns the score of an episode in words, in steps like those of CLIN, which the paper follows."""
    if score < 0:
        return "it failed: it did something that ended the task."
    steps = ((5, "it did badly: next to nothing was achieved."), (30, "it made some progress, far too little."),
             (60, "it made progress, but not enough."), (99, "it did well, and came close to the end of the task."))
    return next((words for limit, words in steps if score < limit), "it accomplished the task.")


def room_seen(now: Situation) -> RoomSeen:
    """Returns the current room."""
    return RoomSeen(now.room, now.look, now.things)
