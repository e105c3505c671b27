"""Effects of running appliances on their contents, applied after every action: heat cooks, water cleans, coffee fills."""

from __future__ import annotations

from core.world.vocabulary import BREWS, COOKABLE, HEATS, RINSES, WASHABLE
from sim.household.household import Household

FILLABLE = frozenset({"mug", "cup", "coffee_pot"})


def sinks(home: Household) -> list[str]:
    """Returns the ids of the sinks that have a tap."""
    return [item.id for item in home.appliances if RINSES in item.properties and item.id in home.controllers]


def act(home: Household) -> None:
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
