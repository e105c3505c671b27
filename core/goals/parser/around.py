"""Takes out what stands around a clause, and writes out what stands for a noun, before the clauses of a task are found.

    around := (NAME | the nurse | he) says (that) | , NAME says | wherever they are | when the episode ends | out of his reach
    noun   := the mug, the one on the desk | the dirty one | the fourth cabinet | the phone that somebody left on the desk

Each rule is as in `core.goals.parser.changes`. More rules are in `restated`, `turned_around` and `set_phrases`. What is left
out is reported, so that an operator sees it.
"""

from __future__ import annotations

from dataclasses import replace

from core.goals.parser import restated, set_phrases, turned_around
from core.goals.parser import word_classes as words
from core.goals.parser.changes import Change, word
from core.goals.parser.commands import verb_at
from core.goals.parser.phrases import noun_phrase
from core.goals.parser.tokens import UNITS, Tokens
from core.goals.vocabulary import Lexicon, plural_of, singulars

SAYS = words.word_set("says said reckons thinks believes claims insists tells told mentioned noticed thought")
ANY_OF_THEM = words.word_set("wherever whichever whoever however no_matter")
BACK = words.word_set("belongs belong goes go lives live fits fit")
RUNS = words.word_set("episode task trial run simulation session experiment game")
OVER = words.word_set("ends end ended terminates terminate finishes finished over done stops up")
REACH = words.word_set("reach sight view way")
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
ORDINALS = {word: number for number, word in enumerate(_ORDINALS.split(), 1)}
MOST_ASIDE = 8
"""The most words of a clause such as "wherever they are"."""


def without_surroundings(t: Tokens, lexicon: Lexicon) -> tuple[Tokens, list[tuple[int, int]]]:
    """Returns the tokens with what stands around clauses taken out and nouns written out, and (start, end) of what is out."""
    out: list[tuple[int, int]] = []
    k = 0
    while k < len(t):
        if (change := _change(t, k, lexicon)) is not None:
            start, end, fresh = change
            if not fresh:
                out.append((t.tokens[start].start, t.tokens[end - 1].end))
            t = Tokens(t.typed, [*t.tokens[:start], *fresh, *t.tokens[end:]], lexicon)
        k += 1
    return t, out


def _change(t: Tokens, k: int, lexicon: Lexicon) -> Change | None:
    """Returns the change of the first rule that fits at an index."""
    for named in (_one, _ordinal, _numbered):
        if (change := named(t, k, lexicon)) is not None:
            return change
    for rule in (*RULES, *set_phrases.RULES, *turned_around.RULES, *restated.RULES):
        if (change := rule(t, k)) is not None:
            return change
    return None


def _begins(t: Tokens, k: int) -> bool:
    return k == 0 or t.is_stop(k - 1) or t.at(k - 1) in words.COORDINATORS | words.GREETINGS


def _person_end(t: Tokens, k: int) -> int:
    """Returns the index after a person: he, somebody, the nurse, Lily, Nurse Kim; k if there is none."""
    if t.at(k) in words.OTHERS | {"i", "we", "they"}:
        return k + 1
    n = k + (t.at(k) in words.ARTICLES)
    n += t.at(n) in words.PEOPLE
    named = not t.is_known(n) and t.at(n).isalpha() and (t.is_capital(n) or n == 0)
    return n + 1 if named else n if t.at(n - 1) in words.PEOPLE and n > k else k


def _reported(t: Tokens, k: int) -> Change | None:
    """Takes out "Lily says (that)" before a clause, and ", Nurse Kim says" after one."""
    after = _person_end(t, k)
    if not _begins(t, k) or after == k or t.at(after) not in SAYS or t.at(k) in ("i", "we"):
        return None
    end = after + 1 + (t.at(after + 1) in words.SPEAKER)
    if t.at(k - 1) == "," and (end >= len(t) or t.is_stop(end)):
        return k - 1, end, []
    end += t.at(end) == "that"
    states = t.at(end) in words.SUBJECTS or noun_phrase(t, end) is not None
    return (k, end, []) if states and not t.is_stop(end) and t.at(end) != "no" else None


