"""JSON schemas of events, simple enough for the readers of other viewers: no references, no unions, no lists of lists.

They describe what is always present. What may be missing or be of several types is allowed without being listed.
"""

from __future__ import annotations

import dataclasses
import json
import typing
from functools import cache
from typing import Any

from core.recording.types import hints_of

SCALARS: dict[Any, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}


@cache
def event_schema(payload: type, facet: type | None) -> bytes:
    """Returns the schema of events with one kind of payload; for `Shown`, with one kind of facet."""
    what = _object(payload)
    if facet is not None:
        what["properties"]["facet"] = _object(facet)
    properties = {"$": {"type": "string"}, "number": {"type": "integer"}, "at": {"type": "number"},
                  "turn": {"type": "integer"}, "branch": {"type": "integer"}, "worked": {"type": "number"}, "what": what}
    about = (facet or payload).__doc__ or ""
    schema = {"type": "object", "title": (facet or payload).__name__, "description": about.strip().split("\n")[0],
              "properties": properties, "required": list(properties)}
    return json.dumps(schema).encode()


def _object(cls: type) -> dict[str, Any]:
    hints = hints_of(cls)
    properties: dict[str, Any] = {"$": {"type": "string"}}
    for field in dataclasses.fields(cls):
        found = _property(hints[field.name])
        if found is not None:
            properties[field.name] = found
    return {"type": "object", "properties": properties, "required": list(properties)}


def _property(hint: Any) -> dict[str, Any] | None:
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if hint in SCALARS:
        return {"type": SCALARS[hint]}
    if origin is typing.Literal:
        return {"type": "string"}
    if origin is None and dataclasses.is_dataclass(hint):
        return {"type": "object", "properties": {}}
    if origin in (tuple, frozenset) and len(args) in (1, 2) and args[-1] in (args[0], ...):
        inner = _property(args[0])
        return {"type": "array", "items": inner} if inner is not None and inner["type"] != "array" else None
    return None
