"""What the classes of the hand-made homes and the nodes of VirtualHome graphs can do. iTHOR rooms have flags of their own."""

from __future__ import annotations

from functools import cache
from typing import Any

from core.world.vocabulary import (
    BREWS,
    CONTAINER,
    COOKABLE,
    CUTS,
    DRINKABLE,
    EATABLE,
    GRABBABLE,
    HEATS,
    LIEABLE,
    OPENABLE,
    READABLE,
    RINSES,
    RUNS_CLOSED,
    SITTABLE,
    SLICEABLE,
    SURFACE,
    SWITCHABLE,
    TAKES_SLICES,
    TYPABLE,
    WASHABLE,
    WATCHABLE,
)

CUPBOARD = frozenset({CONTAINER, OPENABLE})
TOP = frozenset({SURFACE})
SWITCHED = frozenset({SWITCHABLE})
MACHINE = CUPBOARD | {SWITCHABLE, RUNS_CLOSED}
PLAIN: frozenset[str] = frozenset()

FURNITURE: dict[str, frozenset[str]] = {
    "fridge": CUPBOARD, "kitchen_cabinet": CUPBOARD, "cabinet": CUPBOARD, "bathroom_cabinet": CUPBOARD,
    "kitchen_counter": TOP, "kitchen_table": TOP, "coffee_table": TOP, "sofa": TOP, "bookshelf": TOP, "tv_stand": TOP,
    "desk": TOP, "bed": TOP, "nightstand": TOP, "bathroom_counter": TOP,
    "stove": MACHINE | {HEATS}, "microwave": MACHINE | {HEATS}, "dishwasher": MACHINE | {RINSES},
    "washing_machine": MACHINE | {RINSES},
    "coffee_machine": SWITCHED | {CONTAINER, BREWS}, "toaster": SWITCHED | {CONTAINER, HEATS, TAKES_SLICES},
    "sink": frozenset({CONTAINER, RINSES}), "faucet": SWITCHED,
    "television": SWITCHED, "computer": SWITCHED,
    "floor_lamp": SWITCHED, "table_lamp": SWITCHED, "desk_lamp": SWITCHED,
}
"""Furniture that matters to the rules. All other (rugs, pictures, plants) only takes up space; for seats see `used_as`."""

FOOD = frozenset({GRABBABLE, COOKABLE})
CUTTABLE = FOOD | {SLICEABLE}
WARE = frozenset({GRABBABLE, WASHABLE})
CARRIED = frozenset({GRABBABLE})

_FOODS = "cereal cutlets crackers pancake milk juice wine alcohol pudding condiment_bottle condiment_shaker " \
         "chips chocolate_syrup candy_bar whipped_cream sundae mincemeat"
_CUTTABLE = "apple banana bell_pepper carrot lime pear plum peach bread_slice chicken salmon pie cupcake pound_cake creamy_buns"
_COOKED = {"cutlets", "pancake", "mincemeat", "milk"}

OBJECTS: dict[str, frozenset[str]] = {
    **{name: FOOD if name in _COOKED else CARRIED for name in _FOODS.split()},
    **dict.fromkeys(_CUTTABLE.split(), CUTTABLE),
    **dict.fromkeys(["mug", "water_glass", "wine_glass", "cutlery_fork", "coffee_pot", "washing_sponge"], WARE),
    "cutlery_knife": WARE | {CUTS},
    "plate": WARE | {SURFACE}, "oven_tray": WARE | {SURFACE},
    **dict.fromkeys(["dish_bowl", "cooking_pot", "frying_pan"], WARE | {CONTAINER}),
}
"""Food and tableware. Objects of any other class can only be carried."""


_USED_AS: dict[str, str] = {
    SITTABLE: "chair office_chair armchair arm_chair sofa couch bed stool bench toilet ottoman footstool",
    LIEABLE: "sofa couch bed",
    WATCHABLE: "television tv computer desktop laptop",
    TYPABLE: "computer desktop laptop keyboard",
    DRINKABLE: "milk juice wine wine_bottle alcohol",
    EATABLE: "apple banana bell_pepper carrot lime pear plum peach bread_slice chicken salmon pie cupcake pound_cake "
             "creamy_buns cereal cutlets crackers pancake pudding chips candy_bar whipped_cream sundae mincemeat "
             "bread egg lettuce potato tomato",
    READABLE: "book magazine newspaper notes",
}
"""Property for postures and acts -> the classes that have it, of the hand-made homes and of the iTHOR rooms."""


