"""Expressions over the documented names: checked before they are used, and evaluated on snapshots."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial

from core.common.errors import UsageError
from core.common.readings import Kind, Read, Unknown, Value
from core.common.visible import pasted
from core.planning.facets import Facet
from core.planning.measures import FacetIndex
from core.session.expressions import (
    ExpressionError,
    Node,
    Reference,
    cheap_first,
    compiled,
    kind_of,
    parse,
    references,
)
from core.session.quantities import NAMED, QUANTITIES, Quantity, State
from core.session.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression that was checked.

    Attributes:
        text: as it was typed.
        root: its parsed form.
        kind: the kind of its value.
        names: the names in it, from left to right.
        readers: computes the value of each of them.
        read: computes its value.
        test: computes the same if it is true or false; the reason of an unknown value may be another one. It reads what takes
            long only if it must.
        changes: the classes of facets and events that can change its value.
        momentary: those that give it a new value each time.
    """

    text: str
    root: Node
    kind: Kind
    names: tuple[Reference, ...]
    readers: tuple[Read[State], ...] = field(compare=False, repr=False)
    read: Read[State] = field(compare=False, repr=False)
    test: Read[State] = field(compare=False, repr=False)
    changes: frozenset[type]
    momentary: frozenset[type]

    def value(self, now: Snapshot, earlier: Mapping[type[Facet], Facet] | None = None,
              index: FacetIndex | None = None) -> Value:
        """Returns its value.

        Args:
            now: the snapshot.
            earlier: the facet of each kind that was shown before the newest one.
            index: a cache of what is computed from facets.
        """
        return self.read(State(now, earlier, index or FacetIndex()))

    def readings(self, now: Snapshot, earlier: Mapping[type[Facet], Facet] | None = None,
                 index: FacetIndex | None = None) -> tuple[tuple[str, Value], ...]:
        """Returns each name in it, as it is written, with its value. The arguments are those of `value`."""
        state = State(now, earlier, index or FacetIndex())
        return tuple({self.text[name.start:name.end]: read(state)
                      for name, read in zip(self.names, self.readers, strict=True)}.items())


def _reading(name: Reference, kind: Kind) -> Read[State]:
    """Returns the function that reads a name. Its arguments may be names, too.

    Args:
        name: the name.
        kind: the kind that its expression asks for, if it can have several.
    """
    quantity = QUANTITIES[name.name, len(name.arguments)]
    reader, given = quantity.reader, (*name.arguments, *([name.field] if name.field else []))
    if quantity.kind == "any":
        reader = partial(reader, kind)
    texts = [argument for argument in given if isinstance(argument, str)]
    if len(texts) == len(given):
        return reader(*texts)
    parts = [_reading(argument, "text") if isinstance(argument, Reference) else _text(argument) for argument in given]
    reader_of = lru_cache(maxsize=8)(reader)

    def read_with_names(state: State) -> Value:
        values = [part(state) for part in parts]
        unknown = next((value for value in values if isinstance(value, Unknown)), None)
        return unknown or reader_of(*map(str, values))(state)
    return read_with_names


def _text(text: str) -> Read[State]:
    return lambda state: text


@lru_cache(maxsize=512)
def expression(text: str, wanted: Kind = "number") -> Expression:
    """Returns a checked expression.

    Args:
        text: as it is typed.
        wanted: the kind of its value, if it is a single name that can have several.

    Raises:
        ExpressionError: it is wrong; the message says where, why, and what to write.
    """
    text = pasted(text)
    root = parse(text, NAMED)
    kinds: dict[Reference, Kind] = {}

    def kind_at(name: Reference, asked: Kind | None) -> Kind | None:
        kind = _quantity(name).kind
        found = asked if kind == "any" else kind
        kinds[name] = found or wanted
        return found

    kind = kind_of(root, kind_at, wanted) or wanted
    names = tuple(references(root))
    used = [_quantity(name) for name in names]
    quick = cheap_first(root, lambda name: _quantity(name).is_cheap)
    readers = tuple(_reading(name, kinds.get(name, "text")) for name in names)
    read = dict(zip(names, readers, strict=True))
    return Expression(text, root, kind, names, readers, compiled(root, read.__getitem__), compiled(quick, read.__getitem__),
                      frozenset().union(*(q.changes for q in used)),
                      frozenset().union(*(q.changes for q in used if q.momentary)))


def condition(text: str) -> Expression:
    """Returns an expression that is true or false.

    Raises:
        ExpressionError: it is wrong, or its value is a number or a text.
    """
    found = expression(text, "truth")
    if found.kind != "truth":
        example = "> 1" if found.kind == "number" else '~ "…"'
        raise ExpressionError(f"this is a {found.kind} and never true: compare it, such as {text.strip()} {example}",
                              found.root.start, found.root.end)
    if not found.names:
        raise ExpressionError("this never changes: name something of the run, such as turn == 12",
                              found.root.start, found.root.end)
    return found


def watch(text: str) -> Expression:
    """Returns an expression that can be plotted: a number, or true and false.

    Raises:
        ExpressionError: it is wrong, or its value is a text.
    """
    found = expression(text)
    if found.kind == "text":
        raise ExpressionError(f"a text cannot be plotted: compare it, such as {text.strip()} ~ \"…\"",
                              found.root.start, found.root.end)
    return found


def _quantity(name: Reference) -> Quantity:
    found = QUANTITIES.get((name.name, len(name.arguments)))
    is_written_so = found is not None and bool(found.field) == bool(name.field)
    if found is not None and is_written_so and ("." in name.name or not name.arguments or "number" not in found.arguments):
        return found
    word = name.name.split(".")[0]
    forms = [q.form for q in QUANTITIES.values() if q.name.split(".")[0] == word]
    if forms:
        raise ExpressionError(f"“{word}” is not written so: write {' or '.join(forms)}", name.start, name.end)
    near = difflib.get_close_matches(name.name[:60], [q.name for q in QUANTITIES.values()], 1)
    cure = f"did you mean {near[0]}?" if near else "texts stand in quotation marks; docs/expressions.md lists the names"
    raise ExpressionError(f"there is no name “{name.name}”: {cure}", name.start, name.end)


def in_words(value: Value) -> str:
    """Returns a value as text: `0.25`, `true`, `“open fridge_1”`, `unknown: this planner shows no search tree`."""
    match value:
        case Unknown(why=why):
            return f"unknown: {why}"
        case bool():
            return str(value).lower()
        case str():
            flat = " ".join(value.split())
            return f"“{flat if len(flat) <= 60 else flat[:59] + '…'}”"
    return f"{value:,.0f}" if abs(value) < 1e15 and value == round(value) else f"{value:.4g}"


def check(text: str, of: Callable[[str], Expression], flag: str) -> Expression:
    """Returns an expression given with a flag.

    Raises:
        UsageError: it is wrong.
    """
    try:
        return of(text)
    except ExpressionError as error:
        raise UsageError(f"{flag} '{text[:80]}': {error}") from error
