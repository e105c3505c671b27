"""Says requests in the usual order of words where they have another one, before the clauses of a task are found.

    off with the lamp | out with the milk from the fridge | would it hurt you to close it
    see that book? (put it away) | clear the table of plums
    make it to be off | can you please the lamp switch off | same for the plum

Each rule is as in `core.goals.parser.changes`.
"""

from __future__ import annotations

from core.goals.parser import word_classes as words
from core.goals.parser.changes import Change, begins_clause, known_phrase, opens, word
from core.goals.parser.commands import verb_at
from core.goals.parser.tokens import Tokens

POINTING = words.word_set("see notice spot remember see_that")
HURTING = words.word_set("kill hurt bother pain trouble")
RIDDING = words.word_set("clear empty free rid")
FOR = frozenset({"for", "with", "to"})


def _ends(t: Tokens, k: int) -> bool:
    return k >= len(t) or t.is_stop(k)


def _off_with(t: Tokens, k: int) -> Change | None:
    """Says "off with the lamp" as "switch off the lamp"."""
    one = known_phrase(t, k + 2) if begins_clause(t, k) and t.at(k + 1) == "with" else None
    if one is None:
        return None
    if t.at(k) == "away" and t.at(one.end) in ("on", "in"):
        there = [word(t.tokens[k], "that"), word(t.tokens[k], "is")]
        return k, one.end, [word(t.tokens[k], "put"), t.tokens[k], *t.tokens[k + 2:one.end], *there]
    if t.at(k) in ("on", "off", "away"):
        return k, k + 2, [word(t.tokens[k], "put" if t.at(k) == "away" else "switch"), t.tokens[k]]
    out = t.at(k) == "out" and "from" in t.texts[k:one.end + 1]
    return (k, k + 2, [word(t.tokens[k], "remove")]) if out else None


def _would_it_hurt(t: Tokens, k: int) -> Change | None:
    """Says "would it kill you to" as "please"."""
    asked = t.at(k) in ("would", "will") and t.at(k + 1) == "it" and t.at(k + 2) in HURTING
    return (k, k + 5, [word(t.tokens[k], "please")]) if asked and t.joined(k + 3, k + 5) == "you to" else None


def _pointed_at(t: Tokens, k: int) -> Change | None:
    """Says "see that book?" as "that book?", which a pronoun after it means."""
    n = k + 2 * (t.joined(k, k + 2) in ("do you", "can you"))
    one = known_phrase(t, n + 1) if opens(t, k) and t.at(n) in POINTING else None
    if one is None or not t.at(one.end).startswith("?"):
        return None
    return k, one.end, [*([word(t.tokens[n], "that")] if t.at(n) == "see_that" else []), *t.tokens[n + 1:one.end]]


def _cleared_of(t: Tokens, k: int) -> Change | None:
    """Says "clear the table of plums" as "remove all plums from the table"."""
    if t.at(k) not in RIDDING or verb_at(t, k) is None:
        return None
    of = next((n for n in range(k + 2, min(len(t), k + 6)) if t.at(n) == "of"), 0)
    what = known_phrase(t, of + 1) if of else None
    if what is None or not t.is_noun(of - 1) or not what.several or not _ends(t, what.end):
        return None
    counted = t.at(what.start) in words.DETERMINERS
    things = t.tokens[what.start:what.end] if counted else [word(t.tokens[of], "all"), *t.tokens[what.start:what.end]]
    return k, what.end, [word(t.tokens[k], "remove"), *things, word(t.tokens[of], "from"), *t.tokens[k + 1:of]]


def _to_be(t: Tokens, k: int) -> Change | None:
    """Says "make it to be off" as "make it be off"."""
    makes = any(t.at(n) == "make" for n in range(max(0, k - 5), k))
    return (k, k + 2, [t.tokens[k + 1]]) if makes and t.joined(k, k + 2) == "to be" and t.at(k + 2) in words.STATES else None


def _verb_last(t: Tokens, k: int) -> Change | None:
    """Says "can you please the lamp switch off" as "can you please switch off the lamp"."""
    asked = t.at(k - 1) in ("you", "please") and any(t.at(n) in words.REQUESTS for n in range(max(0, k - 4), k))
    one = known_phrase(t, k) if asked and t.at(k) in words.ARTICLES else None
    verb = one.end if one is not None else len(t)
    if one is None or verb_at(t, verb) is None or not (_ends(t, verb + 1) or t.at(verb + 1) in words.PARTICLES):
        return None
    return k, verb + 1, [t.tokens[verb], *t.tokens[k:verb]]


def _same_for(t: Tokens, k: int) -> Change | None:
    """Says "same for the plum" and "ditto for the plum" as "and the plum"."""
    n = k + (t.at(k) == "the")
    if t.at(n) not in ("same", "ditto") or not begins_clause(t, k):
        return None
    n += 1 + (t.at(n + 1) in ("goes", "again", "thing"))
    n += t.at(n) in FOR
    return (k, n, [word(t.tokens[k], "and")]) if (n > k + 1 or t.at(k) == "ditto") and known_phrase(t, n) is not None else None


RULES = (_off_with, _would_it_hurt, _pointed_at, _cleared_of, _to_be, _verb_last, _same_for)
"""In the order in which they are tried."""
