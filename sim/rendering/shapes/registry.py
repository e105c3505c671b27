"""Maps each class to its builder. This is the only place where an object becomes a shape.

A class without a builder gets a shape chosen by the proportions of its box.
"""

from __future__ import annotations

import zlib
from functools import lru_cache
from typing import Final

from sim.geometry.model import Thing, Vector
from sim.geometry.sizes import whole_of
from sim.rendering.shapes import appliances, belongings, fittings, food, furniture, tools, vessels
from sim.rendering.shapes.kit import (
    BLACK,
    CERAMIC,
    CREAM,
    GREY,
    LEAF,
    OAK,
    PAINTS,
    STEEL,
    WALNUT,
    WHITE,
    Appearance,
    Builder,
    Prim,
    Shape,
    rgb,
)

DRAWN_BY: Final[tuple[tuple[str, Builder], ...]] = (
    # Furniture.
    ("Chair chair", furniture.chair),
    ("Stool stool", furniture.stool),
    ("Footstool Ottoman", furniture.footstool),
    ("ArmChair Sofa armchair couch sofa", furniture.sofa),
    ("Bed bed", furniture.bed),
    ("office_chair", furniture.office_chair),
    ("DogBed", furniture.dog_bed),
    ("DiningTable SideTable kitchen_table table", furniture.table),
    ("round_table", furniture.round_table),
    ("CoffeeTable coffee_table", furniture.coffee_table),
    ("Desk desk", furniture.desk),
    ("Hutch", furniture.hutch),
    ("bench piano_bench", furniture.bench),
    ("CounterTop", furniture.worktop),
    ("kitchen_counter", furniture.counter),
    ("BaseFill", furniture.filler),
    ("cutting_board", furniture.board),
    ("Shelf", furniture.shelf_board),
    ("Cabinet cupboard kitchen_cabinet wall_cabinet", furniture.base_cupboard),
    ("cabinet", furniture.cabinet_on_legs),
    ("wardrobe", furniture.wardrobe),
    ("dresser", furniture.dresser),
    ("Dresser filing_cabinet nightstand", furniture.drawers),
    ("TVStand tv_stand tvstand", furniture.tv_stand),
    ("Drawer", furniture.drawer),
    ("ShelvedTable ShelvingUnit bookshelf", furniture.shelves),
    ("ShelfCase", furniture.shelf_case),
    ("shoe_rack", furniture.shoe_rack),
    ("wallshelf", furniture.wall_shelf),
    ("trash_can trashcan", furniture.bin_with_lid),
    ("GarbageCan", furniture.bin_without_lid),
    ("basket_for_clothes laundry_basket", furniture.basket),
    ("LaundryHamper", furniture.hamper),
    ("Box box", furniture.carton),
    ("Safe", furniture.safe),
    # Appliances and water.
    ("Fridge freezer fridge", appliances.fridge),
    ("CookerBody oven stove", appliances.cooker),
    ("HobPlate", appliances.hob),
    ("StoveBurner", appliances.burner),
    ("StoveKnob", appliances.knob),
    ("washing_machine", appliances.washer),
    ("dishwasher", appliances.dishwasher),
    ("hood stovefan", appliances.hood),
    ("Microwave microwave", appliances.microwave),
    ("CoffeeMachine coffe_maker coffee_machine", appliances.coffee_machine),
    ("Toaster toaster", appliances.toaster),
    ("cd_player console dvd_player stereo", appliances.machine),
    ("computer", appliances.computer),
    ("VacuumCleaner vacuum_cleaner", appliances.vacuum),
    ("SinkBasin", appliances.basin),
    ("SinkRim", appliances.rim),
    ("Sink sink", appliances.sink),
    ("Faucet faucet", appliances.faucet),
    ("Toilet toilet", appliances.toilet),
    ("Bathtub bathtub", appliances.bathtub),
    ("shower", appliances.shower),
    ("ShowerDoor ShowerGlass", appliances.glass_wall),
    ("ShowerHead", appliances.shower_head),
    ("bathroom_counter", appliances.vanity),
    # Walls, lamps, screens, plants.
    ("Painting Poster drawing photoframe picture", fittings.picture),
    ("Mirror mirror", fittings.mirror),
    ("bathroom_cabinet", fittings.mirror_cabinet),
    ("wall_clock", fittings.clock),
    ("Curtains ShowerCurtain curtain", fittings.curtain),
    ("Blinds", fittings.blinds),
    ("HandTowelHolder ToiletPaperHanger TowelHolder towel_rack", fittings.rail),
    ("radiator", fittings.radiator),
    ("LightSwitch light powersocket", fittings.wall_plate),
    ("wall_phone", fittings.phone_on_wall),
    ("mat rug", fittings.rug),
    ("HandTowel Towel", fittings.hanging_cloth),
    ("FloorLamp floor_lamp table_lamp tablelamp", fittings.lamp),
    ("DeskLamp", fittings.desk_lamp),
    ("walllamp", fittings.wall_lamp),
    ("ceiling_lamp ceilinglamp", fittings.ceiling_lamp),
    ("Television television", fittings.television),
    ("Desktop cpuscreen", fittings.monitor),
    ("Laptop", fittings.laptop),
    ("laptop", fittings.open_laptop),
    ("speaker", fittings.speaker),
    ("HousePlant centerpiece plant", fittings.plant),
    ("orchid", fittings.orchid),
    ("RoomDecor Statue TableTopDecor", fittings.statue),
    # Vessels and packages.
    ("Mug cup measuring_cup mug", vessels.mug),
    ("drinking_glass water_glass", vessels.tumbler),
    ("Cup", vessels.cup),
    ("wine_glass", vessels.wine_glass),
    ("Plate TargetCircle plate", vessels.plate),
    ("dishrack dustpan oven_tray tray", vessels.tray),
    ("Bowl bowl colander dish_bowl", vessels.bowl),
    ("Pot cooking_pot pot", vessels.pot),
    ("Pan frying_pan", vessels.pan),
    ("Kettle kettle", vessels.kettle),
    ("coffee_pot", vessels.coffee_pot),
    ("WateringCan", vessels.watering_can),
    ("Vase", vessels.vase),
    ("Bottle beer water", vessels.bottle()),
    ("WineBottle", vessels.bottle(rgb("#3b5a3a"))),
    ("alcohol", vessels.bottle(rgb("#b5702a"), label=rgb("#26282b"), cap=rgb("#d9b54a"))),
    ("chocolate_syrup", vessels.bottle(rgb("#4a2c1a"), 0.3, rgb("#e3b04b"), rgb("#c0392b"))),
    ("condiment_bottle", vessels.bottle(rgb("#c0281f"), 0.32, rgb("#f6f1e4"), WHITE)),
    ("wine", vessels.bottle(rgb("#3a1420"), 0.42, rgb("#f1e9d2"), rgb("#8a2f3c"))),
    ("after_shave conditioner detergent dish_soap foundation laundry_detergent mouthwash oil shampoo "
     "shaving_cream", vessels.flask()),
    ("deodorant", vessels.flask(rgb("#3c6fa0"), rgb("#dfe5ea"))),
    ("dishwashing_liquid", vessels.flask(rgb("#4fae54"), rgb("#f6f6f0"))),
    ("perfume", vessels.flask(rgb("#d9a9c9"), rgb("#d9b54a"))),
    ("SoapBottle lotion_bottle", vessels.pump),
    ("SprayBottle", vessels.spray),
    ("hair_product", vessels.can(rgb("#7d4b8f"), rgb("#2b2d30"))),
    ("whipped_cream", vessels.can(rgb("#c8372d"), CREAM)),
    ("coffee ground_coffee", vessels.jar(rgb("#4a2f1c"))),
    ("face_cream", vessels.jar(rgb("#f2e3e0"), rgb("#d8a7a0"))),
    ("food_jam jelly", vessels.jar(rgb("#a3203a"))),
    ("food_peanut_butter", vessels.jar(rgb("#b8834a"), rgb("#c0392b"))),
    ("glue nail_polish toothbrush_holder", vessels.jar()),
    ("PepperShaker", vessels.shaker(rgb("#3a3a3a"))),
    ("SaltShaker", vessels.shaker(rgb("#e8e8e8"))),
    ("condiment_shaker", vessels.shaker()),
    ("food_salt", vessels.shaker(WHITE)),
    ("juice", vessels.carton(rgb("#f0912a"), rgb("#3f9a3c"))),
    ("milk", vessels.carton(CERAMIC, rgb("#2f6fb0"))),
    ("band-aids cards coffee_filter deck_of_cards dry_pasta food_noodles food_rice pasta shoe-shine_kit "
     "tape tea", vessels.packet()),
    ("cereal", vessels.packet(rgb("#d98a1f"), rgb("#fff2cc"))),
    ("crackers", vessels.packet(rgb("#a8232a"), rgb("#f0cf8c"))),
    ("chips", vessels.pouch(rgb("#e0a21f"))),
    # Food.
    ("Apple apple", food.fruit(rgb("#b8211a"), WALNUT, rgb("#cf4a2c"))),
    ("Potato", food.fruit(rgb("#b08a55"), blush=rgb("#a57d48"))),
    ("Tomato", food.fruit(rgb("#c8352b"), LEAF)),
    ("dirt", food.fruit(rgb("#6b5138"))),
    ("dough", food.fruit(rgb("#ecdcb4"))),
    ("food_apple", food.fruit(rgb("#b8211a"), WALNUT)),
    ("food_kiwi", food.fruit(rgb("#7a6238"))),
    ("food_onion", food.fruit(rgb("#c98a4a"), OAK)),
    ("food_orange", food.fruit(rgb("#ef8a1d"), LEAF)),
    ("hands_both", food.fruit(rgb("#e0b090"))),
    ("peach", food.fruit(rgb("#f0a35a"), LEAF, rgb("#e2714f"))),
    ("plum", food.fruit(rgb("#5a2a5e"), WALNUT, rgb("#7a3a70"))),
    ("pear", food.pear),
    ("lime", food.citrus),
    ("banana", food.banana),
    ("bell_pepper food_vegetable", food.bell_pepper),
    ("carrot food_carrot", food.carrot),
    ("Lettuce", food.lettuce),
    ("Egg food_egg", food.egg),
    ("EggCracked", food.cracked_egg),
    ("AppleSliced apple_sliced", food.slices(rgb("#b8211a"), rgb("#f3e6b8"))),
    ("LettuceSliced", food.slices(rgb("#7fae3f"), rgb("#cfe3a0"))),
    ("PotatoSliced", food.slices(rgb("#b08a55"), rgb("#ead9a0"))),
    ("TomatoSliced", food.slices(rgb("#c8352b"), rgb("#e88a72"))),
    ("lime_sliced", food.slices(rgb("#5fae2f"), rgb("#cfe79a"))),
    ("peach_sliced", food.slices(rgb("#e2714f"), rgb("#f6cf8a"))),
    ("BreadSliced", food.cut_blocks(food.CRUST, food.CRUMB)),
    ("pound_cake_sliced", food.cut_blocks(rgb("#b9772f"), rgb("#f0d890"))),
    ("banana_sliced", food.coins(rgb("#f2cc2f"), rgb("#f7ecc4"))),
    ("carrot_sliced", food.coins(rgb("#e8791f"), rgb("#f2a04f"))),
    ("Bread food_bread", food.loaf(rgb("#c58a45"))),
    ("bread_slice", food.bread_slice),
    ("chicken food_chicken food_turkey", food.chicken),
    ("cutlets food_bacon food_steak", food.cutlets),
    ("food_fish salmon", food.fish),
    ("food_food food_pizza pie", food.pie),
    ("cupcake food_dessert food_donut", food.cupcake),
    ("food_cake", food.cake),
    ("pound_cake", food.pound_cake),
    ("pudding", food.pudding),
    ("pancake", food.pancakes),
    ("food_ice_cream sundae", food.sundae),
    ("candy_bar", food.candy_bar),
    ("mincemeat", food.mince),
    ("creamy_buns", food.buns),
    ("food_butter food_cheese", food.cheese),
    # Tools and toys.
    ("Ladle Spoon spoon", tools.tool(STEEL, STEEL)),
    ("Spatula", tools.tool(GREY, rgb("#26282b"))),
    ("brush comb electric_shaver hairbrush razor scissors", tools.tool(GREY, WALNUT)),
    ("wooden_spoon", tools.tool(OAK, OAK)),
    ("ButterKnife Knife cutlery_knife knife", tools.knife),
    ("Fork cutlery_fork fork", tools.fork),
    ("Pen laser_pointer lighter pen", tools.stick(PAINTS[0])),
    ("Pencil pencil", tools.stick(PAINTS[3])),
    ("crayon", tools.stick(PAINTS[1])),
    ("needle", tools.stick(STEEL, STEEL)),
    ("toothbrush", tools.toothbrush),
    ("tooth_paste", tools.tube(CERAMIC, PAINTS[0])),
    ("toothpaste", tools.tube(CERAMIC, PAINTS[1])),
    ("Plunger", tools.pole(rgb("#b98a58"), rgb("#8a2f2f"))),
    ("ScrubBrush", tools.pole(rgb("#e8e8e8"), CERAMIC)),
    ("mop", tools.pole(OAK, rgb("#d9d4c6"))),
    ("music_stand", tools.pole(BLACK, GREY)),
    ("broom", tools.broom),
    ("BaseballBat", tools.bat),
    ("SoapBar bar_soap", tools.soap(rgb("#f1c9d2"))),
    ("ice", tools.soap(rgb("#dcf0f7"))),
    ("soap", tools.soap(CERAMIC)),
    ("teeth", tools.soap(WHITE)),
    ("DishSponge sponge washing_sponge", tools.sponge),
    ("PaperTowelRoll ToiletPaper toilet_paper", tools.roll),
    ("AluminumFoil thread", tools.foil),
    ("Candle candle", tools.candle),
    ("KeyChain keys", tools.keys),
    ("mop_bucket", tools.mop_bucket),
    ("TeddyBear teddy_bear", tools.bear),
    ("toy", tools.toy_car),
    ("BasketBall", tools.basketball),
    ("Dumbbell", tools.dumbbell),
    ("TennisRacket", tools.racket),
    ("instrument_guitar instrument_violin", tools.guitar),
    ("cat", tools.animal(rgb("#8a8178"))),
    ("dog", tools.animal(rgb("#a9794c"))),
    ("glasses spectacles", tools.spectacles),
    # Cloth, paper, electronics.
    ("Cloth hair napkin oven_mitts rag", belongings.cloth),
    ("sheets table_cloth towel", belongings.folded_towel),
    ("Pillow pillow", belongings.pillow),
    ("clothes_shirt", belongings.shirt),
    ("clothes_pants", belongings.trousers),
    ("clothes_dress clothes_gloves clothes_hat clothes_jacket clothes_scarf clothes_skirt clothes_socks "
     "clothes_underwear pajamas", belongings.garment),
    ("bag purse", belongings.bag),
    ("GarbageBag", belongings.sack),
    ("Boots shoes", belongings.shoes),
    ("slippers", belongings.slippers),
    ("hanger", belongings.hanger),
    ("Book address_book book diary novel", belongings.book),
    ("bills bookmark check drawing_paper envelope form homework mail paper stamp", belongings.sheet()),
    ("tea_bag", belongings.sheet(rgb("#e9dcc0"))),
    ("CreditCard creditcard", belongings.card(PAINTS[0])),
    ("magazine", belongings.magazine),
    ("notes", belongings.notes),
    ("folder", belongings.folder),
    ("board_game chessboard scrabble", belongings.board_game),
    ("crayons", belongings.crayons),
    ("TissueBox", belongings.tissues),
    ("Newspaper newspaper", belongings.newspaper),
    ("CellPhone cellphone phone", belongings.phone),
    ("RemoteControl controller headset microphone remote_control video_game_controller", belongings.remote),
    ("mouse", belongings.mouse),
    ("keyboard", belongings.keyboard),
    ("radio", belongings.radio),
    ("AlarmClock clock", belongings.alarm_clock),
    ("Watch", belongings.watch),
    ("CD button cd coin", belongings.compact_disc),
    ("mousepad", belongings.mousepad),
    ("light_bulb", belongings.bulb),
    ("blender blow_dryer hairdryer iron", belongings.hand_device),
)
"""Classes, separated by blanks, and the builder that draws them.

CamelCase are AI2-THOR's types, and pieces of ours where its metadata lists only parts (BaseFill, CookerBody, HobPlate, Hutch,
ShelfCase, ShelvedTable, SinkRim). snake_case are the classes of the hand-made homes and of VirtualHome.
"""
BUILDERS: Final[dict[str, Builder]] = {kind: builder for kinds, builder in DRAWN_BY for kind in kinds.split()}
PICKS: Final = 840
"""Number of picks. It is divisible by the length of every palette, so that all its colours are equally likely."""
SMALL = 0.6
"""Objects with no side longer than this count as objects to carry, metres."""
_small_tall, _small_long, _small_boxy = vessels.bottle(), tools.tool(), vessels.packet()


