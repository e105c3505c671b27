"""Normalizes words and phrases for comparison: articles, case, underscores, plurals and synonyms."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from core.goals.vocabulary import SYNONYMS, singulars

WORD = re.compile(r"[^\W_]+(?:'\w+)?")
CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
FILLERS = frozenset(("the", "a", "an", "some", "one", "any", "my", "your", "his", "her", "its", "their", "this", "that",
                     "these", "those", "please"))
PREPOSITIONS = frozenset(("in", "inside", "into", "on", "onto", "to", "at", "from", "of"))
PARTICLES = frozenset(("in", "inside", "into", "on", "onto", "off", "out", "under", "behind"))
"""Words that distinguish two actions with the same verb and objects."""
SAME = (
    ("grab", "pick up", "take", "pick", "fetch", "get", "grasp", "take hold of", "pickup"),
    ("walk to", "go to", "move to", "go over to", "navigate to", "walk towards", "walk toward", "walk over to", "head to",
     "approach", "go towards", "goto", "walk into", "go into", "enter"),
    ("put", "place", "set down", "lay", "insert"),
    ("inside", "in", "into", "within", "inside of"),
    ("on", "onto", "on top of", "upon", "on to"),
    ("switch on", "turn on", "activate", "power on"),
    ("switch off", "turn off", "deactivate", "power off"),
    ("close", "shut"),
    ("slice", "cut", "chop"),
    ("wash", "clean", "rinse"),
)
"""Groups of synonymous phrases; each is replaced by the one that occurs in the candidates. Names of objects use the lexicon's
synonyms."""


def words(text: str) -> list[str]:
    """Returns the words of a text in lower case without punctuation and articles: `the KitchenTable_2` -> kitchen, table, 2."""
    plain = CAMEL.sub(" ", unicodedata.normalize("NFKC", text)).replace("_", " ").replace("’", "'").lower()
    return [word.removesuffix("'s") for word in WORD.findall(plain) if word not in FILLERS]


def spaced_name(text: str) -> str:
    """Returns a name as plain words, the form embedding models know: `kitchen_table` -> `kitchen table`."""
    return " ".join(words(text))


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words of the candidates, and the synonyms of these words.

    Attributes:
        known: words that occur in candidates.
        plurals: singular or plural form -> the known word it stands for.
        synonyms: words -> words of the candidates; longer synonyms take precedence.
        longest: the number of words in the longest synonym.
    """

    known: frozenset[str]
    plurals: Mapping[str, str]
    synonyms: Mapping[tuple[str, ...], tuple[str, ...]]
    longest: int

    @classmethod
    def of(cls, candidates: Iterable[Sequence[str]]) -> Vocabulary:
        """Returns the vocabulary of candidates that are split into words.

        A synonym is used only if no candidate contains the word itself: in a world with cups, "cup" does not mean mug.
        """
        phrases = [tuple(candidate) for candidate in candidates]
        known = frozenset(word for phrase in phrases for word in phrase)
        plurals = {form: word for word in known for form in singulars(word) if form not in known}
        pairs = [(tuple(said.split()), tuple(words(meant))) for said, meant in (*SYNONYMS.items(), *_ways_to_say(known))]
        synonyms = {said: meant for said, meant in pairs if known.issuperset(meant)
                    and not (known.issuperset(said) and _occurs(said, meant, phrases))}
        # "cutlery fork" must not become "cutlery cutlery fork": a target phrase of several words maps to itself.
        synonyms |= {meant: meant for meant in synonyms.values() if len(meant) > 1}
        synonyms |= {("".join(pair),): pair for phrase in phrases for pair in pairwise(phrase) if "".join(pair) not in known}
        return cls(known, plurals, synonyms, max(map(len, synonyms), default=0))

    def in_singular(self, text: Sequence[str]) -> list[str]:
        """Returns the words with unknown ones replaced by a known singular or plural, if there is one."""
        return [word if word in self.known else self._other_number(word) for word in text]

    def in_our_words(self, text: Sequence[str]) -> list[str]:
        """Returns the words with synonyms replaced as well."""
        text, found, at = self.in_singular(text), list[str](), 0
        while at < len(text):
            for length in range(min(self.longest, len(text) - at), 0, -1):
                meant = self._meaning(text[at:at + length])
                if meant is not None:
                    found += meant
                    at += length
                    break
            else:
                found.append(text[at])
                at += 1
        return found

    def _meaning(self, said: Sequence[str]) -> tuple[str, ...] | None:
        forms = (tuple(said), *((*said[:-1], form) for form in singulars(said[-1])))
        return next((self.synonyms[form] for form in forms if form in self.synonyms), None)

    def _other_number(self, word: str) -> str:
        forms = (form for form in singulars(word) if form in self.known)
        return next(forms, self.plurals.get(word, word))


def _ways_to_say(known: frozenset[str]) -> Iterator[tuple[str, str]]:
    for group in SAME:
        meant = next((phrase for phrase in group if known.issuperset(phrase.split())), None)
        if meant is not None:
            yield from ((said, meant) for said in group if said != meant)


def _occurs(said: tuple[str, ...], meant: tuple[str, ...], phrases: Iterable[tuple[str, ...]]) -> bool:
    """Returns True if a phrase uses the words outside of their target phrase: a knife in `cutlery knife` does not count."""
    for phrase in phrases:
        at = 0
        while at < len(phrase):
            if len(meant) > 1 and phrase[at:at + len(meant)] == meant:
                at += len(meant)
            elif phrase[at:at + len(said)] == said:
                return True
            else:
                at += 1
    return False


def typo_distance(a: str, b: str, limit: int) -> int:
    """Returns the number of inserted, missing, replaced or swapped letters, at most `limit` + 1.

    This is the restricted Damerau-Levenshtein distance.
    """
    if abs(len(a) - len(b)) > limit:
        return limit + 1
    before, last = [0] * (len(b) + 1), list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        row = [i]
        for j, y in enumerate(b, 1):
            cost = min(row[j - 1] + 1, last[j] + 1, last[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        if min(row) > limit:
            return limit + 1
        before, last = last, row
    return min(last[-1], limit + 1)


def likeness(a: str, b: str) -> float:
    """Returns 1 for equal words, less for one or two typos in long words, else 0. Short words and numbers have no typos."""
    if a == b:
        return 1.0
    longer = max(len(a), len(b))
    limit = 0 if longer <= 3 or a.isdigit() or b.isdigit() else 1 if longer <= 6 else 2
    distance = typo_distance(a, b, limit) if limit else 1
    return 0.0 if distance > limit else 1.0 - distance / (2 * longer)
