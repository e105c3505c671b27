"""Finds names in the words of a text: exact, in the plural, joined, by a synonym, by a part, or misspelt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.goals.vocabulary import IRREGULAR
from core.goals.word_forms import PARTICLES, PREPOSITIONS, likeness, words
from core.llm.grounding.household_synonyms import (
    COMMON,
    ELSEWHERE,
    MISSPELT,
    PARTS,
    PAST,
    RELATED,
    SEARCHES,
    SWITCHES,
    VERBS,
    WAYS_TO_SAY,
)
from core.llm.grounding.match import NORMALISED, PART, SYNONYM, How
from core.llm.grounding.match import RELATED as NEIGHBOUR

LONGEST_NAME = 6
"""The maximum number of words of a name."""
CANDIDATE_SETS = 64
"""The number of name sets that are cached: a search grounds thousands of texts with few sets."""
NUMERALS = {"first": "1", "second": "2", "third": "3", "fourth": "4", "one": "1", "two": "2", "three": "3", "four": "4"}
COUNTERS = frozenset(("number", "no", "nr"))
LEAST_SPELT = 4
"""The minimum length of a name that may be misspelt; the misspelt word may have one letter less."""


@lru_cache(4096)
def stem(word: str) -> str:
    """Returns the singular of a word: shelves -> shelf, glasses -> glass, dishes -> dish."""
    for plural, single in IRREGULAR.items():
        if word.endswith(plural):  # matches bookshelves as well
            return word[:-len(plural)] + single
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "xes", "sses", "zes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


@dataclass(frozen=True, slots=True)
class Meaning:
    """One name that some words may refer to.

    Attributes:
        name: index of the name.
        score: 0..1.
        how: the method.
    """

    name: int
    score: float
    how: How


@dataclass(frozen=True, slots=True)
class Mention:
    """Words that name something: those from `start` to `end` (exclusive), with the most certain meaning first."""

    start: int
    end: int
    meanings: tuple[Meaning, ...]

    @property
    def best(self) -> tuple[Meaning, ...]:
        """The meanings with the highest score."""
        return tuple(m for m in self.meanings if m.score == self.meanings[0].score)


class Finder:
    """The forms of a set of names. Create it with `finder_of`, which caches.

    Args:
        names: in words; a number at the end distinguishes instances of a class.
    """

    def __init__(self, names: Sequence[str]):
        self._split = [_split(words(name)) for name in names]
        self._forms: dict[str, dict[int, Meaning]] = {}
        known = {tuple(map(stem, bare)) for bare, _ in self._split}
        for index, (bare, number) in enumerate(self._split):
            self._add(index, bare, number, known)
        self._order = {key: tuple(sorted(found.values(), key=lambda m: (-m.score, m.name)))
                       for key, found in self._forms.items()}
        self._longest = max((len(key) for key in self._order), default=0)
        self._heads = {key[:2] for key in self._order}
        self._spelt = tuple(sorted({stem(w) for key in self._names_said() for w in key if len(w) >= LEAST_SPELT}))

    def _names_said(self) -> Iterator[Sequence[str]]:
        for bare, _ in self._split:
            yield bare
            yield from (words(way) for way in WAYS_TO_SAY.get(" ".join(bare), ()))

    def _add(self, index: int, bare: Sequence[str], number: str, known: set[tuple[str, ...]]) -> None:
        """Adds all forms of one name."""
        if not bare:
            if number:
                self._put(index, (number,), NORMALISED, "normalised")
            return
        self._put(index, bare, NORMALISED, "normalised")
        name = " ".join(bare)
        for way in WAYS_TO_SAY.get(name, ()):
            self._put(index, words(way), SYNONYM, "synonym")
        for way in _related(name):
            self._put(index, words(way), NEIGHBOUR, "part")
        for at in range(1, len(bare)):
            head = " ".join(bare[at:])
            for way in WAYS_TO_SAY.get(head, ()):
                self._put(index, [*bare[:at], *words(way)], SYNONYM, "synonym")
                self._put(index, words(way), NEIGHBOUR, "part")
            if tuple(map(stem, bare[at:])) not in known:
                self._put(index, bare[at:], PART, "part")
            else:
                self._put(index, bare[at:], NEIGHBOUR, "part")

    def _put(self, index: int, form: Sequence[str], score: float, how: How) -> None:
        key = "".join(map(stem, form))
        found = self._forms.setdefault(key, {})
        if key and (index not in found or found[index].score < score):
            found[index] = Meaning(index, score, how)

    # --- search -------------------------------------------------------------------
    def mentions(self, said: Sequence[str]) -> list[Mention]:
        """Returns the names in some words: the longest at each position, none within another."""
        stems, found, at = [stem(word) for word in said], list[Mention](), 0
        while at < len(said):
            mention = self._mention(said, stems, at)
            other = self._other_thing(stems, at)
            if other > (at if mention is None else mention.end):
                at = other
            elif mention is None:
                at += 1
            else:
                found.append(mention)
                at = mention.end
        return found

    def _mention(self, said: Sequence[str], stems: Sequence[str], at: int) -> Mention | None:
        if stems[at][:2] not in self._heads:
            return None
        key, longest = "", None
        for end in range(at + 1, min(len(said), at + LONGEST_NAME) + 1):
            key += stems[end - 1]
            if len(key) > self._longest:
                break
            if key in self._order:
                longest = end, self._order[key]
        if longest is None:
            return None
        end, meanings = longest
        return self._numbered(said, at, end, meanings)

    def _other_thing(self, stems: Sequence[str], at: int) -> int:
        """Returns the end of a household name that is not a candidate: a washing machine is no coffee machine. Else 0."""
        for end in range(min(len(stems), at + LONGEST_NAME), at + 1, -1):
            key = "".join(stems[at:end])
            if key in _NAMES and key not in self._order:
                tails = (self._order.get("".join(stems[start:end])) for start in range(at + 1, end))
                return 0 if any(tail and tail[0].how != "part" for tail in tails) else end  # a vanity cabinet is a cabinet
        return 0

    def _numbered(self, said: Sequence[str], start: int, end: int, meanings: tuple[Meaning, ...]) -> Mention:
        """Returns the instance of a class whose number follows the name (or precedes it: the second drawer)."""
        behind = end + 1 if end + 1 < len(said) and said[end] in COUNTERS else end
        if behind < len(said) and said[behind].isdigit():
            number, last = said[behind], behind + 1
        else:
            number, last = NUMERALS.get(said[start - 1], "") if start else "", end
        if not number:
            return Mention(start, end, meanings)
        with_number = tuple(m for m in meanings if self._split[m.name][1] == number)
        if with_number:
            return Mention(start, last, with_number)
        if last > end and any(self._split[m.name][1] for m in meanings):  # a number that is not a candidate
            return Mention(start, last, tuple(Meaning(m.name, min(m.score, PART), "edit") for m in meanings))
        return Mention(start, end, meanings)

    def respelt(self, said: Sequence[str]) -> list[str] | None:
        """Returns the words with misspelt ones corrected; None if there are none. Other household words are unchanged."""
        right = [self._nearest(word) for word in said]
        return right if right != list(said) else None

    def _nearest(self, word: str) -> str:
        if len(word) < LEAST_SPELT - 1 or word.isdigit() or stem(word) in _WORDS or word in _WORDS:
            return word
        plain, best = stem(word), (0.0, "")
        for known in (*self._spelt, *_VERB_WORDS):
            if known[0] == plain[0] or known[:2] == plain[1::-1]:
                alike = likeness(plain, known)
                best = max(best, (alike, known))
        return best[1] if best[0] > 0 else word


@lru_cache(CANDIDATE_SETS)
def finder_of(names: tuple[str, ...]) -> Finder:
    """Returns the finder of these names; cached for equal names."""
    return Finder(names)


def _split(name: list[str]) -> tuple[tuple[str, ...], str]:
    """Returns a name without its number, and the number."""
    number = name[-1] if name and name[-1].isdigit() else ""
    return (tuple(name[:-1]) if number else tuple(name)), number


@lru_cache(4096)
def _related(name: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(way for group in RELATED if name in group for other in group if other != name
                               for way in (other, *WAYS_TO_SAY.get(other, ())) if way != name))


@lru_cache(4096)
def is_elsewhere(word: str) -> bool:
    """Returns True if a word is a place that is never a choice."""
    return stem(word) in ELSEWHERE


def _words_of(phrases: Iterable[str]) -> set[str]:
    return {form for phrase in phrases for word in phrase.split() for form in (word, stem(word))}


def _inflected(verb: str) -> set[str]:
    base = verb.removesuffix("e")
    double = verb + verb[-1]
    return {verb, verb + "s", verb + "es", verb + "ing", base + "ing", double + "ing", verb + "ed", base + "ed", double + "ed"}


LEMMAS = {form: verb for verbs in (*VERBS.values(), tuple(SWITCHES), tuple(SEARCHES)) for verb in verbs if " " not in verb
          for form in _inflected(verb)} | dict(PAST) | {verb: verb for verbs in VERBS.values() for verb in verbs}
"""Form of a verb -> the verb: opening -> open."""
_VERB_WORDS = tuple(sorted({verb for verbs in VERBS.values() for verb in verbs if len(verb) >= LEAST_SPELT and " " not in verb}
                           | SWITCHES))
_NAMES = frozenset("".join(map(stem, words(name))) for name in WAYS_TO_SAY if " " in name)
"""Household names of several words."""
_WORDS = ((_words_of(WAYS_TO_SAY) | _words_of(way for ways in WAYS_TO_SAY.values() for way in ways) | COMMON | ELSEWHERE | PARTS
           | PARTICLES | PREPOSITIONS | set(LEMMAS)) - MISSPELT)
"""Correctly spelt words."""
