"""The language of the library's search box: words, fields and comparisons, separated by spaces. All of them must hold.

- `apple fridge`: both words, as beginnings of words, anywhere in the recording.
- `planner:llm-mcts`: the field contains the text. `planner:uct,greedy`: one of several. `goal:"one apple"`: with spaces.
- `turns>20`, `length<=5m`: a number is compared; also with `=`. `date>=2026-11-01`: so is a date.
- `failed`: a word with a meaning of its own (`core.library.entry.WORDS`). In quotes it is searched for.
- `note:door`: words of one part of the text only: `prompt`, `reply` or `note`.
- `-label:stuck`: not.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from core.common.errors import UsageError
from core.common.registry import near_misses
from core.common.visible import pasted
from core.library.entry import FIELDS, WORDS, Entry, Field, Value

PARTS: Final[Mapping[str, str]] = MappingProxyType({"prompt": "prompts", "reply": "replies", "note": "notes"})
"""Fields that are searched in the text: name in queries -> name of the text's part."""
WORD: Final = re.compile(r"[^\W_]+")
"""What counts as a word of a text."""
TERM: Final = re.compile(r'(?P<no>-?)(?:(?P<field>[A-Za-z]+)(?P<op>>=|<=|[:=<>]))?(?P<value>(?:"[^"]*"?|[^\s"])*)')
QUOTED: Final = re.compile(r'"([^"]*)"?')
SPLIT: Final = re.compile(r',(?=(?:[^"]*"[^"]*")*[^"]*$)')
"""A comma outside of quotes."""
COMPARE: Final[Mapping[str, Callable[[Any, Any], bool]]] = MappingProxyType({
    ">": operator.gt, "<": operator.lt, ">=": operator.ge, "<=": operator.le, "=": operator.eq})
NUMBER: Final = re.compile(r"(\d{1,15}(?:\.\d{1,15})?)(s|m|h|k)?")
UNITS: Final[Mapping[str, float]] = MappingProxyType({"s": 1.0, "m": 60.0, "h": 3600.0, "k": 1000.0})
MOST_COMPLETIONS: Final = 12


