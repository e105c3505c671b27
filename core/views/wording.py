"""How the values of a view are written: numbers by their kind, items in words. Every surface writes them so.

A missing value is an en dash; a minus is the minus sign U+2212.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from core.views.values import Cell, Column, Item, Kind

NOTHING = "–"
MINUS = "−"
INFINITE = "∞"
SMALL, LARGE = 0.005, 1e15
"""Sizes of values below and from which digits after the point say nothing, so that they are written with a power of ten."""
FEW, MANY = 0.05, 9.95
"""Sizes below which a divided count is none, and from which its tenths are left out."""


def cell_text(value: Cell, kind: Kind = "text") -> str:
    """Returns a value as text, as its kind is written: `1,140`, `.46`, `6.42`, `1.8 s`, `yes`, `closed, on`.

    Args:
        value: the value. A value of another type than its kind, such as a text among counts, is written as it is.
        kind: the kind of its column.
    """
    match value:
        case None:
            return NOTHING
        case bool():
            return "yes" if value else "no"
        case frozenset():
            return ", ".join(sorted(value))
        case str():
            return value
    if not math.isfinite(value):
        return NOTHING if math.isnan(value) else INFINITE if value > 0 else f"{MINUS}{INFINITE}"
    return WRITERS.get(kind, _plain)(value)


def item_words(item: Item, columns: Sequence[Column] = (), kind: Kind = "text") -> str:
    """Returns an item in one line: `open fridge 1 · visits 12 · Q 6.42 · chosen · the cheapest`. Unknown values are left out.

    Args:
        item: the item.
        columns: the columns of its view. Values beyond them are written as `kind`.
        kind: see `columns`.
    """
    titled = [(column.title, column.kind) for column in columns[:len(item.values)]]
    titled += [("", kind)] * (len(item.values) - len(titled))
    values = (f"{title} {cell_text(value, of_kind)}".strip()
              for (title, of_kind), value in zip(titled, item.values, strict=True) if value is not None)
    parts = (item.text, item.place, *values, *(mark.word for mark in item.marks), item.note)
    return " · ".join(" ".join(part.split()) for part in parts if part and not part.isspace())


# --- numbers -----------------------------------------------------------------------
def probability(p: float | None) -> str:
    """Returns a probability as `.46`, `1` or `<.01`; 0 gives ""."""
    if p is None:
        return NOTHING
    return _probability(p) if p > 0 else ""


def _probability(p: float) -> str:
    if not 0 <= p <= 1:
        return _value(p)
    if p < SMALL:
        return "<.01" if p else "0"
    text = f"{p:.2f}"
    return "1" if text == "1.00" else text.removeprefix("0")


def value(x: float | None, digits: int = 2) -> str:
    """Returns a value as `6.42`, or as `6.4` with one digit in tree nodes."""
    return NOTHING if x is None else signed(f"{x:.{digits}f}")


def _value(x: float) -> str:
    """Returns any finite value: `6.42`, `12,345.68`, `3.2e−05`."""
    return signed(f"{x:.2g}" if x and not SMALL <= abs(x) < LARGE else f"{x:,.2f}")


def loss(x: float | None) -> str:
    """Returns a loss as `0.8`, or as `best` if it is 0."""
    if x is None:
        return NOTHING
    return "best" if x <= 0 else lead(x)


def lead(x: float) -> str:
    """Returns how far one value exceeds another: `0.8`, `.02`, `<.01`; 0 only if they are equal."""
    if x >= 0.05:
        return f"{x:.1f}"
    return f"{x:.2f}".removeprefix("0") if x >= 0.005 else "<.01" if x > 0 else "0"


def _similarity(x: float) -> str:
    return _probability(x) if x >= 0 else f"{MINUS}{_probability(-x)}"


def _written_value(x: float) -> str:
    return whole(x) if isinstance(x, int) else _value(x)


def _time(x: float) -> str:
    return seconds(x) if x >= 0 else f"{MINUS}{seconds(-x)}"


def _plain(x: float) -> str:
    return whole(x) if isinstance(x, int) else signed(f"{x:.3g}")


def signed(text: str) -> str:
    """Returns the text with a real minus sign, and without a minus before zero."""
    if text.startswith("-") and not text.strip("-0."):
        text = text[1:]
    return text.replace("-", MINUS)


def whole(n: int) -> str:
    """Returns an integer as `1,140`."""
    return signed(f"{n:,}")


def _count(n: float) -> str:
    """Returns a count, which may be divided: `1,140`, `6.3`."""
    return whole(round(n)) if isinstance(n, int) or abs(n) >= MANY or abs(n - round(n)) < FEW else signed(f"{n:.1f}")


def seconds(s: float | None) -> str:
    """Returns a duration as `1.8 s`, over a minute as `1:24.6`, over an hour as `1:02:05`."""
    if s is None:
        return NOTHING
    return f"{s:.1f} s" if s < 59.95 else clock(s)


def clock(s: float) -> str:
    """Returns a time of the run, given in seconds, as `0:04.1` or `1:24.6`."""
    minutes, rest = divmod(round(max(0.0, s), 1), 60)
    if minutes < 60:
        return f"{int(minutes)}:{rest:04.1f}"
    return f"{int(minutes // 60)}:{int(minutes % 60):02d}:{int(rest):02d}"


def count(n: int, noun: str, plural: str = "") -> str:
    """Returns a count with its noun, such as `1 call`, `12 calls` or `2 replies`.

    Args:
        n: the count.
        noun: what is counted; may go on: `turn is`.
        plural: what follows other counts than 1; empty: the regular plural of the noun.
    """
    return f"{whole(n)} {noun if n == 1 else plural or regular_plural(noun)}"


def regular_plural(noun: str) -> str:
    """Returns the regular plural of a noun: `replies`, `matches`, `calls`."""
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return noun + ("es" if noun.endswith(("s", "x", "z", "ch", "sh")) else "s")


WRITERS: Mapping[Kind, Callable[[float], str]] = MappingProxyType({
    "count": _count, "probability": _probability, "similarity": _similarity, "value": _written_value, "loss": loss,
    "time": _time})
"""How the finite numbers of each kind are written."""
