"""The verbs: what each needs according to the metadata, AI2-THOR's action for it, and which goals are possible."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

from core.goals.kinds import is_a
from core.goals.literals import Goal, Literal
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
    unsupported,
)
from core.world.vocabulary import (
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
from sim import needs
from sim.needs import BECOMES, SCHEMAS, Needs, first, named, no, wrong_call
from sim.thor.observation import Moment
from sim.thor.player import STEP, TURN

LOWEST, HIGHEST = math.radians(-60), math.radians(30)
"""Limits of AI2-THOR's camera tilt, radians."""
Args = tuple[str, ...]


class Rule(NamedTuple):
    """A verb.

    Attributes:
        schema: name, roles and texts of the verb.
        needs: yields what the verb needs of its arguments.
        theirs: the action of AI2-THOR that does it; empty if it takes several (see `action_requests.py`).
    """

    schema: ActionSchema
    needs: Callable[[Moment, Args], Needs]
    theirs: str = ""


def _walk(now: Moment, args: Args) -> Needs:
    """Needs an entity that was seen and a place to stand at it."""
    (target,) = args
    if target == now.room.id:
        yield no("another room", f"the robot is already in {named(target)}")
    if target not in now.known or target in now.hidden:
        yield no("seen", f"{named(target)} has not been seen yet: look around", Action("scan"))
    if target == now.focus:
        yield no("elsewhere", f"the robot already stands at {named(target)}")
    yield _not_held(now, target, "is in the hand")
    if not now.footing(target):
        yield no("free floor", f"there is no free floor within reach of {named(target)}")


def _grab(now: Moment, args: Args) -> Needs:
    """Needs an object that can be carried, within reach, and a free hand."""
    (thing,) = args
    yield needs.sight(thing, thing in now.visible)
    yield needs.made_for(thing, GRABBABLE, now.entities[thing].properties, "cannot be carried")
    yield _not_held(now, thing, "is already in the hand")
    yield needs.free_hand(now.held, 1)
    yield needs.reach(thing, thing in now.near)
    yield from (_off(now, relation.object) for relation in now.layout.holders(thing))


def _put(now: Moment, args: Args, flag: str, words: str) -> Needs:
    """Needs a held object and an open holder within reach that does not lie on the object itself."""
    thing, holder = args
    yield needs.sight(thing, thing in now.visible)
    yield needs.held(thing, thing in now.held)
    yield needs.sight(holder, holder in now.visible)
    yield needs.other(thing, thing == holder or any(r.object == thing for r in now.layout.holders(holder)))
    yield needs.made_for(holder, flag, now.entities[holder].properties, words)
    yield needs.reach(holder, holder in now.near)
    if flag == CONTAINER:
        yield needs.opened(holder, "closed" in now.entities[holder].states)
        yield _off(now, holder)
    takes_slices = TAKES_SLICES in now.entities[holder].properties
    yield needs.slices(thing, holder, takes_slices and "sliced" not in now.entities[thing].states)


def _turn(now: Moment, args: Args, verb: str) -> Needs:
    """Needs a door or a switch within reach that is not yet in the wanted state. Some appliances run only closed."""
    (thing,) = args
    flag, words = (OPENABLE, "cannot be opened or closed") if verb in ("open", "close") else (SWITCHABLE, "has no switch")
    yield needs.sight(thing, thing in now.visible)
    yield needs.made_for(thing, flag, now.entities[thing].properties, words)
    yield needs.reach(thing, thing in now.near or thing in now.held)
    yield needs.change(thing, BECOMES[verb], now.entities[thing].states)
    if verb == "open":
        yield _off(now, thing)
    if verb == "switch_on":
        yield needs.shut(thing, RUNS_CLOSED in now.entities[thing].properties and "open" in now.entities[thing].states)


def _slice(now: Moment, args: Args) -> Needs:
    """Needs an object to cut within reach, and a knife in the hand (AI2-THOR itself needs none)."""
    (thing,) = args
    yield needs.sight(thing, thing in now.visible)
    yield needs.change(thing, "sliced", now.entities[thing].states)
    yield needs.made_for(thing, SLICEABLE, now.entities[thing].properties, "cannot be sliced")
    yield _not_held(now, thing, "must lie somewhere to be sliced")
    yield needs.reach(thing, thing in now.near)
    yield needs.knife(thing, any(CUTS in now.entities[h].properties for h in now.held))


def _wash(now: Moment, args: Args) -> Needs:
    """Needs a dirty object in the hand and a running tap within reach."""
    (thing,) = args
    yield needs.sight(thing, thing in now.visible)
    yield needs.made_for(thing, WASHABLE, now.entities[thing].properties, "is nothing to wash")
    yield needs.held(thing, thing in now.held)
    yield needs.change(thing, "clean", now.entities[thing].states)
    sinks = [i for i in now.near if RINSES in now.entities[i].properties and i in now.controllers]
    taps = [tap for sink in sinks for tap in now.controllers[sink]]
    yield needs.water(thing, taps[0] if taps else None, any("on" in now.entities[tap].states for tap in taps))


