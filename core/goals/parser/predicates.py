"""Reads what is said of a thing as the commands that make it so: must be closed and on the desk, belongs in the fridge."""

from __future__ import annotations

from core.goals.parser import word_classes as words
from core.goals.parser.commands import GIVEN, INTO, OUT, said_at, verb_at
from core.goals.parser.edges import soft
from core.goals.parser.phrases import LYING, Phrase, noun_list, noun_phrase, place_phrase
from core.goals.parser.plain_form import BECOMES, COMMANDS, plain
from core.goals.parser.tokens import Tokens

BEFORE_STATE = words.word_set(
    "ready waiting handy all both fully nice turned switched left kept back better best nicer good well safer safe happier")
CONTAINS = words.word_set("contain contains hold holds have has")
BELONGS = words.word_set("belongs belong goes stays remains")
STAYS = words.word_set("be stay remain go stand lie end end_up come sit belong live look fit work")
Predicates = tuple[int, tuple[str, ...], tuple[tuple[int, int], ...]]


def predicates(t: Tokens, subject: Phrase, k: int, *, wished: bool, duty: bool = False) -> Predicates | None:
    """Returns (end, clauses, skipped) of what is said of a subject: must be closed and on the desk.

    Args:
        t: the tokens.
        subject: the phrase.
        k: index after the subject.
        wished: True if "is" is enough, because words of wishing come before it.
        duty: True if a modal comes before the subject: could the mug go in the sink.
    """
    start = soft(t, k)
    start += t.at(start) in ("both", "all", "each", "she", "he")
    k, duty, never = _auxiliaries(t, start, wished=wished, duty=duty or wished)
    word = t.at(k)
    if word in ("needs", "need", "requires", "wants") and not never:
        return _needed(t, subject, k + 1)
    if t.joined(k, k + 3) == "could do with" or t.joined(k, k + 2) == "could use":
        return _needed(t, subject, k + 2 + (t.at(k + 1) == "do"))
    if word in CONTAINS and duty and not never and (one := noun_list(t, k + 1)) is not None:
        return one.end, (f"put {one.words} in {subject.words}",), ()
    belongs = word in BELONGS or (word in ("go", "stay", "remain") and subject.several)
    if belongs or (word in STAYS and duty) or (wished and word in words.BE | {"stand", "gets", "get", "ends"}):
        return listed(t, subject, soft(t, k + 1), never=never)
    return listed(t, subject, k, never=never, bare=True) if wished and k == start else None


def _auxiliaries(t: Tokens, start: int, *, wished: bool, duty: bool) -> tuple[int, bool, bool]:
    """Returns the index after modals, negations and adverbs, whether one of them asks, and whether one forbids."""
    k, never = start, False
    while True:
        word, after = t.at(k), t.at(k + 1)
        if word in words.DUTY or (word in OBLIGED and after == "to") or (
                word in ("is", "are", "'s", "'re") and after in ("supposed", "meant", "to")):
            duty = True
        elif word in words.NEGATIONS - {"without", "no", "none"} and (duty or t.at(k - 1) in ("may", "can", "ca")):
            never = True
        elif word in MAY and after in STAYS | {"all", "both", "not", "n't", "never"}:
            duty = True
        elif not (word in BETWEEN and k > start) and not (word == "to" and wished):
            return k, duty, never
        k += 1


MAY = words.word_set("can could may will 'll would ca")
OBLIGED = words.word_set("has have need needs ought got wants want is are was were supposed meant had")
BETWEEN = words.word_set("supposed meant to just please really now also both all always")


def _needed(t: Tokens, subject: Phrase, k: int) -> Predicates | None:
    """Returns the clause of "needs washing" and "needs a wash"."""
    k += t.at(k) in ("a", "some") and t.at(k + 1) in (*GIVEN, "good", "quick")
    k += t.at(k) in ("good", "quick", "proper")
    verb = verb_at(t, k, "ing") or (verb_at(t, k) if t.at(k) in GIVEN else None)
    if verb is None:
        return None
    end = k + 1 + (t.at(k + 1) in ("up", "out", "off"))
    return end, (f"{verb.plain} {subject.words}",), ()


def listed(t: Tokens, subject: Phrase, k: int, *, never: bool, bare: bool = False) -> Predicates | None:
    """Returns the clauses of states, participles and places, joined by "and"."""
    clauses: list[str] = []
    skipped: list[tuple[int, int]] = []
    end = k
    while (found := predicate(t, subject, k, bare=bare and not clauses, never=never)) is not None:
        end, fresh, more = found
        clauses += fresh
        skipped += more
        k = end
        if t.at(k) not in ("and", ","):
            break
        k = soft(t, k + 1)
        k += t.at(k) in ("be", "stand", "is", "are", "and")
        if verb_at(t, k) is not None and (noun_phrase(t, k + 1) is not None or t.at(k - 1) == "please"):
            break  # the next command
        if t.at(k) in words.DETERMINERS or (t.is_noun(k) and t.at(k) not in words.STATES) or never:
            break
    return (end, tuple(clauses), tuple(skipped)) if clauses else None


Predicate = tuple[int, list[str], list[tuple[int, int]]]
"""As `Predicates`, of one state or place."""


def predicate(t: Tokens, subject: Phrase, k: int, *, bare: bool, never: bool) -> Predicate | None:
    """Returns (end, clauses, skipped) of one state, participle or place; the clause begins with "!" if it is forbidden."""
    mark = "!" if never else ""
    n = soft(t, k)
    k = n + (t.at(n - 1) in words.SOFT and t.at(n) == "," and t.at(n + 1) in words.PLACES)
    k += t.at(k) in BEFORE_STATE
    word = t.at(k)
    if (word == "up" or word in LYING | {"found", "situated", "positioned"}) and t.at(k + 1) in words.PLACES:
        k, word = k + 1, t.at(k + 1)
    place = place_phrase(t, k)
    if place is not None and (place.preposition in INTO or (not bare and place.preposition in OUT)):
        moves = "put" if place.preposition in INTO else "take"
        return soft(t, place.end), [f"{mark}{moves} {subject.words} {place.said}"], []
    inside = t.at(k) in ("in", "on") and t.at(k + 1) == "there"
    if word in ("there", "over_there") or inside:
        return k + 1 + inside, [f"{mark}put {subject.words} there"], []
    verb = verb_at(t, k, "ed")
    if verb is not None and (word not in words.STATES or verb.frame == "change") and verb.frame != "have":
        said = said_at(t, k, "ed")
        if said is not None:
            said.object = subject
            return said.end, [mark + one for one in plain(said)], said.skipped
    if word in words.STATES and not (bare and noun_phrase(t, k, bare=False) is not None and word not in ("on", "off", "out")):
        command = COMMANDS.get(word) or BECOMES.get(word)
        if command is not None:
            return k + 1, [f"{mark}{command} {subject.words}"], []
    return None
