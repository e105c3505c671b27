"""VirtualHome classes: how large they are and where they go."""

from __future__ import annotations

from typing import Any, Final, Literal, NamedTuple

from sim.geometry.model import Vector
from sim.geometry.sizes import SIZES

Place = Literal["wall", "tall", "centre", "rug", "hang", "ceiling", "inset", "small", "part", "skip"]
"""Kind of place.

wall: back to a wall; tall: the same, but never in front of a window; centre: in the open; hang: on a wall at a height; inset:
set into its counter; small: on or in a parent, otherwise on any surface; part: drawn by its parent; skip: the building.
"""


class Entry(NamedTuple):
    """What is known of a class.

    Attributes:
        size: width, depth and height, metres.
        place: kind of place.
        z: height of the bottom of what hangs, metres.
    """

    size: Vector
    place: Place
    z: float = 0.0


FURNITURE: Final[dict[str, Entry]] = {
    "basket_for_clothes": Entry((0.42, 0.42, 0.50), "wall"),
    "bathroom_cabinet": Entry((0.70, 0.18, 0.65), "hang", 1.25),
    "bathroom_counter": Entry((1.20, 0.50, 0.85), "wall"),
    "bathtub": Entry((1.65, 0.75, 0.58), "wall"),
    "bed": Entry((1.60, 2.05, 0.95), "wall"),
    "bench": Entry((1.20, 0.38, 0.45), "centre"),
    "bookshelf": Entry((0.90, 0.32, 1.85), "tall"),
    "broom": Entry((0.30, 0.08, 1.35), "wall"),
    "ceilinglamp": Entry((0.40, 0.40, 0.45), "ceiling"),
    "chair": Entry((0.46, 0.48, 0.88), "centre"),
    "closetdrawer": Entry((0.40, 0.40, 0.20), "part"),
    "coffe_maker": Entry((0.24, 0.30, 0.34), "small"),
    "coffee_table": Entry((1.00, 0.55, 0.42), "centre"),
    "computer": Entry((0.20, 0.44, 0.42), "small"),
    "couch": Entry((1.95, 0.90, 0.85), "wall"),
    "cpuscreen": Entry((0.52, 0.18, 0.42), "small"),
    "cupboard": Entry((1.20, 0.34, 0.70), "hang", 1.45),
    "curtain": Entry((0.28, 0.10, 2.10), "hang", 0.15),
    "desk": Entry((1.35, 0.65, 0.75), "wall"),
    "dishrack": Entry((0.42, 0.32, 0.10), "small"),
    "dishwasher": Entry((0.60, 0.60, 0.86), "wall"),
    "door": Entry((0.86, 0.04, 2.00), "skip"),
    "doorjamb": Entry((0.86, 0.10, 2.00), "skip"),
    "drawing": Entry((0.55, 0.03, 0.42), "hang", 1.45),
    "dresser": Entry((1.10, 0.58, 1.95), "tall"),
    "faucet": Entry((0.14, 0.16, 0.26), "inset"),
    "filing_cabinet": Entry((0.46, 0.52, 1.05), "wall"),
    "floor_lamp": Entry((0.40, 0.40, 1.55), "wall"),
    "freezer": Entry((0.70, 0.68, 1.80), "tall"),
    "fridge": Entry((0.70, 0.68, 1.80), "tall"),
    "kettle": Entry((0.18, 0.20, 0.22), "small"),
    "kitchen_cabinet": Entry((0.80, 0.60, 0.88), "wall"),
    "kitchen_counter": Entry((2.40, 0.62, 0.90), "wall"),
    "light": Entry((0.09, 0.03, 0.12), "hang", 1.20),
    "mat": Entry((1.50, 1.00, 0.012), "rug"),
    "microwave": Entry((0.48, 0.36, 0.28), "small"),
    "mop": Entry((0.30, 0.08, 1.35), "wall"),
    "mop_bucket": Entry((0.30, 0.30, 0.32), "wall"),
    "music_stand": Entry((0.45, 0.35, 1.15), "wall"),
    "nightstand": Entry((0.46, 0.40, 0.52), "wall"),
    "orchid": Entry((0.24, 0.24, 0.50), "small"),
    "oven": Entry((0.62, 0.62, 0.90), "wall"),
    "photoframe": Entry((0.18, 0.04, 0.22), "small"),
    "piano_bench": Entry((0.80, 0.36, 0.48), "wall"),
    "picture": Entry((0.45, 0.03, 0.35), "small"),
    "powersocket": Entry((0.08, 0.02, 0.08), "hang", 0.30),
    "shoe_rack": Entry((0.70, 0.28, 0.45), "wall"),
    "shower": Entry((0.85, 0.85, 2.00), "tall"),
    "sink": Entry((0.50, 0.40, 0.16), "inset"),
    "stereo": Entry((0.36, 0.28, 0.22), "small"),
    "stovefan": Entry((0.62, 0.45, 0.70), "hang", 1.60),
    "table": Entry((1.50, 0.90, 0.75), "centre"),
    "tablelamp": Entry((0.24, 0.24, 0.42), "small"),
    "television": Entry((1.05, 0.20, 0.64), "small"),
    "toaster": Entry((0.30, 0.20, 0.20), "small"),
    "toilet": Entry((0.42, 0.70, 0.80), "wall"),
    "towel_rack": Entry((0.55, 0.10, 0.06), "hang", 1.20),
    "trashcan": Entry((0.30, 0.30, 0.42), "wall"),
    "tvstand": Entry((1.30, 0.42, 0.50), "wall"),
    "vacuum_cleaner": Entry((0.30, 0.32, 1.05), "wall"),
    "wall_clock": Entry((0.32, 0.04, 0.32), "hang", 1.75),
    "walllamp": Entry((0.16, 0.14, 0.24), "hang", 1.70),
    "wallshelf": Entry((0.80, 0.22, 0.03), "hang", 1.50),
    "washing_machine": Entry((0.60, 0.60, 0.86), "wall"),
}

