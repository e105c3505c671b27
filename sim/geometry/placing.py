"""Where objects lie in and on a piece of furniture: a rule for each class, as a function of the size of its box.

Capacity and free places follow from these rules. Nothing here depends on how a class is drawn, so a new drawing changes neither
what fits nor where it lies. A rule takes the width, depth and height of the box in metres and whether the piece is open. It
returns the rectangles that hold objects, in the piece's own frame (`Thing`). The table was generated once from the drawn shapes
and is kept by hand since. A new class needs an entry in HOLDING or SOLID; without one it goes by its proportions.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final

from sim.geometry.model import Surface, Vector
from sim.geometry.sizes import whole_of

PlacingRule = Callable[[float, float, float, bool], tuple[Surface, ...]]
"""(width, depth, height, is_open) -> surfaces. The order is the numbering that saved states refer to."""

THINNEST: Final = 0.001
"""Metres. Half extents of a surface never fall below this."""
BOARD: Final = 0.02
"""Thickness of a board, metres."""
LEAST: Final = 0.02
"""Half extent that even the smallest piece offers, metres."""
SHELF_PITCH, SHELVING_PITCH, DRAWER_PITCH, BAY = 0.4, 0.38, 0.24, 0.5
"""Metres between the shelves of a cupboard, those of an open shelf, drawers, and the bays of a kitchen counter."""
KICK, WORKTOP = 0.08, 0.03
"""Height of a kitchen counter's plinth and thickness of its worktop, metres."""


def _half(side: float, margin: float, least: float = LEAST) -> float:
    return max(side / 2 - margin, least)


def _top(w: float, d: float, z: float, clearance: float = 1.0, margin: float = 0.03) -> Surface:
    """Returns the upper side of a piece: `margin` metres inside the edges of a w by d rectangle at height z."""
    return Surface((0.0, 0.0, z), (_half(w, margin), _half(d, margin)), clearance, False)


def _floors(w: float, d: float, h: float, shelves: int, inside: bool, margin: float = 0.03) -> tuple[Surface, ...]:
    """Returns the floors of a body with evenly spaced inner shelves, lowest first."""
    step, t = h / (shelves + 1), min(BOARD, w / 8, d / 8, h / 8)
    half = (_half(w, margin), _half(d, margin))
    return tuple(Surface((0.0, 0.0, k * step + (t if k == 0 else t / 2)), half, max(step - 1.5 * t - 0.02, 0.02), inside)
                 for k in range(shelves + 1))


def _at(surface: Surface, x: float, y: float, up: float) -> Surface:
    """Returns the surface with its middle at (x, y), raised by `up` metres."""
    return surface._replace(centre=(x, y, surface.centre[2] + up))


def top(clearance: float = 1.0, share: float = 1.0) -> PlacingRule:
    """Returns a rule: objects lie on top only.

    Args:
        clearance: free height above, metres.
        share: share of the width and depth that is used (below 1 for round tops).
    """
    def rule(w: float, d: float, h: float, is_open: bool) -> tuple[Surface, ...]:
        return (_top(w * share, d * share, h, clearance),)
    return rule


def nothing(w: float, d: float, h: float, is_open: bool) -> tuple[Surface, ...]:
    """Holds nothing."""
    return ()


# --- cupboards, drawers, shelves, boxes ---------------------------------------------------------------------------------------
def cupboard(w: float, d: float, h: float, is_open: bool, shelves: int | None = None) -> tuple[Surface, ...]:
    """A body with shelves behind doors, and its top. Without `shelves` their number follows from the height."""
    count = max(1, round(h / SHELF_PITCH) - 1) if shelves is None else shelves
    return *_floors(w, d - 0.012, h, count, True), _top(w, d, h, 0.4)


def cabinet_on_legs(w: float, d: float, h: float, is_open: bool) -> tuple[Surface, ...]:
    """A cupboard on short legs."""
    foot = min(0.12, h * 0.15)
    return tuple(_at(s, *s.centre[:2], foot) for s in cupboard(w, d, h - foot, is_open))


