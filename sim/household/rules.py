"""The verbs: what each one needs and what it does, with the semantics of VirtualHome and AI2-THOR.

The first need that fails is the verdict. Needs ask a `Reach` what the robot sees and can touch, so they are the same for both
ways of seeing. After every action running appliances affect their contents: heat cooks, water cleans, a coffee machine fills.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

from core.world.vocabulary import (
    ADMISSIBLE,
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
from sim.household.household import Household


class Reach(Protocol):
    """What the robot sees and can touch in one way of seeing."""

    def in_sight(self, entity_id: str) -> bool:
        """Returns True if the robot sees or holds the entity, or remembers it."""

    def can_walk_to(self, entity_id: str) -> Verdict:
        """Returns whether the robot can go there now."""

    def near(self, entity_id: str) -> bool:
        """Returns True if the robot stands close enough to use the entity."""

    def can_pick(self, entity_id: str) -> bool:
        """Returns True if the robot stands close enough to take the object itself, not only to use its holder."""

    def walk(self, entity_id: str) -> None:
        """Moves the robot there."""


class Case(NamedTuple):
    """What a rule is applied to.

    Attributes:
        home: the household.
        reach: what the robot sees and can touch.
        args: ids, as many as the verb has roles.
    """

    home: Household
    reach: Reach
    args: tuple[str, ...]


def named(entity_id: str) -> str:
    """Returns an entity as it is named in a sentence: `the apple 2`."""
    return f"the {entity_id.replace('_', ' ')}"


def no(precondition: str, reason: str, remedy: Action | None = None) -> Verdict:
    """Returns a refusal."""
    return Verdict(False, precondition, reason, remedy)


def needs_sight(case: Case, thing: str) -> Verdict | None:
    """Refuses what is not in sight."""
    if thing in case.home.items and case.reach.in_sight(thing):
        return None
    return no("in sight", f"{named(thing)} is not in sight")


def needs_near(case: Case, thing: str) -> Verdict | None:
    """Refuses what is not within reach."""
    if case.reach.near(thing):
        return None
    return no("within reach", f"{named(thing)} is not within reach: walk to it first", Action("walk", (thing,)))


def needs_property(case: Case, thing: str, flag: str, words: str) -> Verdict | None:
    """Refuses an entity without the property that the verb needs."""
    if flag in case.home.items[thing].properties:
        return None
    return no(flag, f"{named(thing)} {words}")


def needs_open(case: Case, holder: str) -> Verdict | None:
    """Refuses a container that is closed or running."""
    if case.home.is_closed(holder):
        return no("open", f"{named(holder)} is closed: open it first", Action("open", (holder,)))
    return needs_still(case, holder)


def needs_still(case: Case, thing: str) -> Verdict | None:
    """Refuses an appliance that must stay closed while it runs (a microwave)."""
    if not case.home.runs_shut(thing):
        return None
    switch = thing if "on" in case.home.states(thing) else case.home.controllers[thing][0]
    return no("switched off", f"{named(thing)} is running: switch it off first", Action("switch_off", (switch,)))


def needs_held(case: Case, thing: str) -> Verdict | None:
    """Refuses what is not in a hand itself. Lying on a held plate does not count."""
    if thing in case.home.state.held:
        return None
    return no("held", f"{named(thing)} is not in the hand: grab it first", Action("grab", (thing,)))


def first(*checks: Callable[[], Verdict | None]) -> Verdict:
    """Returns the first refusal, or ADMISSIBLE."""
    for check in checks:
        verdict = check()
        if verdict is not None:
            return verdict
    return ADMISSIBLE


def needs_kind(case: Case, thing: str, holder: str) -> Verdict | None:
    """Refuses objects of a class that the holder does not take: toasters take slices, towel holders towels."""
    only = case.home.items[holder].only
    if only and case.home.items[thing].cls not in only:
        return no("kind", f"{named(holder)} only takes a {' or a '.join(c.replace('_', ' ') for c in sorted(only))}")
    if TAKES_SLICES not in case.home.items[holder].properties:
        return None
    if "sliced" in case.home.states(thing) or case.home.items[thing].cls.endswith("slice"):
        return None
    return no("sliced", f"{named(holder)} only takes slices: slice {named(thing)} first")


def needs_room(case: Case, thing: str, relation: str, holder: str) -> Verdict | None:
    """Refuses a holder without a free spot, and names what is in the way."""
    if case.home.free_place(thing, relation, holder) is not None:
        return None
    occupants = case.home.contents.get(holder, ())
    if not occupants:
        return no("size", f"{named(thing)} does not fit {'in' if relation == 'inside' else 'on'} {named(holder)}")
    way = ", ".join(named(o) for o in occupants[:3])
    return no("room", f"no room {'in' if relation == 'inside' else 'on'} {named(holder)}: {way} in the way",
              Action("grab", (occupants[0],)))


def needs_touch(case: Case, thing: str) -> Verdict | None:
    """Refuses an object that is not within reach itself. Reaching the table it lies on is not enough."""
    if case.reach.can_pick(thing):
        return None
    return no("within reach", f"{named(thing)} is not within reach: walk to it first", Action("walk", (thing,)))


FILLABLE = frozenset({"mug", "cup", "coffee_pot"})
"""Classes that a coffee machine fills."""


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


def check_grab(case: Case, hands: int) -> Verdict:
    """Needs an object that can be carried, within reach, not in a running appliance, and a free hand."""
    home, (thing,) = case.home, case.args

    def ready() -> Verdict | None:
        if thing in home.state.held:
            return no("not held", f"{named(thing)} is already in the hand")
        if len(home.state.held) >= hands:
            full = home.state.held[0]
            return no("a free hand", f"the hand is full with {named(full)}: put it down first")
        return None

    def still() -> Verdict | None:
        return next((v for p in home.holders(thing) if p.holder and (v := needs_still(case, p.holder))), None)

    return first(lambda: needs_sight(case, thing), lambda: needs_property(case, thing, GRABBABLE, "cannot be carried"),
                 ready, lambda: needs_touch(case, thing), still)


def do_grab(case: Case) -> None:
    """Takes the object."""
    case.home.take(case.args[0])


def check_put(case: Case, relation: str) -> Verdict:
    """Needs a held object and a holder within reach that is open and has room."""
    thing, holder = case.args
    flag, words = (CONTAINS, "holds nothing inside") if relation == "inside" else (SURFACE, "is nothing to put things on")
    return first(
        lambda: needs_sight(case, thing), lambda: needs_held(case, thing), lambda: needs_sight(case, holder),
        lambda: no("another thing", f"{named(thing)} cannot be put into itself") if thing == holder else None,
        lambda: no("not held", f"{named(holder)} is in the hand itself: put it down first")
        if case.home.is_held(holder) else None,
        lambda: needs_property(case, holder, flag, words), lambda: needs_near(case, holder),
        lambda: needs_open(case, holder) if relation == "inside" else None,
        lambda: needs_kind(case, thing, holder), lambda: needs_room(case, thing, relation, holder),
    )


def do_put(case: Case, relation: str) -> None:
    """Puts the object on a free spot."""
    thing, holder = case.args
    place = case.home.free_place(thing, relation, holder)
    assert place is not None, "checked before"
    case.home.put(thing, place)


def check_turn(case: Case, verb: str) -> Verdict:
    """Needs an entity within reach that opens or switches and is not yet in the wanted state.

    Serves open, close, switch_on and switch_off.
    """
    (thing,) = case.args
    home = case.home
    flag, words = (OPENABLE, "cannot be opened or closed") if verb in ("open", "close") else (SWITCHABLE, "has no switch")
    wanted = {"open": "open", "close": "closed", "switch_on": "on", "switch_off": "off"}[verb]

    def changes() -> Verdict | None:
        return no(f"not {wanted}", f"{named(thing)} is already {wanted}") if wanted in home.states(thing) else None

    def safe() -> Verdict | None:
        if verb == "open":
            return needs_still(case, thing)
        if verb == "switch_on" and RUNS_CLOSED in home.items[thing].properties and "open" in home.states(thing):
            return no("closed", f"{named(thing)} is open: close it first", Action("close", (thing,)))
        return None

    return first(lambda: needs_sight(case, thing), lambda: needs_property(case, thing, flag, words),
                 lambda: needs_near(case, thing), changes, safe)


def do_turn(case: Case, verb: str) -> None:
    """Changes the state."""
    add, drop = {"open": ("open", "closed"), "close": ("closed", "open"),
                 "switch_on": ("on", "off"), "switch_off": ("off", "on")}[verb]
    case.home.set_states(case.args[0], add=frozenset({add}), drop=frozenset({drop}))


def check_slice(case: Case) -> Verdict:
    """Needs an object to cut within reach and a knife in the hand."""
    home, (thing,) = case.home, case.args

    def knife() -> Verdict | None:
        if any(CUTS in home.items[held].properties for held in home.state.held):
            return None
        return no("a knife in hand", f"slicing {named(thing)} needs a knife in the hand")

    def whole() -> Verdict | None:
        return no("not sliced", f"{named(thing)} is already sliced") if "sliced" in home.states(thing) else None

    def lies() -> Verdict | None:
        return no("not held", f"{named(thing)} must lie somewhere to be sliced") if home.is_held(thing) else None

    return first(lambda: needs_sight(case, thing), lambda: needs_property(case, thing, SLICEABLE, "cannot be sliced"),
                 whole, lies, lambda: needs_touch(case, thing), knife)


def do_slice(case: Case) -> None:
    """Slices the object. It stays one object."""
    case.home.set_states(case.args[0], add=frozenset({"sliced"}), drop=frozenset())


def check_wash(case: Case) -> Verdict:
    """Needs a washable object in the hand and a running tap within reach."""
    home, (thing,) = case.home, case.args

    def running() -> Verdict | None:
        taps = [sink for sink in sinks(home) if case.reach.in_sight(sink) and case.reach.near(sink)]
        if any(home.is_running(sink) for sink in taps):
            return None
        if not taps:
            return no("at a sink", f"washing {named(thing)} needs a sink within reach")
        tap = home.controllers[taps[0]][0]
        return no("running water", f"{named(tap)} is off: switch it on first", Action("switch_on", (tap,)))

    return first(lambda: needs_sight(case, thing), lambda: needs_property(case, thing, WASHABLE, "is nothing to wash"),
                 lambda: needs_held(case, thing), running)


def do_wash(case: Case) -> None:
    """Cleans the object."""
    case.home.set_states(case.args[0], add=frozenset({"clean"}), drop=frozenset({"dirty"}))


def check_walk(case: Case) -> Verdict:
    """Needs another room, or an entity the robot can walk to."""
    (target,) = case.args
    if target not in case.home.rooms and target not in case.home.items:
        return no("in sight", f"{named(target)} is not in sight")
    return case.reach.can_walk_to(target)


class Rule(NamedTuple):
    """A verb with its check and its effect.

    Attributes:
        schema: name, roles and texts of the verb.
        check: returns the verdict on a case; the second argument is the number of hands.
        apply: changes the household. Called only after `check` allowed it.
    """

    schema: ActionSchema
    check: Callable[[Case, int], Verdict]
    apply: Callable[[Case], None]


def _turning(verb: str, template: str, words: str) -> Rule:
    """Returns the rule of a verb that changes one state."""
    return Rule(ActionSchema(verb, ("thing",), template, words),
                lambda case, hands: check_turn(case, verb), lambda case: do_turn(case, verb))


RULES: tuple[Rule, ...] = (
    Rule(ActionSchema("walk", ("room or thing",), "walk to the {0}", "to a room, or to something in sight"),
         lambda case, hands: check_walk(case), lambda case: case.reach.walk(case.args[0])),
    Rule(ActionSchema("grab", ("thing",), "grab the {0}", "needs it within reach and a free hand"), check_grab, do_grab),
    Rule(ActionSchema("put_in", ("thing", "container"), "put the {0} inside the {1}", "needs it held, the container open"),
         lambda case, hands: check_put(case, "inside"), lambda case: do_put(case, "inside")),
    Rule(ActionSchema("put_on", ("thing", "surface"), "put the {0} on the {1}", "needs it held, the surface within reach"),
         lambda case, hands: check_put(case, "on"), lambda case: do_put(case, "on")),
    _turning("open", "open the {0}", "needs it within reach and closed"),
    _turning("close", "close the {0}", "needs it within reach and open"),
    _turning("switch_on", "switch on the {0}", "needs it within reach; a microwave must be closed"),
    _turning("switch_off", "switch off the {0}", "needs it within reach and on"),
    Rule(ActionSchema("slice", ("thing",), "slice the {0}", "needs it within reach and a knife in the hand"),
         lambda case, hands: check_slice(case), do_slice),
    Rule(ActionSchema("wash", ("thing",), "wash the {0}", "needs it held, at a running tap"),
         lambda case, hands: check_wash(case), do_wash),
)


def candidates(case: Case, near: tuple[str, ...], hands: int) -> Iterator[Action]:
    """Yields actions worth checking, given what is within reach. All admissible actions except walks are among them."""
    home, held = case.home, case.home.state.held
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
