"""Noun phrases of a task: which objects, how many, in which state, in which room, and their position in the text."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from core.common.errors import GoalError
from core.goals.kinds import LIGHT, THING
from core.goals.vocabulary import SPOKEN, Fits, Lexicon, anything, plural_of, singulars


def span_of(text: str, words: str) -> tuple[int, int]:
    """Returns (start, end) of the words in the typed task; if they are not adjacent, of the last ones; else (0, 0)."""
    tokens = re.findall(r"[^\W_]+", words.lower())
    while tokens:
        pattern = r"[\W_]+".join(map(re.escape, tokens))
        found = re.search(rf"(?<![^\W_]){pattern}(?![^\W_])", text, re.IGNORECASE)
        if found is not None:
            return found.span()
        tokens = tokens[1:]
    return 0, 0


NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "both": 2, "three": 3, "four": 4, "five": 5, "six": 6,
    "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
}
MOST = 50
DEFINITE = frozenset({"the", "my", "your", "its", "their", "these", "those", "this", "that"})
EVERY = frozenset({"all", "every", "each"})
PASSED_OVER = (("a", "couple", "of"), ("a", "pair", "of"), ("pair", "of"), ("pairs", "of"),
               ("of",), ("piece",), ("pieces",), ("different",),
               ("single",), ("slice", "of"), ("slices", "of"), ("some",), ("me",), ("us",))
"""Words that do not affect which objects are meant. A couple means two; a pair means two, except for names in the plural."""
PAIR = frozenset({"pair", "pairs"})
STATE_WORDS = {
    "sliced": "sliced", "cut": "sliced", "cooked": "cooked", "boiled": "cooked", "fried": "cooked", "heated": "cooked",
    "toasted": "cooked", "baked": "cooked", "hot": "cooked", "warm": "cooked", "clean": "clean", "washed": "clean",
    "filled": "filled", "full": "filled",
}
KINDS = {"thing": THING, "object": THING, "item": THING, "everything": THING, "light": LIGHT, "lamp": LIGHT}
"""Nouns that are no class; used only if the world has no such class itself."""
DISHES = {"toast": (("bread slice", "bread", "food bread"), "cooked"), "coffee": (("mug", "cup"), "filled")}
"""Result -> (names of the object, the state it gets)."""


@dataclass(frozen=True, slots=True)
class Item:
    """One noun phrase.

    Attributes:
        what: class, id or kind.
        count: the number of objects.
        states: the states they must have.
        every: True if all existing ones are meant.
        plural: True if several are meant without a number.
        room: class or id of the room they are in.
        words: the phrase as written.
    """

    what: str
    count: int
    states: frozenset[str]
    every: bool
    plural: bool
    room: str | None
    words: str

    def counted(self) -> Item:
        """Returns the item itself.

        Raises:
            GoalError: the phrase does not say how many are meant.
        """
        if self.plural and not self.every:
            raise GoalError(f"“{self.words}”: say how many, or all of them", self.words,
                            (f"all {self.words}", f"two {self.words}"))
        return self


@dataclass(frozen=True, slots=True)
class Part:
    """The role of a verb's noun phrases.

    Attributes:
        fits: returns True for classes suitable for the role.
        plural_is_every: "open cabinets" refers to all cabinets; with other verbs a bare plural needs a number.
        makes: "make coffee" refers to a filled mug, even if there is ground coffee.
    """

    fits: Fits = anything
    plural_is_every: bool = False
    makes: bool = False


ANY_PART = Part()


def items(words: str, lexicon: Lexicon, part: Part = ANY_PART) -> list[Item]:
    """Parses `item ((and | ,) item)*`.

    "All cabinets" gives one item for each class: cabinet, kitchen cabinet, bathroom cabinet.

    Raises:
        GoalError: an object is missing or not in this world.
    """
    parts = [p for p in re.split(r",\s*and\s+|\s+and\s+|,\s*", words.strip(" ,")) if p.strip()]
    if not parts:
        raise GoalError("a thing is missing in the task: say what to move, and to which place", words)
    return [one for p in parts for one in _item(p, lexicon, part)]


def _item(words: str, lexicon: Lexicon, part: Part) -> list[Item]:
    """Parses `[count | all] [state]* noun [in room]`.

    Raises:
        GoalError: it names no object of this world, or an invalid number.
    """
    text, room = _room_of(words.strip(" ,."), lexicon)
    phrase = _Phrase(text.split())
    count = phrase.count
    if not phrase.left or not 1 <= (count or 1) <= MOST:
        raise GoalError(f"“{words}” names no thing, or an odd number of things", words)
    noun = " ".join(phrase.left).replace("_", " ")
    if phrase.pairs and not _named_in_plural(noun, lexicon):
        count = 2 * (count or 1)
    plural = count is None and (noun == "everything" or lexicon.plural(noun, (*KINDS, *DISHES)))
    every = phrase.every or noun == "everything" or (phrase.definite and (plural or _kind(noun, lexicon) == LIGHT)) \
        or (part.plural_is_every and count is None and (plural or _named_in_plural(noun, lexicon)))
    if every and room is not None:
        part = replace(part, fits=lambda cls: lexicon.is_in(cls, room))
    if count != 1:
        lexicon.refuse_homonym(noun, part.fits)
    found, made = _classes(noun, lexicon, part, every=every)
    return [Item(what, count or 1, frozenset(phrase.states | made), every, plural, room, words) for what in found]


def place(words: str, lexicon: Lexicon) -> str:
    """Returns the class or id of a place. Any instance will do, so numbers and states are rejected.

    Raises:
        GoalError: the place is not in this world, or the phrase says more than a goal can express.
    """
    text, room = _room_of(words.strip(" ,."), lexicon)
    phrase = _Phrase(text.split())
    noun = " ".join(phrase.left).replace("_", " ")
    if not noun:
        raise GoalError(f"“{words}” names no place", words)
    if phrase.states or room or phrase.count not in (None, 1) or phrase.every:
        raise GoalError(f"“{words}”: name one place by its class or number; "
                        "how it has to be, say in a clause of its own", words, (f"the {noun}",))
    if _kind(noun, lexicon):
        raise GoalError(f"“{words}” is no place: name a piece of furniture or a vessel", words)
    return lexicon.find(noun, lexicon.holds_things)


class _Phrase:
    """Parses the words before a noun; `left` holds the remaining words."""

    def __init__(self, tokens: list[str]):
        self.left = tokens
        self.count: int | None = None
        self.states: set[str] = set()
        self.every, self.definite, self.pairs = False, False, False
        while self.left and self._taken():
            pass

    def _taken(self) -> bool:
        word = self.left[0]
        for skipped in PASSED_OVER:
            if tuple(self.left[: len(skipped)]) == skipped and len(self.left) > len(skipped):
                self.count = 2 if "couple" in skipped else 1 if skipped[0] == "a" else self.count
                self.pairs = self.pairs or bool(PAIR & set(skipped))
                del self.left[: len(skipped)]
                return True
        if word in EVERY:
            self.every = True
        elif word in DEFINITE:
            self.definite = True
        elif word in NUMBERS or word.isdecimal():
            self.count = NUMBERS[word] if word in NUMBERS else int(word[:4])
        elif word in STATE_WORDS and len(self.left) > 1:
            self.states.add(STATE_WORDS[word])
        else:
            return False
        self.left.pop(0)
        return True


def _room_of(words: str, lexicon: Lexicon) -> tuple[str, str | None]:
    """Returns the words without "in the bedroom", and the room's class or id.

    Raises:
        GoalError: the words name a room that does not exist here.
    """
    found = re.match(r"(.+?)\s+(in|of|from)\s+(?:the )?(.+)$", words)
    name = found.group(3).replace("_", " ") if found else ""
    if found and name in lexicon.rooms:
        return found.group(1), lexicon.rooms[name]
    if found and found.group(2) == "in":
        rooms = list(dict.fromkeys(room.replace("_", " ") for room in lexicon.rooms.values() if room in lexicon.room_classes))
        raise GoalError(f"there is no room called “{name}” here", name, rooms[:4])
    return words, None


def _named_in_plural(noun: str, lexicon: Lexicon) -> bool:
    """Returns True if the name of a class is a plural: blinds, curtains, spectacles."""
    return plural_of(noun) == noun and (noun in lexicon.words or noun in SPOKEN.values())


def _kind(noun: str, lexicon: Lexicon) -> str:
    """Returns the kind the noun names if the world has no such class: everything, all lights; else ""."""
    forms = (noun, *singulars(noun))
    if any(form in lexicon.words or form in lexicon.ids for form in forms):
        return ""
    return next((KINDS[form] for form in forms if form in KINDS), "")


def _classes(noun: str, lexicon: Lexicon, part: Part, *, every: bool) -> tuple[tuple[str, ...], frozenset[str]]:
    """Returns the classes, the id or the kind that the noun names, and the states implied: toast is cooked bread."""
    kind, forms = _kind(noun, lexicon), (noun, *singulars(noun))
    if kind:
        return (kind,), frozenset()
    dish = next((form for form in forms if form in DISHES), "")
    if dish and (part.makes or not lexicon.headed(dish)):
        names, state = DISHES[dish]
        known = next((n for n in names if n in lexicon.words), names[0])
        return (lexicon.find(known),), frozenset({state})
    return lexicon.kinds(noun, part.fits) if every else (lexicon.find(noun, part.fits),), frozenset()


def without_room(found: Item) -> Item:
    """Returns the item itself, for verbs that do not allow a room because they move objects.

    Raises:
        GoalError: the phrase names a room.
    """
    if found.room is not None:
        raise GoalError(f"“{found.words}”: say on or in which furniture they lie, or by number which are meant", found.words,
                        (_room_left_out(found),))
    return replace(found)


def _room_left_out(found: Item) -> str:
    return re.sub(r"\s+(?:in|of|from)\s+.*$", "", found.words)
