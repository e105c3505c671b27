"""Finds needs: what people tell instead of a task (I'm thirsty, it's too dark in here), and how a room is to be (make it dark).

    need := (I | we | my mother …) be [so] (thirsty | hungry …)
          | it be [too] (dark | bright …) [in here | in the bedroom]
    made := (make | get | keep | want) (it | the room) [nice and] (dark | bright …) [in the bedroom]

A need is a task only where nothing else is asked for: in "I'm thirsty, bring me the milk" it is the reason. What is taken as
the task is always told as a guess.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.goals.parser import word_classes as words
from core.goals.parser.context import refuse
from core.goals.parser.edges import Edge, ends_clause
from core.goals.parser.phrases import noun_phrase, place_phrase
from core.goals.parser.tokens import Tokens
from core.world.vocabulary import spaced

OF_PERSON = {"drink": words.word_set("thirsty parched dehydrated"), "food": words.word_set("hungry starving peckish famished")}
"""Kind of things that meets a need -> how who has it is."""
DARK = words.word_set("dark dim gloomy darker dimmer pitch-black pitch_black")
BRIGHT = words.word_set("bright brighter light lighter glaring")
DEGREES = words.word_set(
    "so too very a bit really rather quite pretty awfully terribly far way much bloody nice and more getting")
MAKES = words.word_set("make get keep want need have turn")
BEFORE_REASON = words.SOFT | words.GREETINGS | words.REASONS | words.TIMES | words.word_set("from of for here because you")
MOST_REST = 6
"""The most words after a need that say why: after that long walk."""


def needed(t: Tokens) -> Edge | None:
    """Returns what meets the need that a task tells; None if it tells none, or more than that."""
    k = _past(t, 0, words.GREETINGS | words.SOFT | {",", "!", ".", "and"})
    after, clause = _of_person(t, k) or _of_room(t, k) or (0, "")
    if not clause or not _says_why(t, after):
        return None
    return Edge(k, len(t), "wish", 1.0, (clause,), guess=t.said(k, after), meaning=_meaning(clause))


def made_so(t: Tokens, i: int) -> Iterator[Edge]:
    """Yields how light or dark a room is to be: make it dark, I want it brighter in the bedroom."""
    k = i + 2 if t.at(i) in words.REQUESTS and t.at(i + 1) == "you" else i
    k = _past(t, k, words.SOFT | {"please"} if k > i else frozenset())
    k += t.at(k) in ("i", "we")
    k += t.at(k) in ("'d", "would")
    if (light := _of_light(t, i, k)) is not None:
        yield light
    if t.at(k) not in MAKES | {"like"} or (one := noun_phrase(t, k + 1)) is None or not (
            one.words == "it" or t.is_room(one.head) or t.at(one.head) in ("room", "place", "house")):
        return
    after, dark = _how_light(t, one.end)
    if after and ends_clause(t, (room := _room(t, after))[0]):
        where = room[1] or (f" in {one.words}" if t.is_room(one.head) else "")
        clause = f"switch {'off' if dark else 'on'} every light{where}"
        yield Edge(i, room[0], "wish", 0.9, (clause,), guess=t.said(i, after), meaning=_meaning(clause))


def _of_light(t: Tokens, i: int, k: int) -> Edge | None:
    """Returns the wish for light: I need some light to read; more light please. Light is no thing that could be brought."""
    n = k + (t.at(k) in MAKES | {"like"})
    n = _past(t, n, words.word_set("some more a_bit little of"))
    if t.at(n) != "light" or (n == k and i != 0):
        return None
    end, where = _room(t, n + 1)
    end += 2 * (t.at(end) == "to" and bool(t.verbs(end + 1)))
    if n == k or not (ends_clause(t, end)):
        return None
    clause = f"switch on every light{where}"
    return Edge(i, end, "wish", 0.9, (clause,), guess=t.said(i, n + 1), meaning=_meaning(clause))


def _past(t: Tokens, k: int, some: frozenset[str]) -> int:
    while t.at(k) in some:
        k += 1
    return k


def _of_person(t: Tokens, k: int) -> tuple[int, str] | None:
    """Returns the end and the command of "I'm so thirsty" and "grandma feels hungry".

    Raises:
        GoalError: nothing here meets the need.
    """
    k += t.at(k) in words.ARTICLES
    if t.at(k) not in words.PEOPLE | {"i", "we", "he", "she", "they"} or t.at(k + 1) not in words.BE | {"feel", "feels"}:
        return None
    k = _past(t, k + 2, DEGREES)
    kind = next((kind for kind, adjectives in OF_PERSON.items() if t.at(k) in adjectives), "")
    if kind and kind not in t.kinds:
        raise refuse(t.at(k), f"there is no {kind} here that could be brought")
    return (k + 1, f"bring a {'piece of ' * (kind == 'food')}{kind} to me") if kind else None


def _of_room(t: Tokens, k: int) -> tuple[int, str] | None:
    """Returns the end and the command of "it's too dark in here": too dark means that light is wanted."""
    if t.at(k) != "it" or t.at(k + 1) not in words.BE:
        return None
    after, dark = _how_light(t, k + 2)
    if not after or (not dark and "too" not in t.texts[k:after]):
        return None
    end, where = _room(t, after)
    return end, f"switch {'on' if dark else 'off'} every light{where}"


def _how_light(t: Tokens, k: int) -> tuple[int, bool]:
    """Returns the index after "a bit too dark", and whether it is dark; 0 if it is something else, or coming on its own."""
    n = _past(t, k, DEGREES | words.SOFT)
    if t.at(n) not in DARK | BRIGHT or "getting" in t.texts[k:n]:
        return 0, False
    return n + 1, t.at(n) in DARK


def _room(t: Tokens, k: int) -> tuple[int, str]:
    """Returns the index after "in here" or "in the bedroom" and adverbs, and the room with "in"."""
    if t.at(k) == "in" and t.at(k + 1) == "here":
        return _past(t, k + 2, words.SOFT | words.GREETINGS), ""
    place = place_phrase(t, k) if t.at(k) == "in" else None
    if place is not None and t.is_room(place.head):
        return _past(t, place.end, words.SOFT | words.GREETINGS), f" {place.said}"
    return _past(t, k, words.SOFT | words.GREETINGS), ""


def _says_why(t: Tokens, k: int) -> bool:
    """Returns True if the words after a need change nothing: after that walk, today; they name no thing, number or ban."""
    rest = [n for n in range(k, len(t)) if not t.is_stop(n)]
    harmless = not any(t.is_noun(n) or t.at(n) in words.NEGATIONS | words.NUMBERS | words.CONDITIONS for n in rest)
    begins = not rest or t.at(rest[0]).startswith("after") or t.at(rest[0]) in BEFORE_REASON
    return harmless and begins and len(rest) <= MOST_REST


def _meaning(clause: str) -> str:
    """Returns the command as the meaning of a need: a drink is brought; every light is switched on."""
    said = clause.replace("bring ", "").replace(" to me", "")
    return f"{said} is brought" if clause.startswith("bring") else spaced(clause)
