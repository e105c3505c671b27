"""The verbs: what each one needs and what it does, with the semantics of VirtualHome and AI2-THOR.

Needs ask the way of seeing what the robot sees and can touch, so they are the same for both. After every action running
appliances affect their contents: heat cooks, water cleans, a coffee machine fills.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from core.world.vocabulary import (
    BREWS,
    COOKABLE,
    CUTS,
    GRABBABLE,
    HEATS,
    OPENABLE,
    RINSES,
    RUNS_CLOSED,
    SLICEABLE,
    SURFACE,
    SWITCHABLE,
    TAKES_SLICES,
    WASHABLE,
    Action,
    ActionSchema,
    Verdict,
)
from core.world.vocabulary import CONTAINER as CONTAINS
from sim import needs
from sim.changes import FILLABLE
from sim.household.household import Household
from sim.household.room_seeing import Seeing
from sim.needs import BECOMES, SCHEMAS, Needs, named, no


def sinks(home: Household) -> list[str]:
    """Returns the ids of the sinks that have a tap."""
    return [item.id for item in home.appliances if RINSES in item.properties and item.id in home.controllers]


def run_appliances(home: Household) -> None:
    """Applies every running appliance to everything on and in it, including the contents of pans."""
    for item in home.appliances:
        if not home.is_running(item.id):
            continue
        for thing in home.within(item.id):
            other = home.items[thing]
            if HEATS in item.properties and COOKABLE in other.properties:
                home.set_states(thing, add=frozenset({"cooked"}), drop=frozenset())
            if RINSES in item.properties and WASHABLE in other.properties:
                home.set_states(thing, add=frozenset({"clean"}), drop=frozenset({"dirty"}))
            if BREWS in item.properties and other.cls in FILLABLE:
                home.set_states(thing, add=frozenset({"filled"}), drop=frozenset())


class Case(NamedTuple):
    """What a rule is applied to.

    Attributes:
        home: the household.
        seeing: what the robot sees and can touch.
        args: ids, as many as the verb has roles.
        hands: number of hands.
    """

    home: Household
    seeing: Seeing
    args: tuple[str, ...]
    hands: int

    def sight(self, thing: str) -> Verdict | None:
        """Refuses what is not in sight."""
        return needs.sight(thing, thing in self.home.items and self.seeing.in_sight(thing))

    def made_for(self, thing: str, flag: str, words: str) -> Verdict | None:
        """Refuses an entity without a property."""
        return needs.made_for(thing, flag, self.home.items[thing].properties, words)

    def reach(self, thing: str, *, near: bool) -> Verdict | None:
        """Refuses what is not within reach, of a robot on a seat with another remedy."""
        return needs.reach(thing, near, self.home.state.seat)

    def stands(self) -> Verdict | None:
        """Refuses a robot that sits or lies."""
        return needs.standing(self.home.state.posture, self.home.state.seat)

    def off(self, thing: str) -> Verdict | None:
        """Refuses an appliance that must stay closed while it runs (a microwave)."""
        return off(self.home, thing)


def off(home: Household, thing: str) -> Verdict | None:
    """Refuses an appliance that must stay closed while it runs (a microwave)."""
    if not home.runs_shut(thing):
        return None
    return needs.off(thing, thing if "on" in home.states(thing) else home.controllers[thing][0])


def _walk(case: Case) -> Needs:
    """Needs another room, or an entity the robot can walk to, and a robot that stands."""
    (target,) = case.args
    yield needs.sight(target, target in case.home.rooms or target in case.home.items)
    yield case.stands()
    yield case.seeing.can_walk_to(target)


def _go(case: Case) -> None:
    """Walks, and turns away from what the robot faced."""
    case.home.state.facing = ""
    case.seeing.walk(case.args[0])


def _grab(case: Case) -> Needs:
    """Needs an object that can be carried, within reach, not in a running appliance, and a free hand.

    Reaching the table it lies on is not enough.
    """
    home, (thing,) = case.home, case.args
    yield case.sight(thing)
    yield case.made_for(thing, GRABBABLE, "cannot be carried")
    yield no("not held", f"{named(thing)} is already in the hand") if thing in home.state.held else None
    yield needs.free_hand(home.state.held, case.hands)
    yield case.reach(thing, near=case.seeing.can_pick(thing))
    yield from (case.off(place.holder) for place in home.holders(thing) if place.holder)


def _put(case: Case, relation: str) -> Needs:
    """Needs a held object and a holder within reach that is open, takes such objects and has room.

    Lying on a held plate does not count as held.
    """
    home, (thing, holder) = case.home, case.args
    flag, words = (CONTAINS, "holds nothing inside") if relation == "inside" else (SURFACE, "is nothing to put things on")
    yield case.sight(thing)
    yield needs.held(thing, thing in home.state.held)
    yield case.sight(holder)
    yield needs.other(thing, thing == holder)
    if home.is_held(holder):
        yield no("not held", f"{named(holder)} is in the hand itself: put it down first")
    yield case.made_for(holder, flag, words)
    yield case.reach(holder, near=case.seeing.near(holder))
    if relation == "inside":
        yield needs.opened(holder, home.is_closed(holder))
        yield case.off(holder)
    yield suits(home, thing, holder)
    yield has_room(home, thing, relation, holder)


def suits(home: Household, thing: str, holder: str) -> Verdict | None:
    """Refuses objects of a class that the holder does not take: toasters take slices, towel holders towels."""
    item, only = home.items[thing], home.items[holder].only
    if only and item.cls not in only:
        return no("kind", f"{named(holder)} only takes a {' or a '.join(c.replace('_', ' ') for c in sorted(only))}")
    if TAKES_SLICES not in home.items[holder].properties:
        return None
    return needs.slices(thing, holder, "sliced" not in home.states(thing) and not item.cls.endswith("slice"))


def has_room(home: Household, thing: str, relation: str, holder: str) -> Verdict | None:
    """Refuses a holder without a free spot, and names what is in the way."""
    if home.free_place(thing, relation, holder) is not None:
        return None
    occupants = [other for other in home.contents.get(holder, ()) if other != thing]
    preposition = "in" if relation == "inside" else "on"
    if not occupants:
        return no("size", f"{named(thing)} does not fit {preposition} {named(holder)}")
    way = ", ".join(named(o) for o in occupants[:3])
    return no("room", f"no room {preposition} {named(holder)}: {way} in the way", Action("grab", (occupants[0],)))


def _turn(case: Case, verb: str) -> Needs:
    """Needs an entity within reach that opens or switches and is not yet in the wanted state."""
    home, (thing,) = case.home, case.args
    flag, words = (OPENABLE, "cannot be opened or closed") if verb in ("open", "close") else (SWITCHABLE, "has no switch")
    yield case.sight(thing)
    yield case.made_for(thing, flag, words)
    yield case.reach(thing, near=case.seeing.near(thing) or thing in home.state.held)
    yield needs.change(thing, BECOMES[verb], home.states(thing))
    if verb == "open":
        yield case.off(thing)
    if verb == "switch_on":
        yield needs.shut(thing, RUNS_CLOSED in home.items[thing].properties and "open" in home.states(thing))


def _slice(case: Case) -> Needs:
    """Needs an object to cut within reach and a knife in the hand."""
    home, (thing,) = case.home, case.args
    yield case.sight(thing)
    yield case.made_for(thing, SLICEABLE, "cannot be sliced")
    yield needs.change(thing, "sliced", home.states(thing))
    yield no("not held", f"{named(thing)} must lie somewhere to be sliced") if home.is_held(thing) else None
    yield case.reach(thing, near=case.seeing.can_pick(thing))
    yield needs.knife(thing, any(CUTS in home.items[held].properties for held in home.state.held))


def _wash(case: Case) -> Needs:
    """Needs a washable object in the hand and a running tap within reach."""
    home, (thing,) = case.home, case.args
    yield case.sight(thing)
    yield case.made_for(thing, WASHABLE, "is nothing to wash")
    yield needs.held(thing, thing in home.state.held)
    near = [sink for sink in sinks(home) if case.seeing.in_sight(sink) and case.seeing.near(sink)]
    yield needs.water(thing, home.controllers[near[0]][0] if near else None, any(home.is_running(sink) for sink in near))


def _lay(case: Case, relation: str) -> None:
    """Puts the object on a free spot."""
    thing, holder = case.args
    place = case.home.free_place(thing, relation, holder)
    assert place is not None, "checked before"
    case.home.put(thing, place)


def _becomes(state: str, drop: str = "") -> Callable[[Case], None]:
    """Returns the effect that gives the first argument a state in place of another."""
    add, gone = frozenset({state}), frozenset({drop} if drop else ())
    return lambda case: case.home.set_states(case.args[0], add=add, drop=gone)


class Rule(NamedTuple):
    """A verb with its needs and its effect.

    Attributes:
        schema: name, roles and texts of the verb.
        needs: yields what a case needs.
        apply: changes the household. Called only if all needs are met.
    """

    schema: ActionSchema
    needs: Callable[[Case], Needs]
    apply: Callable[[Case], None]


WALK = ActionSchema("walk", ("room or thing",), "walk to the {0}", "to a room, or to something in sight")
RULES: dict[str, Rule] = {rule.schema.verb: rule for rule in (
    Rule(WALK, _walk, _go),
    Rule(SCHEMAS["grab"], _grab, lambda case: case.home.take(case.args[0])),
    Rule(SCHEMAS["put_in"], lambda case: _put(case, "inside"), lambda case: _lay(case, "inside")),
    Rule(SCHEMAS["put_on"], lambda case: _put(case, "on"), lambda case: _lay(case, "on")),
    Rule(SCHEMAS["open"], lambda case: _turn(case, "open"), _becomes("open", "closed")),
    Rule(SCHEMAS["close"], lambda case: _turn(case, "close"), _becomes("closed", "open")),
    Rule(SCHEMAS["switch_on"], lambda case: _turn(case, "switch_on"), _becomes("on", "off")),
    Rule(SCHEMAS["switch_off"], lambda case: _turn(case, "switch_off"), _becomes("off", "on")),
    Rule(SCHEMAS["slice"], _slice, _becomes("sliced")),  # it stays one object
    Rule(SCHEMAS["wash"], _wash, _becomes("clean", "dirty")),
)}


def candidates(home: Household, near: tuple[str, ...], hands: int) -> Iterator[Action]:
    """Yields actions worth checking, given what is within reach. All admissible actions except walks are among them."""
    held = home.state.held
    for thing in held:
        yield from _candidates_on(home, thing, False)
    for thing in near:
        yield from _candidates_on(home, thing, len(held) < hands)
        properties = home.items[thing].properties
        for carried in held:
            if CONTAINS in properties:
                yield Action("put_in", (carried, thing))
            if SURFACE in properties:
                yield Action("put_on", (carried, thing))
    for carried in held:
        if WASHABLE in home.items[carried].properties:
            yield Action("wash", (carried,))


def _candidates_on(home: Household, thing: str, hand_free: bool) -> Iterator[Action]:
    properties, states = home.items[thing].properties, home.states(thing)
    if GRABBABLE in properties and hand_free:
        yield Action("grab", (thing,))
    if OPENABLE in properties:
        yield Action("close" if "open" in states else "open", (thing,))
    if SWITCHABLE in properties:
        yield Action("switch_off" if "on" in states else "switch_on", (thing,))
    if SLICEABLE in properties:
        yield Action("slice", (thing,))