def _wherever(t: Tokens, k: int) -> Change | None:
    """Takes out "wherever they are" and "whichever is nearer"; "wherever it belongs" is a place."""
    if t.at(k) not in ANY_OF_THEM or t.at(k + 1) not in words.SUBJECTS | words.BE | words.PEOPLE | words.QUESTION_WORDS:
        return None
    end = next((n for n in range(k + 1, min(len(t), k + MOST_ASIDE)) if t.is_stop(n) or t.at(n) in words.COORDINATORS), 0)
    end = end or (len(t) if len(t) - k < MOST_ASIDE else k)
    said = t.texts[k + 1:end]
    if end - k < 2 or BACK & set(said) or any(word in words.NEGATIONS or word.isdecimal() for word in said):
        return None
    opened = t.at(k - 1) in (",", "out_of", "from")
    closed = t.at(k - 1) == "," and t.at(end) == "," and verb_at(t, end + 1) is None
    return k - opened, end + closed, []


def _when_over(t: Tokens, k: int) -> Change | None:
    """Takes out "when the episode ends": a goal holds at the end anyway."""
    n = k + 1 + (t.at(k + 1) in words.ARTICLES)
    if t.at(k) not in ("when", "once", "by_the_time", "as", "before") or t.at(n) not in RUNS:
        return None
    n += 1 + (t.at(n + 1) in words.BE)
    return (k, n + 1, []) if t.at(n) in OVER else None


def _out_of_reach(t: Tokens, k: int) -> Change | None:
    """Takes out "out of Oscar's sight", "within reach of the kids" and "out of the way" beside a place."""
    end = next((n + 1 for n in range(k + 1, min(len(t), k + 5)) if t.at(n) in REACH), 0)
    if t.at(k) not in ("out_of", "within") or not end or any(t.is_noun(n) or t.is_stop(n) for n in range(k + 1, end - 1)):
        return None
    return k, end + (t.at(end) == "," and t.at(end + 1) in words.PLACES), []


def _says_which(t: Tokens, k: int) -> Change | None:
    """Says "the mug, the one on the desk" as "the mug that is on the desk"."""
    n = k + 1
    while t.at(n) in words.SOFT | {",", "please"}:
        n += 1
    if t.at(k) != "," or not t.is_noun(k - 1) or t.at(n) not in ("the", "that") or t.at(n + 1) not in ("one", "ones"):
        return None
    relative = t.at(n + 2) in ("that", "which")
    if not relative and not (t.at(n + 2) in words.PLACES and noun_phrase(t, n + 3) is not None):
        return None
    that, is_ = replace(t.tokens[n], text="that"), replace(t.tokens[n + 1], text="is")
    return (k, n + 3, [that]) if relative else (k, n + 2, [that, is_])


def _one(t: Tokens, k: int, lexicon: Lexicon) -> Change | None:
    """Writes out "the dirty one", "the one from the sink" and "the desk one" with the noun named before."""
    before = t.at(k - 1)
    modifier = t.is_noun(k - 1) and before not in words.GENERIC
    if t.at(k) not in ("one", "ones") or t.at(k + 1) in ("of", "more") or t.is_noun(k + 1):
        return None
    points = before == "the" and (t.at(k + 1) in words.PLACES or t.at(k + 1) in ("that", "which"))
    stated = before in words.STATES - words.PARTICLES and t.at(k - 2) in words.DETERMINERS
    if not (points or modifier or stated) or t.at(k - 2) in words.EXCEPTIONS | {"but", "is"}:
        return None
    noun = _named_before(t, k - 1 - modifier)
    if not noun:
        return None
    single = noun if lexicon.is_here(noun) and not noun.endswith("s") else next(iter(singulars(noun)), noun)
    name = plural_of(single) if t.at(k) == "ones" else single
    if not modifier:
        return k, k + 1, [replace(t.tokens[k], text=name.replace(" ", "_"))]
    joined = f"{before.replace('_', ' ')} {name.split()[-1]}"
    if lexicon.is_here(joined):  # the desk one, after lamps
        return k - 1, k + 1, [replace(t.tokens[k], text=joined.replace(" ", "_"))]
    said = (name.replace(" ", "_"), "that", "is", "in" if t.is_room(k - 1) else "on")
    return k - 1, k + 1, [*(replace(t.tokens[k], text=word) for word in said), t.tokens[k - 1]]