def wardrobe(w: float, d: float, h: float, is_open: bool) -> tuple[Surface, ...]:
    """A tall cupboard with two shelves."""
    return cupboard(w, d, h, is_open, 2)


def drawers(w: float, d: float, h: float, is_open: bool) -> tuple[Surface, ...]:
    """A stack of drawers: its top, and the upper drawer, which comes out when it is open."""
    count = max(1, round(h / DRAWER_PITCH))
    step = (h - 0.02 - min(0.05, h * 0.1)) / count
    y = d * 0.7 if is_open else 0.0
    return _top(w, d, h), Surface((0.0, y, h - 0.02 - step + 0.03), (_half(w, 0.05), d * 0.18), max(step * 0.6, 0.03), True)


def dresser(w: float, d: float, h: float, is_open: bool) -> tuple[Surface, ...]:
    """A chest of drawers, or a wardrobe if it is as tall as one."""
    return wardrobe(w, d, h, is_open) if h > 1.4 else drawers(w, d, h, is_open)


def tv_stand(w: float, d: float, h: float, is_open: bool) -> tuple[Surface, ...]:
    """A low board: its top, two closed sides, and an open niche with one shelf in the middle."""
    if h > 0.8 or w < 0.7:
        return drawers(w, d, h, is_open)
    third, foot, surfaces = w / 3, min(0.06, h * 0.15), [_top(w, d, h)]
    for k, x in enumerate((-third, 0.0, third)):
        floors = _floors(third, d - 0.012, h - BOARD - foot, 1 if k == 1 else 0, k != 1)
        surfaces += [_at(s, x, 0.0, foot) for s in floors]
    return tuple(surfaces)


def drawer(w: float, d: float, h: float, is_open: bool) -> tuple[Surface, ...]:
    """A single drawer, which slides out of the piece around it."""
    out = d * 0.6 if is_open else 0.0
    return (Surface((0.0, out, 0.018), (_half(w, 0.02), _half(d, 0.02)), max(h - 0.03, 0.03), True),)


def open_shelves(w: float, d: float, h: float, is_open: bool) -> tuple[Surface, ...]:
    """Bookshelves and shelving units: open boards and a top."""
    count = max(1, round(h / SHELVING_PITCH) - 1)
    return *_floors(w, d, h, count, False), _top(w, d, h, 0.5)


def shoe_rack(w: float, d: float, h: float, is_open: bool) -> tuple[Surface, ...]:
    """Three boards between two sides."""
    levels = (h * 0.12, h * 0.52, h - BOARD)
    return tuple(Surface((0.0, 0.0, z + 0.016), (w / 2 - 0.04, d / 2 - 0.02), h * 0.35, False) for z in levels)


def board(w: float, d: float, h: float, is_open: bool) -> tuple[Surface, ...]:
    """An iTHOR Shelf: the box covers the free air above the board."""
    return (_top(w, d, 0.006, max(h, 0.1)),)


def cutting_board(w: float, d: float, h: float, is_open: bool) -> tuple[Surface, ...]:
    """A flat board, at least a centimetre thick."""
    return (_top(w, d, max(h, 0.01), 0.3),)


def bin_(w: float, d: float, h: float, is_open: bool) -> tuple[Surface, ...]:
    """A round bin, half full."""
    r = min(w, d) / 2
    return (Surface((0.0, 0.0, h * 0.5), (r * 0.45, r * 0.45), h * 0.5, False),)


def basket(w: float, d: float, h: float, is_open: bool) -> tuple[Surface, ...]:
    """An open basket with washing in it."""
    return (Surface((0.0, 0.0, h * 0.55), (_half(w, 0.05), _half(d, 0.05)), h * 0.45, False),)


def hamper(w: float, d: float, h: float, is_open: bool) -> tuple[Surface, ...]:
    """A basket with a lid: what lies in it is inside."""
    lid = max(0.015, h * 0.03)
    return tuple(s._replace(inside=True) for s in basket(w, d, h - lid, is_open))


def carton(w: float, d: float, h: float, is_open: bool) -> tuple[Surface, ...]:
    """A cardboard box."""
    t = min(0.012, w / 8, d / 8)
    return (Surface((0.0, 0.0, t), (_half(w, 0.03), _half(d, 0.03)), max(h - 0.03, 0.03), True),)


