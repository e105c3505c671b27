"""Says what a clause asks for, from its phrases: the plain clauses of things with what is wanted of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from core.goals.language.bags import Bag
from core.goals.language.chunks import SETTLES, SIGNALS, THOUGHT, Chunk
from core.goals.parser import word_classes as words
from core.goals.parser.commands import BESIDE, INTO, OUT, Said
from core.goals.parser.phrases import Phrase
from core.goals.parser.plain_form import BECOMES, COMMANDS, plain
from core.goals.parser.tokens import Tokens
from core.goals.parser.verb_lexicon import VERB_FORMS, Verb

MOVED = frozenset({"put", "bring", "take", "hold"})
PASSIVE_ASKS = words.word_set("could can may might")
POSTURES = {"sitting": "sit", "sit": "sit", "lying": "lie", "lie": "lie"}
WOULD = words.word_set("would 'd could see have if like love")
"""Words beside which praise asks: it would be nice."""


def wanted(t: Tokens, bag: Bag, *, asks: bool, alone: tuple[int, int]) -> list[str] | None:
    """Returns the clauses of what a bag asks for; None if it asks for nothing."""
    function = set(bag.function)
    signal = asks or _signal(bag)
    if bag.you and (robot := _robot(t, bag, signal=signal)) is not None:
        return robot
    if not bag.things:
        return _place_alone(t, bag, *alone)
    if "where" in function:
        return _where(t, bag, signal=signal)
    said = alone[0] > 0 and t.at(alone[0] - 1) in ("and", ",") and any(one.kind == "state" for one in bag.said)
    if {"let", "there"} <= function or (_only_pronoun(bag) and not function & SIGNALS and not said):
        return None
    if function & words.QUESTION_WORDS - {"what", "which"}:
        return None
    fragment = not bag.linked and not function - FRAGMENT_WORDS and not signal
    if fragment and not _stands_alone(t, bag, *alone):
        return None
    if not bag.said and not bag.fronted and not bag.near:
        return _thing_alone(t, bag, fragment=fragment, signal=signal, alone=alone)
    mixed = len({one.word in words.OBJECT_PRONOUNS for one in bag.things}) > 1
    asks = signal or fragment or ((_settled(bag) or _moved(bag)) and not function & words.HAVE)
    return _predicates(t, bag) if asks and not mixed else None


def _place_alone(t: Tokens, bag: Bag, i: int, j: int) -> list[str] | None:
    """Returns what "Back in the fridge." and "Into the fridge." ask for after a sentence about something."""
    place = bag.fronted[0].phrase if len(bag.fronted) == 1 else None
    moves = place is not None and (place.preposition in ("into", "onto") or "back" in bag.function)
    alone = i > 0 and t.is_stop(i - 1) and t.at(i - 1) != "," and t.at(j) != "?" and set(bag.function) <= {"back"}
    return [f"put it {place.said}"] if place is not None and moves and alone and not bag.said else None


def _only_pronoun(bag: Bag) -> bool:
    """Returns True for "it in the fridge"."""
    alone = (one.word for one in bag.things if one.end == one.start + 1)
    with_it = bag.fronted and "with" in bag.function  # into the fridge with it
    return not bag.linked and not with_it and any(word in ("it", "this", "that", "they", "them") for word in alone)


FRAGMENT_WORDS = words.word_set("with together all both back up down out away over this these those the a an and")


def _signal(bag: Bag) -> bool:
    """Returns True if words of a bag ask: want, should, expected."""
    function = set(bag.function)
    if function & THOUGHT and not function & {"better", "best"}:
        return False
    if bag.who and function & {"have", "get"} and function & {"'d", "would", "could"}:
        return True
    praised = function & words.WELCOME or bag.left_out
    if function & SIGNALS - words.WELCOME or function & {"better", "best"}:
        return True
    if praised and function & WOULD:
        return True
    verb = any(one.kind == "verb" and one.verb is not None and one.verb.form == "ed" for one in bag.said) or any(
        one.word in BECOMES for one in bag.said)
    return (bool(function & PASSIVE_ASKS) and verb) or (bag.you and bool(function & words.REQUESTS))


def _settled(bag: Bag) -> bool:
    """Returns True for "belongs" and "goes" before a place."""
    placed = any(one.kind == "place" for one in (*bag.said, *bag.fronted))
    linked = bag.linked or "what" in bag.function
    return linked and bool(set(bag.function) & SETTLES) and placed and not bag.who


def _moved(bag: Bag) -> bool:
    """Returns True for what is told as done to a thing and takes it somewhere: the phone is moved onto the bed."""
    moves = any(one.verb is not None and one.verb.form == "ed" and one.verb.frame in MOVED for one in bag.said)
    to = any(one.phrase is not None and one.phrase.preposition in INTO for one in bag.said if one.kind == "place")
    return moves and to and bool({"is", "are", "gets", "get"} & set(bag.function)) and not bag.who


def _stands_alone(t: Tokens, bag: Bag, i: int, j: int) -> bool:
    """Returns True for a whole sentence, or what a comma, colon or "and" parts from others; a question is none."""
    generic = any(one.phrase is not None and t.at(one.phrase.head) in words.GENERIC for one in bag.things)
    if t.at(j) == "?" or (generic and t.at(j) == ":"):
        return False
    return (i == 0 or t.is_stop(i - 1) or t.at(i - 1) in words.COORDINATORS) and (j >= len(t) or t.is_stop(j) or t.at(j) in (
        "and", "then", "but"))


def _robot(t: Tokens, bag: Bag, *, signal: bool) -> list[str] | None:
    """Returns where the robot is to be: I'd prefer you in the kitchen, you should wait in the bedroom, off you go there."""
    function = set(bag.function)
    moves = bool(function & {"go", "come", "get"})
    if bag.things and "where" in function and len(bag.things) == 1 and not bag.said and not bag.near and signal:
        return [f"go to {_words(bag.things)}"]
    places = [one for one in (*bag.fronted, *bag.near, *bag.said) if one.kind == "place"]
    others = [one for one in bag.said if one.kind not in ("place", "comma") and one.word != "off"]
    if bag.things or len(places) != 1 or others or not (signal or moves) or function & {"are", "'re", "have"} - (
            {"are", "'re"} if "to" in function else set()):
        return None
    place = places[0].phrase
    if place is None:
        return None
    posture = next((POSTURES[word] for word in bag.function if word in POSTURES), "")
    del t
    if posture:
        return [f"{posture} on {place.words}"]
    return [f"stand near {place.words}" if place.preposition in BESIDE - {"on", "at"} else f"go to {place.words}"]