SMALL_SIZES: Final[tuple[tuple[Vector, str], ...]] = (
    ((0.16, 0.22, 0.03), "address_book diary novel board_game folder scrabble book magazine"),
    ((0.21, 0.28, 0.006), "bills check form homework mail newspaper envelope drawing_paper bookmark stamp paper"),
    ((0.09, 0.06, 0.006), "creditcard button coin needle tea_bag"),
    ((0.09, 0.06, 0.03), "cards deck_of_cards tape band-aids thread"),
    ((0.30, 0.22, 0.04), "napkin rag sheets table_cloth towel pajamas oven_mitts"),
    ((0.07, 0.07, 0.24), "alcohol beer detergent juice laundry_detergent milk oil shaving_cream water wine"),
    ((0.08, 0.05, 0.20), "after_shave conditioner dish_soap foundation mouthwash shampoo"),
    (
        (0.08, 0.08, 0.11),
        "coffee food_jam food_peanut_butter jelly nail_polish ground_coffee food_ice_cream toothbrush_holder glue",
    ),
    ((0.05, 0.05, 0.10), "food_salt"),
    ((0.14, 0.06, 0.20), "dry_pasta pasta tea food_rice food_noodles coffee_filter shoe-shine_kit"),
    ((0.03, 0.20, 0.02), "brush comb crayon pencil pen fork knife spoon wooden_spoon scissors razor laser_pointer lighter"),
    ((0.03, 0.20, 0.02), "toothbrush tooth_paste keys hairbrush electric_shaver microphone"),
    ((0.14, 0.13, 0.042), "spectacles"),
    (
        (0.09, 0.09, 0.08),
        "food_egg food_kiwi food_onion food_orange food_vegetable food_food food_cheese food_butter dough ice hair dirt",
    ),
    ((0.09, 0.09, 0.08), "teeth hands_both food_apple"),
    ((0.06, 0.20, 0.05), "food_carrot"),
    ((0.18, 0.10, 0.10), "toy"),
    ((0.24, 0.16, 0.12), "food_chicken food_fish food_steak food_turkey food_bread food_bacon"),
    ((0.16, 0.16, 0.08), "food_cake food_donut food_pizza food_dessert"),
    ((0.10, 0.08, 0.09), "cup measuring_cup mug"),
    ((0.07, 0.07, 0.13), "drinking_glass water_glass wine_glass"),
    ((0.24, 0.24, 0.02), "plate tray cutting_board chessboard dustpan"),
    ((0.12, 0.12, 0.01), "cd"),
    ((0.20, 0.20, 0.08), "bowl colander"),
    ((0.20, 0.20, 0.24), "centerpiece"),
    ((0.28, 0.22, 0.16), "pot coffee_pot"),
    ((0.34, 0.28, 0.08), "clothes_dress clothes_gloves clothes_hat clothes_jacket clothes_pants clothes_scarf clothes_shirt"),
    ((0.34, 0.28, 0.08), "clothes_skirt clothes_socks clothes_underwear"),
    ((0.32, 0.14, 0.32), "bag purse"),
    ((0.08, 0.15, 0.02), "phone cellphone"),
    ((0.07, 0.11, 0.04), "mouse"),
    ((0.05, 0.17, 0.02), "remote_control controller video_game_controller headset"),
    ((0.24, 0.20, 0.006), "mousepad"),
    ((0.42, 0.14, 0.02), "keyboard"),
    ((0.40, 0.28, 0.09), "dvd_player console cd_player"),
    ((0.18, 0.20, 0.24), "blender iron blow_dryer hairdryer radio"),
    ((0.24, 0.28, 0.12), "shoes slippers"),
    ((0.36, 0.10, 0.95), "instrument_guitar instrument_violin"),
    ((0.06, 0.06, 0.14), "candle"),
    ((0.42, 0.30, 0.14), "pillow"),
    ((0.18, 0.40, 0.28), "cat"),
    ((0.24, 0.60, 0.48), "dog"),
    ((0.40, 0.03, 0.22), "hanger"),
    ((0.11, 0.11, 0.10), "toilet_paper"),
    ((0.09, 0.06, 0.03), "soap sponge"),
    ((0.34, 0.25, 0.22), "laptop"),
    ((0.36, 0.28, 0.24), "box"),
    ((0.06, 0.06, 0.10), "light_bulb"),
)

