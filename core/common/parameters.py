"""Parameters of planners: frozen dataclasses whose fields define their meaning and allowed values.

The window's property editor and the command line are generated from them. Every change is checked here.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from core.common.errors import UsageError
from core.common.registry import near_misses

Value = bool | int | float | str
MOST = 10**15
"""The largest number that is taken, where a parameter has no limit of its own."""
P = TypeVar("P", bound="Parameters")
_KEY = "limits"


@dataclass(frozen=True, slots=True)
class Limits:
    """The meaning and allowed values of a parameter."""

    help: str
    low: float = -math.inf
    high: float = math.inf
    choices: tuple[str, ...] = ()
    unit: str = ""


@dataclass(frozen=True)
class Parameters:
    """Base class of all parameter sets; also used for planners without parameters."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One field, described for an editor."""

    name: str
    value: Value
    limits: Limits


def parameter(default: Any, help: str, *, low: float = -math.inf, high: float = math.inf, choices: tuple[str, ...] = (),
              unit: str = "") -> Any:
    """Returns a field of a parameter set."""
    return dataclasses.field(default=default, metadata={_KEY: Limits(help, low, high, choices, unit)})


def described(parameters: Parameters) -> tuple[Parameter, ...]:
    """Returns all fields with their current values."""
    return tuple(Parameter(f.name, vars(parameters)[f.name], f.metadata[_KEY]) for f in dataclasses.fields(parameters))


def changed(parameters: P, settings: Mapping[str, Value]) -> P:
    """Returns the parameters with some values replaced; text is converted to the field's type.

    Raises:
        UsageError: the parameter does not exist, or the value is not allowed.
    """
    known = {p.name: p for p in described(parameters)}
    values: dict[str, Value] = {}
    for name, value in settings.items():
        if name not in known:
            hint = near_misses(name, known) or (f"; there is {', '.join(known)}" if known else "; it has none")
            raise UsageError(f"unknown parameter '{name}'{hint}")
        values[name] = _checked(known[name], value)
    return dataclasses.replace(parameters, **values)


def whole_number(text: str, low: int = 0, high: int = MOST) -> int:
    """Returns a whole number that a user wrote.

    Raises:
        UsageError: it is none, or not from `low` to `high`.
    """
    try:
        number = int(text)
    except ValueError:
        number = low - 1
    if not low <= number <= high:
        most = f" to {high:,}" if high < MOST else " on"
        raise UsageError(f"'{text}': give a whole number from {low}{most}")
    return number


def _checked(parameter: Parameter, value: Value) -> Value:
    limits = parameter.limits
    converted = _converted(parameter, value)
    if limits.choices and converted not in limits.choices:
        raise UsageError(f"{parameter.name}={value}: choose {', '.join(limits.choices)}")
    low, high = max(limits.low, -MOST), min(limits.high, MOST)
    if isinstance(converted, int | float) and not isinstance(converted, bool) and not low <= converted <= high:
        raise UsageError(f"{parameter.name}={value}: give {low:g} to {high:g} {limits.unit}".rstrip())
    return converted


def _converted(parameter: Parameter, value: Value) -> Value:
    kind = type(parameter.value)
    if isinstance(value, str) and kind is bool:
        if value.lower() not in ("true", "false", "yes", "no", "on", "off"):
            raise UsageError(f"{parameter.name}={value}: write true or false")
        return value.lower() in ("true", "yes", "on")
    try:
        return kind(value)
    except (ValueError, OverflowError) as error:
        raise UsageError(f"{parameter.name}={value}: write a {'whole ' if kind is int else ''}number") from error