def _where(t: Tokens, bag: Bag, *, signal: bool) -> list[str] | None:
    """Returns what "the desk is where the folders belong" and "where the folders belong is on the desk" ask for."""
    asks = signal or bool(set(bag.function) & SETTLES)
    places = [one for one in (*bag.fronted, *bag.said) if one.kind == "place"]
    if not asks or bag.near or any(one.kind not in ("place", "comma") for one in bag.said):
        return None
    if bag.second and not places and t.is_fixed(bag.things[0].start, bag.things[0].end):
        return [f"put {_words(bag.second)} to {_words(bag.things)}"]
    if not bag.second and len(places) == 1 and places[0].phrase is not None:
        return [f"put {_words(bag.things)} {places[0].phrase.said}"]
    return None


WILL_DO = words.word_set("do suit fine good ok okay alright better perfect ideal enough")


def _suited(t: Tokens, bag: Bag) -> list[str] | None:
    """Returns what "counter with it", "a cabinet will do" and "the dresser's fine for it" ask for."""
    first, last = bag.things[0], bag.things[-1]
    if not t.is_fixed(first.start, first.end):
        return None
    function = set(bag.function)
    pronoun = len(bag.things) == 2 and last.word in words.OBJECT_PRONOUNS
    if pronoun and (function <= {"with"} or (function & WILL_DO and "for" in function)):
        return [f"put {_words([last])} to {_words([first])}"]
    will_do = "do" in function and function & {"will", "'ll"}
    return [f"put it to {_words([first])}"] if len(bag.things) == 1 and will_do else None


def _words(things: list[Chunk], *, whole: bool = False) -> str:
    """Returns things as a list."""
    said = [one.phrase.words for one in things if one.phrase is not None]
    if whole and len(said) == 1:
        said = [one if one.split()[0] in words.QUANTIFIERS | words.NUMBERS else f"all {one}" for one in said]
    return " and ".join(said)


def _thing_alone(t: Tokens, bag: Bag, *, fragment: bool, signal: bool, alone: tuple[int, int]) -> list[str] | None:
    """Returns what a thing without a place or a state asks for: book, please; I could do with a magazine; milk, fridge."""
    last = bag.things[-1]
    if fragment and len(bag.things) > 1 and t.is_fixed(last.start, last.end) and not any(
            t.is_fixed(one.start, one.end) for one in bag.things[:-1]):
        if t.at(last.start - 1) in ("and", "or") or t.at(last.start - 1) not in (",", ":", "-", "–", "—"):
            return None
        return [f"put {_words(bag.things[:-1], whole=bag.whole)} to {_words([last])}"]
    if (suited := _suited(t, bag)) is not None:
        return suited
    please = {"please", "pls"} & {t.at(k) for k in range(alone[0], alone[1] + 2)}
    fixed = any(t.is_fixed(one.start, one.end) for one in bag.things)
    if fragment and please and fixed and len(bag.things) == 1 and alone[0]:
        return [f"put it to {_words(bag.things)}"]
    wants = signal and bag.who and not bag.linked and "it" not in bag.function
    pronoun = all(one.word in words.OBJECT_PRONOUNS for one in bag.things)
    if fixed or pronoun or not (wants or (fragment and please)):
        return None
    return [f"bring {_words(bag.things, whole=bag.whole)} to me"]


