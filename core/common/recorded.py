"""What a class says about how its values are recorded."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

ADDED: Final[Mapping[str, bool]] = MappingProxyType({"added": True})
"""Metadata of a field that recordings of earlier versions lack: `field(default=…, metadata=ADDED)`. Its default means that
nothing is known. Every field that a recorded class gets is declared so."""


def added_fields(cls: Any) -> frozenset[str]:
    """Returns the fields of a dataclass that recordings of earlier versions lack."""
    return frozenset(field.name for field in dataclasses.fields(cls) if field.metadata.get("added", False))
