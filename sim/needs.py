"""Verbs that several simulators share, and refusals in the same words for all of them.

A need returns a refusal, or None if it is met. The first need that fails is the verdict. What a need depends on is given as a
truth value, because each simulator finds it out in its own way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from core.world.vocabulary import ADMISSIBLE, Action, ActionSchema, Posture, Verdict, definite, spaced

Needs = Iterator[Verdict | None]
"""The needs of one action in the order in which they are checked. A later need may rely on the earlier ones."""

THING = ("thing",)
MOVES = (
    ActionSchema("turn_left", (), "turn left", "30 degrees"),
    ActionSchema("turn_right", (), "turn right", "30 degrees"),
    ActionSchema("move_ahead", (), "move ahead", "25 cm, where the floor is free"),
    ActionSchema("move_back", (), "move back", "25 cm, where the floor is free"),
    ActionSchema("look_up", (), "look up", "30 degrees"),
    ActionSchema("look_down", (), "look down", "30 degrees"),
    ActionSchema("scan", (), "scan the room", "look around in twelve turns of 30 degrees"),
)
"""What a robot that sees through a camera can do without an object."""
SCHEMAS = {schema.verb: schema for schema in (
    ActionSchema("grab", THING, "grab the {0}", "needs it within reach and a free hand"),
    ActionSchema("put_in", ("thing", "container"), "put the {0} inside the {1}", "needs it held, the container open"),
    ActionSchema("put_on", ("thing", "surface"), "put the {0} on the {1}", "needs it held, the surface within reach"),
    ActionSchema("open", THING, "open the {0}", "needs it within reach and closed"),
    ActionSchema("close", THING, "close the {0}", "needs it within reach and open"),
    ActionSchema("switch_on", THING, "switch on the {0}", "needs it within reach; a microwave must be closed"),
    ActionSchema("switch_off", THING, "switch off the {0}", "needs it within reach and on"),
    ActionSchema("slice", THING, "slice the {0}", "needs it within reach and a knife in the hand"),
    ActionSchema("wash", THING, "wash the {0}", "needs it held, at a running tap"),
    ActionSchema("sit", ("seat",), "sit on the {0}", "needs it within reach, and to stand"),
    ActionSchema("lie", ("bed",), "lie on the {0}", "needs it within reach, and to stand"),
    ActionSchema("stand_up", (), "stand up", "needs to sit or lie"),
    ActionSchema("turn_to", THING, "turn to the {0}", "needs it in sight, in the same room"),
    ActionSchema("look_at", THING, "look at the {0}", "needs it in sight, in the same room"),
    ActionSchema("touch", THING, "touch the {0}", "needs it within reach or held"),
    ActionSchema("drink", THING, "drink the {0}", "needs it held"),
    ActionSchema("eat", THING, "eat the {0}", "needs it held"),
    ActionSchema("read", THING, "read the {0}", "needs it held"),
    ActionSchema("watch", THING, "watch the {0}", "needs it on and in sight, in the same room"),
    ActionSchema("type", THING, "type on the {0}", "needs it on, within reach or held"),
    ActionSchema("wash_hands", ("sink",), "wash the hands at the {0}", "needs it within reach, its tap on, and a free hand"),
    *MOVES,
)}
STAND_UP = Action("stand_up")
UNFIT = {"drink": "is nothing to drink", "eat": "is nothing to eat", "read": "is nothing to read", "type": "has no keys",
         "watch": "is nothing to watch", "wash_hands": "is no sink", "sit": "is nothing to sit on",
         "lie": "is nothing to lie on"}
"""Verb -> how an object is refused that is not made for it."""
BECOMES = {"open": "open", "close": "closed", "switch_on": "on", "switch_off": "off"}
"""Verb -> the state it leads to."""


def named(entity_id: str) -> str:
    """Returns an entity as it is named in a sentence: `apple 2`, `the kitchen`."""
    return definite(spaced(entity_id))


def no(precondition: str, reason: str, remedy: Action | None = None) -> Verdict:
    """Returns a refusal."""
    return Verdict(False, precondition, reason, remedy)


def first(needs: Needs) -> Verdict:
    """Returns the first refusal, or ADMISSIBLE."""
    for refusal in needs:
        if refusal is not None:
            return refusal
    return ADMISSIBLE


def wrong_call(action: Action, schema: ActionSchema | None, known: Iterable[str]) -> Verdict | None:
    """Refuses an unknown verb (`schema` is None) and a wrong number of arguments. `known` are all verbs, for the message."""
    if schema is None:
        return no("verb", f"unknown verb '{action.verb}': this world knows {', '.join(known)}")
    count = len(schema.roles)
    if len(action.args) == count:
        return None
    return no("arguments", f"'{action.verb}' takes {count} {'name' if count == 1 else 'names'}, not {len(action.args)}")


def sight(thing: str, seen: bool) -> Verdict | None:
    """Refuses what is not in sight."""
    return None if seen else no("in sight", f"{named(thing)} is not in sight")


def reach(thing: str, near: bool, seat: str = "") -> Verdict | None:
    """Refuses what is not within reach. `seat` is what the robot sits or lies on; empty if it stands."""
    if near:
        return None
    if seat:
        return no("within reach", f"{named(thing)} is not within reach from {named(seat)}: stand up first", STAND_UP)
    return no("within reach", f"{named(thing)} is not within reach: walk to it first", Action("walk", (thing,)))


def standing(posture: Posture, seat: str) -> Verdict | None:
    """Refuses a robot that sits or lies."""
    if posture == "standing":
        return None
    verb = "sits" if posture == "sitting" else "lies"
    return no("standing", f"the robot {verb} on {named(seat)}: stand up first", STAND_UP)


def seated(posture: Posture) -> Verdict | None:
    """Refuses a robot that stands."""
    return no("sitting or lying", "the robot already stands") if posture == "standing" else None


def here(thing: str, same_room: bool) -> Verdict | None:
    """Refuses what is in another room."""
    return None if same_room else no("the same room", f"{named(thing)} is in another room")


def running(thing: str, switch: str | None) -> Verdict | None:
    """Refuses what must be on. `switch` switches it on; None if it is on or has no switch."""
    if switch is None:
        return None
    return no("on", f"{named(thing)} is off: switch it on first", Action("switch_on", (switch,)))


def made_for(thing: str, flag: str, properties: frozenset[str], words: str) -> Verdict | None:
    """Refuses an entity without the property that the verb needs."""
    return None if flag in properties else no(flag, f"{named(thing)} {words}")


def change(thing: str, state: str, states: frozenset[str]) -> Verdict | None:
    """Refuses an entity that is already in the state the verb leads to."""
    return no(f"not {state}", f"{named(thing)} is already {state}") if state in states else None


def held(thing: str, in_hand: bool) -> Verdict | None:
    """Refuses what is not in the hand."""
    return None if in_hand else no("held", f"{named(thing)} is not in the hand: grab it first", Action("grab", (thing,)))


def free_hand(carried: tuple[str, ...], hands: int) -> Verdict | None:
    """Refuses if all hands are full."""
    if len(carried) < hands:
        return None
    return no("a free hand", f"the hand is full with {named(carried[0])}: put it down first")


def other(thing: str, itself: bool) -> Verdict | None:
    """Refuses to put an object into itself."""
    return no("another thing", f"{named(thing)} cannot be put into itself") if itself else None


def opened(holder: str, closed: bool) -> Verdict | None:
    """Refuses a closed container."""
    return no("open", f"{named(holder)} is closed: open it first", Action("open", (holder,))) if closed else None


def shut(thing: str, is_open: bool) -> Verdict | None:
    """Refuses to switch on what is open and runs only closed."""
    return no("closed", f"{named(thing)} is open: close it first", Action("close", (thing,))) if is_open else None


def off(thing: str, switch: str | None) -> Verdict | None:
    """Refuses an appliance that must stay closed while it runs. `switch` switches it off; None if it does not run."""
    if switch is None:
        return None
    return no("switched off", f"{named(thing)} is running: switch it off first", Action("switch_off", (switch,)))


def slices(thing: str, holder: str, whole: bool) -> Verdict | None:
    """Refuses what is not sliced for a holder that takes slices (a toaster)."""
    return no("sliced", f"{named(holder)} only takes slices: slice {named(thing)} first") if whole else None


def knife(thing: str, in_hand: bool) -> Verdict | None:
    """Refuses to slice without a knife in the hand."""
    return None if in_hand else no("a knife in hand", f"slicing {named(thing)} needs a knife in the hand")


def tap_on(sink: str, tap: str | None, *, on: bool) -> Verdict | None:
    """Refuses to wash the hands at a sink without a running tap. `tap` belongs to the sink, None if it has none."""
    if on:
        return None
    if tap is None:
        return no("a tap", f"{named(sink)} has no tap")
    return no("running water", f"{named(tap)} is off: switch it on first", Action("switch_on", (tap,)))


def water(thing: str, tap: str | None, running: bool) -> Verdict | None:
    """Refuses to wash without a running tap. `tap` is one within reach, None without any."""
    if running:
        return None
    if tap is None:
        return no("at a sink", f"washing {named(thing)} needs a sink within reach")
    return no("running water", f"{named(tap)} is off: switch it on first", Action("switch_on", (tap,)))