def safe(w: float, d: float, h: float, is_open: bool) -> tuple[Surface, ...]:
    """A steel box with a door."""
    return (Surface((0.0, 0.0, 0.02), (_half(w, 0.05), _half(d, 0.06)), h - 0.06, True),)


def mirror_cabinet(w: float, d: float, h: float, is_open: bool) -> tuple[Surface, ...]:
    """A shallow wall cupboard with two shelves; nothing stands on top of it."""
    return _floors(w, d - 0.012, h, 2, True, 0.02)


# --- tables and worktops ------------------------------------------------------------------------------------------------------
def coffee_table(w: float, d: float, h: float, is_open: bool) -> tuple[Surface, ...]:
    """A top and a shelf below it."""
    low = h * 0.35
    return _top(w, d, h), Surface((0.0, 0.0, low + 0.02), (_half(w, 0.1), _half(d, 0.1)), h - low - 0.15, False)


def desk(w: float, d: float, h: float, is_open: bool) -> tuple[Surface, ...]:
    """A top; wide desks have a pedestal of drawers as well, of which the top one opens."""
    if h < 0.2 or w < 0.75 or d < 0.35:
        return (_top(w, d, h),)
    pedestal, depth, high = min(0.4, w * 0.35), d - 0.08, h - min(0.035, h / 6)
    side, step = w / 2 - pedestal / 2 - 0.02, (high - 0.06) / 3
    out = depth * 0.75 - depth * 0.25 if is_open else 0.0
    return _top(w, d, h), Surface((side, out, high - step + 0.03), (pedestal / 2 - 0.05, depth * 0.2), step * 0.6, True)


def hutch(w: float, d: float, h: float, is_open: bool) -> tuple[Surface, ...]:
    """The roof of what stands at the back of a desk."""
    depth = min(d * 0.4, 0.3)
    return (Surface((0.0, -d / 2 + depth / 2, h), (w / 2 - 0.03, depth / 2), 0.5, False),)


def counter(w: float, d: float, h: float, is_open: bool) -> tuple[Surface, ...]:
    """A worktop on a run of base cupboards, each with one shelf."""
    count = max(1, round(w / BAY))
    bay, floors = w / count, _floors(w / count, d - 0.03, h - WORKTOP - KICK, 1, True)
    return _top(w, d, h, 0.5), *(_at(s, -w / 2 + bay * (k + 0.5), -0.015, KICK) for k in range(count) for s in floors)


def vanity(w: float, d: float, h: float, is_open: bool) -> tuple[Surface, ...]:
    """A bathroom counter: its top, and two levels behind its doors."""
    gap, body = 0.1, h - 0.03 - 0.1
    half, room = (w / 2 - 0.05, d / 2 - 0.06), body / 2 - 0.05
    return _top(w, d, h, 0.5), *(Surface((0.0, -0.015, gap + z), half, room, True) for z in (0.02, body / 2 + 0.01))


# --- appliances ---------------------------------------------------------------------------------------------------------------
def fridge(w: float, d: float, h: float, is_open: bool) -> tuple[Surface, ...]:
    """The shelves below the freezer, and the top."""
    split = h * 0.68
    shelves = (s for s in _floors(w, d - 0.06, h, 4, True, 0.06) if s.centre[2] < split - 0.2)
    return *shelves, _top(w, d, h, 0.4)


def cooker(w: float, d: float, h: float, is_open: bool) -> tuple[Surface, ...]:
    """The rack of the oven, and the burners."""
    rack = Surface((0.0, 0.0, h * 0.42 + 0.012), (_half(w, 0.07, 0.05), _half(d, 0.08, 0.05)), h * 0.35, True)
    return rack, _top(w, d, h, 1, 0.06)


def washer(w: float, d: float, h: float, is_open: bool) -> tuple[Surface, ...]:
    """The drum of a washing machine, and its top."""
    return Surface((0.0, 0.0, h * 0.3), (w * 0.25, d * 0.3), h * 0.35, True), _top(w, d, h)


