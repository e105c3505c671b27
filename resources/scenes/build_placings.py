"""Makes placings.json: on and in which furniture each movable class of the four-room homes usually lies.

    python resources/scenes/build_placings.py object_script_placing.json.gz

The source is VirtualHome's list of object placings (MIT licence): for each object of its scripts, the furniture that the people
who wrote the scripts may put it on or in. It has no weights, so neither has the result: object class -> sorted place classes.

Three tables below make the result, and nothing else does:

* SOURCES: the classes of the LLM-MCTS paper's homes and the script objects they stand for. Classes of the paper that no script
  object matches (bucket, globe, milkshake, salad, sports ball ...) or that the homes do not draw are left out.
* PLACES: script furniture -> our furniture. What our homes have as part of another piece counts as that: freezer as fridge,
  oven as stove, dish rack as kitchen counter, placemat and table cloth as kitchen table, closet, dresser and filing cabinet as
  cabinet. What they do not have is left out: pantry, mini-fridge, shoe rack, chairs, toilet, sinks, the floor, and everything
  that is carried itself (bags, boxes, folders, plates, pans). A script's `table` is any table: the kitchen table for food,
  drinks, dishes and what cleans them, that or the coffee table for everything else.
* NONSENSE: (objects, script furniture, reason). Placings that no tidy household has; they exist because the lists were
  collected object by object and place by place. Each line is common sense about that pair, written without looking at any
  planner's results.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from pathlib import Path

SOURCES = {
    # food and drink
    "alcohol": "alcohol beer",
    "apple": "food_fruit food_kiwi food_orange",
    "banana": "food_banana",
    "bell_pepper": "food_vegetable food_onion",
    "bread_slice": "food_bread",
    "carrot": "food_carrot",
    "cereal": "food_cereal",
    "chicken": "food_chicken",
    "condiment_bottle": "sauce oil",
    "condiment_shaker": "food_salt",
    "crackers": "crackers",
    "cupcake": "food_cake food_donut",
    "cutlets": "food_steak food_bacon",
    "juice": "juice",
    "lime": "food_lemon",
    "milk": "milk",
    "pancake": "dough",
    "peach": "food_fruit",
    "pear": "food_fruit",
    "pie": "food_dessert",
    "plum": "food_fruit",
    "pound_cake": "food_cake",
    "pudding": "food_dessert",
    "salmon": "food_fish",
    "sundae": "food_ice_cream",
    "wine": "wine",
    # ware
    "coffee_pot": "coffee_pot",
    "cooking_pot": "cookingpot pot",
    "cutlery_fork": "fork",
    "cutlery_knife": "knife",
    "dish_bowl": "bowl",
    "dishwashing_liquid": "dish_soap",
    "frying_pan": "fryingpan",
    "mug": "mug coffee_cup",
    "oven_tray": "tray",
    "plate": "plate",
    "washing_sponge": "sponge",
    "water_glass": "water_glass drinking_glass",
    "wine_glass": "wine_glass",
    # bathroom
    "bar_soap": "soap",
    "face_cream": "facial_cleanser face_soap",
    "hair_product": "conditioner shampoo",
    "lotion_bottle": "nail_polish",
    "toilet_paper": "toilet_paper",
    "toothbrush": "toothbrush",
    "toothpaste": "tooth_paste",
    "towel": "towel",
    # living, work, clothes
    "board_game": "board_game scrabble",
    "book": "book novel",
    "box": "box",
    "candle": "candle",
    "cellphone": "cellphone",
    "clock": "alarm_clock",
    "clothes_pants": "clothes_pants",
    "clothes_shirt": "clothes_shirt",
    "crayons": "crayon",
    "folder": "folder",
    "glasses": "spectacles",
    "hanger": "hanger",
    "keyboard": "keyboard",
    "magazine": "magazine",
    "mouse": "mouse",
    "notes": "notes note_pad",
    "paper": "paper",
    "pillow": "pillow",
    "radio": "radio",
    "remote_control": "remote_control",
    "slippers": "slippers",
    "teddy_bear": "toy",
    "toy": "toy",
}

PLACES = {
    "bathroom_cabinet": "bathroom_cabinet",
    "bathroom_counter": "bathroom_counter",
    "bed": "bed",
    "bookshelf": "bookshelf",
    "cabinet": "cabinet",
    "closet": "cabinet",
    "coffee_table": "coffee_table",
    "couch": "sofa",
    "cupboard": "kitchen_cabinet",
    "desk": "desk",
    "dining_table": "kitchen_table",
    "dishrack": "kitchen_counter",
    "dishwasher": "dishwasher",
    "dresser": "cabinet",
    "filing_cabinet": "cabinet",
    "freezer": "fridge",
    "fridge": "fridge",
    "kitchen_cabinet": "kitchen_cabinet",
    "kitchen_counter": "kitchen_counter",
    "kitchen_table": "kitchen_table",
    "love_seat": "sofa",
    "microwave": "microwave",
    "mousepad": "desk",
    "nightstand": "nightstand",
    "oven": "stove",
    "placemat": "kitchen_table",
    "shelf": "bookshelf",
    "sofa": "sofa",
    "stove": "stove",
    "table": "kitchen_table",
    "table_cloth": "kitchen_table",
    "television": "tv_stand",
    "tv_stand": "tv_stand",
    "tvstand": "tv_stand",
    "wardrobe": "cabinet",
    "washing_machine": "washing_machine",
}

FOOD = (
    "apple banana bell_pepper bread_slice carrot cereal chicken condiment_bottle condiment_shaker crackers cupcake "
    "cutlets lime pancake peach pear pie plum pound_cake pudding salmon sundae"
)
DRINKS = "alcohol juice milk wine"
WARE = "coffee_pot cooking_pot cutlery_fork cutlery_knife dish_bowl frying_pan mug oven_tray plate water_glass wine_glass"
CLEANING = "dishwashing_liquid washing_sponge"
TOILETRIES = "bar_soap face_cream hair_product lotion_bottle toothbrush toothpaste"

NONSENSE = (
    (FOOD + " " + DRINKS + " " + WARE, "couch love_seat sofa bed", "food and dishes are not kept on seats"),
    (
        FOOD + " " + DRINKS + " " + WARE,
        "closet dresser wardrobe filing_cabinet",
        "food and dishes are not kept with clothes or papers",
    ),
    (WARE, "freezer fridge", "empty dishes are not kept cold"),
    ("plate mug dish_bowl", "stove", "crockery does not go on a stove"),
    ("plate cooking_pot", "microwave", "empty dishes are not kept in a microwave, metal never"),
    ("bread_slice cupcake pound_cake pie pudding", "stove", "what is baked does not stay on the stove"),
    ("condiment_bottle condiment_shaker", "stove microwave", "bottles and shakers are not heated"),
    ("milk", "microwave", "a carton is not heated"),
    (CLEANING + " bar_soap", "dishwasher", "dishes are washed there, not soap and sponges"),
    (TOILETRIES, "table", "toiletries are not kept where one eats"),
    ("cutlery_fork", "desk", "cutlery is not kept on desks"),
    ("hanger", "washing_machine", "only what is washed"),
    ("cellphone", "filing_cabinet", "telephones are not filed"),
)


def rejected() -> set[tuple[str, str]]:
    """All (object class, script furniture) pairs of NONSENSE."""
    return {(name, place) for names, places, _ in NONSENSE for name in names.split() for place in places.split()}


def places_of(name: str, destination: str) -> tuple[str, ...]:
    """Our furniture for one of the script's, for a thing of that class."""
    if destination == "table" and name not in f"{FOOD} {DRINKS} {WARE} {CLEANING}".split():
        return PLACES[destination], "coffee_table"
    return (PLACES[destination],) if destination in PLACES else ()


def placings(scripts: dict[str, list[dict[str, str]]]) -> dict[str, list[str]]:
    """Object class -> sorted place classes. Raises KeyError where a script object is missing from the source."""
    nonsense = rejected()
    found = {}
    for name, sources in SOURCES.items():
        destinations = {entry["destination"] for source in sources.split() for entry in scripts[source]}
        found[name] = sorted({place for d in destinations if (name, d) not in nonsense for place in places_of(name, d)})
    return {name: places for name, places in sorted(found.items()) if places}


def main() -> None:
    """Read the source given on the command line, write the result beside this script or to --out."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("source", type=Path, help="VirtualHome's object_script_placing.json, plain or gzipped")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("placings.json"))
    options = parser.parse_args()
    raw = options.source.read_bytes()
    table = placings(json.loads(gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw))
    lines = (f"  {json.dumps(name)}: {json.dumps(places)}" for name, places in table.items())
    options.out.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    sys.stdout.write(f"{len(table)} classes, {sum(map(len, table.values()))} placings -> {options.out}\n")


if __name__ == "__main__":
    main()
