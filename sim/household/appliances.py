"""What running appliances do to what is in them, after every action: heat cooks, water cleans, a coffee machine fills."""

from __future__ import annotations

from core.world.vocabulary import BREWS, COOKABLE, HEATS, RINSES, WASHABLE
from sim.household.household import Household

FILLABLE = frozenset({"mug", "cup", "coffee_pot"})


def sinks(home: Household) -> list[str]:
    """What a tap runs into."""
    return [item.id for item in home.appliances if RINSES in item.properties and item.id in home.controllers]


def act(home: Household) -> None:
    """Let every running appliance do its work on everything on and in it, pans' contents included."""
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