def dishwasher(w: float, d: float, h: float, is_open: bool) -> tuple[Surface, ...]:
    """Two racks; the top lies under a worktop."""
    racks = (_at(s, 0.0, -0.01, 0.08 * (k == 0)) for k, s in enumerate(_floors(w, d, h, 1, True, 0.05)))
    return *racks, _top(w, d, h, 0.1)


def microwave(w: float, d: float, h: float, is_open: bool) -> tuple[Surface, ...]:
    """The cavity left of the panel, and the top."""
    edge, t = w * 0.26, 0.02
    cavity = Surface(((edge - w / 2) / 2, -0.01, t + 0.004), (w * 0.33, _half(d, 0.05, 0.03)), h - 2 * t - 0.02, True)
    return cavity, _top(w, d, h, 0.4)


def coffee_machine(w: float, d: float, h: float, is_open: bool) -> tuple[Surface, ...]:
    """The plate under the head. Boxes that are far too large count as a coffee machine's size."""
    ww, dd = min(w, 0.32), min(d, 0.38)
    return (Surface((0.0, dd / 4, h * 0.12), (ww * 0.3, dd * 0.15), h * 0.5, False),)


# --- seats and beds -----------------------------------------------------------------------------------------------------------
def chair(w: float, d: float, h: float, is_open: bool) -> tuple[Surface, ...]:
    """The seat of a dining chair."""
    return (_top(min(w, 0.52), min(d, 0.54) * 0.8, min(0.47, h * 0.52)),)


def office_chair(w: float, d: float, h: float, is_open: bool) -> tuple[Surface, ...]:
    """The seat of a swivel chair."""
    return (_top(w * 0.8, d * 0.78, min(0.48, h * 0.5), 0.4, 0.08),)


def stool(w: float, d: float, h: float, is_open: bool) -> tuple[Surface, ...]:
    """The square within a round seat."""
    r = min(w, d) / 2
    return (_top(r, r, h),)


def sofa(w: float, d: float, h: float, is_open: bool) -> tuple[Surface, ...]:
    """The seat of a sofa or an armchair, between its arms and before its back."""
    arm, seat, back = min(0.18, w * 0.16), min(0.45, h * 0.52), min(0.24, d * 0.26)
    half = (max(w / 2 - arm - 0.03, 0.05), max((d - back) / 2 - 0.1, 0.05))
    return (Surface((0.0, back / 2 + 0.05, seat), half, 0.5, False),)


def bed(w: float, d: float, h: float, is_open: bool) -> tuple[Surface, ...]:
    """The cover, towards the foot end."""
    return (Surface((0.0, d * 0.14, min(0.55, h * 0.6)), (_half(w, 0.08, 0.1), d * 0.3), 1.0, False),)


def dog_bed(w: float, d: float, h: float, is_open: bool) -> tuple[Surface, ...]:
    """The cushion within a padded ring."""
    rim = min(0.14, w / 6, d / 6)
    return (_top(w - 2 * rim, d - 2 * rim, h * 0.45),)


def rug(w: float, d: float, h: float, is_open: bool) -> tuple[Surface, ...]:
    """A rug without its border."""
    flat = max(min(h, 0.012), 0.004)
    return (Surface((0.0, 0.0, flat + 0.001), (_half(w, 0.1, 0.05), _half(d, 0.1, 0.05)), 1.0, False),)


# --- water --------------------------------------------------------------------------------------------------------------------
def basin(w: float, d: float, h: float, is_open: bool) -> tuple[Surface, ...]:
    """The floor of an open bowl."""
    floor = min(min(0.02, w / 10, d / 10), h / 4)
    return (Surface((0.0, 0.0, floor + 0.003), (_half(w, 0.05), _half(d, 0.05)), 0.3, False),)


def sink(w: float, d: float, h: float, is_open: bool) -> tuple[Surface, ...]:
    """A basin set into a worktop, or a wash-stand if the box is tall."""
    if h < 0.5:
        return basin(w, d, h, is_open)
    return (Surface((0.0, 0.0, h - min(0.16, h / 4) + 0.03), (w * 0.35, d * 0.3), 0.3, False),)


