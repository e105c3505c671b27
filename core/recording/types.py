"""All types that a recording may hold, by name: those of Belvedere, and what planners and other packages add to them.

Parameter sets, facets and facts of other packages are loaded only when a recording holds a name, or a run shows a class, that
is not listed here.
"""

from __future__ import annotations

import dataclasses
import functools
import operator
import sys
import types
import typing
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from types import MappingProxyType, ModuleType
from typing import Any, TypeVar, cast

import numpy as np

from core.common import parameters
from core.common.errors import MissingPart
from core.common.parameters import Parameters
from core.common.registry import Registry
from core.goals import literals
from core.goals.vocabulary import Word
from core.planners.registry import PLANNERS, facet_kinds, planner_class, recorded_modules
from core.planning import facets, model_requests, offline_answers
from core.planning import prompt_facts as facts
from core.planning.facets import Facet
from core.session import commands, events
from core.session.breakpoints import Breakpoint, Hit, upgraded
from core.session.outcome import BranchState
from core.session.turns import Call, Mark, Turn
from core.session.usage import Usage
from core.world import vocabulary

T = TypeVar("T")


def _defined_in(module: ModuleType, base: type[T]) -> tuple[type[T], ...]:
    """Returns the subclasses of a class that a module, or a package by name, defines; without the class itself."""
    return tuple(found for found in vars(module).values() if isinstance(found, type) and issubclass(found, base)
                 and found is not base and found.__module__.startswith(module.__name__))


def _dataclasses_in(module: ModuleType) -> tuple[type, ...]:
    return tuple(found for found in _defined_in(module, object) if dataclasses.is_dataclass(found))


RECORDED = tuple(map(import_module, recorded_modules()))
"""The modules in which planners define what they add."""
PAYLOADS: tuple[type[events.Payload], ...] = _defined_in(events, events.Payload)
COMMANDS: tuple[type[commands.Command], ...] = _defined_in(commands, commands.Command)
FACETS: tuple[type[Facet], ...] = facet_kinds()
FACTS: tuple[type, ...] = tuple(
    cls for module in (facts, *RECORDED) for cls in _dataclasses_in(module) if not issubclass(cls, Facet))
"""What requests to models are made from, and parts of the planners' facets."""
GATHERED: tuple[type[Facet], ...] = (facets.Grounded,)
"""Facets that accumulate in a snapshot. All others replace the facet of the same kind that was shown before."""
BESIDE: tuple[type, ...] = (Call, Turn, Mark, Hit, BranchState, Usage)
"""Types that no event holds: parts of a snapshot, which keyframes and the lists of a long run hold."""
RECORDED_NAMES: Mapping[type, str] = MappingProxyType({model_requests.ModelRequest: "Ask", model_requests.ModelReply: "Reply"})
"""Types that recordings hold under the name they had when the format was made. All others are recorded under their own name."""
UPGRADES: Mapping[type, Callable[[Mapping[str, Any]], Mapping[str, Any]]] = MappingProxyType({Breakpoint: upgraded})
"""For classes whose fields have changed: returns the present fields of a recorded value, which may be of an earlier version."""
MARKERS: tuple[type, ...] = (events.Payload, commands.Command, facets.Facet, parameters.Parameters)
"""Base classes: where one is annotated, any of its subclasses may occur."""
SHARED: tuple[type, ...] = (vocabulary.Entity, vocabulary.Action, facts.PlaceFact, facts.VisibleFact, Word, literals.Literal)
"""Small values that recur throughout an episode. Equal ones are decoded to one shared object."""
EQUAL: tuple[type, ...] = (vocabulary.Action,)
"""Those of `SHARED` that planners create again each time: encoding one again is cheaper than recognising it."""
WIDE: tuple[type, ...] = (vocabulary.Observation,)
"""Large values that mostly hold the same parts as the one before. They are encoded part by part, and equal parts once."""


ALIAS: tuple[type, ...] = tuple(vars(typing)[name] for name in ("TypeAliasType",) if name in vars(typing))
"""The class of the names that `type X = ...` defines. Python 3.11 has none."""


@cache
def hints_of(cls: Any) -> dict[str, Any]:
    """Returns the annotations of the fields of a class, resolved, without type aliases.

    Raises:
        NameError: an annotation names something that does not exist.
        TypeError: an annotation is no type, or an alias that is defined by itself.
    """
    return {name: without_aliases(hint) for name, hint in typing.get_type_hints(cls).items()
            if typing.get_origin(hint) is not typing.ClassVar}


