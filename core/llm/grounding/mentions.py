"""Which names of a goal its sentence mentions: a check of goals that a language model read.

A name is mentioned if words of the sentence can mean it: exact, by a synonym, by a part, misspelt, as a kind of it (fruit:
apple) or as one of its kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from core.goals.kinds import FLOOR, GIVES_LIGHT, KINDS, LIGHT, THING
from core.goals.literals import Goal, Literal
from core.goals.parser.determiners import NUMBERS
from core.goals.parser.noun_phrases import span_of
from core.goals.reading import Guess
from core.goals.word_forms import words
from core.llm.grounding.match import SYNONYM
from core.llm.grounding.name_finder import LEMMAS, Mention, finder_of, stem
from core.world.vocabulary import Entity, spaced

LONGEST = 200
"""The number of words of a sentence in which names are searched."""
ANYTHING = frozenset(("thing", "everything", "anything", "something", "stuff", "object", "item", "all", "it", "them", "mess",
                      "clutter", "rubbish", "belongings"))
"""Words that mean objects of any class."""
SEVERAL = {"both": 2, "pair": 2, "couple": 2, "twice": 2, "dozen": 12}
UNWANTED = re.compile(r"n['’]t\b|\b(?:not|never|no|none|nothing|nobody|without|avoid|keep|stay|away|out|off|leave|except)\b",
                      re.I)
"""Words that forbid something."""
UPRIGHT = frozenset(("stand", "up", "rise", "upright", "feet"))


@dataclass(frozen=True, slots=True)
class Doubts:
    """What is doubtful about a goal that was read from a sentence.

    Attributes:
        unrelated: True if no literal is about anything that the sentence mentions.
        guesses: parts of the goal that no word of the sentence means, and words that may mean something else.
        unknown: (start, end) of words in the sentence that name something here which the goal is not about.
    """

    unrelated: bool
    guesses: tuple[Guess, ...] = ()
    unknown: tuple[tuple[int, int], ...] = ()


class Sentence:
    """The names that a sentence mentions in one world.

    Args:
        text: the sentence.
        known: the entities of the world.
    """

    def __init__(self, text: str, known: Iterable[Entity]):
        self._text = text
        self._classes = {name: e.cls for e in known for name in (e.id, e.cls)}
        self._names = sorted({*self._classes.values(), *KINDS, LIGHT, FLOOR})
        finder, self._said = finder_of(tuple(map(spaced, self._names))), words(text)[:LONGEST]
        self._mentions = finder.mentions(self._said)
        right = finder.respelt(self._said)
        respelt = finder.mentions(right) if right is not None else []
        self._meant = {self._names[m.name] for mention in (*self._mentions, *respelt) for m in mention.meanings}
        self._forms = {form for word in self._said for form in (word, stem(word), LEMMAS.get(word, word))}
        self._numbers = {n for word in self._said for n in self._number(word)}

    @staticmethod
    def _number(word: str) -> Iterator[int]:
        if word.isdecimal():
            yield int(word[:4])
        elif word in NUMBERS or word in SEVERAL:
            yield NUMBERS.get(word) or SEVERAL[word]

    # --- names ---------------------------------------------------------------------
    def means(self, name: str) -> bool:
        """Returns True if the sentence mentions a name of a goal, or one of several: `apple|pear`."""
        return any(self._means(one) for one in name.split("|"))

    def _means(self, name: str) -> bool:
        if name == THING:
            return bool(self._forms & ANYTHING) or bool(self._meant & KINDS.keys())
        cls = self._classes.get(name, name)
        kinds = {kind for kind, classes in KINDS.items() if cls in classes} | ({LIGHT} if cls.endswith(GIVES_LIGHT) else set())
        members = KINDS.get(cls, frozenset())
        if cls == LIGHT:
            members = frozenset(one for one in self._meant if one.endswith(GIVES_LIGHT))
        return bool(({cls} | kinds | members) & self._meant)

    def _does(self, literal: Literal) -> bool:
        """Returns True if the sentence says the act of a literal, or that the robot is to stand."""
        if literal.predicate == "standing":
            return bool(self._forms & UPRIGHT)
        verb = literal.act.split("_")[0].removesuffix("e")
        return bool(verb) and any(form.startswith(verb) for form in self._forms)

    def doubts(self, goal: Goal) -> Doubts:
        """Returns what is doubtful about a goal."""
        about = [self._does(literal) or any(map(self.means, _names(literal))) for literal in goal.literals]
        if not any(about):
            return Doubts(unrelated=True)
        guesses = (guess for k, literal in enumerate(goal.literals) for guess in self._guesses(goal, k, literal))
        return Doubts(False, (*self._ambiguous(goal), *guesses), tuple(self._left_out(goal)))

    # --- what nobody said ------------------------------------------------------------
    def _guesses(self, goal: Goal, k: int, literal: Literal) -> Iterator[Guess]:
        unsaid = [name for name in _names(literal) if not self.means(name)]
        rest = Goal(tuple(x for n, x in enumerate(goal.literals) if n != k), goal.text)
        without = (("leave it out", rest),) if rest.literals else ()
        if unsaid or (literal.predicate == "standing" and not self._does(literal)):
            taken = ", ".join(" or ".join(map(spaced, name.split("|"))) for name in unsaid) or str(literal)
            yield Guess("", taken, without, (k,))
        if literal.count > 1 and literal.count not in self._numbers:
            yield Guess("", str(literal.count), (("1", _with(goal, k, replace(literal, count=1))),), (k,))
        if literal.never and not UNWANTED.search(self._text):
            yield Guess("", str(literal), without, (k,))

    def _ambiguous(self, goal: Goal) -> Iterator[Guess]:
        """Yields the words that mean one of the goal's names no better than another name: table."""
        for mention in self._mentions:
            best = list(dict.fromkeys(self._names[m.name] for m in mention.best))
            taken = [name for name in best if any(name in _names(x) for x in goal.literals)]
            if len(taken) == 1 and len(best) > 1:
                others = tuple((spaced(name), _renamed(goal, taken[0], name)) for name in best if name != taken[0])
                about = tuple(k for k, x in enumerate(goal.literals) if taken[0] in _names(x))
                yield Guess(self._words(mention), spaced(taken[0]), others, about)

    def _left_out(self, goal: Goal) -> Iterator[tuple[int, int]]:
        """Yields the spans of words that surely name something here, of which the goal says nothing."""
        said = {self._classes.get(one, one) for x in goal.literals for name in _names(x) for one in name.split("|")}
        related = said | {member for name in said for member in KINDS.get(name, ())} \
            | {kind for kind, members in KINDS.items() if members & said}
        if THING in said or LIGHT in said:
            return
        for mention in self._mentions:
            if mention.meanings[0].score >= SYNONYM and not any(self._names[m.name] in related for m in mention.meanings):
                start, end = span_of(self._text, self._words(mention))
                if end > start:
                    yield start, end

    def _words(self, mention: Mention) -> str:
        return " ".join(self._said[mention.start:mention.end])


def _names(literal: Literal) -> list[str]:
    """Returns the names a literal uses, the subject first."""
    subject = None if literal.predicate == "standing" else literal.subject
    return list(dict.fromkeys(filter(None, (subject, literal.target, literal.room, literal.source, literal.by))))


def _with(goal: Goal, k: int, literal: Literal) -> Goal:
    return replace(goal, literals=(*goal.literals[:k], literal, *goal.literals[k + 1:]))


def _renamed(goal: Goal, name: str, other: str) -> Goal:
    def swapped(used: str | None) -> str | None:
        return other if used == name else used

    return replace(goal, literals=tuple(replace(
        x, subject=other if x.subject == name else x.subject, target=swapped(x.target), room=swapped(x.room),
        source=swapped(x.source), by=swapped(x.by)) for x in goal.literals))
