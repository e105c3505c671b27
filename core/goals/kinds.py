"""What a name in a goal stands for: an entity's id, a class, a kind such as fruit, or several of these.

The table of kinds covers the classes of all worlds: the hand-made homes, iTHOR's object types and VirtualHome's graphs. It is
made by hand from the class lists of these worlds. VirtualHome's properties (EATABLE, DRINKABLE, READABLE, SITTABLE, CLOTHES,
HAS_PLUG; MIT licence) and the groups of resources/priors/common_sense.json were the starting points. No kind has the name of a
class, so that a world's own class is always meant by its name.
"""

from __future__ import annotations

from core.world.vocabulary import GRABBABLE, SWITCHABLE, Entity, spaced

THING, LIGHT = "thing", "light"
"""Kinds told by what an entity can do: any object that can be carried, and anything that gives light and has a switch."""
GIVES_LIGHT = ("lamp", "light", "lightswitch", "light_switch")
"""The endings of class names that give light."""
FLOOR = "floor"
"""As a source: what lies on no furniture and in nothing."""

_FRUIT = "apple banana food_apple food_kiwi food_orange lime peach pear plum"
_VEGETABLE = "bell_pepper carrot food_carrot food_onion food_vegetable lettuce potato tomato"
_MEAT = "chicken cutlets food_bacon food_chicken food_fish food_steak food_turkey mincemeat salmon"
_SWEET = "candy_bar chocolate_syrup creamy_buns cupcake food_cake food_dessert food_donut food_ice_cream pie pound_cake " \
         "pudding " \
         "sundae whipped_cream"
_BREAD = "bread bread_slice food_bread"
_OTHER_FOOD = "cereal chips condiment_bottle condiment_shaker crackers dough dry_pasta egg food_butter food_cheese food_egg " \
              "food_food food_jam food_noodles food_peanut_butter food_pizza food_rice food_salt jelly pancake pasta"
_ALCOHOL = "alcohol beer wine wine_bottle"
_DRINK = f"{_ALCOHOL} coffee juice milk tea"
_GLASS = "drinking_glass water_glass wine_glass"
_CUP = f"{_GLASS} coffee_cup cup mug"
_CUTLERY = "butter_knife cutlery_fork cutlery_knife fork knife spoon"
_COOKWARE = "coffee_pot cooking_pot frying_pan kettle ladle oven_tray pan pot sauce_pan spatula wooden_spoon"
_CLOTHES = "boots clothes_dress clothes_gloves clothes_hat clothes_jacket clothes_pants clothes_scarf clothes_shirt " \
           "clothes_skirt " \
           "clothes_socks clothes_underwear clothespile pajamas shoes slippers"
_READING = "address_book book diary magazine newspaper novel"
_TOILETRIES = "after_shave bar_soap comb conditioner deodorant electric_shaver face_cream hair_product hairbrush " \
              "lotion_bottle " \
              "mouthwash nail_polish perfume razor shampoo shaving_cream soap soap_bar soap_bottle tooth_paste toothbrush " \
              "toothpaste"
_SEAT = "arm_chair armchair bench chair couch footstool office_chair ottoman piano_bench sofa stool"
_TABLE = "coffee_table desk dining_table kitchen_table round_table side_table"
_APPLIANCE = "blender blow_dryer coffe_maker coffee_machine dishwasher freezer fridge hairdryer iron microwave oven stove " \
             "toaster " \
             "vacuum_cleaner washing_machine"