def toilet(w: float, d: float, h: float, is_open: bool) -> tuple[Surface, ...]:
    """The lid and the cistern. Boxes that are far too wide count as a toilet's size, with the back at the box's back."""
    ww, dd, seat, tank = min(w, 0.44), min(d, 0.75), min(0.42, h * 0.52), min(h, 0.82)
    front, back, dy = dd / 2, -dd / 2, dd / 2 - d / 2
    lid = Surface((0.0, dy + front - min(0.25, dd * 0.34), seat + 0.01), (0.12, 0.14), 0.4, False)
    return lid, Surface((0.0, dy + back + 0.09, tank), (ww / 2 - 0.03, 0.06), 0.4, False)


def bathtub(w: float, d: float, h: float, is_open: bool) -> tuple[Surface, ...]:
    """The floor of the tub."""
    return (Surface((0.0, 0.0, 0.124), (_half(w, 0.12, 0.05), _half(d, 0.12, 0.05)), 0.5, False),)


def shower(w: float, d: float, h: float, is_open: bool) -> tuple[Surface, ...]:
    """The tray of a shower."""
    return (Surface((0.0, 0.0, 0.064), (w / 2 - 0.15, d / 2 - 0.15), 0.6, False),)


def rail(w: float, d: float, h: float, is_open: bool) -> tuple[Surface, ...]:
    """The bar of a towel rail or a paper hanger."""
    z, r = h / 2, min(0.012, h / 2, d / 4)
    return (Surface((0.0, d / 2 - r, z + r), (_half(w, 0.05), 0.02), 0.2, False),)


# --- vessels ------------------------------------------------------------------------------------------------------------------
def plate(w: float, d: float, h: float, is_open: bool) -> tuple[Surface, ...]:
    """The well of a plate."""
    return (Surface((0.0, 0.0, h), (w * 0.3, d * 0.3), 0.2, False),)


def tray(w: float, d: float, h: float, is_open: bool) -> tuple[Surface, ...]:
    """The floor of a flat tray."""
    return (Surface((0.0, 0.0, min(0.006, h / 2)), (w / 2 - 0.03, d / 2 - 0.03), 0.25, False),)


def bowl(w: float, d: float, h: float, is_open: bool) -> tuple[Surface, ...]:
    """The opening of a bowl."""
    return (Surface((0.0, 0.0, h * 0.9), (w * 0.25, d * 0.25), 0.2, False),)


def pot(w: float, d: float, h: float, is_open: bool) -> tuple[Surface, ...]:
    """The inside of a cooking pot, half way up."""
    r = min(w * 0.42, d / 2)
    return (Surface((0.0, 0.0, h * 0.5), (r * 0.5, r * 0.5), 0.2, False),)


def pan(w: float, d: float, h: float, is_open: bool) -> tuple[Surface, ...]:
    """The inside of a frying pan, whose handle lies along the longer side, to the back."""
    across = w > d
    span, length = (d, w) if across else (w, d)
    r = min(span / 2, length * 0.36)
    middle = length / 2 - r
    x, y = (middle, 0.0) if across else (0.0, middle)
    return (Surface((x, y, min(h, 0.075) * 0.4), (r * 0.5, r * 0.5), 0.2, False),)


# --- classes without a rule ---------------------------------------------------------------------------------------------------
def by_proportions(w: float, d: float, h: float, is_open: bool) -> tuple[Surface, ...]:
    """What a piece of an unlisted class holds: a rug, a table or a cupboard; nothing if it is small or flat at a wall."""
    if max(w, d, h) <= 0.6:
        return ()
    if h < 0.05:
        return rug(w, d, h, is_open)
    if min(w, d) < 0.08:
        return ()
    return (_top(w, d, h),) if 0.3 <= h <= 0.85 and min(w, d) > 0.35 else cupboard(w, d, h, is_open)


