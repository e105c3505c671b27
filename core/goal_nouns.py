"""Noun phrases of a task: which things, how many, in what state, in which room."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from core.errors import UsageError
from core.goals import LIGHT, THING
from core.lexicon import Lexicon, singulars

NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "both": 2, "three": 3, "four": 4, "five": 5, "six": 6,
    "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
}
MOST = 50
DEFINITE = frozenset({"the", "my", "your", "its", "their", "these", "those", "this", "that"})
EVERY = frozenset({"all", "every", "each"})
PASSED_OVER = (("a", "couple", "of"), ("a", "pair", "of"), ("of",), ("piece",), ("pieces",), ("different",),
               ("single",), ("slice", "of"), ("slices", "of"), ("some",))
"""Words that say nothing about which things; a couple and a pair are two."""
TWO = frozenset({"couple", "pair"})
STATE_WORDS = {
    "sliced": "sliced", "cut": "sliced", "cooked": "cooked", "boiled": "cooked", "fried": "cooked", "heated": "cooked",
    "toasted": "cooked", "baked": "cooked", "hot": "cooked", "warm": "cooked", "clean": "clean", "washed": "clean",
    "filled": "filled", "full": "filled",
}
KINDS = {"thing": THING, "object": THING, "item": THING, "everything": THING, "light": LIGHT, "lamp": LIGHT}
"""Nouns that are no class; used where the world has no such class itself."""
DISHES = {"toast": (("bread slice", "bread", "food bread"), "cooked"), "coffee": (("mug", "cup"), "filled")}
"""What is made -> of which thing, brought into which state."""


@dataclass(frozen=True, slots=True)
class Item:
    """One noun phrase.

    Attributes:
        every: all there are is meant.
        plural: more than one is meant, and nobody said how many.
        words: as they were said.
    """

    what: str
    count: int
    states: frozenset[str]
    every: bool
    plural: bool
    room: str | None
    words: str

    def counted(self) -> Item:
        """The same.

        Raises:
            UsageError: it is not said how many are meant.
        """
        if self.plural and not self.every:
            raise UsageError(f"“{self.words}”: say how many, or all of them")
        return self


def items(words: str, lexicon: Lexicon) -> list[Item]:
    """`item ((and | ,) item)*`.

    Raises:
        UsageError: a thing is missing or not in this world.
    """
    parts = [p for p in re.split(r",\s*and\s+|\s+and\s+|,\s*", words.strip(" ,")) if p.strip()]
    if not parts:
        raise UsageError("a thing is missing in the task: say what to move, and to which place")
    return [item(p, lexicon) for p in parts]


def item(words: str, lexicon: Lexicon) -> Item:
    """`[count | all] [state]* noun [in room]`.

    Raises:
        UsageError: it names no thing of this world, or an odd number of things.
    """
    text, room = _room_of(words.strip(" ,."), lexicon)
    phrase = _Phrase(text.split())
    count = phrase.count
    if not phrase.left or not 1 <= (count or 1) <= MOST:
        raise UsageError(f"“{words}” names no thing, or an odd number of things")
    noun = " ".join(phrase.left)
    what, made = _noun(noun, lexicon)
    plural = count is None and (noun == "everything" or lexicon.plural(noun, (*KINDS, *DISHES)))
    every = phrase.every or noun == "everything" or (phrase.definite and (plural or what == LIGHT))
    return Item(what, count or 1, frozenset(phrase.states | made), every, plural, room, words)


def place(words: str, lexicon: Lexicon) -> str:
    """The class or id of a place: any of them will do, so numbers and states make no sense.

    Raises:
        UsageError: it is none of this world, or more is said of it than a goal can ask.
    """
    found = item(words, lexicon)
    if found.states or found.room or found.count != 1 or (found.every and not found.plural):
        raise UsageError(f"“{words}”: name one place by its class or number, such as “the fridge” or “table 2”; "
                         "how it has to be, say in a clause of its own")
    return found.what


class _Phrase:
    """The words before a noun, and what is left of them."""

    def __init__(self, tokens: list[str]):
        self.left = tokens
        self.count: int | None = None
        self.states: set[str] = set()
        self.every, self.definite = False, False
        while self.left and self._taken():
            pass

    def _taken(self) -> bool:
        word = self.left[0]
        for skipped in PASSED_OVER:
            if tuple(self.left[: len(skipped)]) == skipped and len(self.left) > len(skipped):
                self.count = 2 if TWO & set(skipped) else self.count
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
    """The words without "in the bedroom", and the room's class."""
    found = re.match(r"(.+?)\s+(?:in|of|from)\s+(?:the )?(.+)$", words)
    if found and found.group(2) in lexicon.rooms:
        return found.group(1), lexicon.rooms[found.group(2)]
    return words, None


def _noun(noun: str, lexicon: Lexicon) -> tuple[str, frozenset[str]]:
    """The class, id or kind that is meant, and the states that belong to the word: toast is cooked bread."""
    forms = (noun, *singulars(noun))
    if not any(form in lexicon.words or form in lexicon.ids for form in forms):
        for form in forms:
            if form in KINDS:
                return KINDS[form], frozenset()
            if form in DISHES:
                names, state = DISHES[form]
                known = next((n for n in names if n in lexicon.words), names[0])
                return lexicon.find(known), frozenset({state})
    return lexicon.find(noun), frozenset()


def without_room(found: Item) -> Item:
    """The same, where a room cannot be part of what is asked: things leave rooms.

    Raises:
        UsageError: it names one.
    """
    if found.room is not None:
        raise UsageError(f"“{found.words}”: say on or in which furniture they lie, or by number which are meant")
    return replace(found)
