"""What a class says about how its values are recorded."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

ADDED: Final[Mapping[str, bool]] = MappingProxyType({"added": True})
"""Metadata of a field that recordings of earlier versions lack: `field(default=…, metadata=ADDED)`. Its default means that
nothing is known. Every field that a recorded class gets is declared so."""


NAME: Final = "recorded as"


def recorded_as(name: str) -> Mapping[str, str]:
    """Returns the metadata of a field that recordings hold under another name, the one it had when the format was made."""
    return MappingProxyType({NAME: name})


def field_name(field: dataclasses.Field[Any]) -> str:
    """Returns the name under which recordings hold a field."""
    name: str = field.metadata.get(NAME, field.name)
    return name


def added_fields(cls: Any) -> frozenset[str]:
    """Returns the fields of a dataclass that recordings of earlier versions lack."""
    return frozenset(field_name(field) for field in dataclasses.fields(cls) if field.metadata.get("added", False))
