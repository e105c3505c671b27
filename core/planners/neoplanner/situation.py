"""Converts an observation into a state: its text without volatile values, and notes about what the text does not show."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

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