@cache
def used_as(cls: str, *, fixed: bool) -> frozenset[str]:
    """Returns a class's properties for postures and acts. Only furniture (`fixed`) can be sat or lain on."""
    return frozenset(p for p, classes in _USED_AS.items() if cls in classes.split() and (fixed or p not in (SITTABLE, LIEABLE)))


def furniture_properties(cls: str) -> frozenset[str]:
    """Returns the properties of a class of furniture."""
    return FURNITURE.get(cls, PLAIN) | used_as(cls, fixed=True)


def object_properties(cls: str) -> frozenset[str]:
    """Returns the properties of a class of movable objects."""
    return OBJECTS.get(cls, CARRIED) | used_as(cls, fixed=False)


def initial_states(properties: frozenset[str]) -> frozenset[str]:
    """Returns the initial states: closed if it opens, off if it switches."""
    states = {name for flag, name in ((OPENABLE, "closed"), (SWITCHABLE, "off")) if flag in properties}
    return frozenset(states)


FLAGS = {"SURFACES": (SURFACE,), "CONTAINERS": (CONTAINER,), "CAN_OPEN": (OPENABLE,), "HAS_SWITCH": (SWITCHABLE,),
         "CUTTABLE": (SLICEABLE,), "EATABLE": (COOKABLE, EATABLE), "DRINKABLE": (DRINKABLE,), "READABLE": (READABLE,),
         "SITTABLE": (SITTABLE,), "LIEABLE": (LIEABLE,)}
"""VirtualHome's properties as ours."""
EXTRA = {
    "microwave": {HEATS, RUNS_CLOSED}, "oven": {HEATS, RUNS_CLOSED}, "stove": {HEATS, RUNS_CLOSED},
    "toaster": {HEATS, CONTAINER, TAKES_SLICES}, "dishwasher": {RINSES, RUNS_CLOSED}, "washing_machine": {RINSES, RUNS_CLOSED},
    "coffe_maker": {BREWS, CONTAINER}, "sink": {RINSES, CONTAINER}, "knife": {CUTS}, "faucet": {SWITCHABLE},
    "plate": {WASHABLE}, "bowl": {WASHABLE}, "cup": {WASHABLE}, "mug": {WASHABLE}, "fork": {WASHABLE}, "spoon": {WASHABLE},
}
"""What VirtualHome's properties do not say of a class."""
STATES = {"OPEN": "open", "CLOSED": "closed", "ON": "on", "OFF": "off", "CLEAN": "clean", "DIRTY": "dirty"}


def words_of(node: dict[str, Any], key: str) -> list[str]:
    """Returns a node's properties or states. Some exports leave out empty lists."""
    return node.get(key) or []


def node_properties(node: dict[str, Any]) -> frozenset[str]:
    """Returns what a node of a graph can do, by its flags and its class."""
    flags = {flag for p in words_of(node, "properties") for flag in FLAGS.get(p, ())}
    found = flags | EXTRA.get(node["class_name"], set()) | (used_as(node["class_name"], fixed=False) & {WATCHABLE, TYPABLE})
    if node["class_name"].startswith("food_"):
        found.add(COOKABLE)
    if OPENABLE in found and CONTAINER not in found and SURFACE not in found:
        found.discard(OPENABLE)          # doors and curtains: there is nothing behind them here
    return frozenset(found)


def node_states(node: dict[str, Any], properties: frozenset[str]) -> frozenset[str]:
    """Returns the states of a node of a graph: closed and off unless it says otherwise."""
    states = {STATES[s] for s in words_of(node, "states") if s in STATES}
    if OPENABLE in properties:
        states = states - {"closed"} if "open" in states else states | {"closed"}
    if SWITCHABLE in properties:
        states = states - {"off"} if "on" in states else states | {"off"}
    return frozenset(states)