KINDS: dict[str, frozenset[str]] = {kind: frozenset(classes.split()) for kind, classes in {
    "fruit": _FRUIT,
    "vegetable": _VEGETABLE,
    "meat": _MEAT,
    "sweets": _SWEET,
    "food": f"{_FRUIT} {_VEGETABLE} {_MEAT} {_SWEET} {_BREAD} {_OTHER_FOOD}",
    "drink": _DRINK,
    "groceries": f"{_FRUIT} {_VEGETABLE} {_MEAT} {_SWEET} {_BREAD} {_OTHER_FOOD} {_DRINK}",
    "glassware": _GLASS,
    "cutlery": _CUTLERY,
    "crockery": f"{_CUP} bowl dish_bowl plate",
    "dish": f"{_CUP} {_CUTLERY} bowl dish_bowl plate",
    "cookware": _COOKWARE,
    "toys": "basket_ball board_game chessboard deck_of_cards scrabble teddy_bear toy",
    "clothes": _CLOTHES,
    "footwear": "boots shoes slippers",
    "reading": _READING,
    "stationery": "crayon crayons envelope folder notes paper pen pencil scissors tape",
    "electronics": "cd_player cell_phone cellphone computer dvd_player headset keyboard laptop mouse phone radio "
                   "remote_control "
                   "speaker stereo television video_game_controller",
    "toiletries": _TOILETRIES,
    "cleaning_things": "broom cloth dish_soap dish_sponge dishwashing_liquid dustpan laundry_detergent mop rag scrub_brush "
                       "sponge "
                       "spray_bottle vacuum_cleaner washing_sponge",
    "furniture": f"{_SEAT} {_TABLE} bathroom_cabinet bed bookshelf cabinet closet cupboard dresser filing_cabinet "
                 f"kitchen_cabinet "
                 "nightstand shelf shelving_unit table tv_stand tvstand wall_cabinet wardrobe",
    "seat": _SEAT,
    "appliance": _APPLIANCE,
    "container": "basket_for_clothes bowl box cooking_pot cup dish_bowl laundry_basket mug pan pot",
    "utensil": f"{_CUTLERY} ladle spatula wooden_spoon",
    "tool": "broom dustpan iron mop mop_bucket plunger scissors scrub_brush vacuum_cleaner",
}.items()}
"""Kind -> its classes, over the classes of all worlds."""
KIND_WORDS: dict[str, str] = {word: kind for kind, words in {
    "fruit": "fruit", "vegetable": "vegetable veg veggie", "meat": "meat", "sweets": "sweet dessert pastry",
    "food": "food foodstuff", "drink": "drink beverage", "groceries": "groceries grocery", "glassware": "glassware",
    "cutlery": "cutlery silverware flatware", "crockery": "crockery", "dish": "dish tableware washing_up",
    "cookware": "cookware", "utensil": "utensil kitchen_utensil", "toys": "toy plaything",
    "clothes": "clothes clothing garment",
    "footwear": "footwear shoe", "reading": "reading reading_matter", "stationery": "stationery", "electronics":
    "electronics electronic_device gadget", "toiletries": "toiletries toiletry", "cleaning_things":
    "cleaning_thing cleaning_product", "furniture": "furniture", "seat": "seat", "appliance":
    "appliance kitchen_appliance", "container": "container", "tool": "tool",
}.items() for word in words.split()}
"""Word in the singular -> kind. A word that names a class of the world means that class, not the kind."""
MASS = frozenset({"fruit", "veg", "meat", "food", "cutlery", "silverware", "flatware", "crockery", "tableware", "glassware",
                  "cookware", "clothing", "clothes", "footwear", "stationery", "furniture", "groceries", "toiletries",
                  "electronics",
                  "washing_up", "reading"})
"""Words of kinds that stand for all of it: the fruit, the cutlery."""


def name_in_words(name: str) -> str:
    """Returns a class, id or kind as it is said in a sentence; `reading` alone would be an act."""
    return "reading matter" if name == "reading" else spaced(name)


def is_a(entity: Entity, name: str) -> bool:
    """Returns True if an entity has this id, class or kind, or one of several: `apple|pear`."""
    return any(_is_one(entity, one) for one in name.split("|")) if "|" in name else _is_one(entity, name)


def _is_one(entity: Entity, name: str) -> bool:
    if name in (entity.cls, entity.id):
        return True
    if name == THING:
        return entity.category == "object" and GRABBABLE in entity.properties
    if name == LIGHT:
        return SWITCHABLE in entity.properties and entity.cls.endswith(GIVES_LIGHT)
    return name in KINDS and entity.cls in KINDS[name]


def is_several(name: str) -> bool:
    """Returns True if a name stands for objects of different classes, or for one of several named ones."""
    return "|" in name or name in KINDS


def alternatives(name: str) -> tuple[str, ...]:
    """Returns the classes and ids that a name stands for, kinds by their classes; without THING and LIGHT, which name none."""
    found = (cls for one in name.split("|") for cls in (sorted(KINDS[one]) if one in KINDS else (one,)))
    return tuple(dict.fromkeys(cls for cls in found if cls not in (THING, LIGHT)))
