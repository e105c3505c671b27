"""Says set phrases in plain words, before the clauses of a task are found.

    I could murder a coffee | I'd rather the lamp was on | set it going | out of there and onto the desk | go on,
    the two of them | the drawer, which has to be closed | it mustn't stay on the desk | it has to leave the desk

Each rule is as in `core.goals.parser.changes`.
"""

from __future__ import annotations

from core.goals.parser import word_classes as words
from core.goals.parser.changes import Change, known_phrase, opens, word
from core.goals.parser.restated import INTO
from core.goals.parser.tokens import Tokens

CRAVINGS = tuple(tuple(phrase.split()) for phrase in (
    "could murder", "could use", "could go for", "'d kill for", "would kill for", "'m dying for", "'m desperate for",
    "'m craving", "'m gasping for", "would n't say no to", "would n't mind", "'d have"))
"""After "I" or "we": the speaker wants what follows."""
GOING = words.word_set("going running started")
STAYING = words.word_set("stay remain sit lie stand be")
MUST = (("has", "to"), ("have", "to"), ("must",), ("should",), ("needs", "to"), ("need", "to"), ("ought", "to"))
"""Words of duty."""


def _duty_end(t: Tokens, k: int) -> int:
    """Returns the index after words of duty; k if there are none."""
    return next((k + len(said) for said in MUST if tuple(t.texts[k:k + len(said)]) == said), k)


def _craved(t: Tokens, k: int) -> Change | None:
    """Says "I could murder a coffee" as "I want a coffee"."""
    if t.at(k) not in ("i", "we"):
        return None
    end = next((k + 1 + len(said) for said in CRAVINGS if tuple(t.texts[k + 1:k + 1 + len(said)]) == said), 0)
    return (k, end, [t.tokens[k], word(t.tokens[k], "want")]) if end and known_phrase(t, end) is not None else None


def _rather(t: Tokens, k: int) -> Change | None:
    """Says "I'd rather the lamp was on" as "I want the lamp on"."""
    said = t.at(k) in ("i", "we") and t.at(k + 1) in ("'d", "would") and t.at(k + 2) == "rather"
    one = known_phrase(t, k + 3) if said else None
    if one is None or t.at(one.end) not in words.BE:
        return None
    return k, one.end + 1, [t.tokens[k], word(t.tokens[k], "want"), *t.tokens[k + 3:one.end]]


def _set_going(t: Tokens, k: int) -> Change | None:
    """Says "set it going" as "switch it on"."""
    goes = t.at(k) in ("set", "get") and t.at(k + 1) in ("it", "them", "that") and t.at(k + 2) in GOING
    return (k, k + 3, [word(t.tokens[k], "switch"), t.tokens[k + 1], word(t.tokens[k + 2], "on")]) if goes else None


def _out_of_there(t: Tokens, k: int) -> Change | None:
    """Takes out "out of there and" before a place where it goes."""
    n = k + 2 + (t.at(k + 2) == "and")
    return (k, n, []) if t.at(k) == "out_of" and t.at(k + 1) in ("there", "here") and t.at(n) in INTO else None


def _go_on(t: Tokens, k: int) -> Change | None:
    """Takes out "go on," at the beginning of a sentence."""
    urged = opens(t, k) and t.at(k) in ("go", "come") and t.at(k + 1) == "on" and t.at(k + 2) == ","
    return (k, k + 3, []) if urged else None


def _two_of_them(t: Tokens, k: int) -> Change | None:
    """Says "the two of them" as "both of them"."""
    counted = t.at(k) == "the" and t.at(k + 1) in ("two", "three", "four")
    two = counted and t.joined(k + 2, k + 4) in ("of them", "of these")
    return (k, k + 2, [word(t.tokens[k], "both" if t.at(k + 1) == "two" else "all")]) if two else None


def _which_must(t: Tokens, k: int) -> Change | None:
    """Says "in the drawer, which has to be closed" as "in the drawer and the drawer must be closed"."""
    duty = k + 2
    end = _duty_end(t, duty) if t.at(k) == "," and t.at(k + 1) == "which" and t.is_noun(k - 1) else duty
    if end == duty:
        return None
    start = k - 1
    while t.is_noun(start - 1):
        start -= 1
    named = [word(t.tokens[k], "and"), word(t.tokens[k], "the"), *t.tokens[start:k]]
    return k, end, [*named, word(t.tokens[k], "must")]


def _may_not_stay(t: Tokens, k: int) -> Change | None:
    """Says "it mustn't stay on the desk" as "it must be off the desk": it may lie there now."""
    barred = t.at(k) in ("must", "should", "can", "ca", "may") and t.at(k + 1) in ("n't", "not") and t.at(k + 2) in STAYING
    n = k + 3 + (t.at(k + 3) in ("left", "sitting", "lying", "standing"))
    stays = t.at(k + 2) != "be" or n > k + 3
    if not barred or not stays or t.at(n) not in ("on", "in") or known_phrase(t, n + 1) is None:
        return None
    away = word(t.tokens[n], "off" if t.at(n) == "on" else "out_of")
    return k, n + 1, [word(t.tokens[k], "must"), word(t.tokens[k], "be"), away]


def _must_leave(t: Tokens, k: int) -> Change | None:
    """Says "the plums have to leave the table" as "the plums must be off the table"."""
    end = _duty_end(t, k)
    if end == k or t.at(end) != "leave" or not t.is_noun(k - 1) or t.is_room(k - 1) or known_phrase(t, end + 1) is None:
        return None
    return k, end + 1, [word(t.tokens[k], "must"), word(t.tokens[k], "be"), word(t.tokens[end], "off")]


RULES = (_craved, _rather, _set_going, _out_of_there, _go_on, _two_of_them, _which_must, _may_not_stay, _must_leave)
"""In the order in which they are tried."""