def _not_held(now: Moment, thing: str, words: str) -> Verdict | None:
    """Refuses what is in the hand."""
    return no("not held", f"{named(thing)} {words}") if thing in now.held else None


def _off(now: Moment, thing: str) -> Verdict | None:
    """Refuses a running appliance that must stay closed while it runs (a microwave)."""
    runs = RUNS_CLOSED in now.entities[thing].properties and "on" in now.entities[thing].states
    return needs.off(thing, thing if runs else None)


def _step(now: Moment, sign: int) -> Needs:
    """Needs free floor: a cell close enough to the end of the step."""
    pose = now.pose
    x, y = pose.x - sign * math.sin(pose.yaw) * STEP, pose.y + sign * math.cos(pose.yaw) * STEP
    if not any(abs(cx - x) + abs(cy - y) < STEP for cx, cy in now.cells):
        yield no("free floor", "something is in the way")


def _tilt(now: Moment, sign: int) -> Needs:
    """Refuses tilts beyond the limits."""
    if not LOWEST - 1e-3 <= now.pose.pitch + sign * math.radians(TURN) <= HIGHEST + 1e-3:
        yield no("range", f"the camera cannot look {'up' if sign > 0 else 'down'} further")


WALK = ActionSchema("walk", ("room or thing",), "walk to the {0}", "to something that was seen")
RULES: dict[str, Rule] = {rule.schema.verb: rule for rule in (
    Rule(WALK, _walk),
    Rule(SCHEMAS["grab"], _grab, "PickupObject"),
    Rule(SCHEMAS["put_in"], lambda now, args: _put(now, args, CONTAINER, "holds nothing inside"), "PutObject"),
    Rule(SCHEMAS["put_on"], lambda now, args: _put(now, args, SURFACE, "is nothing to put things on"), "PutObject"),
    Rule(SCHEMAS["open"], lambda now, args: _turn(now, args, "open"), "OpenObject"),
    Rule(SCHEMAS["close"], lambda now, args: _turn(now, args, "close"), "CloseObject"),
    Rule(SCHEMAS["switch_on"], lambda now, args: _turn(now, args, "switch_on"), "ToggleObjectOn"),
    Rule(SCHEMAS["switch_off"], lambda now, args: _turn(now, args, "switch_off"), "ToggleObjectOff"),
    Rule(SCHEMAS["slice"], _slice, "SliceObject"),
    Rule(SCHEMAS["wash"], _wash, "CleanObject"),
    Rule(SCHEMAS["turn_left"], lambda now, args: iter(()), "RotateLeft"),
    Rule(SCHEMAS["turn_right"], lambda now, args: iter(()), "RotateRight"),
    Rule(SCHEMAS["move_ahead"], lambda now, args: _step(now, 1), "MoveAhead"),
    Rule(SCHEMAS["move_back"], lambda now, args: _step(now, -1), "MoveBack"),
    Rule(SCHEMAS["look_up"], lambda now, args: _tilt(now, 1), "LookUp"),
    Rule(SCHEMAS["look_down"], lambda now, args: _tilt(now, -1), "LookDown"),
    Rule(SCHEMAS["scan"], lambda now, args: iter(())),
)}


def check(now: Moment, action: Action) -> Verdict:
    """Returns whether an action is admissible according to the metadata."""
    rule = RULES.get(action.verb)
    refusal = wrong_call(action, rule and rule.schema, RULES)
    if refusal is not None:
        return refusal
    unknown = [a for a in action.args if a not in now.metas and a != now.room.id]
    if unknown or (action.verb != "walk" and now.room.id in action.args):
        return no("in sight", f"{named((unknown or [now.room.id])[0])} is not in sight")
    return first(RULES[action.verb].needs(now, action.args))


def candidates(now: Moment) -> Iterator[Action]:
    """Yields actions worth checking, in a fixed order. All admissible ones are among them."""
    yield from (Action(rule.schema.verb) for rule in RULES.values() if not rule.schema.roles)
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


def possible(now: Moment, goal: Goal, schemas: tuple[ActionSchema, ...]) -> Possibility:
    """Returns whether each literal has enough subjects and targets, and the robot the verbs."""
    judged = (_possible(now, x) for x in goal.literals if not x.never and x.predicate != "standing")
    return next((why for why in (unsupported(goal, schemas), *judged) if not why), POSSIBLE)


def _possible(now: Moment, literal: Literal) -> Possibility:
    if literal.predicate == "robot_in":
        return POSSIBLE if is_a(now.room, literal.subject) else too_few(literal, 0, 1)
    all_subjects = [e for e in now.entities.values() if is_a(e, literal.subject)]
    things = [e for i, e in now.entities.items() if now.footing(i)]
    subjects = [e for e in things if is_a(e, literal.subject)]
    if len(subjects) < literal.count:
        enough = len(all_subjects) >= literal.count
        return out_of_reach(literal) if enough else too_few(literal, len(all_subjects), literal.count)
    if literal.is_about_robot:
        return POSSIBLE
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