HOLDING: Final[dict[str, PlacingRule]] = {
    # Cupboards, drawers, shelves, boxes.
    **dict.fromkeys(("Cabinet", "cupboard", "kitchen_cabinet", "wall_cabinet"), cupboard),
    "cabinet": cabinet_on_legs,
    "bathroom_cabinet": mirror_cabinet,
    "dresser": dresser,
    "wardrobe": wardrobe,
    **dict.fromkeys(("Dresser", "filing_cabinet", "nightstand"), drawers),
    **dict.fromkeys(("TVStand", "tv_stand", "tvstand"), tv_stand),
    "Drawer": drawer,
    **dict.fromkeys(("ShelvedTable", "ShelvingUnit", "bookshelf"), open_shelves),
    "Shelf": board,
    "shoe_rack": shoe_rack,
    "wallshelf": top(0.4),
    **dict.fromkeys(("GarbageCan", "trash_can", "trashcan"), bin_),
    **dict.fromkeys(("basket_for_clothes", "laundry_basket"), basket),
    "LaundryHamper": hamper,
    **dict.fromkeys(("Box", "box"), carton),
    "Safe": safe,
    # Tables and worktops.
    **dict.fromkeys(("DiningTable", "SideTable", "kitchen_table", "table"), top()),
    **dict.fromkeys(("bench", "piano_bench"), top()),
    "round_table": top(share=0.7),
    **dict.fromkeys(("CoffeeTable", "coffee_table"), coffee_table),
    **dict.fromkeys(("Desk", "desk"), desk),
    "Hutch": hutch,
    "CounterTop": top(0.5),
    "kitchen_counter": counter,
    "bathroom_counter": vanity,
    "cutting_board": cutting_board,
    # Appliances and machines.
    **dict.fromkeys(("Fridge", "freezer", "fridge"), fridge),
    **dict.fromkeys(("CookerBody", "oven", "stove"), cooker),
    "HobPlate": top(),
    "dishwasher": dishwasher,
    "washing_machine": washer,
    **dict.fromkeys(("Microwave", "microwave"), microwave),
    **dict.fromkeys(("CoffeeMachine", "coffe_maker", "coffee_machine"), coffee_machine),
    **dict.fromkeys(("cd_player", "computer", "console", "dvd_player", "stereo"), top(0.3)),
    "speaker": top(0.4),
    # Seats and beds.
    **dict.fromkeys(("Chair", "chair"), chair),
    "office_chair": office_chair,
    **dict.fromkeys(("Stool", "stool"), stool),
    **dict.fromkeys(("Footstool", "Ottoman"), top()),
    **dict.fromkeys(("ArmChair", "Sofa", "armchair", "couch", "sofa"), sofa),
    **dict.fromkeys(("Bed", "bed"), bed),
    "DogBed": dog_bed,
    **dict.fromkeys(("mat", "rug"), rug),
    # Water.
    **dict.fromkeys(("Sink", "sink"), sink),
    "SinkBasin": basin,
    **dict.fromkeys(("Toilet", "toilet"), toilet),
    **dict.fromkeys(("Bathtub", "bathtub"), bathtub),
    "shower": shower,
    **dict.fromkeys(("HandTowelHolder", "ToiletPaperHanger", "TowelHolder", "towel_rack"), rail),
    # Vessels, which can be carried.
    **dict.fromkeys(("Plate", "TargetCircle", "plate"), plate),
    **dict.fromkeys(("dishrack", "dustpan", "oven_tray", "tray"), tray),
    **dict.fromkeys(("Bowl", "bowl", "colander", "dish_bowl"), bowl),
    **dict.fromkeys(("Pot", "cooking_pot", "pot"), pot),
    **dict.fromkeys(("Pan", "frying_pan"), pan),
}
"""Class -> the rule for its surfaces."""

