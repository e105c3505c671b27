"""The words before a noun: articles, numbers, states, and words that say nothing about which objects are meant."""

from __future__ import annotations

from core.goals.parser.restrictions import STATE_WORDS, WAS_WORDS

NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "both": 2, "three": 3, "four": 4, "five": 5, "six": 6,
    "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "dozen": 12,
}
"""Larger numbers and zero are digits: `core.goals.parser.tokens` writes them so."""
OWNED = frozenset({"my", "your", "her", "his", "our", "their"})
DEFINITE = frozenset({"the", "its", "these", "those", "this", "that", "said"}) | OWNED
EVERY = frozenset({"all", "every", "each"})
PASSED_OVER = (("a", "couple", "of"), ("a", "pair", "of"), ("pair", "of"), ("pairs", "of"), ("every", "single"),
               ("every", "one", "of"), ("each", "one", "of"),
               ("of",), ("piece",), ("pieces",), ("item",), ("items",), ("different",), ("single",), ("slice", "of"),
               ("slices", "of"), ("me",), ("us",), ("up",), ("down",))
"""Words that do not affect which objects are meant. A couple means two; a pair means two, except for names in the plural."""
MOST_DIGITS = 9
"""The longest number that is read; all of that length are too large anyway."""
REST = frozenset({"other", "others", "remaining"})
"""Words for all that were not named before: the other mugs, the rest of the mugs."""
PAIR = frozenset({"pair", "pairs"})


class Determiners:
    """Parses the words before a noun; `left` holds the remaining words."""

    def __init__(self, tokens: list[str]):
        self.left = tokens
        self.count: int | None = None
        self.states: set[str] = set()
        self.was: set[str] = set()
        self.every, self.definite, self.pairs, self.some, self.any = False, False, False, False, False
        self.owner = ""
        self.slices, self.rest, self.more = False, False, False
        while self.left and self._taken():
            pass

    def _taken(self) -> bool:
        word = self.left[0]
        for skipped in PASSED_OVER:
            if tuple(self.left[: len(skipped)]) == skipped and len(self.left) > len(skipped):
                self.count = 2 if "couple" in skipped else 1 if skipped[0] == "a" else self.count
                self.pairs = self.pairs or bool(PAIR & set(skipped))
                self.every = self.every or skipped[0] in EVERY
                self.slices = self.slices or skipped[0].startswith("slice")
                del self.left[: len(skipped)]
                return True
        if word in EVERY:
            self.every = True
        elif len(self.left) > 1 and self._says_which(word):
            pass
        elif word == "some" and len(self.left) > 1:
            self.some = True
        elif word == "any" and len(self.left) > 1:
            self.any, self.count = True, self.count or 1
        elif (word in NUMBERS and len(self.left) > 1) or word.isdecimal():
            self.count = NUMBERS[word] if word in NUMBERS else int(word[:MOST_DIGITS])
            self.definite = self.definite or word == "both"
        elif (word in STATE_WORDS or word in WAS_WORDS) and len(self.left) > 1:
            self._state(word)
        elif (self.left[-1] in WAS_WORDS or self.left[-1] in STATE_WORDS) and len(self.left) > 1 \
                and not self.left[-1].startswith("cut"):  # the mug (that is) dirty
            self._state(self.left.pop())
            return True
        else:
            return False
        self.left.pop(0)
        return True

    def _says_which(self, word: str) -> bool:
        """Takes words that tell a thing from others: the, grandma's, the other. Returns False for another word."""
        if word in DEFINITE or word.endswith(("s'", "'s")):
            self.definite, self.owner = True, word if word not in DEFINITE else self.owner
        elif word == "another":
            self.more, self.count = True, 1
        elif word in REST or tuple(self.left[:2]) == ("rest", "of"):
            self.rest = True
            del self.left[1:1 + (word == "rest")]
        else:
            return False
        return True

    def _state(self, word: str) -> None:
        if word in WAS_WORDS:
            self.was.add(WAS_WORDS[word])
        else:
            self.states.add(STATE_WORDS[word])
