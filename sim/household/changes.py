"""Changes of the household that the robot does not make: an object is put elsewhere, an entity gets a state.

They obey the rules about things (what fits where, what runs only closed) and none about the robot (sight, reach, hands).
"""

from __future__ import annotations

from collections.abc import Iterator

from core.simulator.base import WorldChange
from core.world.vocabulary import (
    CONTAINER,
    COOKABLE,
    GRABBABLE,
    OPENABLE,
    RUNS_CLOSED,
    SLICEABLE,
    SURFACE,
    SWITCHABLE,
    WASHABLE,
    Verdict,
)
from sim import needs
from sim.household.geometry import placed
from sim.household.household import Household
from sim.household.rules import FILLABLE, has_room, off, suits
from sim.needs import Needs, first, named, no

STATES = {
    "open": ("closed", OPENABLE, "cannot be opened or closed"), "closed": ("open", OPENABLE, "cannot be opened or closed"),
    "on": ("off", SWITCHABLE, "has no switch"), "off": ("on", SWITCHABLE, "has no switch"),
    "clean": ("dirty", WASHABLE, "is nothing to wash"), "dirty": ("clean", WASHABLE, "is nothing to wash"),
    "sliced": ("", SLICEABLE, "cannot be sliced"), "cooked": ("", COOKABLE, "cannot be cooked"),
    "filled": ("", "", "is nothing to fill"),
}
"""State -> the state it replaces, the property it needs (empty: see `FILLABLE`), and the refusal of an entity without it."""
HOLDS = {"inside": (CONTAINER, "holds nothing inside"), "on": (SURFACE, "is nothing to put things on")}


def possible_changes(home: Household, thing: str) -> Iterator[WorldChange]:
    """Yields every change of an entity that is possible now, states first."""
    if thing not in home.items:
        return
    for state in STATES:
        change = WorldChange(thing, "state", state)
        if verdict(home, change).ok:
            yield change
    for holder, item in home.items.items() if home.items[thing].category == "object" else ():
        for kind, (flag, _) in HOLDS.items():
            change = WorldChange(thing, "inside" if kind == "inside" else "on", holder)
            if flag in item.properties and verdict(home, change).ok:
                yield change


def verdict(home: Household, change: WorldChange) -> Verdict:
    """Returns whether a change is possible, else why not."""
    if change.thing not in home.items:
        return no("known", f"there is no {change.thing} here: name an entity of this scene")
    return first(_state_needs(home, change) if change.kind == "state" else _move_needs(home, change))


def _state_needs(home: Household, change: WorldChange) -> Needs:
    """Needs an entity made for the state that is not yet in it, and appliances that run only closed to stay so."""
    thing, state, item = change.thing, change.to, home.items[change.thing]
    if state not in STATES:
        yield no("known", f"nothing can be made {state}: name one of {', '.join(STATES)}")
    _, flag, words = STATES[state]
    fits = flag in item.properties if flag else item.cls in FILLABLE
    yield None if fits else no(flag or "vessel", f"{named(thing)} {words}")
    yield needs.change(thing, state, home.states(thing))
    if state == "open":
        yield off(home, thing)
    if state == "on":
        shut = (thing, *((item.controls,) if item.controls in home.items else ()))
        yield from (needs.shut(i, RUNS_CLOSED in home.items[i].properties and "open" in home.states(i)) for i in shut)


def _move_needs(home: Household, change: WorldChange) -> Needs:
    """Needs an object and another holder of the right kind with room, which does not lie on or in the object itself."""
    thing, holder, (flag, words) = change.thing, change.to, HOLDS[change.kind]
    if home.items[thing].category != "object":
        yield no(GRABBABLE, f"{named(thing)} stays where it is: choose an object")
    if holder not in home.items:
        yield no("known", f"there is no {holder} here: name a place of this scene")
    yield needs.made_for(holder, flag, home.items[holder].properties, words)
    yield needs.other(thing, thing == holder or any(place.holder == thing for place in home.holders(holder)))
    now = home.state.places[thing]
    if change.point is None and (now.relation, now.holder) == (change.kind, holder):
        yield no("elsewhere", f"{named(thing)} is already {change.kind} {named(holder)}: choose another place")
    yield suits(home, thing, holder)
    yield has_room(home, thing, change.kind, holder)


def make(home: Household, change: WorldChange) -> None:
    """Makes a possible change. What the robot saw of the things that are moved, or are shut away now, it must see again."""
    state, moved = home.state, {change.thing, *home.within(change.thing)}
    if change.kind == "state":
        gone = STATES[change.to][0]
        home.set_states(change.thing, add=frozenset({change.to}), drop=frozenset({gone} if gone else ()))
        state.glanced = frozenset(i for i in state.glanced if not home.is_hidden(i))
        return
    place = home.free_place(change.thing, change.kind, change.to, _local(home, change))
    assert place is not None, "checked before"
    if state.focus in moved and not home.is_held(change.thing):
        left = home.place(change.thing)
        state.focus = left.holder if left is not None and left.holder else None
    home.put(change.thing, place)
    state.known, state.glanced = state.known - moved, state.glanced - moved


def _local(home: Household, change: WorldChange) -> tuple[float, float] | None:
    """Returns the point of a change in the frame of the new holder; None where any spot will do."""
    if change.point is None or home.is_held(change.to):
        return None
    item = home.items[change.to]
    holder = item.thing if item.category == "furniture" else placed(home, change.to)
    x, y, _ = holder.to_local((*change.point, 0.0))
    return x, y