CLASSES: Final[dict[str, Entry]] = {
    **{name: Entry(size, "small") for size, names in SMALL_SIZES for name in names.split()},
    **FURNITURE,
}
BUILDING: Final = frozenset({"Rooms", "Walls", "Ceiling", "Floor", "Floors", "Doors", "Windows", "Characters"})
"""Categories that are the house itself, or walk about in it."""
NO_HOLDERS: Final = frozenset({
    "curtain", "shower", "wall", "floor", "ceiling", "mat", "hanger", "closetdrawer", "mousepad", "table_cloth", "towel_rack",
})  # fmt: skip
"""Nothing is drawn in or on these, whatever the graph says."""
AS_ON: Final = frozenset({"couch", "bookshelf", "kitchen_counter", "bathroom_counter", "bed", "chair", "bench"})
"""INSIDE these is drawn as ON."""
TINY: Final = 0.3
"""An unknown class is small if no side of its box is longer, metres."""


SYNONYMS: Final = {
    "bananas": "banana",
    "bookcase": "bookshelf",
    "closet": "dresser",
    "clothespile": "clothes_shirt",
    "coffeemaker": "coffe_maker",
    "computerscreen": "cpuscreen",
    "garbagecan": "trashcan",
    "kitchencounterdrawer": "closetdrawer",
    "kitchentable": "table",
    "lightswitch": "light",
    "mousemat": "mousepad",
    "rug": "mat",
    "sofa": "couch",
    "stove": "oven",
    "wallpictureframe": "drawing",
}
"""Names that other versions of VirtualHome give to these classes."""
JOINED: Final = {name.replace("_", ""): name for name in (*SIZES, *CLASSES)}
"""Newer versions write names without underscores."""


def class_of(node: dict[str, Any]) -> str:
    """Returns the class by the name used here, whichever version of VirtualHome the graph is from."""
    name = str(node["class_name"])
    if name in CLASSES:
        return name
    return SYNONYMS.get(name) or JOINED.get(name, name)


def entry_of(node: dict[str, Any]) -> Entry:
    """Returns the entry of the class, or one guessed from its usual size or from the node's properties."""
    name = class_of(node)
    if name in CLASSES:
        return CLASSES[name]
    properties = node.get("properties") or ()
    if "GRABBABLE" in properties:
        return Entry(SIZES.get(name, (0.10, 0.10, 0.10)), "small")
    usual = SIZES.get(name, (0.9, 0.5, 0.75) if "SURFACES" in properties else (0.6, 0.45, 0.9))
    return Entry(usual, "small" if max(usual) < TINY else "wall")