def _named_before(t: Tokens, k: int) -> str:
    """Returns the last noun before an index that is no place; empty if there is none."""
    named: list[tuple[bool, str]] = []
    for n in range(k - 1, -1, -1):
        one = noun_phrase(t, n) if t.is_noun(n) or t.at(n) in words.DETERMINERS else None
        placed = t.at(n - 1) in words.PREPOSITIONS or (t.at(n - 1) in words.DETERMINERS and t.at(n - 2) in words.PREPOSITIONS)
        head = t.at(one.head) if one is not None and one.known and not placed else ""
        if head and head not in words.GENERIC | words.PEOPLE | words.OBJECT_PRONOUNS and not t.is_room(one.head if one else n):
            named.append((t.is_fixed(n, k), head.replace("_", " ")))
    return next((head for fixed, head in named if not fixed), named[0][1] if named else "")


def _ordinal(t: Tokens, k: int, lexicon: Lexicon) -> Change | None:
    """Says "the fourth cabinet" as "cabinet 4", if there is one of that number."""
    number, noun = ORDINALS.get(t.at(k), 0), t.at(k + 1)
    if not number or t.at(k - 1) not in words.ARTICLES or f"{_id(noun, lexicon)}_{number}" not in lexicon.entities:
        return None
    return k - 1, k + 2, [replace(t.tokens[k], text=f"{_id(noun, lexicon)}_{number}")]


def _numbered(t: Tokens, k: int, lexicon: Lexicon) -> Change | None:
    """Says "cabinet four" as "cabinet 4", if there is one of that number."""
    number, noun = UNITS.get(t.at(k), 0), t.at(k - 1)
    if not number or not t.is_noun(k - 1) or t.is_noun(k + 1) or t.at(k + 1) in ("of", "more"):
        return None
    classes = {*lexicon.classes_of(noun), *lexicon.classes_of(noun.replace("_", " "))}
    is_here = any(f"{cls}_{number}" in lexicon.entities for cls in classes)
    return (k, k + 1, [word(t.tokens[k], str(number))]) if is_here else None


def _id(noun: str, lexicon: Lexicon) -> str:
    return next(iter(sorted(lexicon.classes_of(noun))), "") if noun in lexicon.entities or lexicon.ids_of(noun) else ""


def _left_there(t: Tokens, k: int) -> Change | None:
    """Says "the phone (that) somebody left on the desk" as "the phone that is on the desk"."""
    relative = t.at(k) in ("that", "which")
    person = _person_end(t, k + relative)
    if not t.is_noun(k - 1) or person == k + relative:
        return None
    n = person
    while t.at(n) in words.HAVE | {"'d", "'s"} | words.SOFT:
        n += 1
    left = any(verb.form in ("ed", "s") and verb.frame in ("put", "stand") for verb in t.verbs(n))
    if not left or t.at(n + 1) not in words.PLACES or noun_phrase(t, n + 2) is None:
        return None
    return k, n + 1, [replace(t.tokens[k], text="that"), replace(t.tokens[n], text="is")]


def _in_there(t: Tokens, k: int) -> Change | None:
    """Takes out "in there" after a place: on the counter in there."""
    ends = k + 2 >= len(t) or t.is_stop(k + 2) or t.at(k + 2) in words.COORDINATORS
    return (k, k + 2, []) if t.joined(k, k + 2) == "in there" and t.is_noun(k - 1) and ends and "in" in t.texts[:k] else None


RULES = (_in_there, _reported, _wherever, _when_over, _out_of_reach, _says_which, _left_there)
"""Those that need no names of the world, in the order in which they are tried."""
