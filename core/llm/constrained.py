"""Constrained output: the ways to request a form of the reply from servers, and the check of a reply's form.

vLLM reads `structured_outputs` (formerly `guided_…`), llama.cpp `grammar` (in its format GBNF), and most servers
`response_format`. Some refuse unknown fields, others ignore them; the first real request of each kind finds out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Literal

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


def form_fields(form: Form, expects: Expects, parts: tuple[Form, ...] = TOGETHER) -> dict[str, object] | None:
    """Returns the request's fields that ask for the form in one way; None if it cannot be expressed that way.

    `parts` are the forms that `together` stands for.
    """
    kind = kind_of(expects)
    if form == "free" or kind == "text":
        return {}
    if form == "together":
        found = [form_fields(part, expects) for part in parts]
        return {name: value for part in found if part is not None for name, value in part.items()}
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
    """Returns how a reply violates the required form. A text without one is as good as its end: it may be cut off."""
    if fits(expects, text) and not (cut and kind_of(expects) == "text"):
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


CLASSES = {"d": "0-9", "w": "A-Za-z0-9_", "s": " \\t\\n\\r"}
CONTROL = {"n": "\\n", "t": "\\t", "r": "\\r"}
REPEAT = re.compile(r"[*+?]|\{\d{1,4}(,\d{0,4})?\}")


def choices_grammar(choices: Iterable[str]) -> str:
    """Returns a grammar of exactly these texts."""
    return "root ::= " + " | ".join(_quoted(choice) for choice in choices)


def pattern_grammar(pattern: str) -> str | None:
    """Returns a grammar of the texts that a regular expression matches as a whole; None if it uses unsupported features."""
    reader = _Reader(pattern.removeprefix("^").removesuffix("$") if not pattern.endswith("\\$") else pattern.removeprefix("^"))
    rule = reader.alternatives()
    return f"root ::= {rule}" if rule and reader.finished else None


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
    return f'"{escaped}"'


def _in_class(char: str) -> str:
    return f"\\{char}" if char in "\\]" else f"\\x{ord(char):02X}" if char in "[^-" else char


class _Reader:
    """Parses an expression from left to right. Any method returns None if a part cannot be expressed in GBNF."""

    def __init__(self, text: str):
        self._text, self._at = text, 0

    @property
    def finished(self) -> bool:
        return self._at == len(self._text)

    def alternatives(self) -> str | None:
        options = [self._sequence()]
        while self._take("|"):
            options.append(self._sequence())
        return None if None in options else " | ".join(option or '""' for option in options)

    def _sequence(self) -> str | None:
        parts = []
        while not self.finished and self._text[self._at] not in "|)":
            part = self._repeated()
            if part is None:
                return None
            parts.append(part)
        return " ".join(parts)

    def _repeated(self) -> str | None:
        atom = self._atom()
        match = REPEAT.match(self._text, self._at)
        if atom is None or match is None:
            return atom
        self._at = match.end()
        # lazy quantifiers match the same language; possessive ones ("+") do not
        if not self.finished and self._text[self._at] in "?+":
            if self._text[self._at] == "+":
                return None
            self._at += 1
        return atom + match[0]

    def _atom(self) -> str | None:
        if self._take("("):
            if self._text.startswith("?", self._at) and not self._take("?:"):
                return None  # look-around, back-references, flags
            inner = self.alternatives()
            return f"({inner})" if inner is not None and self._take(")") else None
        if self._take("["):
            return self._set()
        if self._take("."):
            return "[^\\n]"
        if self._take("\\"):
            return self._escape()
        if self._text[self._at] in "*+?{}^$":
            return None
        self._at += 1
        return _quoted(self._text[self._at - 1])

    def _escape(self) -> str | None:
        if self.finished:
            return None
        char = self._text[self._at]
        self._at += 1
        if char.lower() in CLASSES:
            return f"[{'^' if char.isupper() else ''}{CLASSES[char.lower()]}]"
        if char in CONTROL:
            return f'"{CONTROL[char]}"'
        return None if char.isalnum() else _quoted(char)

    def _set(self) -> str | None:
        found = "^" if self._take("^") else ""
        first = True
        while not self.finished and (first or self._text[self._at] != "]"):
            first = False
            member = self._member()
            if member is None:
                return None
            found += member
        return f"[{found}]" if self._take("]") else None

    def _member(self) -> str | None:
        char = self._text[self._at]
        self._at += 1
        if char == "[":
            return None if self._text.startswith(":", self._at) else "\\x5B"
        if char != "\\":
            # A hyphen between two members is a range in both languages; at either end it is a hyphen in both.
            return "-" if char == "-" else _in_class(char)
        if self.finished:
            return None
        char = self._text[self._at]
        self._at += 1
        if char in CLASSES or char in CONTROL:
            return CLASSES.get(char) or CONTROL[char]
        return None if char.isalnum() else _in_class(char)

    def _take(self, text: str) -> bool:
        if not self._text.startswith(text, self._at):
            return False
        self._at += len(text)
        return True
