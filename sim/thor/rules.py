"""The verbs: what each needs according to the metadata, AI2-THOR's action for it, and which goals are possible."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

from core.goals.literals import Goal, Literal, is_a
from core.goals.possibility import (
    POSSIBLE,
    Possibility,
    cannot_be_carried,
    cannot_become,
    no_room,
    no_target,
    one_hand,
    out_of_reach,
    too_few,
)
from core.world.vocabulary import (
    ADMISSIBLE,
    CONTAINER,
    CUTS,
    GRABBABLE,
    OPENABLE,
    RINSES,
    RUNS_CLOSED,
    SLICEABLE,
    SURFACE,
    SWITCHABLE,
    TAKES_SLICES,
    TREATED_BY,
    TURNED,
    WASHABLE,
    Action,
    ActionSchema,
    Entity,
    Verdict,
)
from sim.thor.observation import Moment
from sim.thor.player import STEP, TURN

Need = Callable[[], Verdict | None]


def named(entity_id: str) -> str:
    """Returns an entity as it is named in a sentence: `the apple 2`."""
    return f"the {entity_id.replace('_', ' ')}"


def no(precondition: str, reason: str, remedy: Action | None = None) -> Verdict:
    """Returns a refusal."""
    return Verdict(False, precondition, reason, remedy)


def first(*needs: Need) -> Verdict:
    """Returns the first refusal, or ADMISSIBLE."""
    for need in needs:
        verdict = need()
        if verdict is not None:
            return verdict
    return ADMISSIBLE


def sight(now: Moment, thing: str) -> Verdict | None:
    """Refuses what is not in sight now."""
    return None if thing in now.visible else no("in sight", f"{named(thing)} is not in sight")


def near(now: Moment, thing: str) -> Verdict | None:
    """Refuses what is not within reach."""
    if thing in now.near:
        return None
    return no("within reach", f"{named(thing)} is not within reach: walk to it first", Action("walk", (thing,)))


def made_for(now: Moment, thing: str, flag: str, words: str) -> Verdict | None:
    """Refuses an entity without the property that the verb needs."""
    return None if flag in now.entities[thing].properties else no(flag, f"{named(thing)} {words}")


def state(now: Moment, thing: str, absent: str) -> Verdict | None:
    """Refuses an entity that is already in the state the verb leads to."""
    if absent in now.entities[thing].states:
        return no(f"not {absent}", f"{named(thing)} is already {absent}")
    return None


def held(now: Moment, thing: str) -> Verdict | None:
    """Refuses what is not in the hand."""
    if thing in now.held:
        return None
    return no("held", f"{named(thing)} is not in the hand: grab it first", Action("grab", (thing,)))


def not_held(now: Moment, thing: str, words: str) -> Verdict | None:
    """Refuses what is in the hand."""
    return no("not held", f"{named(thing)} {words}") if thing in now.held else None


def hand(now: Moment) -> Verdict | None:
    """Refuses if the hand is full."""
    if not now.held:
        return None
    return no("a free hand", f"the hand is full with {named(now.held[0])}: put it down first")


def still(now: Moment, thing: str) -> Verdict | None:
    """Refuses a running appliance that must stay closed while it runs (a microwave)."""
    if RUNS_CLOSED not in now.entities[thing].properties or "on" not in now.entities[thing].states:
        return None
    return no("switched off", f"{named(thing)} is running: switch it off first", Action("switch_off", (thing,)))


def opened(now: Moment, holder: str) -> Verdict | None:
    """Refuses what is closed or running."""
    if "closed" in now.entities[holder].states:
        return no("open", f"{named(holder)} is closed: open it first", Action("open", (holder,)))
    return still(now, holder)


def closed_to_run(now: Moment, thing: str) -> Verdict | None:
    """Refuses what is open and runs only closed."""
    if RUNS_CLOSED in now.entities[thing].properties and "open" in now.entities[thing].states:
        return no("closed", f"{named(thing)} is open: close it first", Action("close", (thing,)))
    return None


def kind(now: Moment, thing: str, holder: str) -> Verdict | None:
    """Refuses what is not sliced for a holder that takes slices (a toaster)."""
    if TAKES_SLICES not in now.entities[holder].properties or "sliced" in now.entities[thing].states:
        return None
    return no("sliced", f"{named(holder)} only takes slices: slice {named(thing)} first")


def fits(now: Moment, thing: str, holder: str) -> Verdict | None:
    """Refuses to put an object into itself or into what it carries."""
    inside = thing == holder or any(r.object == thing for r in now.layout.holders(holder))
    return no("another thing", f"{named(thing)} cannot be put into itself") if inside else None


LOWEST, HIGHEST = math.radians(-60), math.radians(30)
"""Limits of AI2-THOR's camera tilt, radians."""
Check = Callable[[Moment, tuple[str, ...]], Verdict]
"""Returns the verdict on a verb's arguments."""


