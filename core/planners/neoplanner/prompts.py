"""NeoPlanner's two model requests: which actions are next, and what was learned. Paper, section V and appendix.

They state a `Situation`: an observation as text without volatile values, with notes about what the text does not show. An
unusable reply gives an empty list, never an error.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.planners.neoplanner.recorded_types import LONGEST_LINE, ActionPlanFacts, LearnerFacts, RoomSeen, StepTaken
from core.planning.model_requests import Expects, ModelRequest, prompt
from core.world.vocabulary import Action, ActionSchema, Observation, Value

VOLATILE = (
    (re.compile(r"(reading a temperature of) -?\d+(\.\d+)?"), r"\1 #"),
    (re.compile(r"(time reads) \d+"), r"\1 #"),
)
"""Measured values change at every step; with them, no state would be visited twice."""
REFUSALS = ("no known action", "unknown action", "it's not clear how", "the door is already", "the door is not open",
            "ambiguous request", "i'm not sure", "there is nothing", "that can't", "you can't")
"""The starts of replies that report an action without effect."""
LONGEST_WAIT = 12
FREE, RESTART = "do", "restart"
"""Verbs of a text world: any sentence; restart the episode."""
RASH = ("focus", "connect", "disconnect", "eat", "reset")
"""Kinds of action that random actions leave out: they may end the episode or disconnect wires."""
TRIES = 60
"""The maximum number of draws for a new random action."""


@dataclass(frozen=True, slots=True)
class Notes(Value):
    """Actions whose effect no text shows.

    Attributes:
        hidden: in order: what was focused on, and actions that changed the score but not the scene.
        waited: how long the robot has waited in this scene.
    """

    hidden: tuple[str, ...] = ()
    waited: int = 0

    def after(self, sentence: str, *, valid: bool, changed: bool, scored: bool) -> Notes:
        """Returns the notes after an action. A change of the scene by another action than waiting resets the waiting time."""
        if sentence.startswith("wait"):
            return replace(self, waited=min(LONGEST_WAIT, self.waited + 1))
        waited = 0 if changed else self.waited
        noted = valid and (sentence.startswith("focus") or (scored and not changed))
        return Notes((*self.hidden, sentence) if noted else self.hidden, waited)

    def __str__(self) -> str:
        return "; ".join((*self.hidden, *([f"waited {self.waited}"] if self.waited else [])))


@dataclass(frozen=True, slots=True)
class Situation(Value):
    """One moment as the planner interprets it.

    Attributes:
        room: the name of the room.
        said: the world's reply to the last action, or the task.
        look: the description of the room.
        inventory: the description of what is carried.
        things: names of all objects in sight that are not carried.
        carried: the number of carried objects.
        score: the score.
    """

    room: str
    said: str
    look: str
    inventory: str
    things: tuple[str, ...]
    carried: int
    score: float

    @property
    def scene(self) -> str:
        """Everything in sight as one text, without volatile values."""
        text = f"{self.look}\nACCESS {', '.join(self.things)}\n{self.inventory}"
        for pattern, calm in VOLATILE:
            text = pattern.sub(calm, text)
        return text

    def key(self, notes: Notes) -> str:
        """Returns the text that identifies the state."""
        return f"{self.scene}\nNOTES {notes}"


def described(key: str, room: str) -> Situation:
    """Returns the situation that a state's key describes, without the world's reply and the score (`Situation.key`).

    Args:
        key: the text that identifies the state.
        room: the name of its room.
    """
    look, _, rest = key.rpartition("\nNOTES ")[0].rpartition("\nACCESS ")
    things, _, inventory = rest.partition("\n")
    return Situation(room, "", look, inventory, tuple(filter(None, things.split(", "))), 0, 0.0)


def situation(seen: Observation) -> Situation:
    """Returns the situation of an observation.

    Its text consists of the reply, the room and the inventory, separated by empty lines.
    """
    parts = [part.strip("\n") for part in re.split(r"\n\s*\n", seen.text) if part.strip()]
    look, inventory = (parts[-2], parts[-1]) if len(parts) > 1 else ("".join(parts), "")
    held, carried = set(seen.agent.holding), len(seen.agent.holding)
    things = tuple(sorted({e.name for e in seen.entities if e.id not in held and e.cls != "task"}))
    room = seen.by_id.get(seen.agent.room or "")
    return Situation(room.name if room is not None else "?", "\n".join(parts[:-2]), look, inventory, things, carried,
                     seen.score or 0.0)


def refused(reply: str) -> bool:
    """Returns True if a reply reports an action without effect."""
    return reply.lower().startswith(REFUSALS)


def harmless(reply: str) -> bool:
    """Returns True if an action had no effect because its result already held, so that the plan can continue."""
    return "already" in reply.lower()


def sentence(action: Action, schemas: tuple[ActionSchema, ...], names: Mapping[str, str]) -> str:
    """Returns an action as a sentence, in any form the operator or planner may have given it."""
    if action.verb == FREE and action.args:
        return " ".join(action.args[0].split())
    schema = next((s for s in schemas if s.verb == action.verb and len(s.roles) == len(action.args)), None)
    return str(action) if schema is None else schema.phrase(tuple(names.get(a, a.replace("_", " ")) for a in action.args))


def templates(schemas: tuple[ActionSchema, ...]) -> tuple[str, ...]:
    """Returns the kinds of action as the prompt lists them: `pour OBJ in OBJ`."""
    return tuple(s.template.replace("{0}", "OBJ").replace("{1}", "OBJ") for s in schemas if s.verb not in (FREE, RESTART))


# --- requests ---------------------------------------------------------------------
EXPLORE = "Make a long sequence of actions to find out more about the surroundings: go where nobody has been, try what is new."
"""The exploration objective that sometimes replaces the task (section V-A)."""
NOTHING = "(nothing yet)"
PURPOSES = ("action plan", "learner")
PLAN_TOKENS, LEARNER_TOKENS = 512, 4096
LIST_OF_ACTIONS = json.dumps({
    "type": "array", "minItems": 1, "maxItems": 24,
    "items": {"type": "string", "pattern": "^[A-Za-z][A-Za-z0-9 ,'()-]{1,79}$"},
})
"""The form of a plan: a list of sentences. Its limits let the list of a small model that repeats itself end in PLAN_TOKENS."""
LONGEST_REPLY, MOST_LINES = 40_000, 1000
MARKS = re.compile(r"^\s*(?:\d+[.)]|[-*•])?\s*")
QUOTES = "\"'`“”,; "


def plan_ask(facts: ActionPlanFacts, trace: int, temperature: float, attempt: int, *,
             listed: bool) -> ModelRequest:
    """Returns the request for actions.

    Args:
        facts: the facts of the prompt.
        trace: the number of steps in the prompt; -1: all.
        temperature: of sampling.
        attempt: how many replies to this prompt could not be used.
        listed: True to constrain the reply to a list of actions.
    """
    avoid = "You should STRICTLY AVOID these IMMEDIATE ACTIONS, they were tried here:\n" + "\n".join(facts.avoid)
    steps = facts.trace[max(0, len(facts.trace) - trace):] if trace >= 0 else facts.trace
    fields = {
        "trace": trace_text(steps, [r for r in facts.rooms if r.name != facts.room]),
        "objective": EXPLORE if facts.explore else facts.task,
        "templates": ", ".join(facts.templates), "learnings": "\n".join(facts.learnings) or NOTHING, "look": facts.look,
        "things": ", ".join(facts.things), "inventory": facts.inventory, "avoid": avoid if facts.avoid else "",
    }
    subject = f"from the {facts.room}" + (", exploring" if facts.explore else "")
    return ModelRequest(PURPOSES[0], prompt("neoplanner", "action_plan", **fields), subject, facts,
                        Expects(schema=LIST_OF_ACTIONS if listed else ""), temperature=temperature, max_tokens=PLAN_TOKENS,
                        attempt=attempt)


def learner_ask(facts: LearnerFacts, episode: int) -> ModelRequest:
    """Returns the request for what was learned in an episode."""
    messages = prompt("neoplanner", "learner", objective=facts.task, learnings="\n".join(facts.learnings) or NOTHING,
                      trace=trace_text(facts.trace, facts.rooms), feedback=feedback(facts.score))
    return ModelRequest(PURPOSES[1], messages, f"episode {episode}", facts, max_tokens=LEARNER_TOKENS)


def trace_text(trace: Sequence[StepTaken], rooms: Sequence[RoomSeen]) -> str:
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


# --- random actions ---------------------------------------------------------------
def among(sentences: Sequence[str], avoid: Collection[str], rng: np.random.Generator) -> str | None:
    """Returns a random sentence: first its first word is drawn uniformly, then a sentence with it; None if there are none."""
    kinds: dict[str, list[str]] = {}
    for text in sorted(set(sentences)):
        verb = text.split(" ")[0]
        if text not in avoid and verb not in RASH:
            kinds.setdefault(verb, []).append(text)
    if not kinds:
        return None
    chosen = kinds[list(kinds)[int(rng.integers(len(kinds)))]]
    return chosen[int(rng.integers(len(chosen)))]


def filled(templates: Sequence[str], things: Sequence[str], avoid: Collection[str], rng: np.random.Generator) -> str | None:
    """Returns a random kind of action with random objects in sight; None if no new one was found."""
    kinds = [t for t in templates if t.split(" ")[0] not in RASH]
    for _ in range(TRIES if kinds and things else 0):
        parts = kinds[int(rng.integers(len(kinds)))].split("OBJ")
        names = [things[int(rng.integers(len(things)))] for _ in parts[1:]]
        text = "".join(part + name for part, name in zip(parts, [*names, ""], strict=True))
        if text not in avoid and len(set(names)) == len(names):
            return text
    return None


# --- replies ---------------------------------------------------------------------
def listed(text: str) -> list[str]:
    """Returns the texts of a JSON list anywhere in a reply; else its lines, without numbers, bullets and quotes."""
    text = text[:LONGEST_REPLY]
    if (items := _items(text)) is not None:
        return items
    lines = (_clean(MARKS.sub("", line.strip().strip("[]"))) for line in text.splitlines()[:MOST_LINES])
    return [line for line in lines if line]


def _items(text: str) -> list[str] | None:
    """Returns the texts of a JSON list anywhere in a reply; None if there is no such list."""
    first, last = text.find("["), text.rfind("]")
    if not 0 <= first < last:
        return None
    try:
        found = json.loads(text[first:last + 1])
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, list):
        return None
    return [_clean(item) for item in found[:MOST_LINES] if isinstance(item, str) and _clean(item)]


def _clean(text: str) -> str:
    return " ".join(text.split()).strip(QUOTES)[:LONGEST_LINE]


def actions_in(text: str, templates: Sequence[str]) -> tuple[str, ...]:
    """Returns the sentences of a reply that match an allowed kind, in order."""
    patterns = [re.compile(re.escape(t).replace("OBJ", "(.+)"), re.IGNORECASE) for t in templates]
    return tuple(line for line in listed(text) if any(p.fullmatch(line) for p in patterns))


def plan_in(text: str) -> tuple[str, ...]:
    """Returns the texts of the JSON list in a reply, unchecked. Empty if the reply is not such a list (section V-A)."""
    return tuple(_items(text[:LONGEST_REPLY]) or ())


def axioms_in(text: str) -> tuple[str, ...]:
    """Returns the `X Y Z` lines of a reply: at least three words, none with an underscore, each once."""
    return tuple(dict.fromkeys(line for line in listed(text) if len(line.split()) >= 3 and "_" not in line))
