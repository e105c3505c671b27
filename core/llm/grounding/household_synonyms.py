"""Synonyms of household objects and actions: equal names, related objects, verbs.

Used only for a model's own words. Goals, which people type, are parsed with the stricter `core.goals.vocabulary`, whose
synonyms apply here as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from core.goals.vocabulary import SYNONYMS

SAME: tuple[tuple[str, ...], ...] = (
    ("fridge", "refrigerator", "icebox", "cooler"),
    ("sofa", "couch", "settee", "loveseat"),
    ("arm chair", "easy chair", "recliner", "lounge chair"),
    ("television", "tv", "telly", "tv set", "television set", "tv screen"),
    ("tv stand", "television stand", "tv unit", "tv cabinet", "tv table", "television table", "television cabinet",
     "media console", "tv console", "entertainment center", "entertainment unit"),
    ("nightstand", "night stand", "night table", "bedside table", "bedside cabinet", "bed table", "bedside stand"),
    ("garbage can", "trash can", "trashcan", "trash bin", "bin", "dustbin", "rubbish bin", "garbage bin", "waste bin",
     "waste basket", "wastebasket", "trash", "garbage", "wastepaper basket", "recycling bin", "rubbish"),
    ("cabinet", "cupboard"),
    ("cabinet", "wardrobe", "closet", "armoire"),
    ("bathroom cabinet", "medicine cabinet", "medicine chest", "vanity cabinet", "bathroom vanity", "mirror cabinet"),
    ("dresser", "chest of drawers", "drawer chest", "chest"),
    ("bookshelf", "bookcase", "book case", "book shelf", "bookrack"),
    ("shelf", "shelving unit", "rack shelf", "shelving"),
    ("counter top", "counter", "kitchen counter", "worktop", "work surface", "work top", "kitchen top"),
    ("kitchen table", "dining table", "dinner table", "dining room table", "breakfast table", "eating table"),
    ("coffee table", "low table", "cocktail table"),
    ("side table", "end table", "small table", "occasional table"),
    ("desk", "writing desk", "writing table", "work desk", "study desk", "computer desk"),
    ("sink", "basin", "washbasin", "wash basin", "sink basin", "washbowl"),
    ("bathtub", "tub", "bath tub"),
    ("faucet", "tap", "water tap", "sink faucet"),
    ("stove burner", "burner", "hob", "stovetop", "stove top", "cooktop", "cooker", "hot plate", "stove"),
    ("stove", "oven", "cooker", "range", "stovetop"),
    ("microwave", "microwave oven"),
    ("toaster", "bread toaster"),
    ("coffee machine", "coffee maker", "coffe maker", "espresso machine", "coffee brewer", "percolator"),
    ("dishwasher", "dish washer", "dish washing machine"),
    ("washing machine", "washer", "laundry machine", "clothes washer"),
    ("toilet", "toilet bowl", "toilet tank", "lavatory", "toilet seat", "commode"),
    ("toilet paper hanger", "toilet paper holder", "toilet roll holder", "toilet paper roll holder", "paper holder"),
    ("towel holder", "towel rack", "towel rail", "towel bar", "towel hanger", "towel hook"),
    ("hand towel holder", "hand towel rack", "hand towel rail", "hand towel bar"),
    ("mat", "rug", "carpet", "floor mat", "bath mat"),
    ("mouse pad", "mouse mat"),
    ("filing cabinet", "file cabinet", "filing drawer"),
    ("bed", "mattress"),
    ("home office", "office", "study", "study room", "workroom"),
    ("living room", "lounge", "sitting room", "family room", "front room"),
    ("bathroom", "bath room", "restroom", "washroom", "toilet room", "bath"),
    ("bedroom", "bed room", "sleeping room"),
    ("dining room", "dining area", "dinner room"),
    ("kitchen", "kitchenette", "kitchen area"),
    ("computer", "pc", "personal computer", "desktop computer"),
    ("laptop", "notebook computer", "laptop computer"),
    ("cell phone", "phone", "mobile", "mobile phone", "telephone", "smartphone"),
    ("remote control", "remote", "tv remote", "clicker", "remote controller"),
    ("keys", "key chain", "keychain", "car keys", "key ring"),
    ("newspaper", "paper", "daily paper"),
    ("mug", "cup", "coffee cup", "coffee mug", "tea cup", "teacup"),
    ("water glass", "drinking glass", "glass", "tumbler", "glass cup"),
    ("wine glass", "wineglass", "goblet"),
    ("cutlery fork", "fork"),
    ("cutlery knife", "knife", "table knife"),
    ("butter knife", "table knife"),
    ("cutlery spoon", "spoon"),
    ("frying pan", "pan", "skillet", "fry pan", "fryingpan"),
    ("cooking pot", "pot", "saucepan", "stockpot"),
    ("dish bowl", "bowl"),
    ("plate", "dish"),
    ("washing sponge", "sponge", "dish sponge", "scrub sponge", "scouring sponge"),
    ("bar soap", "soap bar", "soap", "bar of soap"),
    ("soap bottle", "bottle of soap", "hand soap", "liquid soap", "soap dispenser"),
    ("dishwashing liquid", "dish soap", "washing up liquid", "dish detergent", "dish liquid"),
    ("salt shaker", "salt", "salt cellar"),
    ("pepper shaker", "pepper", "pepper mill"),
    ("spray bottle", "spray"),
    ("toilet paper", "toilet roll", "toilet tissue", "loo roll"),
    ("tissue box", "tissues", "box of tissues"),
    ("towel", "bath towel"),
    ("pillow", "cushion", "throw pillow"),
    ("food cereal", "cereal", "cereal box", "box of cereal"),
    ("bread", "loaf", "loaf of bread", "bread loaf"),
    ("bread slice", "slice of bread", "bread"),
    ("house plant", "plant", "potted plant", "houseplant"),
    ("floor lamp", "standing lamp", "lamp", "light"),
    ("desk lamp", "table lamp", "lamp", "light"),
    ("light", "lamp", "light switch"),
    ("clothes shirt", "shirt", "t shirt", "tshirt"),
    ("clothes pants", "pants", "trousers"),
    ("glasses", "spectacles", "eyeglasses"),
    ("bell pepper", "paprika", "sweet pepper"),
    ("cleaning solution", "cleaner", "cleaning agent", "cleaning product"),
    ("inside", "in", "into", "within"),
    ("on", "onto", "upon", "on top of"),
    ("grab", "pick up", "take", "pick", "fetch", "get", "grasp", "pickup"),
    ("walk", "walk to", "go to", "goto", "go", "move to", "navigate", "navigate to"),
    ("switch on", "turn on", "activate", "power on"),
    ("switch off", "turn off", "deactivate", "power off"),
    ("close", "shut"), ("slice", "cut", "chop"), ("wash", "clean", "rinse"), ("put", "place"),
)
"""Names of the same object. If a world has several of a group, each is called by its own name."""
RELATED: tuple[tuple[str, ...], ...] = (
    ("fridge", "freezer"), ("stove", "stove burner", "oven"), ("dresser", "drawer", "closet", "wardrobe"),
    ("bathtub", "bath", "shower"), ("bookshelf", "shelf"), ("side table", "nightstand"), ("desk", "table"),
    ("stove knob", "burner", "stove", "hob", "stove burner"), ("sink", "vanity"), ("table", "coffee table", "kitchen table"),
    ("faucet", "water"), ("bench", "chair"), ("towel holder", "hand towel holder"),
)
"""Related objects, used only if the object itself is not among the candidates."""
ELSEWHERE = frozenset((
    "garage", "basement", "cellar", "attic", "balcony", "garden", "hallway", "corridor", "hall", "outside", "floor", "ceiling",
    "wall", "window", "door", "porch", "car", "pantry", "laundry", "yard", "roof", "street", "shop", "store", "supermarket",
    "terrace", "stairs", "patio", "hand", "pocket", "bag", "room", "house", "home", "apartment", "anywhere", "somewhere",
    "everywhere", "nowhere", "backpack", "fireplace",
))
"""Places that are never a choice; they are not resolved to similar words or meanings."""
MISSPELT = frozenset(("coffe",))
"""Words that are misspelt in the names of real worlds; in a reply they may be misspellings as well."""
ROOMS = (("kitchen", "dining room"), ("dining room", "kitchen", "living room"), ("living room", "dining room"), ("bedroom",),
         ("bathroom",), ("home office", "bedroom"), ("garage",), ("laundry room", "bathroom"), ("office", "home office"))
"""Rooms of any household, each followed by rooms it may refer to if it does not exist."""
PARTS = frozenset(("shelf", "drawer", "door", "top", "bottom", "side", "edge", "corner", "rack", "compartment", "surface",
                   "back", "middle", "burner", "seat", "bowl"))
"""Parts of furniture: a shelf of the fridge is the fridge."""
VERBS: Mapping[str, tuple[str, ...]] = MappingProxyType({
    "go": ("walk", "go", "move", "head", "navigate", "approach", "enter", "proceed", "travel", "step", "goto", "walkto",
           "moveto", "walktowards", "visit", "advance", "wander", "march", "get over", "stroll"),
    "grab": ("grab", "pick", "take", "fetch", "get", "grasp", "retrieve", "collect", "lift", "obtain", "acquire", "seize",
             "pickup", "hold", "remove", "gather"),
    "open": ("open", "unlatch"),
    "close": ("close", "shut"),
    "put": ("put", "place", "set", "lay", "insert", "drop", "leave", "store", "stow", "deposit", "throw", "toss", "return",
            "bring", "rest", "position", "putin", "puton", "placein", "placeon", "putback", "load", "stash", "carry", "dump",
            "transfer"),
    "switch on": ("activate", "start", "boot", "run", "switchon", "turnon", "ignite", "brew"),
    "switch off": ("deactivate", "stop", "switchoff", "turnoff", "extinguish"),
    "slice": ("slice", "cut", "chop", "dice", "carve"),
    "wash": ("wash", "clean", "rinse", "scrub"),
})
"""Kind of action -> its verbs."""
SWITCHES = frozenset(("turn", "switch", "power", "flip"))
"""Verbs whose kind depends on "on" or "off", which may follow the object."""
MOVERS = frozenset(("move", "return", "get", "take", "bring", "come", "carry", "run", "step"))
"""Verbs that mean walking if "to" follows immediately, else taking or putting."""
SEARCHES = frozenset(("search", "check", "inspect", "examine", "look", "peek"))
"""Verbs of searching a closed object, which mean opening it if nothing else is said."""
PAST = MappingProxyType({"took": "take", "taken": "take", "went": "go", "gone": "go", "got": "get", "held": "hold",
                         "threw": "throw", "brought": "bring", "laid": "lay", "left": "leave", "ran": "run"})
COMMON = frozenset((
    "about", "above", "after", "again", "along", "also", "always", "another", "answer", "answers", "apple", "around",
    "assistant", "away", "back", "beach", "because", "been", "before", "being", "below", "beside", "best", "between",
    "book", "both", "bread", "bring", "cable", "call", "choice", "choose", "clean", "closed", "cold", "could", "dance",
    "dirty", "does", "done", "down", "during", "each", "either", "else", "every", "find", "first", "food", "format",
    "fresh", "from", "give", "given", "goal", "good", "have", "here", "into", "item", "just", "keep", "kept", "know",
    "large", "last", "later", "left", "like", "likely", "located", "look", "made", "main", "make", "many", "milk", "model",
    "more", "most", "much", "must", "name", "near", "need", "needs", "next", "not", "note", "object", "often", "once",
    "only", "onto", "open", "other", "over", "phone", "place", "places", "plate", "position", "positions", "possible",
    "probably", "question", "really", "right", "robot", "same", "search", "second", "should", "side", "since", "sing",
    "small", "some", "song", "still", "such", "sure", "task", "tea", "than", "that", "their", "them", "then", "there",
    "these", "they", "thing", "things", "think", "third", "this", "those", "time", "toothbrush", "toward", "towards",
    "towel", "under", "until", "upon", "user", "usually", "very", "wait", "want", "warm", "water", "well", "were", "what",
    "when", "where", "which", "while", "will", "with", "would", "your",
))
"""Common words that are no misspelt names."""


def _ways() -> Mapping[str, tuple[str, ...]]:
    ways: dict[str, dict[str, None]] = {}
    pairs = [(a, b) for group in SAME for a in group for b in group if a != b]
    pairs += [(cls.replace("_", " "), said) for said, cls in SYNONYMS.items()]
    for name, said in pairs:
        ways.setdefault(name, {})[said] = None
    return MappingProxyType({name: tuple(said) for name, said in ways.items()})


WAYS_TO_SAY = _ways()
"""Name -> its other names."""
