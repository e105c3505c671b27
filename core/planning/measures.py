"""Measures: the names that conditions, watches and plots read from a facet. The class of the facet declares them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeVar, cast

from core.common.readings import Kind, Value

if TYPE_CHECKING:
    from core.planning.facets import Facet

F = TypeVar("F")
T = TypeVar("T")
Argument = Literal["object", "place", "action", "key", "text", "number", "column", "mark", "title"]


class FacetIndex:
    """Keeps what was computed from the newest facet of each kind and from the one before it, for each function."""

    def __init__(self) -> None:
        self._newest: dict[tuple[Callable[[Any], object], type], tuple[object, object]] = {}
        self._before: dict[tuple[Callable[[Any], object], type], tuple[object, object]] = {}

    def of(self, facet: F, compute: Callable[[F], T]) -> T:
        """Returns `compute(facet)`, from memory if this very facet is one of the last two that it was computed from."""
        key = compute, type(facet)
        kept = self._newest.get(key)
        if kept is None or kept[0] is not facet:
            before = self._before.get(key)
            if before is not None and before[0] is facet:
                return cast(T, before[1])
            if kept is not None:
                self._before[key] = kept
            kept = self._newest[key] = facet, compute(facet)
        return cast(T, kept[1])


class Context(Protocol):
    """What a measure may use besides its facet."""

    @property
    def index(self) -> FacetIndex:
        """What was computed from the newest facets."""

    @property
    def earlier(self) -> Mapping[type[Facet], Facet] | None:
        """The facet of each kind that was shown before the newest one; None if they are not at hand."""


Reader = Callable[[F, Context], Value]
"""Computes a value of a facet."""


@dataclass(frozen=True, slots=True)
class Measure(Generic[F]):
    """A documented name whose value is read from a facet of class F.

    Attributes:
        name: as it is written.
        arguments: the names of its arguments, such as `object` and `place`.
        kind: the kind of its value.
        about: what it returns, with its unit.
        read: called with the arguments as texts, it returns the function that reads the value.
        of_turn: the value belongs to one decision: it is unknown in turns in which no such facet was shown.
        momentary: it says what is new since the facet before, which `Context.earlier` holds, so it is known only at the moment
            when the facet is shown; an expression that stays true is true again.
        is_action: its value is an action, and can be the argument of another name.
    """

    name: str
    arguments: tuple[Argument, ...]
    kind: Kind
    about: str
    read: Callable[..., Reader[F]]
    of_turn: bool = False
    momentary: bool = False
    is_action: bool = False


def number(name: str, about: str, value: Callable[[F], Value], *, of_turn: bool = False) -> Measure[F]:
    """Returns a measure without arguments whose value is a number."""
    return Measure(name, (), "number", about, lambda: lambda facet, at: value(facet), of_turn)
