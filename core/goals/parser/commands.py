"""Reads a verb and the phrases after it, and says them in the plain form that the readers of clauses know.

    command := verb (particle | phrase | place | me | adverb)*

The frame of the verb says which phrases it takes. A command that lacks one is said without it: its reader names what is
missing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from core.goals.parser import word_classes as words
from core.goals.parser.phrases import Phrase, noun_list, noun_phrase, place_phrase
from core.goals.parser.tokens import Tokens
from core.goals.parser.verb_lexicon import VERB_FORMS, Form, Verb

UPON = re.compile(r"( with (?:the|an?|my) \S+) (?:lying |standing )?(?:on|in|inside) (?:it|top|them)(?= |$)")
"""The table with the candle on it."""
PIECES = words.word_set("slices pieces chunks cubes bits halves half quarters wedges strips slice")
TO_SPEAKER = frozenset({"here", "over_here"})
LIGHT_NOUNS = {"look": "look", "sip": "drink", "drink": "drink", "gulp": "drink", "bite": "eat", "nibble": "eat", "seat": "sit",
               "nap": "lie", "rest": "lie", "read": "read", "lie": "lie", "taste": "eat", "sit": "sit"}
"""Have a look at: the noun that is the verb."""
GIVEN = words.word_set("wash rinse scrub clean wipe polish")
"""Give it a wash."""
BESIDE = frozenset({"by", "near", "at", "next to", "beside", "in front of", "close to", "on", "against", "around"})
INTO = frozenset({"to", "into", "onto", "in", "on", "inside", "on top of", "upon", "within", "inside of", "under", "at"})
OUT = frozenset({"from", "off", "out of", "off of", "from under"})
AS_SAID = words.word_set("bring take carry fetch get deliver hand pass give")


@dataclass
class Said:
    """A verb with its phrases.

    Attributes:
        verb: the verb.
        start: index of the verb.
        end: index after the last token.
        object: what it is done to.
        places: phrases with prepositions, in their order.
        particles: up, off, away, back.
        recipient: True with "me" or "us".
        person: who gets it, if that is not the speaker: bring grandma her book.
        state: the state that the object gets or keeps: turn it off, leave it open.
        other_state: a second one.
        noun: the noun of "give it a wash".
        itself: True with "yourself".
        seeks: True for "look for".
        excepted: what is left out, where the place follows it: put all books except the atlas in the box.
        skipped: (start, end) of tokens that say nothing about the task.
        beside: (start, end) of what something is to be next to, which goals cannot say.
    """

    verb: Verb
    start: int
    end: int
    object: Phrase | None = None
    places: list[Phrase] = field(default_factory=list)
    particles: list[str] = field(default_factory=list)
    recipient: bool = False
    person: str = ""
    state: str = ""
    other_state: str = ""
    noun: str = ""
    seeks: bool = False
    itself: bool = False
    excepted: str = ""
    skipped: list[tuple[int, int]] = field(default_factory=list)
    beside: tuple[int, int] | None = None

    def has(self, *particles: str) -> bool:
        """Returns True if one of the particles was said."""
        return any(one in self.particles for one in particles)

    @property
    def has_goal(self) -> bool:
        """Whether a place to bring it to is named."""
        return any(one.preposition in INTO or one.words == "there" for one in self.places)


def verb_at(t: Tokens, i: int, form: Form = "base") -> Verb | None:
    """Returns the verb that a token is in a form, or None."""
    return next((verb for verb in t.verbs(i) if verb.form == form), None)


def said_at(t: Tokens, i: int, form: Form = "base") -> Said | None:
    """Returns the verb at a token with the phrases after it; None if it is no verb in this form."""
    verb = verb_at(t, i, form)
    if verb is None:
        return None
    said = Said(verb, i, i + 1)
    k = i + 1
    if t.at(k) == "rid" and t.at(k + 1) == "of":
        said.verb, k = VERB_FORMS["bin"][0], k + 2
    while k < len(t):
        after = _phrase_taken(t, k, said)
        if after == k:
            break
        k = after
        said.end = k
    _leave_neighbours(said)
    while said.end > i + 1 and t.at(said.end - 1) in (",",):
        said.end -= 1
    return said


NEIGHBOURS = frozenset({"near", "next to", "beside", "behind", "close to", "by", "in front of"})
"""Prepositions of what is beside a place: goals know only the place."""


def _leave_neighbours(said: Said) -> None:
    """Leaves out what something is to be next to, where it is said on or in what as well: on the table next to his watch."""
    if said.verb.frame not in ("put", "bring", "have") or not any(one.preposition in INTO for one in said.places):
        return
    beside = [one for one in said.places if one.preposition in NEIGHBOURS]
    said.places = [one for one in said.places if one not in beside]
    said.skipped += [(one.start, one.end) for one in beside]
    said.beside = (beside[0].start, beside[-1].end) if beside else None


def _phrase_taken(t: Tokens, k: int, said: Said) -> int:
    """Adds the phrase at a token to a command. Returns the index after it; k if it is no part of the command."""
    if t.is_stop(k):
        return _stop_passed(t, k, said)
    for take in (_elsewhere_taken, _excepted_taken, _soft_taken, _pronoun_taken, _person_taken, _state_taken, _particle_taken):
        after = take(t, k, said)
        if after != k:
            return after
    if t.at(k) in words.PREPOSITIONS:
        return _place_taken(t, k, said)
    return _object_taken(t, k, said)


def _stop_passed(t: Tokens, k: int, said: Said) -> int:
    """Passes the comma of "the mug, in the sink"."""
    goes_on = t.at(k) == "," and said.object is not None and not said.places and t.at(k + 1) in words.PLACES
    return k + 1 if goes_on and said.verb.frame in ("put", "bring") and place_phrase(t, k + 1) is not None else k


def _excepted_taken(t: Tokens, k: int, said: Said) -> int:
    """Takes what is left out before the place where the rest goes."""
    left_out = t.at(k) in words.EXCEPTIONS or (t.at(k) == "but" and t.at(k - 1) not in (",",) and said.object is not None
                                               and said.object.words.split()[0] in ("all", "every", "each", "everything"))
    if not left_out or said.object is None or said.has_goal or said.verb.frame not in ("put", "bring"):
        return k
    one = noun_list(t, k + 1)
    if t.at(k + 1) == "the" and t.at(k + 2) in ("one", "ones") and (where := place_phrase(t, k + 3)) is not None:
        one = replace(where, words=f"the one {where.said}")  # every book except the one on the bed
    if one is None or not one.known or t.at(one.start) in words.NUMBERS:
        return k
    if t.at(one.end) not in INTO or place_phrase(t, one.end) is None:
        return k
    said.excepted = one.words
    return one.end


def _elsewhere_taken(t: Tokens, k: int, said: Said) -> int:
    """Takes "anywhere but (on) the kitchen table" and "somewhere other than in the kitchen"."""
    n = k + 1 + (t.at(k + 1) == "else")
    if t.at(k) not in words.ANYWHERE or t.at(n) not in words.EXCEPTIONS | {"but", "than", "not"}:
        return k
    n += 1 + (t.at(n + 1) in words.PLACES)
    one = noun_list(t, n)
    if one is None or not one.known:
        return k
    said.places.append(Phrase(k, one.end, f"{words.ELSEWHERE} {one.words}", True, "to"))
    return one.end


def _soft_taken(t: Tokens, k: int, said: Said) -> int:
    """Passes words that change nothing, and "until I call you" after a place to stay at."""
    word = t.at(k)
    if word in ("for_me", "for_us") and said.verb.frame in ("bring", "hold") and not said.has_goal:
        said.recipient = True
    if word in ("all", "both") and said.object is not None and t.at(k + 1) in words.PLACES:
        return k + 1
    if word in words.SOFT or (word in ("please", "kindly", "like", "right") and t.at(k + 1) not in words.ARTICLES | {""}):
        return k + 1
    if said.verb.frame == "stay" and said.places and word in ("until", "till"):
        return _until(t, k, said)
    if word == "where" and t.at(k + 2) in ("belongs", "belong", "goes", "go"):
        said.particles.append("back")
        return k + 3
    if word == "instead" and t.at(k + 1) != "of":
        return k + 1
    return k + 1 if word == "either" and t.at(k + 1) in words.PLACES else k


def _pronoun_taken(t: Tokens, k: int, said: Said) -> int:
    """Takes me, here, there and yourself."""
    word, frame = t.at(k), said.verb.frame
    if (word in words.SPEAKER and said.object is None and frame not in ("go", "look")) or (
            word in TO_SPEAKER and frame in ("put", "bring", "hold")):
        said.recipient = True
        return k + 1
    if word in ("yourself", "myself") or (word == "you" and frame in ("lie", "sit", "go", "stand")):
        said.itself = said.itself or word != "you"
        return k + 1
    points = said.object is not None and said.object.words.split()[0] in ("that", "those", "this", "these")
    if word == "there" and points and frame in ("bring", "hold"):
        return k + 1  # pass me that book over there
    if word in ("there", "over_there"):
        said.places.append(Phrase(k, k + 1, "there", True))
        return k + 1
    return k


def _person_taken(t: Tokens, k: int, said: Said) -> int:
    """Takes the person of "bring grandma her book", "hand the nurse a towel" and "take Tom his slippers"."""
    if said.object is not None or said.verb.frame not in ("bring", "hold"):
        return k
    n = k + (t.at(k) in words.ARTICLES and t.at(k + 1) not in words.ARTICLES)
    someone = t.at(k) in ("him", "her", "them") and not _is_toy(t, k)
    person = someone or t.at(n) in words.PEOPLE or (n == k and not t.is_known(k) and t.at(k).isalpha())
    if not person or t.at(n + 1) not in words.ARTICLES | words.NUMBERS or noun_phrase(t, n + 1) is None:
        return k
    said.recipient, said.person = True, t.said(k, n + 1)
    return n + 1


def _state_taken(t: Tokens, k: int, said: Said) -> int:
    """Takes the state of "leave it open", "make open the dishwasher" and "make the lamp go on"."""
    word, makes = t.at(k), said.verb.frame == "make"
    if makes and said.object is not None and word in ("go", "be", "turn") and t.at(k + 1) in words.STATES:
        said.state = t.at(k + 1)
        return k + 2
    if word == "and" and said.state and said.verb.lemma in ("leave", "keep") and t.at(k + 1) in words.STATES:
        said.other_state = t.at(k + 1)
        return k + 2
    if word not in words.STATES or said.state or (said.object is None) != makes:
        return k
    particle = not makes and (word in words.PARTICLES or noun_phrase(t, k, bare=False) is not None)
    said.state = said.state if particle else word
    return k if particle else k + 1


def _particle_taken(t: Tokens, k: int, said: Said) -> int:
    """Takes up, off, away; "inside" and "in" without a place mean what was named before."""
    inside = t.at(k) == "inside" and said.object is not None and place_phrase(t, k) is None
    if not inside and not _is_particle(t, k, said):
        return k
    said.particles.append("in" if inside else t.at(k))
    return k + 1


def _until(t: Tokens, k: int, said: Said) -> int:
    """Returns the index after "until I call you": staying somewhere has no end that a goal could say."""
    end = k
    while end < len(t) and not t.is_stop(end) and t.at(end) not in ("and", "then"):
        end += 1
    if any(t.is_noun(n) for n in range(k, end)):
        return k
    said.skipped.append((k, end))
    return end


def _is_particle(t: Tokens, k: int, said: Said) -> bool:
    word, frame = t.at(k), said.verb.frame
    if word not in words.PARTICLES:
        return False
    place = place_phrase(t, k) if said.object is not None and word in ("on", "in") else None
    if frame == "turn" and place is not None and t.at(place.end) in ("on", "off"):
        return False  # the lamp on the nightstand on
    if frame in ("turn", "plug") and word in ("on", "off", "out", "in") and not said.has("on", "off", "out", "in"):
        return True
    if word in words.PLACES and word != "over" and (noun_phrase(t, k + 1) is not None or t.at(k + 1) in words.SPEAKER):
        return False
    if word in ("over", "around", "round") and frame in ("go", "stand", "put") and noun_phrase(t, k + 1) is not None:
        return False
    return word not in ("on", "in") or said.object is not None or frame in ("turn", "plug", "put")


def _place_taken(t: Tokens, k: int, said: Said) -> int:
    word, frame = t.at(k), said.verb.frame
    if t.at(k + 1) == "yourself":
        return k + 2
    if (after := _to_person(t, k, said)) != k:
        return after
    if word == "for" and (frame == "look" or said.verb.lemma in ("search", "hunt", "reach")) and said.object is None:
        one = noun_list(t, k + 1)
        said.object, said.seeks = one, True
        return one.end if one else k
    if word == "for" and (t.at(k + 1) in words.NUMBERS or t.at(k + 1).isdecimal()) and noun_phrase(t, k + 1) is None:
        said.places.append(Phrase(k, k + 2, t.at(k + 1), True, "for"))
        return k + 2 + (t.at(k + 2) in ("people", "persons", "of"))
    place = place_phrase(t, k, several=frame in ("go", "look", "type", "act", "reach"))
    if place is None:
        if word == "to" and verb_at(t, k + 1) is None and t.at(k + 1) in words.TIMES:
            said.places.append(Phrase(k, k + 2, t.at(k + 1), True, "to"))
            return k + 2
        return k
    if _says_nothing(t, place, said):
        said.skipped.append((k, place.end))
        said.beside = (k, place.end) if place.words == "the rest" else said.beside
    else:
        said.places.append(place)
    return place.end


def _to_person(t: Tokens, k: int, said: Said) -> int:
    """Takes "to me", "for you", "to him" and "to Margaret"."""
    word, whom, frame = t.at(k), t.at(k + 1), said.verb.frame
    if whom in words.SPEAKER or whom == "you":
        said.recipient = said.recipient or (word in ("to", "for") and whom != "you" and frame != "act")
        return k + 2
    if word == "to" and frame in ("bring", "hold") and not t.is_known(k + 1) and t.is_capital(k + 1):
        said.places.append(Phrase(k, k + 2, f"{words.CALLED} {whom}", False, "to"))
        return k + 2
    if word not in ("to", "for", "with", "against") or whom not in ("him", "her", "them") or _is_toy(t, k + 1):
        return k
    if whom == "her" and t.at(k + 2) not in words.DETERMINERS and noun_phrase(t, k + 2) is not None:
        return k  # a place that is hers: "to her bed"
    if word == "to" and frame in ("bring", "put", "hold"):
        said.places.append(Phrase(k, k + 2, whom, False, "to"))
    else:
        said.skipped.append((k, k + 2))
    return k + 2


def _is_toy(t: Tokens, k: int) -> bool:
    return any(word in t.plain for word in ("teddy", "teddies", "doll", "bear"))


def _says_nothing(t: Tokens, place: Phrase, said: Said) -> bool:
    """Returns True for a phrase that does not change the task: for the guests, into small pieces, before dinner."""
    if said.object is not None and said.object.words.split()[-1] in ("thing", "things", "one", "something"):
        return False  # the thing for the door
    named = set(place.words.split())
    last = t.at(place.head)
    if place.preposition == "with" and (last in words.PEOPLE or place.words == "the rest"):
        return True
    if place.preposition in ("with", "without", "in", "at") and last in words.ABSTRACT and not place.known:
        return True
    if said.verb.plain == "slice" and last in PIECES:
        return True
    around = place.words.split()[-1] == last and last in ("house", "home", "apartment", "flat", "place", "world")
    if around and place.preposition in ("in", "around", "of", "from"):
        return "whole" in named or not place.known
    if place.preposition == "in" and last in ("way", "hurry", "favour", "advance", "general", "mind", "order"):
        return True
    if named & words.CLOCK or any(word.isdecimal() for word in named):
        return False
    if place.preposition in ("for", "at", "in", "on", "during") and last in words.TIMES and not place.known:
        return True
    return place.preposition in ("for", "about") and (not place.known or last in words.TIMES | words.PEOPLE) \
        and not named & words.NUMBERS


def _object_taken(t: Tokens, k: int, said: Said) -> int:
    word = t.at(k)
    if (said.object is None and said.verb.frame in ("have", "bring", "do") and word in ("a", "an", "some")) or (
            word in ("a", "an", "some") and said.object is not None and said.verb.lemma == "give"):
        noun = next((n for n in (k + 1, k + 2) if t.at(n) in (LIGHT_NOUNS if said.object is None else GIVEN)), 0)
        ends = t.at(noun + 1) in ("of", "at", "on", "in", "", "from") or t.is_stop(noun + 1)
        free = noun and (said.object is not None or ends)
        if noun and free and not (said.object is None and said.recipient):
            said.noun = t.at(noun)
            return noun + 1 + (t.at(noun + 1) == "of" and noun_phrase(t, noun + 2) is not None)
    if said.object is not None and not said.noun:
        return k
    one = noun_list(t, k)
    if one is None or (said.object is not None):
        return k
    if t.at(k) in words.OBJECT_PRONOUNS and one.end == k + 1 and t.at(k + 1) in words.BE:
        return k
    if word in words.SUBJECTS and t.at(k) not in words.OBJECT_PRONOUNS and not t.is_noun(k):
        return k
    said.object = one
    return one.end
