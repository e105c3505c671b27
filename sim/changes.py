"""What a change of the world needs, whatever the simulator: things of the right kind, and nothing about the robot.

A simulator adds what it knows of sizes and of its own objects.
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
    UNPLUGGED,
    WASHABLE,
    Entity,
    Observation,
)
from sim import needs
from sim.needs import Needs, named, no

PLUGGED_IN = "plugged in"
STATES = {
    "open": ("closed", OPENABLE, "cannot be opened or closed"), "closed": ("open", OPENABLE, "cannot be opened or closed"),
    "on": ("off", SWITCHABLE, "has no switch"), "off": ("on", SWITCHABLE, "has no switch"),
    "clean": ("dirty", WASHABLE, "is nothing to wash"), "dirty": ("clean", WASHABLE, "is nothing to wash"),
    PLUGGED_IN: (UNPLUGGED, "", "has no plug"), UNPLUGGED: (PLUGGED_IN, "", "has no plug"),
    "sliced": ("", SLICEABLE, "cannot be sliced"), "cooked": ("", COOKABLE, "cannot be cooked"),
}
"""State -> the state it replaces, and the refusal of an entity that has neither this nor the property, which is in between."""
FILLABLE = frozenset({"mug", "cup", "coffee_pot"})
"""Classes that a coffee machine fills."""
HOLDS = {"inside": (CONTAINER, "holds nothing inside"), "on": (SURFACE, "is nothing to put things on")}


def candidates(world: Observation, thing: str) -> Iterator[WorldChange]:
    """Yields the changes of an entity that are worth checking, states first. All possible ones are among them.

    Args:
        world: the complete state.
        thing: id of the entity; of an unknown one there are none.
    """
    entity = world.by_id.get(thing)
    if entity is None:
        return
    yield from (WorldChange(thing, "state", state) for state in (*STATES, "filled") if _is_made_for(entity, state))
    for holder in world.entities if entity.category == "object" else ():
        if CONTAINER in holder.properties:
            yield WorldChange(thing, "inside", holder.id)
        if SURFACE in holder.properties:
            yield WorldChange(thing, "on", holder.id)


def _is_made_for(entity: Entity, state: str) -> bool:
    if state == "filled":
        return entity.cls in FILLABLE
    gone, flag, _ = STATES[state]
    return flag in entity.properties or gone in entity.states


def change_needs(world: Observation, change: WorldChange) -> Needs:
    """Yields what a change needs of the complete state."""
    if change.thing not in world.by_id:
        yield no("known", f"there is no {change.thing} here: name an entity of this scene")
    yield from _state_needs(world, change) if change.kind == "state" else _move_needs(world, change)


def _state_needs(world: Observation, change: WorldChange) -> Needs:
    """Needs an entity made for the state that is not yet in it, and appliances that run only closed to stay so."""
    entity, state = world.by_id[change.thing], change.to
    if state not in (*STATES, "filled"):
        yield no("known", f"nothing can be made {state}: name one of {', '.join(STATES)} or filled")
    if not _is_made_for(entity, state):
        yield no("made for it", f"{named(entity.id)} {STATES[state][2] if state in STATES else 'is nothing to fill'}")
    yield needs.change(entity.id, state, entity.states)
    switches = [world.by_id[r.subject] for r in world.relations if r.kind == "controls" and r.object == entity.id]
    running = next((e.id for e in (entity, *switches) if "on" in e.states), None)
    if state == "open" and RUNS_CLOSED in entity.properties:
        yield needs.off(entity.id, running)
    if state == "on":
        fed = (world.by_id[r.object] for r in world.relations if r.kind == "controls" and r.subject == entity.id)
        yield from (needs.shut(e.id, RUNS_CLOSED in e.properties and "open" in e.states) for e in (entity, *fed))
        yield no(PLUGGED_IN, f"{named(entity.id)} is unplugged: plug it in first") if UNPLUGGED in entity.states else None
    if state == UNPLUGGED:
        yield no("off", f"{named(entity.id)} is on: switch it off first") if running else None


def _move_needs(world: Observation, change: WorldChange) -> Needs:
    """Needs an object, and another holder of the right kind that does not lie on or in the object itself."""
    thing, holder, (flag, words) = change.thing, change.to, HOLDS[change.kind]
    if world.by_id[thing].category != "object":
        yield no(GRABBABLE, f"{named(thing)} stays where it is: choose an object")
    if holder not in world.by_id:
        yield no("known", f"there is no {holder} here: name a place of this scene")
    yield needs.made_for(holder, flag, world.by_id[holder].properties, words)
    yield needs.other(thing, thing == holder or any(link.object == thing for link in world.holders(holder)))
    now = world.holder.get(thing)
    if change.point is None and now is not None and (now.kind, now.object) == (change.kind, holder):
        yield no("elsewhere", f"{named(thing)} is already {change.kind} {named(holder)}: choose another place")