_SOLID = """
AlarmClock AluminumFoil Apple AppleSliced BaseFill BaseballBat BasketBall Blinds Book Boots Bottle Bread BreadSliced
ButterKnife CD Candle CellPhone Cloth CreditCard Cup Curtains DeskLamp Desktop DishSponge Dumbbell Egg EggCracked Faucet
FloorLamp Fork GarbageBag HandTowel HousePlant Kettle KeyChain Knife Ladle Laptop Lettuce LettuceSliced LightSwitch Mirror Mug
Newspaper Painting PaperTowelRoll Pen Pencil PepperShaker Pillow Plunger Poster Potato PotatoSliced RemoteControl RoomDecor
SaltShaker ScrubBrush ShelfCase ShowerCurtain ShowerDoor ShowerGlass ShowerHead SinkRim SoapBar SoapBottle Spatula Spoon
SprayBottle Statue StoveBurner StoveKnob TableTopDecor TeddyBear Television TennisRacket TissueBox Toaster ToiletPaper Tomato
TomatoSliced Towel VacuumCleaner Vase Watch WateringCan WineBottle address_book after_shave alcohol apple apple_sliced bag
banana banana_sliced band-aids bar_soap beer bell_pepper bills blender blow_dryer board_game book bookmark bread_slice broom
brush button candle candy_bar cards carrot carrot_sliced cat cd ceiling_lamp ceilinglamp cellphone centerpiece cereal check
chessboard chicken chips chocolate_syrup clock clothes_dress clothes_gloves clothes_hat clothes_jacket clothes_pants
clothes_scarf clothes_shirt clothes_skirt clothes_socks clothes_underwear coffee coffee_filter coffee_pot coin comb
condiment_bottle condiment_shaker conditioner controller cpuscreen crackers crayon crayons creamy_buns creditcard cup cupcake
curtain cutlery_fork cutlery_knife cutlets deck_of_cards deodorant detergent diary dirt dish_soap dishwashing_liquid dog dough
drawing drawing_paper drinking_glass dry_pasta electric_shaver envelope face_cream faucet floor_lamp folder food_apple
food_bacon food_bread food_butter food_cake food_carrot food_cheese food_chicken food_dessert food_donut food_egg food_fish
food_food food_ice_cream food_jam food_kiwi food_noodles food_onion food_orange food_peanut_butter food_pizza food_rice
food_salt food_steak food_turkey food_vegetable fork form foundation glasses glue ground_coffee hair hair_product hairbrush
hairdryer hands_both hanger headset homework hood ice instrument_guitar instrument_violin iron jelly juice kettle keyboard keys
knife laptop laser_pointer laundry_detergent light light_bulb lighter lime lime_sliced lotion_bottle magazine mail
measuring_cup microphone milk mincemeat mirror mop mop_bucket mouse mousepad mouthwash mug music_stand nail_polish napkin
needle newspaper notes novel oil orchid oven_mitts pajamas pancake paper pasta peach peach_sliced pear pen pencil perfume phone
photoframe picture pie pillow plant plum pound_cake pound_cake_sliced powersocket pudding purse radiator radio rag razor
remote_control salmon scissors scrabble shampoo shaving_cream sheets shoe-shine_kit shoes slippers soap spectacles sponge spoon
stamp stovefan sundae table_cloth table_lamp tablelamp tape tea tea_bag teddy_bear teeth television thread toaster toilet_paper
tooth_paste toothbrush toothbrush_holder toothpaste towel toy vacuum_cleaner video_game_controller wall_clock wall_phone
walllamp washing_sponge water water_glass whipped_cream wine wine_glass wooden_spoon
"""
SOLID: Final = frozenset(_SOLID.split())
"""Classes that hold nothing."""


def is_stated(kind: str) -> bool:
    """Returns True if the tables say what a class holds. Other classes go by their proportions."""
    return kind in HOLDING or kind in SOLID


def rule_of(kind: str) -> PlacingRule:
    """Returns the rule for a class. Slices of a listed class hold nothing."""
    if kind in HOLDING:
        return HOLDING[kind]
    return nothing if kind in SOLID or is_stated(whole_of(kind)) else by_proportions


@lru_cache(maxsize=8192)
def surfaces_of(kind: str, size: Vector, is_open: bool = False) -> tuple[Surface, ...]:
    """Returns where objects lie in and on a piece, in its own frame.

    Args:
        kind: the class of the piece (`Thing.kind`).
        size: width, depth and height of its box, metres.
        is_open: whether it is open. An open drawer carries its surface out.
    """
    found = rule_of(kind)(*size, is_open)
    return tuple(s._replace(half=(max(s.half[0], THINNEST), max(s.half[1], THINNEST))) for s in found)
