"""What a moment is taken for: its text, cleaned of what changes by itself, and notes of what no text shows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from core.world.vocabulary import Action, ActionSchema, Observation, Value

VOLATILE = (
    (re.compile(r"(reading a temperature of) -?\d+(\.\d+)?"), r"\1 #"),
    (re.compile(r"(time reads) \d+"), r"\1 #"),
)
"""Readings change from moment to moment: left in, no state would be seen twice."""
REFUSALS = ("no known action", "unknown action", "it's not clear how", "the door is already", "the door is not open",
            "ambiguous request", "i'm not sure", "there is nothing", "that can't", "you can't")
"""How replies begin that tell of an action without effect."""
LONGEST_WAIT = 12
FREE, RESTART = "do", "restart"
"""Verbs of a world of texts: say any sentence; begin the episode anew."""


@dataclass(frozen=True, slots=True)
class Notes(Value):
    """What was done that no text shows, in order: what was focused on, what changed the score and nothing one sees.

    And how long was waited in this scene.
    """

    hidden: tuple[str, ...] = ()
    waited: int = 0

    def after(self, sentence: str, *, valid: bool, changed: bool, scored: bool) -> Notes:
        """The notes after an action; a scene that changed otherwise than by waiting ends the waiting."""
        if sentence.startswith("wait"):
            return replace(self, waited=min(LONGEST_WAIT, self.waited + 1))
        waited = 0 if changed else self.waited
        noted = valid and (sentence.startswith("focus") or (scored and not changed))
        return Notes((*self.hidden, sentence) if noted else self.hidden, waited)

    def __str__(self) -> str:
        return "; ".join((*self.hidden, *([f"waited {self.waited}"] if self.waited else [])))


@dataclass(frozen=True, slots=True)
class Situation(Value):
    """One moment as the planner reads it.

    Attributes:
        said: what the world answered to the last action, or the task.
        look: the room.
        inventory: what is carried.
        things: names of all that is in sight and not carried.
        carried: how many things are carried.
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
        """Everything in sight as one text, without readings."""
        text = f"{self.look}\nACCESS {', '.join(self.things)}\n{self.inventory}"
        for pattern, calm in VOLATILE:
            text = pattern.sub(calm, text)
        return text

    def key(self, notes: Notes) -> str:
        """What the state is known by."""
        return f"{self.scene}\nNOTES {notes}"


def situation(seen: Observation) -> Situation:
    """Read an observation: its text is what was said, the room and what is carried, with empty lines between."""
    parts = [part.strip("\n") for part in re.split(r"\n\s*\n", seen.text) if part.strip()]
    look, inventory = (parts[-2], parts[-1]) if len(parts) > 1 else ("".join(parts), "")
    held, carried = set(seen.agent.holding), len(seen.agent.holding)
    things = tuple(sorted({e.name for e in seen.entities if e.id not in held and e.cls != "task"}))
    room = seen.by_id.get(seen.agent.room or "")
    return Situation(room.name if room is not None else "?", "\n".join(parts[:-2]), look, inventory, things, carried,
                     seen.score or 0.0)


def refused(reply: str) -> bool:
    """Whether a reply tells that nothing came of an action."""
    return reply.lower().startswith(REFUSALS)


def harmless(reply: str) -> bool:
    """Whether nothing came of it because it was so already: what follows in the plan still makes sense."""
    return "already" in reply.lower()


def sentence(action: Action, schemas: tuple[ActionSchema, ...], names: Mapping[str, str]) -> str:
    """An action as a sentence, whoever chose it and however it was written."""
    if action.verb == FREE and action.args:
        return " ".join(action.args[0].split())
    schema = next((s for s in schemas if s.verb == action.verb and len(s.roles) == len(action.args)), None)
    return str(action) if schema is None else schema.phrase(tuple(names.get(a, a.replace("_", " ")) for a in action.args))


def templates(schemas: tuple[ActionSchema, ...]) -> tuple[str, ...]:
    """The kinds of action as the prompt tells them: `pour OBJ in OBJ`."""
    return tuple(s.template.replace("{0}", "OBJ").replace("{1}", "OBJ") for s in schemas if s.verb not in (FREE, RESTART))
