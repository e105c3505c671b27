"""Tags the words of a clause, once and from left to right, as the phrases from which frames are filled.

    thing   a noun phrase that names something of a household, or a pronoun for it
    place   a preposition and such a phrase, or "there"
    verb    a verb of the lexicon, in any form
    state   open, off, clean, washed
    link    words between a subject and what is said of it: is to be, needs, belongs, ought to
    ask     words of wishing and asking: want, please, expected, the goal
    who     a person or the speaker; you, the robot
    func    other words of closed classes
    unknown words of no class

Words that change nothing are left out; a negation, a condition or a number that belongs to no phrase has its own tag.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal as Choice

from core.goals.parser import word_classes as words
from core.goals.parser.commands import GIVEN
from core.goals.parser.edges import AGENTS
from core.goals.parser.phrases import LYING, Phrase, noun_phrase, place_phrase
from core.goals.parser.plain_form import BECOMES, COMMANDS
from core.goals.parser.tokens import Tokens
from core.goals.parser.verb_lexicon import Verb

Kind = Choice["thing", "place", "verb", "state", "link", "ask", "who", "you", "func", "unknown", "comma", "and", "then", "bar"]

ASKING = words.WELCOME | words.WANTS | words.ENSURE | words.word_set(
    "expected required intended desired destined necessary needed important essential crucial vital advisable time due "
    "goal goals target aim objective mission task job plan final end state condition arrangement configuration result "
    "request requirement wish hope hoping hopes let after like start begin idea favour favor chance see find trouble ask "
    "rather point matter priority instruction instructions order orders assignment given going able about")
"""Words of wishing and asking, and nouns and adjectives around them."""
SIGNALS = words.WANTS | words.ENSURE | words.DUTY | words.word_set(
    "expected required intended desired destined necessary needed important essential crucial vital advisable goal target aim "
    "objective mission task job request requirement wish hope hoping let trouble please final lovely nice great good perfect "
    "wonderful better best happy glad grateful appreciated delighted pleased supposed meant after start begin priority point "
    "instruction due")
"""Those that ask by themselves; the others do so only beside one of these."""
SETTLES = words.word_set("belong belongs go goes live lives")
"""Verbs that say of a thing where it is to be."""
RESTS = words.word_set(
    "stay stays remain end ends up end_up land lands sit stand lie come comes move moves get find make rest be appear arrive")
"""Verbs that say so after a duty or a wish: should end up on the desk."""
SHIFTS = frozenset({"stay", "stays", "remain", "remains"})
OBLIGED = words.DUTY | words.word_set(
    "need needs want wants require requires have has ought got supposed meant expected required to is are 's 're be been get "
    "gets")
PAST = words.word_set("was were had did been used")
BARS = words.NEGATIONS | words.CONDITIONS | words.CLOCK | words.word_set(
    "or nor before after once when while whilst until till respectively twice more less fewer")
"""Words that a frame never passes: they change what it says."""
PERSONS = words.word_set("i we he she they everybody everyone somebody someone anybody anyone me us him her")
HERE = words.word_set("there over_there")
THOUGHT = words.word_set("think guess suppose reckon believe")
OF_FUNCTION = words.word_set(
    "that which who what where how why it its their as so of for with by this these those there one way about an a the my your "
    "out up down back over all both each home place spot itself themselves will whatever yourself together away ready left")


@dataclass(frozen=True, slots=True)
class Chunk:
    """Words that are read as one.

    Attributes:
        kind: what they are.
        start: index of the first token.
        end: index after the last token.
        word: the text of the first token.
        phrase: the phrase of a thing or a place.
        verb: of a verb, its form.
    """

    kind: Kind
    start: int
    end: int
    word: str
    phrase: Phrase | None = None
    verb: Verb | None = None


def chunked(t: Tokens, i: int, j: int) -> list[Chunk]:
    """Returns the phrases of a range of tokens, without words that change nothing."""
    found: list[Chunk] = []
    k = i
    while k < j:
        one = _chunk(t, k, j)
        if one is not None:
            found.append(one)
        k = one.end if one is not None else k + 1
    return found


def _chunk(t: Tokens, k: int, j: int) -> Chunk | None:
    """Returns the phrase at a token; None for a word that changes nothing."""
    word = t.at(k)
    if t.is_stop(k):
        return Chunk("comma" if word in (",", ":", "-", "–", "—") else "bar", k, k + 1, word)
    if word in ("and", "plus"):
        return Chunk("and", k, k + 1, word)
    only = word in ("only", "just") and (t.at(k + 1) in words.DETERMINERS or t.is_noun(k + 1))
    if word in words.ORDER | words.FIRST:
        return Chunk("then" if word in ("then", "afterwards") and k > 0 else "bar", k, k + 1, word)
    if word in ("fine", "ok", "okay", "right") and t.at(k - 1) in words.BE:
        return Chunk("func", k, k + 1, word)
    if only or word in words.SOFT | words.GREETINGS:
        return None
    if word in BARS:
        return Chunk("bar", k, k + 1, word)
    for tag in (_placed, _person, _stated, _named, _acted):
        if (one := tag(t, k, j)) is not None:
            return one
    return _function(t, k)


def _placed(t: Tokens, k: int, j: int) -> Chunk | None:
    word = t.at(k)
    if word in HERE and t.at(k + 1) not in words.BE | words.MODALS:
        return Chunk("place", k, k + 1, word, Phrase(k, k + 1, "there", True))
    if word not in words.PLACES or (word == "to" and t.verbs(k + 1) and not t.is_noun(k + 1)):
        return None
    place = place_phrase(t, k)
    if place is None or place.end > j or not place.known or t.at(place.head) in words.TIMES:
        return None
    if " or " in place.words and not t.is_fixed(place.end - 1, place.end):
        return Chunk("bar", k, place.end, word)
    return Chunk("place", k, place.end, word, place)


def _person(t: Tokens, k: int, j: int) -> Chunk | None:
    word, n = t.at(k), k + (t.at(k) in words.ARTICLES)
    if word in AGENTS or (n > k and t.at(n) in AGENTS):
        return Chunk("you", k, n + 1, word)
    if t.at(n) in words.PEOPLE and n < j and not t.is_noun(n + 1):
        return Chunk("who", k, n + 1, word)
    owned = word == "her" and (t.is_noun(k + 1) or t.at(k + 1) in words.STATES)
    return Chunk("who", k, k + 1, word) if word in PERSONS and not owned else None


def _stated(t: Tokens, k: int, j: int) -> Chunk | None:
    del j
    word = t.at(k)
    if word in ("up", "down") and t.at(k - 1).endswith(RAISED) and t.is_noun(k - 1):
        return Chunk("state", k, k + 1, "open" if word == "up" else "closed")
    if word not in COMMANDS and word not in BECOMES:
        return None
    before_noun = t.is_noun(k + 1) and word not in words.PARTICLES
    return None if before_noun else Chunk("state", k, k + 1, word)


RAISED = ("lid", "lids", "blind", "blinds", "shade", "shades")
"""Things that are open when they are up."""


def _opens(t: Tokens, k: int) -> bool:
    return k == 0 or t.is_stop(k - 1) or t.at(k - 1) in words.COORDINATORS


def _named(t: Tokens, k: int, j: int) -> Chunk | None:
    word = t.at(k)
    if word in words.PREPOSITIONS | words.SUBJECTS - words.DETERMINERS - {"it", "they"} or word in ("that", "which", "no"):
        return None
    verb = t.verbs(k) and (not t.is_noun(k) or (_opens(t, k) and t.at(k + 1) in words.PREPOSITIONS | words.ARTICLES))
    if verb or word in words.BE | words.HAVE | words.MODALS or word in ASKING:
        return None
    one = Phrase(k, k + 1, "them", True, head=k, several=True) if word == "they" else noun_phrase(t, k, bare=False)
    if one is None or not one.known or one.end > j:
        return None
    return Chunk("thing", k, one.end, word, one)


def _acted(t: Tokens, k: int, j: int) -> Chunk | None:
    del j
    word = t.at(k)
    if word in SETTLES or word in LYING - {"put", "placed", "stored", "stacked"}:
        return Chunk("link", k, k + 1, word)
    if word in ASKING or word in OBLIGED | words.BE | words.HAVE | words.MODALS or word in RESTS or not t.verbs(k):
        return None
    return Chunk("verb", k, k + 1, word, verb=t.verbs(k)[0])


def _function(t: Tokens, k: int) -> Chunk:
    word = t.at(k)
    if word in PAST:
        return Chunk("bar", k, k + 1, word)
    if word in OBLIGED | words.BE | words.HAVE | words.MODALS | words.DO or word in RESTS:
        return Chunk("link", k, k + 1, word)
    if word in ASKING:
        return Chunk("ask", k, k + 1, word)
    if word in GIVEN:
        return Chunk("func", k, k + 1, word)
    thought = word in THOUGHT and t.at(k - 1) in ("i", "we")
    closed = thought or word in OF_FUNCTION or word in words.PREPOSITIONS | words.SUBJECTS | words.ARTICLES
    number = word in words.NUMBERS - {"one"} or word.isdecimal()
    return Chunk("bar" if number else "func" if closed else "unknown", k, k + 1, word)
