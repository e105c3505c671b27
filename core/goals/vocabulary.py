"""The words of one world: its classes and objects, and the names people use for them."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from core.common.errors import GoalError
from core.common.recorded import ADDED
from core.goals.kinds import KIND_WORDS, KINDS, LIGHT, is_a
from core.goals.word_forms import typo_distance
from core.views.wording import regular_plural
from core.world.vocabulary import BREWS, CONTAINER, HEATS, RINSES, SLICEABLE, SURFACE, Entity, Relation

SYNONYMS = {
    "couch": "sofa", "refrigerator": "fridge", "cupboard": "cabinet", "tv": "television", "telly": "television",
    "oven": "stove", "cup": "mug", "phone": "cellphone", "cell phone": "cellphone", "mobile": "cellphone",
    "remote": "remote_control", "soap": "bar_soap", "fork": "cutlery_fork", "knife": "cutlery_knife", "pan": "frying_pan",
    "pot": "cooking_pot", "bowl": "dish_bowl", "glass": "water_glass", "shirt": "clothes_shirt", "trousers": "clothes_pants",
    "pants": "clothes_pants", "sponge": "washing_sponge", "tap": "faucet", "worktop": "counter_top", "bin": "garbage_can",
    "trash can": "garbage_can", "bedside table": "nightstand", "burner": "stove_burner", "bread": "bread_slice",
    "slice": "bread_slice", "closet": "cabinet", "freezer": "fridge", "settee": "sofa",
    "pc": "computer", "telephone": "cellphone", "spectacles": "glasses", "eyeglasses": "glasses", "specs": "glasses",
    "mobile phone": "cellphone", "smartphone": "cellphone", "tv remote": "remote_control",
    "television remote": "remote_control",
    "tv set": "television", "tv stand": "tv_stand", "cooker": "stove", "hob": "stove", "rubbish bin": "garbage_can",
    "dustbin": "garbage_can", "wastebasket": "garbage_can", "trash": "garbage_can", "rubbish": "garbage_can",
    "waste bin": "garbage_can", "trash bin": "garbage_can", "garbage bin": "garbage_can", "garbage": "garbage_can",
    "basin": "sink", "washbasin": "sink", "kitchen counter": "counter_top", "chest of drawers": "dresser",
    "teddy": "teddy_bear", "stuffed bear": "teddy_bear", "crisps": "chips", "saucepan": "cooking_pot", "skillet": "frying_pan",
    "toilet roll": "toilet_paper", "loo roll": "toilet_paper", "kitchen roll": "paper_towel_roll",
    "paper towel": "paper_towel_roll", "washing up liquid": "dishwashing_liquid", "dish soap": "dishwashing_liquid",
    "computer mouse": "mouse", "tin foil": "aluminum_foil", "aluminium foil": "aluminum_foil", "mince": "mincemeat",
    "minced meat": "mincemeat", "tennis racquet": "tennis_racket", "racket": "tennis_racket", "racquet": "tennis_racket",
    "key": "key_chain", "bank card": "credit_card", "tissue": "tissue_box", "pepper": "bell_pepper", "salt": "salt_shaker",
    "loaf": "bread", "hoover": "vacuum_cleaner", "vacuum": "vacuum_cleaner", "coffee maker": "coffee_machine",
    "coffee machine": "coffe_maker", "carpet": "rug", "bookcase": "bookshelf", "book shelf": "bookshelf",
    "tumbler": "water_glass",
    "tap water": "water", "bath": "bathtub", "tub": "bathtub", "dishcloth": "cloth", "stereo": "radio",
    "laundry hamper": "laundry_basket", "hamper": "laundry_basket", "game": "board_game", "notepad": "notes", "note": "notes",
    "flower": "house_plant", "plant pot": "house_plant", "potted plant": "house_plant", "monitor": "cpuscreen",
    "easy chair": "arm_chair", "recliner": "arm_chair", "cell": "cellphone", "handset": "cellphone", "iphone": "cellphone",
    "cellular phone": "cellphone", "reading glasses": "glasses", "remote controller": "remote_control",
    "clicker": "remote_control", "zapper": "remote_control", "flat screen": "television", "tv screen": "television",
    "icebox": "fridge", "ice box": "fridge", "refridgerator": "fridge", "fridge freezer": "fridge", "range": "stove",
    "stovetop": "stove", "stove top": "stove", "cooktop": "stove", "hotplate": "stove_burner",
    "ring": "stove_burner", "hob ring": "stove_burner", "gas ring": "stove_burner", "benchtop": "counter_top",
    "work surface": "counter_top", "worksurface": "counter_top", "countertop": "counter_top",
    "kitchen worktop": "counter_top", "garbage bag": "trash_bag", "waste basket": "garbage_can", "garbage pail": "garbage_can",
    "wastepaper basket": "garbage_can", "paper bin": "garbage_can", "waste paper basket": "garbage_can",
    "kitchen bin": "garbage_can", "pedal bin": "garbage_can", "trashcan": "garbage_can", "dust bin": "garbage_can",
    "wardrobe": "cabinet", "armoire": "cabinet", "larder": "cabinet", "pantry": "cabinet", "night table": "nightstand",
    "bedside cabinet": "nightstand", "night stand": "nightstand", "bedside locker": "nightstand", "davenport": "sofa",
    "divan": "sofa", "loveseat": "sofa", "love seat": "sofa", "washer": "washing_machine", "clothes washer": "washing_machine",
    "dish washer": "dishwasher", "dishwashing machine": "dishwasher", "shower bath": "shower", "lavatory": "toilet",
    "toilet bowl": "toilet", "wc": "toilet", "commode": "toilet", "toilet tissue": "toilet_paper", "bog roll": "toilet_paper",
    "loo paper": "toilet_paper", "toilet lid": "toilet", "toilet seat": "toilet", "loo seat": "toilet",
    "spigot": "faucet", "water tap": "faucet", "drapes": "curtain", "drape": "curtain", "venetian blinds": "blinds",
    "window blinds": "blinds", "shades": "blinds", "looking glass": "mirror", "cushion": "pillow", "throw pillow": "pillow",
    "rucksack": "backpack", "portable computer": "laptop", "notebook computer": "laptop", "desktop computer": "computer",
    "desktop": "computer", "alarm": "alarm_clock", "wireless": "radio", "hi-fi": "radio", "biro": "pen", "ballpoint": "pen",
    "ballpoint pen": "pen", "wristwatch": "watch", "wrist watch": "watch", "car keys": "key_chain", "house keys": "key_chain",
    "keyring": "key_chain", "key ring": "key_chain", "keychain": "key_chain", "bunch of keys": "key_chain",
    "debit card": "credit_card", "visa card": "credit_card", "tissues": "tissue_box", "kleenex": "tissue_box",
    "box of tissues": "tissue_box", "tinfoil": "aluminum_foil", "kitchen foil": "aluminum_foil", "foil": "aluminum_foil",
    "kitchen paper": "paper_towel_roll", "kitchen towel": "paper_towel_roll", "paper towels": "paper_towel_roll",
    "washing-up liquid": "dishwashing_liquid", "washing_up liquid": "dishwashing_liquid",
    "dishwasher soap": "dishwashing_liquid",
    "dish liquid": "dishwashing_liquid", "salt cellar": "salt_shaker", "salt pot": "salt_shaker",
    "pepper pot": "pepper_shaker", "pepper mill": "pepper_shaker", "capsicum": "bell_pepper", "sweet pepper": "bell_pepper",
    "spud": "potato", "aubergine": "eggplant", "fry pan": "frying_pan", "frypan": "frying_pan", "fryingpan": "frying_pan",
    "casserole": "cooking_pot", "stockpot": "cooking_pot", "stewpot": "cooking_pot", "coffeepot": "coffee_pot",
    "coffee mug": "mug", "tea cup": "mug", "teacup": "mug", "coffee cup": "mug", "beaker": "mug", "tea mug": "mug",
    "dinner plate": "plate", "wineglass": "wine_glass", "wine goblet": "wine_glass", "goblet": "wine_glass",
    "salad bowl": "bowl", "soup bowl": "bowl", "fruit bowl": "bowl", "cereal bowl": "bowl", "dish brush": "scrub_brush",
    "dishrag": "cloth", "dish cloth": "cloth", "dish sponge": "washing_sponge", "scrubber": "washing_sponge",
    "scouring pad": "washing_sponge", "kitchen sponge": "washing_sponge", "bar of soap": "bar_soap",
    "bottle of soap": "soap_bottle", "hand soap": "bar_soap", "liquid soap": "soap_bottle", "tooth brush": "toothbrush",
    "tooth paste": "toothpaste", "moisturiser": "face_cream", "moisturizer": "face_cream", "body lotion": "lotion_bottle",
    "lotion": "lotion_bottle", "hand cream": "lotion_bottle", "body cream": "lotion_bottle", "hair gel": "hair_product",
    "hairspray": "hair_product", "hair spray": "hair_product", "bath towel": "towel", "sneakers": "shoes", "trainers": "shoes",
    "house shoes": "slippers", "bedroom slippers": "slippers", "jumper": "clothes_shirt", "sweater": "clothes_shirt",
    "pullover": "clothes_shirt", "t-shirt": "clothes_shirt", "tshirt": "clothes_shirt", "tee shirt": "clothes_shirt",
    "blouse": "clothes_shirt", "jeans": "clothes_pants", "slacks": "clothes_pants", "coat hanger": "hanger",
    "clothes hanger": "hanger", "coathanger": "hanger", "biscuit": "crackers", "cracker": "crackers", "crisp": "chips",
    "potato chips": "chips", "cornflakes": "cereal", "corn flakes": "cereal", "muesli": "cereal", "breakfast cereal": "cereal",
    "candy": "candy_bar", "chocolate bar": "candy_bar", "bar of chocolate": "candy_bar", "flapjack": "pancake",
    "fairy cake": "cupcake", "muffin": "cupcake", "pound cake": "pound_cake", "booze": "alcohol", "liquor": "alcohol",
    "spirits": "alcohol", "bottle of wine": "wine", "wine": "wine_bottle",
    "water bottle": "bottle", "slice of toast": "bread_slice", "ketchup": "condiment_bottle",
    "sauce bottle": "condiment_bottle", "bottle of sauce": "condiment_bottle", "spice jar": "condiment_shaker",
    "pot plant": "house_plant", "houseplant": "house_plant", "indoor plant": "house_plant", "pushchair": "stroller",
    "photo": "picture", "photograph": "picture", "wall picture": "picture", "heater": "radiator", "heating": "radiator",
    "extractor hood": "hood", "cooker hood": "hood", "range hood": "hood", "extractor": "hood", "extractor fan": "hood",
    "baking tray": "oven_tray", "baking sheet": "oven_tray", "roasting tin": "oven_tray", "magazine rack": "bookshelf",
    "toy car": "toy", "toy truck": "toy", "doll": "toy", "action figure": "toy",
    "bookstand": "bookshelf", "colouring pencils": "crayons", "wax crayons": "crayons", "mat": "rug",
    "bedside lamp": "table_lamp", "standard lamp": "floor_lamp", "standing lamp": "floor_lamp", "floor light": "floor_lamp",
    "reading lamp": "desk_lamp", "desk light": "desk_lamp", "ceiling light": "ceiling_lamp",
    "overhead light": "ceiling_lamp", "main light": "ceiling_lamp", "light fixture": "ceiling_lamp",
    "pendant lamp": "ceiling_lamp",
    "swivel chair": "office_chair", "desk chair": "office_chair", "computer chair": "office_chair", "pouffe": "ottoman",
    "pouf": "ottoman", "footrest": "ottoman", "basketball": "basket_ball", "baseball bat": "baseball_bat",
    "candlestick": "candle", "washing basket": "laundry_basket", "clothes basket": "laundry_basket",
    "linen basket": "laundry_basket", "compact disc": "cd", "sofa table": "coffee_table", "end table": "side_table",
    "occasional table": "side_table", "exercise book": "notes", "memo": "notes", "newspapers": "newspaper",
    "rag": "cloth", "light switch": "light_switch", "lightswitch": "light_switch",
}
"""Common word -> class it may mean; used in both directions, only if the world has no such word itself."""
ROOM_WORDS = {"parlour": "living room", "parlor": "living room", "den": "living room", "living-room": "living room",
              "salon": "living room", "living area": "living room", "tv room": "living room", "bath-room": "bathroom",
              "toilet room": "bathroom", "shower room": "bathroom", "ensuite": "bathroom", "powder room": "bathroom",
              "kitchenette": "kitchen", "kitchen area": "kitchen", "sleeping room": "bedroom", "master bedroom": "bedroom",
              "lounge": "living room", "sitting room": "living room", "front room": "living room", "family room": "living room",
              "livingroom": "living room", "bath room": "bathroom", "bed room": "bedroom", "loo": "bathroom",
              "washroom": "bathroom", "restroom": "bathroom", "study": "home office", "office": "home office"}
"""Common word for a room -> the name it may have here."""
MEASURES = frozenset({"bottle", "carton", "bar", "roll", "box", "packet", "pack", "bunch", "loaf", "tube", "can", "jar", "bag",
                      "head", "stick", "cup", "glass", "mug", "bowl", "plate", "drink", "sip", "bite"})
"""Words before "of" that say how a thing is packed: a carton of milk is milk."""
IRREGULAR = {"knives": "knife", "loaves": "loaf", "shelves": "shelf", "glasses": "glass", "mice": "mouse", "teeth": "tooth",
             "potatoes": "potato", "tomatoes": "tomato"}
SPOKEN = {"glasses": "spectacles"}
"""A class whose name is also the plural of another word -> the name used for it instead."""
WORDS_FOR: dict[str, tuple[str, ...]] = {cls: tuple(word for word, meant in SYNONYMS.items() if meant == cls)
                                         for cls in SYNONYMS.values()}
"""The synonyms of each class."""
GROUPS = {"drinking glass": frozenset({"glass", "drinking_glass", "water_glass", "wine_glass"}),
          "glass": frozenset({"drinking_glass", "water_glass", "wine_glass"}),
          "pepper": frozenset({"bell_pepper", "pepper_shaker"}), "salt": frozenset({"salt_shaker", "food_salt"}),
          "soap": frozenset({"bar_soap", "soap_bar", "soap_bottle"}), "sponge": frozenset({"dish_sponge", "washing_sponge"}),
          "stove": frozenset({"stove_burner"}), "cooker": frozenset({"stove_burner"}), "hob": frozenset({"stove_burner"}),
          **dict.fromkeys(("main light", "big light", "room light", "ceiling light", "overhead light"),
                          frozenset({"ceiling_lamp", "ceilinglamp", "light_switch"})),
          "counter": frozenset({"counter_top"}), "ball": frozenset({"basket_ball"}),
          "flower": frozenset({"house_plant", "orchid", "plant"})}
"""A name for several classes of one kind, used only if the world has no such class itself."""
EVERYDAY = frozenset({*SYNONYMS, *GROUPS,
                      *(word.replace("_", " ") for word in (*SYNONYMS.values(), *KIND_WORDS, *ROOM_WORDS)),
                      *(cls.replace("_", " ") for classes in KINDS.values() for cls in classes)})
"""Names of objects and rooms of any household."""
Fits = Callable[[str], bool]
"""Returns True if a class is suitable for its role in a sentence."""
MOST_NAMED = 6
"""The maximum number of choices in one message."""
LIKE = 0.75
"""The least similarity of a name that is offered for an unknown one: keys are no keyboards."""
LEAST_TYPO, LONG = 4, 6
"""Number of letters from which a word may lack a letter, and from which it may have a wrong one or two faults."""


def anything(cls: str) -> bool:
    """Returns True: every class is suitable."""
    del cls
    return True


@dataclass(frozen=True, slots=True)
class Word:
    """One class of the world. Its number of instances is not included, because a planner may not know it.

    Attributes:
        cls: the class.
        name: its name in words.
        holds_inside: whether objects can be put inside.
        holds_on: whether objects can be put on it.
        runs: whether something flows out of it onto objects below (a tap, a coffee machine).
    """

    cls: str
    name: str
    holds_inside: bool
    holds_on: bool
    runs: bool = field(default=False, metadata=ADDED)


class Lexicon:
    """Finds classes and ids in text.

    Attributes:
        ids: id with spaces -> id.
        words: class name with spaces -> class.
        rooms: class name or id of a room with spaces -> class or id.
        room_classes: classes of rooms.
        movable: classes of objects that can be carried.
        appliances: classes that cook, wash or fill what is put into them or under them.
        sliceable: classes that can be sliced.
        kinds_here: kinds of which at least one class exists here.
        entities: id -> entity.
        holder: id of an entity -> id of what it is in or on, as far as that is given.
    """

    def __init__(self, entities: Iterable[Entity], relations: Iterable[Relation] = ()):
        self.ids: dict[str, str] = {}
        self.words: dict[str, Word] = {}
        self.rooms: dict[str, str] = {}
        known = tuple(entities)
        self.entities = {e.id: e for e in known}
        self.holder = {r.subject: r.object for r in relations if r.kind != "controls"}
        for e in known:
            if e.category == "room":
                self.rooms[e.id.replace("_", " ").lower()] = e.id
        for e in known:
            if e.category == "room":
                self.rooms[e.name.lower()] = e.cls
            else:
                self.ids[e.id.replace("_", " ").lower()] = e.id
                old = self.words.get(e.name.lower())
                inside, on = CONTAINER in e.properties, SURFACE in e.properties
                self.words[e.name.lower()] = Word(e.cls, e.name, inside or bool(old and old.holds_inside),
                                                  on or bool(old and old.holds_on), bool({BREWS, RINSES} & e.properties))
        self.room_classes = frozenset(e.cls for e in known if e.category == "room")
        self.movable = frozenset(e.cls for e in known if e.category == "object")
        room_cls = {e.id: e.cls for e in known if e.category == "room"}
        self._in_rooms = {(e.cls, room) for e in known if e.room is not None
                          for room in (e.room, room_cls.get(e.room, e.room))}
        self.rooms.update({word: self.rooms[name] for word, name in ROOM_WORDS.items()
                           if name in self.rooms and word not in self.words and word not in self.rooms})
        self._classes = {w.cls: w for w in self.words.values()}
        self.appliances = frozenset(e.cls for e in known if e.properties & {BREWS, RINSES, HEATS})
        self.sliceable = frozenset(e.cls for e in known if SLICEABLE in e.properties)
        self.kinds_here = frozenset(kind for kind, classes in KINDS.items() if classes & self._classes.keys())
        self._names = _any_of(frozenset(name for name in (*self.words, *self.rooms, *EVERYDAY) if " " in name))
        self._joined = {name.replace(" ", ""): word.cls for name, word in self.words.items()}

    def join_names(self, text: str) -> str:
        """Returns the text with underscores between the words of each known name, longest names first."""
        return self._names.sub(lambda found: found.group().replace(" ", "_"), text)

    def word(self, cls_or_id: str) -> Word:
        """Returns the entry of a class, or of the class of an id."""
        if cls_or_id in self._classes:
            return self._classes[cls_or_id]
        return self._classes[re.sub(r"_[^_]+$", "", cls_or_id)]

    def holds_things(self, cls: str) -> bool:
        """Returns True if objects can be put in or on entities of a class."""
        word = self._classes[cls]
        return word.holds_inside or word.holds_on

    def is_in(self, cls: str, room: str) -> bool:
        """Returns True if an entity of a class is in a room (class or id)."""
        return (cls, room) in self._in_rooms

    def plural(self, noun: str, also: Iterable[str] = ()) -> bool:
        """Returns True if a noun is unknown but one of its singulars is known here or is in `also`."""
        known = {*also, *self.words, *self.ids, *SYNONYMS, *GROUPS, *(name.split()[-1] for name in self.words),
                 *(name.replace(" ", "") for name in self.words)}
        return noun not in known and any(form in known for form in singulars(noun))

    # --- one class ------------------------------------------------------------------
    def find(self, noun: str, fits: Fits = anything) -> str:
        """Returns the class or id a noun phrase refers to: "kitchen tables" -> `kitchen_table`, "fridge 2" -> `fridge_2`.

        Args:
            noun: without article and number.
            fits: if several classes match, those suitable for the role in the sentence.

        Raises:
            GoalError: nothing here has that name, or several classes match.
        """
        noun = _plain(noun)
        for form in (noun, *singulars(noun)):
            exact = self._exact(form)
            if exact is not None:
                return exact
        return self._guess(noun, fits)

    def _exact(self, form: str) -> str | None:
        if form in self.words:
            return self.words[form].cls
        if form in self.ids:
            return self.ids[form]
        name, _, number = form.rpartition(" ")
        numbered = f"{self._joined.get(name.replace(' ', ''), '')}_{number}" if number.isdecimal() else ""  # desklamp 1
        return numbered if numbered in self.entities else self._joined.get(form.replace(" ", ""))

    def _guess(self, noun: str, fits: Fits) -> str:
        found = {cls for form in (noun, *singulars(noun)) for cls in (*self._synonyms(form), *self.headed(form))}
        fitting = sorted(filter(fits, found)) or sorted(found)
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            names = [self._classes[cls].name.lower() for cls in fitting]
            raise _ambiguous(noun, [plural_of(name) for name in names] if self.plural(noun) else names)
        raise self._unknown(noun)

    def _synonyms(self, form: str, depth: int = 2) -> set[str]:
        """Returns the classes of this world that the word is a synonym for: a tea cup is a mug, and that may be a cup."""
        cls = SYNONYMS.get(form, "")
        group = GROUPS.get(form, frozenset()) & self._classes.keys()
        if cls in self._classes:
            return {cls} | group
        said = (*WORDS_FOR.get(form.replace(" ", "_"), ()), *WORDS_FOR.get(cls, ()))
        found = {self.words[word].cls for word in said if word in self.words} | group
        if found or not cls or not depth:
            return found
        again = cls.replace("_", " ")
        last = re.sub(r".* ", "", again)
        return self._synonyms(again, depth - 1) or {self.words[w].cls for w in (last,) if w in self.words}

    def headed(self, form: str) -> set[str]:
        """Returns the classes whose name ends in a noun: kitchen cabinet and bathroom cabinet for "cabinet"."""
        return {word.cls for name, word in self.words.items() if name == form or name.endswith(f" {form}")}

    def _unknown(self, noun: str) -> GoalError:
        if noun in self.rooms or noun.removeprefix("the ") in self.rooms:
            return GoalError(f"the {noun.removeprefix('the ')} is a room: name a piece of furniture in it", noun)
        return GoalError(f"there is no “{noun}” in this scene", noun, self._close_to(noun))

    def _close_to(self, noun: str) -> list[str]:
        """Returns names with similar spelling, then names that the noun ends with."""
        several = noun.endswith("s") and not noun.endswith("ss")
        names = {plural_of(name) if several else name for name in self.words}
        ends = [" ".join(noun.split()[k:]) for k in range(1, len(noun.split()))]
        parts = [end for end in (*ends, noun.split(" of ")[0]) if end != noun and (end in names or self.headed(end))]
        return list(dict.fromkeys([*difflib.get_close_matches(noun, names, n=2, cutoff=LIKE), *parts]))

    # --- all classes ----------------------------------------------------------------
    def kinds(self, noun: str, fits: Fits = anything) -> tuple[str, ...]:
        """Returns all classes, or the id, that "every noun" covers: kitchen cabinets and bathroom cabinets are cabinets, too.

        Args:
            noun: without article and number.
            fits: classes suitable for the role in the sentence; if none is, all are returned.

        Raises:
            GoalError: nothing here has that name.
        """
        noun = _plain(noun)
        forms = (noun, *singulars(noun))
        exact = [cls for form in forms if (cls := self._exact(form)) is not None]
        if exact and exact[0] not in self._classes:
            return (exact[0],)
        found = {*exact, *(cls for form in forms for cls in self.headed(form))} & self._classes.keys()
        if not found:
            found = {cls for form in forms for meant in self._synonyms(form)
                     for cls in (meant, *self.headed(self._classes[meant].name.lower()))}
        if not found and (contents := _measured(noun)):
            return self.kinds(contents, fits)  # all bottles of wine
        if not found:
            raise self._unknown(noun)
        return tuple(sorted(filter(fits, found)) or sorted(found))

    # --- several meanings -------------------------------------------------------------
    def senses(self, noun: str, fits: Fits = anything) -> tuple[str, ...]:
        """Returns what a noun may mean here: classes, an id or a kind. The first is its own name, if it has one.

        Args:
            noun: without article and number.
            fits: classes suitable for the role in the sentence; they are preferred.

        Raises:
            GoalError: nothing here has that name.
        """
        noun = _plain(noun)
        found = self._senses(noun, fits)
        if not found:
            raise self._unknown(_measured(noun) or noun)
        return found

    def _senses(self, noun: str, fits: Fits) -> tuple[str, ...]:
        """Returns what `senses` does; nothing if nothing here has that name."""
        forms = (noun, *singulars(noun))
        exact = next((name for form in forms if (name := self._exact(form)) is not None), None)
        if exact is not None and exact not in self._classes:
            return (exact,)
        kind = next((KIND_WORDS[form.replace(" ", "_")] for form in forms if form.replace(" ", "_") in KIND_WORDS), "")
        if exact is None and kind in self.kinds_here:
            return (kind,)
        others = forms[1:] if exact is not None and exact == self._exact(noun) else forms  # a mug here is no other cup
        found = {cls for form in forms for cls in self.headed(form)} | {cls for form in others for cls in self._synonyms(form)}
        if exact is None:  # a cupboard is a cabinet, and therefore may be a kitchen cabinet
            found |= {cls for meant in found for cls in self.headed(self._classes[meant].name.lower())}
        if exact is None and not found:
            found = {cls for form in forms for cls in (*self._compound(form), *self._ending(form))}
        rest = sorted(filter(fits, found - {exact}))
        if exact is not None and (fits(exact) or not rest):
            return (exact, *rest)
        if rest or found:
            return tuple(rest or sorted(found))
        part = re.fullmatch(r"(.+) (?:doors?|lid)", noun)
        if part and self.is_here(part[1]):
            return self._senses(part[1], fits)
        if contents := _measured(noun):
            compound = self._exact(f"{contents} {noun.split()[0]}")
            named_so = compound is not None and fits(compound) and not self.is_here(contents)
            return (compound,) if compound is not None and named_so else self._senses(contents, fits)
        return ()

    def _compound(self, form: str) -> set[str]:
        """Returns the classes of a compound whose last word is a synonym: "kitchen cupboard" is a kitchen cabinet."""
        first, _, last = form.rpartition(" ")
        others = {SYNONYMS[last]} if last in SYNONYMS else set()
        others |= {*WORDS_FOR.get(last, ()), *WORDS_FOR.get(SYNONYMS.get(last, ""), ())}
        exact = (self._exact(f"{first} {other.replace('_', ' ')}") for other in others if first)
        return {cls for cls in exact if cls is not None and cls in self._classes}

    def _ending(self, form: str) -> set[str]:
        """Returns the classes whose last word ends with a noun: a bookshelf is a shelf."""
        return {w.cls for name, w in self.words.items() if len(form) >= LEAST_TYPO and name.endswith(form) and name != form}

    def corrected(self, noun: str) -> tuple[str, ...]:
        """Returns the names here that differ from a noun by a typo; only the nearest ones."""
        noun = _plain(noun)
        single = {*self.words, *SYNONYMS, *GROUPS, LIGHT, *(name.split()[-1] for name in self.words),
                  *(word.replace("_", " ") for word in KIND_WORDS)}
        spelled = {*((form, form, name) for name in single for form in (name, plural_of(name))),
                   *((name.replace(" ", ""), name, name) for name in self.words)}
        lit = any(is_a(one, LIGHT) for one in self.entities.values())
        found = {(number, form) for written, form, name in spelled
                 if (number := faults(noun, written)) and (self.is_here(name) or (lit and name == LIGHT))}
        least = min((number for number, _ in found), default=0)
        return tuple(sorted(form for number, form in found if number == least))

    def is_here(self, name: str) -> bool:
        """Returns True if something here may be meant by a noun."""
        return bool(self._senses(_plain(name), anything))

    def mentions(self, text: str) -> bool:
        """Returns True if a word of a text is the name of an object, a kind or a room, here or in another household.

        Args:
            text: the words; those of one name are joined by underscores.
        """
        said = (word.replace("_", " ") for word in re.findall(r"[a-z][a-z_-]+", text))
        forms = (form for word in said for form in (word, *singulars(word)))
        return any(form in self.ids or form in self.rooms or form in EVERYDAY or self.headed(form) or self._exact(form)
                   for form in forms)

    def ids_of(self, name: str, room: str | None = None, holder: str | None = None) -> tuple[str, ...]:
        """Returns the ids of a class or kind, of those in a room, and of those in or on a holder (each class or id)."""
        rooms = {e.id for e in self.entities.values() if e.category == "room" and room in (e.id, e.cls)}
        found = (e for e in self.entities.values() if e.category != "room" and is_a(e, name))
        found = (e for e in found if room is None or e.room in rooms)
        return tuple(e.id for e in found if holder is None or self._is_held(e.id, holder))

    def _is_held(self, name: str, holder: str) -> bool:
        at = self.entities.get(self.holder.get(name, ""))
        return at is not None and is_a(at, holder)

    def shortened(self, ids: Iterable[str]) -> str:
        """Returns ids joined by "|"; those that are all there are of their class become the class."""
        wanted = set(ids)
        names = []
        for name in sorted(wanted):
            cls = self.entities[name].cls
            names.append(cls if wanted >= set(self.ids_of(cls)) else name)
        return "|".join(dict.fromkeys(names))

    def classes_of(self, name: str) -> frozenset[str]:
        """Returns the classes here of a class, id or kind, or of several of them."""
        return frozenset(self.entities[one].cls for one in self.ids_of(name))


STATES = ("closed", "open")
"""Words that are near a name, such as that of a closet, but are never meant as one."""


def faults(word: str, name: str) -> int:
    """Returns the number of typing faults that turn a name into a word; 0 if it is another word, or the same.

    Short words must have their letters in another order, one too many or one too few: a plane is no plate.
    """
    longer, shorter = max(len(word), len(name)), min(len(word), len(name))
    if word[:1] != name[:1] or longer < LEAST_TYPO or word in STATES or any(c.isdigit() for c in word):
        return 0
    distance = typo_distance(word, name, 2)
    if len(word) == len(name) and longer < LONG and set(word) != set(name):
        return 0
    return distance if distance <= (1 if shorter <= LONG else 2) else 0  # pills are no pillows


def _measured(noun: str) -> str:
    """Returns what a measure is full of: "wine" of "bottle of the wine"; otherwise an empty text."""
    found = re.fullmatch(r"(\w+) of (?:the )?(.+)", noun)
    return found[2] if found and MEASURES & {found[1], *singulars(found[1])} else ""


def _plain(noun: str) -> str:
    return " ".join(noun.lower().replace("_", " ").split())


def _ambiguous(noun: str, choices: Sequence[str]) -> GoalError:
    named = [*choices[:MOST_NAMED], *(["others"] if len(choices) > MOST_NAMED else [])]
    listed = f"{', '.join(named[:-1])} or {named[-1]}"
    return GoalError(f"“{noun}” may mean {listed}: write one of them", noun, choices)


@lru_cache(64)
def _any_of(names: frozenset[str]) -> re.Pattern[str]:
    """Returns what finds any of the names or their plurals, the longest first."""
    forms = sorted({*names, *map(plural_of, names)}, key=lambda form: (-len(form), form))
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, forms))})(?!\w)")


@lru_cache(4096)
def plural_of(noun: str) -> str:
    """Returns the plural of a name; a name that is already one (boots) is unchanged."""
    head, _, last = noun.rpartition(" ")
    for plural, single in IRREGULAR.items():
        if last.endswith(single):
            return f"{head} {last[: -len(single)]}{plural}".strip()
    if last.endswith("s") and not last.endswith(("ss", "us")):
        return noun
    return regular_plural(noun)


def singulars(noun: str) -> list[str]:
    """Returns possible singulars of a noun, likeliest first."""
    head, _, last = noun.rpartition(" ")
    forms = [last[: -len(plural)] + single for plural, single in IRREGULAR.items() if last.endswith(plural)]
    if last.endswith("ies"):
        forms.append(last[:-3] + "y")
    if last.endswith("es"):
        forms.append(last[:-2])
    if last.endswith("s") and not last.endswith("ss"):
        forms.insert(1 if forms and last.endswith("ies") else len(forms), last[:-1])
    return [f"{head} {form}".strip() for form in forms]