PUT, TAKE = VERB_FORMS["put"][0], VERB_FORMS["take"][0]


@dataclass
class Told:
    """One thing that is said of things: a state or a verb with the places after it, or places alone."""

    head: Chunk | None = None
    places: list[Phrase] = field(default_factory=list)
    later: bool = False


def _predicates(t: Tokens, bag: Bag) -> list[str] | None:
    """Returns the clauses of what is said of the things, one after the other."""
    told = _told(bag)
    subject = _words(bag.things, whole=bag.whole)
    several = len(bag.things) > 1 or any(one.phrase is not None and one.phrase.several for one in bag.things)
    near = [one.phrase for one in bag.near if one.phrase is not None]
    if not told:
        told, near = [Told(None, near)], []
    if bag.fronted:
        front = [one.phrase for one in bag.fronted if one.phrase is not None]
        out = [one for one in front if one.preposition in OUT]
        near = [*near, *out]
        rest = [one for one in front if one not in out]
        if rest and told == [Told(None, [])]:
            told = [Told(None, [*rest])]
        else:
            told[-1].places += rest
    clauses: list[str] = []
    for n, one in enumerate(told):
        what = " ".join([subject, *(place.said for place in near)]) if not n else ("them" if several else "it")
        if n and bag.things[0].word in words.OBJECT_PRONOUNS:
            what = subject
        fresh = _clauses(t, bag, what, one)
        if fresh is None:
            return None
        clauses += fresh
    return clauses


def _told(bag: Bag) -> list[Told]:
    told: list[Told] = []
    joined, later = True, False
    for one in bag.said:
        if one.kind in ("comma", "and", "then"):
            joined, later = True, later or one.kind == "then"
            continue
        if one.kind != "place":
            told.append(Told(one, later=later))
        elif one.phrase is not None:
            alone = told and told[-1].head is not None and told[-1].head.kind == "state"
            if not told or (joined and (alone or told[-1].places)):
                told.append(Told(later=later))
            told[-1].places.append(one.phrase)
        joined = later = False
    return told


def _clauses(t: Tokens, bag: Bag, what: str, one: Told) -> list[str] | None:
    """Returns the clauses of one state, verb or place; None if it says nothing that a thing can be wanted to be."""
    where = " ".join(place.said for place in one.places)
    mark = words.LATER if one.later else ""
    if one.head is None:
        if not one.places:
            return None
        last = one.places[-1]
        if last.words == "there":
            return [f"{mark}put {what} there"]
        if last.preposition in OUT:
            return [f"{mark}take {what} {where}"]
        return [f"{mark}put {what} {where}"] if last.preposition in INTO else None
    if one.head.kind == "state":
        verb = COMMANDS.get(one.head.word) or BECOMES[one.head.word]
        return [f"{mark}{verb} {what} {where}".strip()]
    verb_form = _form(t, bag, one.head)
    if verb_form is None or verb_form.frame in NOT_SAID_OF:
        return None
    phrase = Phrase(one.head.start, one.head.start, what, True, several=what == "them")
    said = Said(verb_form, one.head.start, one.head.end, object=phrase, places=[*one.places])
    if t.at(one.head.end) in words.PARTICLES and t.at(one.head.end) not in words.PLACES:
        said.particles.append(t.at(one.head.end))
    if verb_form.frame == "turn" and not said.particles:
        return None
    written = plain(said)
    return [f"{mark}{written[0]}", *written[1:]] if written else None


NOT_SAID_OF = words.word_set("go reach stay rise sit lie look type have do exit on off")


def _form(t: Tokens, bag: Bag, head: Chunk) -> Verb | None:
    """Returns the verb in the form that its clause lets it have: is washed, needs washing, you to wash."""
    function = set(bag.function)
    before = t.at(head.start - 1)
    verbs = t.verbs(head.start)
    if before == "to" or before in words.REQUESTS | {"you"}:
        allowed = ("base",) if bag.you or "to" in function else ()
    elif function & {"needs", "need", "wants", "want", "requires", "require", "could", "do"} and any(
            verb.form == "ing" for verb in verbs):
        allowed = ("ing",)
    else:
        allowed = ("ed",)
    return next((replace(verb, form="base") for verb in verbs if verb.form in allowed), None)
