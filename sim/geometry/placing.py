"""The table of what each class of furniture holds, and where. Capacity and free places follow from it.

The table maps a class (`Thing.kind`) to a rule for its surfaces. It was generated once from the drawn shapes and is kept by
hand since. Nothing here depends on how a class is drawn, so a new drawing changes neither what fits nor where it lies. A new
class needs an entry in HOLDING or SOLID; without one it goes by its proportions.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from sim.geometry import placing_rules as rules
from sim.geometry.model import Surface, Vector
from sim.geometry.placing_rules import THINNEST, PlacingRule, top
from sim.geometry.sizes import whole_of

HOLDING: Final[dict[str, PlacingRule]] = {
    # Cupboards, drawers, shelves, boxes.
    **dict.fromkeys(("Cabinet", "cupboard", "kitchen_cabinet", "wall_cabinet"), rules.cupboard),
    "cabinet": rules.cabinet_on_legs,
    "bathroom_cabinet": rules.mirror_cabinet,
    "dresser": rules.dresser,
    "wardrobe": rules.wardrobe,
    **dict.fromkeys(("Dresser", "filing_cabinet", "nightstand"), rules.drawers),
    **dict.fromkeys(("TVStand", "tv_stand", "tvstand"), rules.tv_stand),
    "Drawer": rules.drawer,
    **dict.fromkeys(("ShelvedTable", "ShelvingUnit", "bookshelf"), rules.open_shelves),
    "Shelf": rules.board,
    "shoe_rack": rules.shoe_rack,
    "wallshelf": top(0.4),
    **dict.fromkeys(("GarbageCan", "trash_can", "trashcan"), rules.bin_),
    **dict.fromkeys(("basket_for_clothes", "laundry_basket"), rules.basket),
    "LaundryHamper": rules.hamper,
    **dict.fromkeys(("Box", "box"), rules.carton),
    "Safe": rules.safe,
    # Tables and worktops.
    **dict.fromkeys(("DiningTable", "SideTable", "kitchen_table", "table"), top()),
    **dict.fromkeys(("bench", "piano_bench"), top()),
    "round_table": top(share=0.7),
    **dict.fromkeys(("CoffeeTable", "coffee_table"), rules.coffee_table),
    **dict.fromkeys(("Desk", "desk"), rules.desk),
    "Hutch": rules.hutch,
    "CounterTop": top(0.5),
    "kitchen_counter": rules.counter,
    "bathroom_counter": rules.vanity,
    "cutting_board": rules.cutting_board,
    # Appliances and machines.
    **dict.fromkeys(("Fridge", "freezer", "fridge"), rules.fridge),
    **dict.fromkeys(("CookerBody", "oven", "stove"), rules.cooker),
    "HobPlate": top(),
    "dishwasher": rules.dishwasher,
    "washing_machine": rules.washer,
    **dict.fromkeys(("Microwave", "microwave"), rules.microwave),
    **dict.fromkeys(("CoffeeMachine", "coffe_maker", "coffee_machine"), rules.coffee_machine),
    **dict.fromkeys(("cd_player", "computer", "console", "dvd_player", "stereo"), top(0.3)),
    "speaker": top(0.4),
    # Seats and beds.
    **dict.fromkeys(("Chair", "chair"), rules.chair),
    "office_chair": rules.office_chair,
    **dict.fromkeys(("Stool", "stool"), rules.stool),
    **dict.fromkeys(("Footstool", "Ottoman"), top()),
    **dict.fromkeys(("ArmChair", "Sofa", "armchair", "couch", "sofa"), rules.sofa),
    **dict.fromkeys(("Bed", "bed"), rules.bed),
    "DogBed": rules.dog_bed,
    **dict.fromkeys(("mat", "rug"), rules.rug),
    # Water.
    **dict.fromkeys(("Sink", "sink"), rules.sink),
    "SinkBasin": rules.basin,
    **dict.fromkeys(("Toilet", "toilet"), rules.toilet),
    **dict.fromkeys(("Bathtub", "bathtub"), rules.bathtub),
    "shower": rules.shower,
    **dict.fromkeys(("HandTowelHolder", "ToiletPaperHanger", "TowelHolder", "towel_rack"), rules.rail),
    # Vessels, which can be carried.
    **dict.fromkeys(("Plate", "TargetCircle", "plate"), rules.plate),
    **dict.fromkeys(("dishrack", "dustpan", "oven_tray", "tray"), rules.tray),
    **dict.fromkeys(("Bowl", "bowl", "colander", "dish_bowl"), rules.bowl),
    **dict.fromkeys(("Pot", "cooking_pot", "pot"), rules.pot),
    **dict.fromkeys(("Pan", "frying_pan"), rules.pan),
}
"""Class -> the rule for its surfaces."""

_SOLID = """
AlarmClock AluminumFoil Apple AppleSliced BaseFill BaseballBat BasketBall Blinds Book Boots Bottle Bread BreadSliced
ButterKnife CD Candle CellPhone Cloth CreditCard Cup Curtains DeskLamp Desktop DishSponge Dumbbell Egg EggCracked Faucet
FloorLamp Fork GarbageBag HandTowel HousePlant Kettle KeyChain Knife Ladle Laptop Lettuce LettuceSliced LightSwitch Mirror Mug
Newspaper Painting PaperTowelRoll Pen Pencil PepperShaker Pillow Plunger Poster Potato PotatoSliced RemoteControl RoomDecor
SaltShaker ScrubBrush ShowerCurtain ShowerDoor ShowerGlass ShowerHead SinkRim SoapBar SoapBottle Spatula Spoon SprayBottle
Statue StoveBurner StoveKnob TableTopDecor TeddyBear Television TennisRacket TissueBox Toaster ToiletPaper Tomato TomatoSliced
Towel VacuumCleaner Vase Watch WateringCan WineBottle address_book after_shave alcohol apple apple_sliced bag banana
banana_sliced band-aids bar_soap beer bell_pepper bills blender blow_dryer board_game book bookmark bread_slice broom brush
button candle candy_bar cards carrot carrot_sliced cat cd ceiling_lamp ceilinglamp cellphone centerpiece cereal check
chessboard chicken chips chocolate_syrup clock clothes_dress clothes_gloves clothes_hat clothes_jacket clothes_pants
clothes_scarf clothes_shirt clothes_skirt clothes_socks clothes_underwear coffee coffee_filter coffee_pot coin comb
condiment_bottle condiment_shaker conditioner controller cpuscreen crackers crayon crayons creamy_buns creditcard cup cupcake
curtain cutlery_fork cutlery_knife cutlets deck_of_cards deodorant detergent diary dirt dish_soap dishwashing_liquid dog dough
drawing drawing_paper drinking_glass dry_pasta electric_shaver envelope face_cream faucet floor_lamp folder food_apple
food_bacon food_bread food_butter food_cake food_carrot food_cheese food_chicken food_dessert food_donut food_egg food_fish
food_food food_ice_cream food_jam food_kiwi food_noodles food_onion food_orange food_peanut_butter food_pizza food_rice
food_salt food_steak food_turkey food_vegetable fork form foundation glasses glue ground_coffee hair hair_product hairbrush
hairdryer hands_both hanger headset homework hood ice instrument_guitar instrument_violin iron jelly juice kettle keyboard
keys knife laptop laser_pointer laundry_detergent light light_bulb lighter lime lime_sliced lotion_bottle magazine mail
measuring_cup microphone milk mincemeat mirror mop mop_bucket mouse mousepad mouthwash mug music_stand nail_polish napkin
needle newspaper notes novel oil orchid oven_mitts pajamas pancake paper pasta peach peach_sliced pear pen pencil perfume
phone photoframe picture pie pillow plant plum pound_cake pound_cake_sliced powersocket pudding purse radiator radio rag razor
remote_control salmon scissors scrabble shampoo shaving_cream sheets shoe-shine_kit shoes slippers soap spectacles sponge
spoon stamp stovefan sundae table_cloth table_lamp tablelamp tape tea tea_bag teddy_bear teeth television thread toaster
toilet_paper tooth_paste toothbrush toothbrush_holder toothpaste towel toy vacuum_cleaner video_game_controller wall_clock
wall_phone walllamp washing_sponge water water_glass whipped_cream wine wine_glass wooden_spoon
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
    return rules.nothing if kind in SOLID or is_stated(whole_of(kind)) else rules.by_proportions


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
