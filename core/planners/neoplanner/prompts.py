"""The two model requests, which actions are next and what was learned, and the parsing of their replies.

Paper, section V and appendix. An unusable reply gives an empty list, never an error.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from core.planners.neoplanner.recorded_types import ActionPlanFacts, LearnerFacts, RoomSeen, StepTaken
from core.planners.neoplanner.situation import Situation
from core.planning.model_requests import Ask, prompt

EXPLORE = "Make a long sequence of actions to find out more about the surroundings: go where nobody has been, try what is new."
"""The exploration objective that sometimes replaces the task (section V-A)."""
NOTHING = "(nothing yet)"
PURPOSES = ("action plan", "learner")
PLAN_TOKENS, LEARNER_TOKENS = 512, 4096
LONGEST_REPLY, LONGEST_LINE, MOST_LINES = 40_000, 600, 1000
MARKS = re.compile(r"^\s*(?:\d+[.)]|[-*•])?\s*")
QUOTES = "\"'`“”,; "


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


# --- replies ---------------------------------------------------------------------
def listed(text: str) -> list[str]:
    """Returns the texts of a JSON list anywhere in a reply; else its lines, without numbers, bullets and quotes."""
    text = text[:LONGEST_REPLY]
    first, last = text.find("["), text.rfind("]")
    if 0 <= first < last:
        try:
            found = json.loads(text[first:last + 1])
        except (ValueError, RecursionError):
            found = None  # a malformed list is parsed line by line
        if isinstance(found, list):
            return [_clean(item) for item in found[:MOST_LINES] if isinstance(item, str) and _clean(item)]
    lines = (_clean(MARKS.sub("", line.strip().strip("[]"))) for line in text.splitlines()[:MOST_LINES])
    return [line for line in lines if line]


def _clean(text: str) -> str:
    return " ".join(text.split()).strip(QUOTES)[:LONGEST_LINE]


def actions_in(text: str, templates: Sequence[str]) -> tuple[str, ...]:
    """Returns the sentences of a reply that match an allowed kind, in order."""
    patterns = [re.compile(re.escape(t).replace("OBJ", "(.+)"), re.IGNORECASE) for t in templates]
    return tuple(line for line in listed(text) if any(p.fullmatch(line) for p in patterns))


def axioms_in(text: str) -> tuple[str, ...]:
    """Returns the `X Y Z` lines of a reply: at least three words, none with an underscore, each once."""
    return tuple(dict.fromkeys(line for line in listed(text) if len(line.split()) >= 3 and "_" not in line))