@dataclass(frozen=True, slots=True)
class TextTerm:
    """Words that must all occur in the text, as beginnings of words.

    Attributes:
        words: in lower case.
        part: `prompts`, `replies` or `notes`; empty: anywhere.
        negated: they must not all occur.
    """

    words: tuple[str, ...]
    part: str = ""
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Condition:
    """What must hold of a field, or a word with a meaning of its own that must hold. It depends on the values alone.

    Attributes:
        name: of the field, or the word.
        values: returns an entry's values.
        one: returns whether it holds of one value. It holds of an entry if it does of any of its values.
        negated: it must not hold.
    """

    name: str
    values: Callable[[Entry], tuple[Value, ...]]
    one: Callable[[Value], bool]
    negated: bool = False

    def of_values(self, values: tuple[Value, ...]) -> bool:
        """Returns whether it holds of an entry with these values."""
        return any(map(self.one, values)) != self.negated


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query.

    Attributes:
        texts: what the index searches in the texts.
        conditions: what must hold of an entry.
    """

    texts: tuple[TextTerm, ...] = ()
    conditions: tuple[Condition, ...] = ()


def parse(text: str) -> Query:
    """Returns the query of a text.

    Raises:
        UsageError: it is none; in one line.
    """
    texts, conditions = [], []
    for match in TERM.finditer(pasted(text)):
        negated, name, op, value = match["no"] == "-", (match["field"] or "").lower(), match["op"], match["value"]
        if not name and not value:
            continue
        part = PARTS.get(name) if op in (":", "=") else None
        if not name and value.lower() in WORDS:
            conditions.append(_word(value.lower(), negated=negated))
        elif not name or part is not None:
            words = words_of(value)
            if words:
                texts.append(TextTerm(words, part or "", negated))
        elif value:  # an unfinished `planner:` holds of everything, while it is being typed
            conditions.append(_test(name, op, value, negated=negated))
        elif name not in FIELDS:
            raise UsageError(_unknown(name))
    return Query(tuple(texts), tuple(conditions))


def words_of(text: str) -> tuple[str, ...]:
    """Returns the words of a text in lower case, without repetitions. Texts and queries are split alike."""
    return tuple(dict.fromkeys(WORD.findall(text.casefold())))


def _word(word: str, *, negated: bool) -> Condition:
    holds = WORDS[word]
    return Condition(word, lambda entry: (float(holds(entry)),), bool, negated)


def _unknown(name: str) -> str:
    known = (*FIELDS, *PARTS)
    hint = near_misses(name, known) or f"; there is {', '.join(known)}"
    return f"there is no field '{name}'{hint}; put a text that contains “:”, “<” or “>” in quotes"


def _test(name: str, op: str, value: str, *, negated: bool) -> Condition:
    field = FIELDS.get(name)
    if field is None:
        raise UsageError(_unknown(name))
    one = _number_test(field, "=" if op == ":" else op, value) if field.number else _text_test(op, value)
    return Condition(name, field.values, one, negated)


def _text_test(op: str, value: str) -> Callable[[Value], bool]:
    wanted = tuple(QUOTED.sub(r"\1", one).casefold() for one in SPLIT.split(value))
    if op == ":":
        return lambda had: any(one in str(had).casefold() for one in wanted)
    if op == "=":
        return lambda had: str(had).casefold() in wanted
    compare = COMPARE[op]
    return lambda had: bool(had) and compare(_cut(str(had).casefold(), wanted[0], op), wanted[0])


def _cut(had: str, wanted: str, op: str) -> str:
    """Returns a text as long as the one it is compared with where equality counts: a time of a day is no later than the day."""
    return had[:len(wanted)] if op in ("<=", ">") else had


def _number_test(field: Field, op: str, value: str) -> Callable[[Value], bool]:
    found = [NUMBER.fullmatch(one) for one in value.lower().split(",")]
    numbers = [float(one[1]) * UNITS.get(one[2] or "", 1.0) for one in found if one is not None]
    if len(numbers) < len(found):
        raise UsageError(f"{field.name} is a number: write it such as {field.name}>20")
    compare = COMPARE[op]
    return lambda had: had is not None and any(_compared(compare, op, had, one) for one in numbers)


def _compared(compare: Callable[[Any, Any], bool], op: str, had: Value, wanted: float) -> bool:
    return math.isclose(float(had or 0), wanted, abs_tol=1e-9) if op == "=" else compare(had, wanted)


# --- completion ------------------------------------------------------------------
def complete(text: str, counts: Callable[[str], Mapping[str, int]]) -> list[str]:
    """Returns texts that the query could become: its last term completed to a field, or to a value that entries have.

    Args:
        text: what is typed so far.
        counts: returns how many entries have each value of a field.
    """
    at = max(text.rfind(" "), -1) + 1
    if text[:at].count('"') % 2:
        return []
    before, last = text[:at], text[at:]
    sign, term = ("-", last[1:]) if last.startswith("-") else ("", last)
    name, colon, typed = term.partition(":")
    if not colon:
        names = [f"{one}{'>' if FIELDS[one].number else ':'}" for one in FIELDS] + [f"{one}:" for one in PARTS] + list(WORDS)
        found: Iterable[str] = (one for one in names if term and one.startswith(term.lower()) and one != term)
    elif name.lower() in FIELDS:
        found = (f"{name}:{one}" for one in _values(counts(name.lower()), typed))
    else:
        found = ()
    return [f"{before}{sign}{one}" for one in found][:MOST_COMPLETIONS]


def _values(counted: Mapping[str, int], typed: str) -> list[str]:
    done, comma, last = typed.rpartition(",")
    last = last.strip('"').casefold()
    fits = sorted((value for value in counted if last in value.casefold()), key=lambda value: (-counted[value], value))
    return [f"{done}{comma}{_quoted(value)}" for value in fits if _quoted(value) != last]


def _quoted(value: str) -> str:
    return f'"{value.replace(chr(34), "")}"' if " " in value or "," in value else value