def without_aliases(hint: Any, within: tuple[Any, ...] = ()) -> Any:
    """Returns an annotation with every type alias in it replaced by its definition.

    `numpy.typing.NDArray` is such an alias from numpy 2.5 on: its origin is the alias, and only its definition names the array.

    Args:
        hint: an annotation.
        within: the aliases whose definition it is a part of.

    Raises:
        TypeError: an alias is defined by itself.
    """
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Literal:
        return hint
    plain = tuple(without_aliases(arg, within) for arg in args)
    alias = origin if isinstance(origin, ALIAS) else hint
    if isinstance(alias, ALIAS):
        if alias in within:
            raise TypeError(f"the type alias {alias} is defined by itself")
        value = cast(Any, alias).__value__
        return without_aliases(value[plain] if plain else value, (*within, alias))
    if all(new is old for new, old in zip(plain, args, strict=True)):
        return hint
    return functools.reduce(operator.or_, plain) if origin in (typing.Union, types.UnionType) else origin[plain]


def recorded_name(cls: type) -> str:
    """Returns the name under which values of a class are recorded."""
    return RECORDED_NAMES.get(cls, cls.__name__)


def _with_parts(classes: Iterable[type]) -> tuple[type, ...]:
    """Returns dataclasses, and all dataclasses that their fields are annotated with."""
    found: dict[type, None] = {}

    def add(hint: Any) -> None:
        if typing.get_origin(hint) is typing.Literal or hint in found or hint in MARKERS:
            return
        if isinstance(hint, type) and dataclasses.is_dataclass(hint):
            found[hint] = None
            for inner in hints_of(cast(Any, hint)).values():
                add(inner)
        for argument in typing.get_args(hint):
            add(argument)

    for cls in classes:
        add(cls)
    return tuple(found)


TYPES: tuple[type, ...] = (*_with_parts((events.Event, *PAYLOADS, *COMMANDS, *FACETS, *FACTS, *BESIDE)), parameters.Parameters)
"""All of Belvedere's own types: what is listed above, and all that is part of it."""

# --- of other packages -----------------------------------------------------------
FACET_KINDS = Registry("facet", "belvedere.facets", {kind.__name__: f"{kind.__module__}:{kind.__name__}" for kind in FACETS},
                       base=Facet, own_name=lambda cls: cls.__name__)
"""Kinds of facet by the names of their classes: ours, and those of other packages (entry points of belvedere.facets)."""
_PLAIN = frozenset({str, int, float, bool, type(None)})
_OUR_NAMES = frozenset(map(recorded_name, TYPES))


@dataclass(frozen=True, slots=True)
class UnknownFacet(Facet):
    """Stands for a facet in an operator's command, if the package of its class is not installed.

    Attributes:
        kind: the name of the class.
    """

    kind: str


# --- parameters ----------------------------------------------------------------
@cache
def is_parameter_set(cls: type) -> bool:
    """Returns True for the class of a planner's parameters."""
    return issubclass(cls, Parameters) and (cls is Parameters or any(cls in _sets(name) for name in _names()))


def parameter_set(name: str) -> type[Parameters] | None:
    """Returns the parameters of that class name; None if no planner that can be loaded here has such."""
    return next((cls for planner in _names() for cls in _sets(planner) if cls.__name__ == name), None)


def _names() -> Iterator[str]:
    """Yields planners, those first whose modules are loaded already: loading all takes a second, a run needs only its own."""
    yield from sorted(PLANNERS, key=lambda name: PLANNERS[name].split(":")[0] not in sys.modules)


@cache
def _sets(name: str) -> frozenset[type[Parameters]]:
    try:
        return frozenset(type(preset) for preset in planner_class(name).presets.values())
    except MissingPart:
        return frozenset()


# --- facets and facts of other packages ------------------------------------------
def facet_kind(name: str) -> type[Facet] | None:
    """Returns another package's kind of facet by the name of its class; None if no installed package has it."""
    if name in FACET_KINDS.foreign:
        return None if FACET_KINDS.problem(name) else _recordable(cast(type[Facet], FACET_KINDS.load(name)))
    return next((kind for kind in _sorted(_shown_by_planners()) if kind.__name__ == name), None)


