"""The common vocabulary, and VirtualHome's own, as lines of VirtualHome scripts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from core.world.vocabulary import Action, ActionSchema
from sim.virtualhome.common.graph import Node

THING, ROOM_OR_THING = ("thing",), ("room or thing",)


class Verb(NamedTuple):
    """A verb and the script action that does it."""

    schema: ActionSchema
    script: str


def _verb(verb: str, script: str, roles: tuple[str, ...], template: str, words: str) -> Verb:
    return Verb(ActionSchema(verb, roles, template, words), script)


COMMON: tuple[Verb, ...] = (
    _verb("walk", "WALK", ROOM_OR_THING, "walk to the {0}", "to a room, or to something in sight"),
    _verb("grab", "GRAB", THING, "grab the {0}", "needs it within reach, and a free hand"),
    _verb("put_in", "PUTIN", ("thing", "container"), "put the {0} inside the {1}", "needs it held, the container open"),
    _verb("put_on", "PUTBACK", ("thing", "surface"), "put the {0} on the {1}", "needs it held, the surface within reach"),
    _verb("open", "OPEN", THING, "open the {0}", "needs it within reach and closed; a running one is switched off first"),
    _verb("close", "CLOSE", THING, "close the {0}", "needs it within reach and open"),
    _verb("switch_on", "SWITCHON", THING, "switch on the {0}", "needs it within reach, plugged in and off"),
    _verb("switch_off", "SWITCHOFF", THING, "switch off the {0}", "needs it within reach and on"),
    _verb("plug_in", "PLUGIN", THING, "plug in the {0}", "needs it within reach and unplugged"),
)
"""The verbs the adapters offer by default."""
_WORDS = {
    "find": "FIND", "run": "RUN", "sit": "SIT", "turn_to": "TURNTO", "look_at": "LOOKAT", "drink": "DRINK", "wipe": "WIPE",
    "wear": "PUTON", "take_off": "PUTOFF", "greet": "GREET", "drop": "DROP", "read": "READ", "point_at": "POINTAT",
    "touch": "TOUCH", "lie": "LIE", "put_back": "PUTOBJBACK", "type": "TYPE", "watch": "WATCH", "push": "PUSH", "pull": "PULL",
    "move": "MOVE", "rinse": "RINSE", "wash": "WASH", "scrub": "SCRUB", "squeeze": "SQUEEZE", "plug_out": "PLUGOUT",
    "cut": "CUT", "eat": "EAT", "release": "RELEASE",
}
FURTHER: tuple[Verb, ...] = (
    *(_verb(verb, script, THING, f"{verb.replace('_', ' ')} the {{0}}", "as VirtualHome allows")
      for verb, script in _WORDS.items()),
    _verb("pour", "POUR", ("liquid", "vessel"), "pour the {0} into the {1}", "as VirtualHome allows"),
    _verb("stand_up", "STANDUP", (), "stand up", "needs to sit or lie"),
    _verb("sleep", "SLEEP", (), "sleep", "needs to sit or lie"),
    _verb("wake_up", "WAKEUP", (), "wake up", "needs to sit or lie"),
)
"""The other verbs of VirtualHome's programs."""


def script_line(script: str, nodes: Iterable[Node]) -> str:
    """Returns a line such as `[PUTIN] <cup> (12) <freezer> (306)`."""
    return " ".join((f"[{script}]", *(f"<{n.cls}> ({n.id})" for n in nodes)))


def action_of(line: str, names: dict[int, str]) -> Action:
    """Returns the action of a program's line: `[WALK] <cupboard> (1.229)` is `walk cupboard_229`.

    Raises:
        KeyError: an unknown action or object.
    """
    verbs = {verb.script: verb.schema.verb for verb in (*COMMON, *FURTHER)}
    numbers = [part.strip("()").split(".")[-1] for part in line.split() if part.startswith("(")]
    return Action(verbs[line[1:line.index("]")].upper()], tuple(names[int(n)] for n in numbers))