def known(kind: str) -> bool:
    """Returns True if the class, or the class it was cut from, has a builder."""
    return kind in BUILDERS or whole_of(kind) in BUILDERS


def builder_of(kind: str) -> Builder:
    """Returns the builder of a class: its own, slices of the whole, or a piece guessed from its proportions."""
    own = BUILDERS.get(kind)
    if own:
        return own
    whole = BUILDERS.get(whole_of(kind))
    return food.sliced_from(whole) if whole else by_proportions


def appearance_of(thing: Thing) -> Appearance:
    """Returns what may vary in an object's drawing.

    Its pick is a checksum of kind and id, not `hash`, so that pictures repeat.
    """
    pick = zlib.crc32(f"{thing.kind}{thing.id}".encode()) % PICKS
    return Appearance(thing.open, thing.on, thing.hinge, pick, thing.colour)


def shape_of(thing: Thing) -> tuple[Prim, ...]:
    """Returns the drawing of an object in its own frame. What lies where is stated in `sim.geometry.placing`."""
    return _shape(thing.kind, thing.size, appearance_of(thing))


@lru_cache(maxsize=8192)
def _shape(kind: str, size: Vector, look: Appearance) -> tuple[Prim, ...]:
    return tuple(builder_of(kind)(*size, look))


def by_proportions(w: float, d: float, h: float, look: Appearance) -> Shape:
    """Returns a plausible piece: a bottle, a tool, a packet; a rug, a table, a cupboard."""
    builder = _small(w, d, h) if max(w, d, h) <= SMALL else _large(w, d, h)
    return builder(w, d, h, look)


def _small(w: float, d: float, h: float) -> Builder:
    long, short = max(w, d), min(w, d)
    if h < 0.03 and short > 0.05:
        return belongings.sheet()
    if h > 1.8 * long:
        return _small_tall
    return _small_long if long > 3 * short and h < 2 * short else _small_boxy


def _large(w: float, d: float, h: float) -> Builder:
    if h < 0.05:
        return fittings.rug
    if min(w, d) < 0.08:
        return fittings.picture
    return furniture.table if 0.3 <= h <= 0.85 and min(w, d) > 0.35 else furniture.wooden_cupboard
