"""Constrained output: the ways to request a form of the reply from servers, and the check of a reply's form.

vLLM reads `structured_outputs` (formerly `guided_…`), llama.cpp `grammar`, and most servers `response_format`. Some refuse
unknown fields, others ignore them; the first real request of each kind finds out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from core.llm.gbnf import choices_grammar, pattern_grammar
from core.planning.model_requests import Expects, Misfit

Kind = Literal["text", "choices", "pattern", "schema"]
Form = Literal["together", "structured", "guided", "grammar", "schema", "json", "free"]

FORMS: dict[Kind, tuple[Form, ...]] = {
    "text": ("free",),
    "choices": ("together", "structured", "guided", "grammar", "schema", "free"),
    "pattern": ("together", "structured", "guided", "grammar", "free"),
    "schema": ("schema", "structured", "guided", "json", "free"),
}
"""For each kind, the forms to try, best first. Servers that ignore unknown fields accept several at once (`together`), so one
request tests all of them. Servers that refuse such a request get one form after the other. With `schema`, a choice is
wrapped as `{"answer": …}` and unwrapped again."""
TOGETHER: tuple[Form, ...] = ("structured", "guided", "grammar")
"""The parts of `together`."""
FORM_NAMES: Mapping[Form, str] = MappingProxyType({
    "together": "structured_outputs, guided_choice or grammar",
    "structured": "structured_outputs", "guided": "guided_choice", "grammar": "grammar", "schema": "json_schema",
    "json": "json_object", "free": ""})
"""The names that servers use."""
PATTERN_LIMIT = 10_000  # characters a pattern is matched against: expressions may be slow on long texts


def kind_of(expects: Expects) -> Kind:
    """Returns the kind of the required form."""
    if expects.choices:
        return "choices"
    if expects.pattern:
        return "pattern"
    return "schema" if expects.schema else "text"


def form_fields(form: Form, expects: Expects) -> dict[str, object] | None:
    """Returns the request's fields that ask for the form in one way; None if it cannot be expressed that way."""
    kind = kind_of(expects)
    if form == "free" or kind == "text":
        return {}
    if form == "together":
        parts = [form_fields(part, expects) for part in TOGETHER]
        return {name: value for part in parts if part is not None for name, value in part.items()}
    if form in ("structured", "guided"):
        name = {"choices": "choice", "pattern": "regex", "schema": "json"}[kind]
        value = _value(kind, expects)
        return {"structured_outputs": {name: value}} if form == "structured" else {f"guided_{name}": value}
    if form == "json":
        return {"response_format": {"type": "json_object"}}
    if form == "grammar":
        grammar = choices_grammar(expects.choices) if kind == "choices" else pattern_grammar(expects.pattern)
        return None if grammar is None else {"grammar": grammar}
    return {"response_format": {"type": "json_schema", "json_schema": _schema(expects)}}


def _value(kind: Kind, expects: Expects) -> object:
    if kind == "choices":
        return list(expects.choices)
    return expects.pattern if kind == "pattern" else json.loads(expects.schema)


def _schema(expects: Expects) -> dict[str, object]:
    if expects.choices:
        schema: object = {"type": "object", "properties": {"answer": {"type": "string", "enum": list(expects.choices)}},
                          "required": ["answer"], "additionalProperties": False}
    else:
        schema = json.loads(expects.schema)
    closed = isinstance(schema, dict) and schema.get("additionalProperties") is False  # as `strict` requires
    return {"name": "reply", "schema": schema, "strict": closed}


def unwrapped(form: Form, expects: Expects, text: str) -> str:
    """Returns the reply as the planner expects it."""
    if form != "schema" or not expects.choices:
        return text
    value = _json(text)
    answer = value.get("answer") if isinstance(value, dict) else None
    return answer if isinstance(answer, str) else text


def fits(expects: Expects, text: str) -> bool:
    """Returns True if a reply has the required form. Schemas are checked for type and required fields only."""
    if expects.choices:
        return text.strip() in expects.choices
    if expects.pattern:
        return len(text) <= PATTERN_LIMIT and re.fullmatch(expects.pattern, text.strip()) is not None
    if expects.schema:
        return _fits_schema(json.loads(expects.schema), _json(text))
    return True


def misfit(expects: Expects, text: str, *, cut: bool) -> Misfit:
    """Returns how a reply violates the required form."""
    if fits(expects, text):
        return ""
    return "empty" if not text.strip() else "cut" if cut else "free"


def is_begun(expects: Expects, form: Form, text: str) -> bool:
    """Returns True if a cut-off reply kept to the form so far, as far as can be judged: then the server obeys the form."""
    start = text.strip()
    if expects.choices and form != "schema":
        return bool(start) and any(choice.startswith(start) for choice in expects.choices)
    return form != "free" and (form == "schema" or bool(expects.schema)) and start.startswith(("{", "["))


def _fits_schema(schema: object, value: object) -> bool:
    if not isinstance(schema, dict):
        return value is not None
    types = {"object": dict, "array": list, "string": str, "number": int | float, "integer": int, "boolean": bool}
    wanted = types.get(str(schema.get("type")))
    required = schema.get("required", [])
    held = not isinstance(value, dict) or all(name in value for name in required)
    return held and (isinstance(value, wanted) if wanted is not None else value is not None)


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):  # free text, which is possible: the caller gets None
        return None