class Rule(NamedTuple):
    """A verb.

    Attributes:
        schema: name, roles and texts of the verb.
        check: returns the verdict.
        theirs: the action of AI2-THOR that does it; empty if it takes several (see `doing.py`).
    """

    schema: ActionSchema
    check: Check
    theirs: str = ""


def check_walk(now: Moment, args: tuple[str, ...]) -> Verdict:
    """Needs an entity that was seen and a place to stand at it."""
    (target,) = args
    if target == now.room.id:
        return no("another room", f"the robot is already in {named(target)}")
    if target not in now.known or target in now.hidden:
        return no("seen", f"{named(target)} has not been seen yet: look around", Action("scan"))
    if target == now.focus:
        return no("elsewhere", f"the robot already stands at {named(target)}")
    held = not_held(now, target, "is in the hand")
    if held is not None:
        return held
    if not now.footing(target):
        return no("free floor", f"there is no free floor within reach of {named(target)}")
    return ADMISSIBLE


def check_grab(now: Moment, args: tuple[str, ...]) -> Verdict:
    """Needs an object that can be carried, within reach, and a free hand."""
    (thing,) = args
    return first(
        lambda: sight(now, thing), lambda: made_for(now, thing, GRABBABLE, "cannot be carried"),
        lambda: not_held(now, thing, "is already in the hand"), lambda: hand(now), lambda: near(now, thing),
        lambda: next((v for r in now.layout.holders(thing) if (v := still(now, r.object))), None),
    )


def check_put(now: Moment, args: tuple[str, ...], flag: str, words: str) -> Verdict:
    """Needs a held object and an open holder within reach."""
    thing, holder = args
    return first(
        lambda: sight(now, thing), lambda: held(now, thing), lambda: sight(now, holder),
        lambda: fits(now, thing, holder), lambda: made_for(now, holder, flag, words),
        lambda: near(now, holder), lambda: opened(now, holder) if flag == CONTAINER else None,
        lambda: kind(now, thing, holder),
    )


def check_open(now: Moment, args: tuple[str, ...], becomes: str) -> Verdict:
    """Needs a door within reach that is not yet in this state; not that of a running appliance."""
    (thing,) = args
    return first(
        lambda: sight(now, thing), lambda: made_for(now, thing, OPENABLE, "cannot be opened or closed"),
        lambda: near(now, thing) if thing not in now.held else None, lambda: state(now, thing, becomes),
        lambda: still(now, thing) if becomes == "open" else None,
    )


def check_switch(now: Moment, args: tuple[str, ...], becomes: str) -> Verdict:
    """Needs a switch within reach that is not yet in this state. Some appliances must be closed."""
    (thing,) = args
    return first(
        lambda: sight(now, thing), lambda: made_for(now, thing, SWITCHABLE, "has no switch"),
        lambda: near(now, thing) if thing not in now.held else None, lambda: state(now, thing, becomes),
        lambda: closed_to_run(now, thing) if becomes == "on" else None,
    )


def check_slice(now: Moment, args: tuple[str, ...]) -> Verdict:
    """Needs an object to cut within reach, and a knife in the hand (AI2-THOR itself needs none)."""
    (thing,) = args

    def knife() -> Verdict | None:
        if any(CUTS in now.entities[h].properties for h in now.held):
            return None
        return no("a knife in hand", f"slicing {named(thing)} needs a knife in the hand")

    return first(
        lambda: sight(now, thing), lambda: state(now, thing, "sliced"),
        lambda: made_for(now, thing, SLICEABLE, "cannot be sliced"),
        lambda: not_held(now, thing, "must lie somewhere to be sliced"), lambda: near(now, thing), knife,
    )