def facts_kind(name: str) -> type | None:
    """Returns the class of facts of that name that another package registered an offline answer for, or None."""
    _load_foreign_planners()  # their packages register the answers
    if name in _OUR_NAMES:
        return None
    answered: Iterable[type[Any]] = offline_answers.answered()
    return next((kind for kind in _sorted(answered) if kind.__name__ == name), None)


def is_registered(cls: type) -> bool:
    """Returns True for another package's class: a facet, the facts of a model request, or a part of one of these."""
    if not dataclasses.is_dataclass(cls):
        return False
    # A class that another one of the same name hides could be written, but not read.
    kinds = [kind for kind in _registered_facets() if facet_kind(kind.__name__) is kind]
    facts = [kind for kind in offline_answers.answered() if facts_kind(kind.__name__) is kind]
    return any(cls in _parts(kind) for kind in (*kinds, *facts))


def registered_facets() -> tuple[type[Facet], ...]:
    """Returns all kinds of facet of other packages that can be recorded."""
    return _sorted(_registered_facets())


def _registered_facets() -> frozenset[type[Facet]]:
    named = (facet_kind(name) for name in FACET_KINDS.foreign)
    return frozenset(kind for kind in named if kind is not None) | _shown_by_planners()


def _shown_by_planners() -> frozenset[type[Facet]]:
    """Returns the kinds that planners of other packages declare in `shows` and that can be recorded."""
    kinds = {kind for name in _load_foreign_planners() for kind in planner_class(name).shows if kind not in FACETS}
    return frozenset(kind for kind in kinds if _recordable(kind) is not None)


def _sorted(kinds: Iterable[type[T]]) -> tuple[type[T], ...]:
    """Returns classes in an order that does not change from run to run."""
    return tuple(sorted(kinds, key=lambda kind: (kind.__name__, kind.__module__)))


def _load_foreign_planners() -> tuple[str, ...]:
    return tuple(name for name in PLANNERS.foreign if not PLANNERS.problem(name))


def _recordable(kind: type[Facet]) -> type[Facet] | None:
    """Returns the kind, or None if it is no frozen dataclass of a name of its own with fields that a recording can hold."""
    params = getattr(kind, "__dataclass_params__", None)
    fits = params is not None and params.frozen and kind.__name__ not in _OUR_NAMES
    return kind if fits and _parts(cast(Any, kind)) else None


@cache
def _parts(cls: Hashable) -> frozenset[type]:
    """Returns a dataclass and all dataclasses in its fields; empty if a field is of a type that a recording cannot hold."""
    found: set[Any] = set()
    try:
        fits = _collect(cls, found)
    except (NameError, TypeError):  # an annotation that cannot be resolved
        fits = False
    return frozenset(found) if fits else frozenset()


def unreadable_field(cls: type) -> str:
    """Returns which field of a dataclass a recording cannot hold, and how to annotate it; empty if there is none."""
    try:
        hints = hints_of(cls) if dataclasses.is_dataclass(cls) else {}
    except (NameError, TypeError) as error:
        return f"its annotations cannot be resolved: {error}"
    name = next((name for name, hint in hints.items() if not _collect(hint, set())), "")
    hint = hints.get(name)
    if not name:
        return ""
    wanted = "numpy.typing.NDArray with a kind of number, such as NDArray[np.int64]" if "ndarray" in repr(hint) else (
        "str, int, float, bool, tuples, frozensets and mappings of these, or frozen dataclasses")
    return f"its field {name} is annotated {getattr(hint, '__name__', hint)}: use {wanted}"


def _collect(hint: Any, found: set[Any]) -> bool:
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is np.ndarray:  # of one kind of number, or it could not be read again
        kind = next(iter(typing.get_args(args[1])), None)
        return isinstance(kind, type) and issubclass(kind, np.generic)
    if origin is typing.Literal or hint in _PLAIN or hint is ... or hint in found:
        return True
    if origin is not None:
        return all(_collect(arg, found) for arg in args)
    if hint is object or not isinstance(hint, type) or not (dataclasses.is_dataclass(hint) or issubclass(hint, tuple | Facet)):
        return False
    found.add(hint)
    return all(_collect(inner, found) for inner in hints_of(cast(Any, hint)).values())
