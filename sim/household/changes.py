"""Changes of the household that the robot does not make: an object is put elsewhere, an entity gets a state.

They obey the rules about things (what fits where, what runs only closed) and none about the robot (sight, reach, hands).
"""

from __future__ import annotations

from collections.abc import Iterator

from core.simulator.base import WorldChange
from core.world.vocabulary import SURFACE, Observation, Verdict
from sim.changes import STATES, candidates, change_needs
from sim.geometry.model import Thing
from sim.household.geometry import placed
from sim.household.household import Household
from sim.household.rules import has_room, suits
from sim.household.spots import surfaces_of
from sim.needs import Needs, first


def possible_changes(home: Household, world: Observation, thing: str) -> Iterator[WorldChange]:
    """Yields every change of an entity that is possible now, states first. `world` is the complete state."""
    yield from (change for change in candidates(world, thing) if verdict(home, world, change).ok)


def verdict(home: Household, world: Observation, change: WorldChange) -> Verdict:
    """Returns whether a change is possible, else why not."""
    return first(_all_needs(home, world, change))


def _all_needs(home: Household, world: Observation, change: WorldChange) -> Needs:
    yield from change_needs(world, change)
    if change.kind != "state":
        yield suits(home, change.thing, change.to)
        yield has_room(home, change.thing, change.kind, change.to)


def make(home: Household, change: WorldChange) -> None:
    """Makes a possible change. What the robot saw of the things that are moved, or are shut away now, it must see again."""
    state, moved = home.state, {change.thing, *home.within(change.thing)}
    if change.kind == "state":
        gone = STATES[change.to][0] if change.to in STATES else ""
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


def tops(home: Household) -> dict[str, float]:
    """Returns at which height above the floor objects lie on each entity that is not held: its topmost surface, metres."""
    found: dict[str, float] = {}
    for entity_id, item in home.items.items():
        if SURFACE in item.properties and not home.is_held(entity_id):
            bottom = _where(home, entity_id).base[2]
            found[entity_id] = bottom + max(surface.centre[2] for _, surface in surfaces_of(item, "on"))
    return found


def _where(home: Household, entity_id: str) -> Thing:
    """Returns an entity that is not held where it stands or lies."""
    item = home.items[entity_id]
    return item.thing if item.category == "furniture" else placed(home, entity_id)


def _local(home: Household, change: WorldChange) -> tuple[float, float] | None:
    """Returns the point of a change in the frame of the new holder; None where any spot will do."""
    if change.point is None or home.is_held(change.to):
        return None
    x, y, _ = _where(home, change.to).to_local((*change.point, 0.0))
    return x, y