def check_wash(now: Moment, args: tuple[str, ...]) -> Verdict:
    """Needs a dirty object in the hand and a running tap within reach."""
    (thing,) = args

    def running() -> Verdict | None:
        sinks = [i for i in now.near if RINSES in now.entities[i].properties and i in now.controllers]
        taps = [tap for sink in sinks for tap in now.controllers[sink]]
        if any("on" in now.entities[tap].states for tap in taps):
            return None
        if not taps:
            return no("at a sink", f"washing {named(thing)} needs a sink within reach")
        return no("running water", f"{named(taps[0])} is off: switch it on first", Action("switch_on", (taps[0],)))

    return first(
        lambda: sight(now, thing), lambda: made_for(now, thing, WASHABLE, "is nothing to wash"),
        lambda: held(now, thing), lambda: state(now, thing, "clean"), running,
    )


def check_move(now: Moment, sign: int) -> Verdict:
    """Needs free floor: a cell close enough to the end of the step."""
    pose = now.pose
    x, y = pose.x - sign * math.sin(pose.yaw) * STEP, pose.y + sign * math.cos(pose.yaw) * STEP
    if any(abs(cx - x) + abs(cy - y) < STEP for cx, cy in now.cells):
        return ADMISSIBLE
    return no("free floor", "something is in the way")


def check_tilt(now: Moment, sign: int) -> Verdict:
    """Refuses tilts beyond the limits."""
    if LOWEST - 1e-3 <= now.pose.pitch + sign * math.radians(TURN) <= HIGHEST + 1e-3:
        return ADMISSIBLE
    return no("range", f"the camera cannot look {'up' if sign > 0 else 'down'} further")


def _move(verb: str, template: str, words: str, check: Callable[[Moment], Verdict], theirs: str) -> Rule:
    return Rule(ActionSchema(verb, (), template, words), lambda now, args: check(now), theirs)


def _on(verb: str, roles: tuple[str, ...], template: str, words: str, check: Check, theirs: str = "") -> Rule:
    return Rule(ActionSchema(verb, roles, template, words), check, theirs)


RULES: tuple[Rule, ...] = (
    _on("walk", ("room or thing",), "walk to the {0}", "to something that was seen", check_walk),
    _on("grab", ("thing",), "grab the {0}", "needs it within reach and a free hand", check_grab, "PickupObject"),
    _on("put_in", ("thing", "container"), "put the {0} inside the {1}", "needs it held, the container open",
        lambda now, args: check_put(now, args, CONTAINER, "holds nothing inside"), "PutObject"),
    _on("put_on", ("thing", "surface"), "put the {0} on the {1}", "needs it held, the surface within reach",
        lambda now, args: check_put(now, args, SURFACE, "is nothing to put things on"), "PutObject"),
    _on("open", ("thing",), "open the {0}", "needs it within reach and closed",
        lambda now, args: check_open(now, args, "open"), "OpenObject"),
    _on("close", ("thing",), "close the {0}", "needs it within reach and open",
        lambda now, args: check_open(now, args, "closed"), "CloseObject"),
    _on("switch_on", ("thing",), "switch on the {0}", "needs it within reach; a microwave must be closed",
        lambda now, args: check_switch(now, args, "on"), "ToggleObjectOn"),
    _on("switch_off", ("thing",), "switch off the {0}", "needs it within reach and on",
        lambda now, args: check_switch(now, args, "off"), "ToggleObjectOff"),
    _on("slice", ("thing",), "slice the {0}", "needs it within reach and a knife in the hand", check_slice, "SliceObject"),
    _on("wash", ("thing",), "wash the {0}", "needs it held, at a running tap", check_wash, "CleanObject"),
    _move("turn_left", "turn left", "30 degrees", lambda now: ADMISSIBLE, "RotateLeft"),
    _move("turn_right", "turn right", "30 degrees", lambda now: ADMISSIBLE, "RotateRight"),
    _move("move_ahead", "move ahead", "25 cm, where the floor is free", lambda now: check_move(now, 1), "MoveAhead"),
    _move("move_back", "move back", "25 cm, where the floor is free", lambda now: check_move(now, -1), "MoveBack"),
    _move("look_up", "look up", "30 degrees", lambda now: check_tilt(now, 1), "LookUp"),
    _move("look_down", "look down", "30 degrees", lambda now: check_tilt(now, -1), "LookDown"),
    _move("scan", "scan the room", "look around in twelve turns of 30 degrees", lambda now: ADMISSIBLE, ""),
)
BY_VERB = {rule.schema.verb: rule for rule in RULES}


def check(now: Moment, action: Action) -> Verdict:
    """Returns whether an action is admissible according to the metadata."""
    rule = BY_VERB.get(action.verb)
    if rule is None:
        return no("verb", f"unknown verb '{action.verb}': this world knows {', '.join(BY_VERB)}")
    count = len(rule.schema.roles)
    if len(action.args) != count:
        words = f"'{action.verb}' takes {count} {'name' if count == 1 else 'names'}, not {len(action.args)}"
        return no("arguments", words)
    unknown = [a for a in action.args if a not in now.metas and a != now.room.id]
    if unknown or (action.verb != "walk" and now.room.id in action.args):
        return no("in sight", f"{named((unknown or [now.room.id])[0])} is not in sight")
    return rule.check(now, action.args)


def candidates(now: Moment) -> Iterator[Action]:
    """Yields actions worth checking, in a fixed order. All admissible ones are among them."""
    yield from (Action(rule.schema.verb) for rule in RULES if not rule.schema.roles)
    yield from (Action("walk", (i,)) for i in now.metas if i in now.known)
    for thing in (*now.near, *now.held):
        yield from (Action(verb, (thing,)) for verb in _verbs(now, thing))
        yield from (Action(verb, (h, thing)) for h in now.held for verb in ("put_in", "put_on"))
    yield from (Action("wash", (h,)) for h in now.held)


def _verbs(now: Moment, thing: str) -> Iterator[str]:
    properties, states = now.entities[thing].properties, now.entities[thing].states
    if GRABBABLE in properties and not now.held:
        yield "grab"
    if OPENABLE in properties:
        yield "close" if "open" in states else "open"
    if SWITCHABLE in properties:
        yield "switch_off" if "on" in states else "switch_on"
    if SLICEABLE in properties:
        yield "slice"


FILLABLE = frozenset({"mug", "cup"})
PROPORTION = 0.9
"""Largest share of a holder's base that an object may cover."""


def possible(now: Moment, goal: Goal) -> Possibility:
    """Returns whether each literal has enough subjects and targets."""
    return next((why for literal in goal.literals if not (why := _possible(now, literal))), POSSIBLE)


def _possible(now: Moment, literal: Literal) -> Possibility:
    all_subjects = [e for e in now.entities.values() if is_a(e, literal.subject)]
    things = [e for i, e in now.entities.items() if now.footing(i)]
    subjects = [e for e in things if is_a(e, literal.subject)]
    if len(subjects) < literal.count:
        enough = len(all_subjects) >= literal.count
        return out_of_reach(literal) if enough else too_few(literal, len(all_subjects), literal.count)
    able = [e for e in subjects if all(_can_become(now, things, e, s) for s in literal.states)]
    if len(able) < literal.count:
        return cannot_become(literal, len(able), literal.count)
    if literal.predicate == "is":
        return POSSIBLE
    able = [e for e in able if e.category == "object"]
    if len(able) < literal.count:
        return cannot_be_carried(literal)
    if literal.predicate == "holds":
        return POSSIBLE if literal.count == 1 else one_hand(literal)
    targets = [e for e in things if is_a(e, literal.target or "")]
    flag = CONTAINER if literal.predicate == "inside" else SURFACE
    if not any(flag in t.properties for t in targets):
        return no_target(literal, there=bool(targets))
    fitting = sum(any(_takes(now, t, e, literal) for t in targets) for e in able)
    return POSSIBLE if fitting >= literal.count else no_room(literal, fitting, literal.count)


def _takes(now: Moment, holder: Entity, thing: Entity, literal: Literal) -> bool:
    flag = CONTAINER if literal.predicate == "inside" else SURFACE
    if holder.id == thing.id or flag not in holder.properties:
        return False
    if TAKES_SLICES in holder.properties and "sliced" not in literal.states | thing.states:
        return False
    return _base(now, thing.id) <= PROPORTION * _base(now, holder.id)


def _base(now: Moment, name: str) -> float:
    size = now.metas[name]["axisAlignedBoundingBox"]["size"]
    return float(size["x"] * size["z"])


def _can_become(now: Moment, things: list[Entity], entity: Entity, state: str) -> bool:
    if state in entity.states:
        return True
    if state in TURNED:
        return TURNED[state] in entity.properties
    if state == "sliced":
        return SLICEABLE in entity.properties and any(CUTS in e.properties for e in things)
    if state not in TREATED_BY or (state == "filled" and entity.cls not in FILLABLE):
        return False
    need, flag = TREATED_BY[state]
    machines = [e for e in things if flag in e.properties and (SWITCHABLE in e.properties or e.id in now.controllers)]
    return (not need or need in entity.properties) and bool(machines)
