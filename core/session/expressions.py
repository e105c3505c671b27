"""The language of conditions: numbers, texts, comparisons and documented names, such as `gap < 0.2 and turn > 3`.

    or · and · not · < <= > >= == != ~ · + - · * / · - · brackets, from loosest to tightest

`~` is true if the left text contains the right one, ignoring case. `==` with an action is true if the action begins with the
text's words. A word in the brackets of a call is a text: `entropy(apple)`. This module parses and computes; the names are in
`core.session.quantities`. The text is limited in length and in nesting, so both take a bounded time, whatever was typed.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Any, TypeVar

from core.common.errors import UsageError
from core.common.readings import ActionText, Kind, Read, Unknown, Value, beginning, plain

MOST_CHARACTERS, MOST_TOKENS, MOST_NESTED = 500, 120, 30


class ExpressionError(UsageError):
    """An expression is wrong.

    Attributes:
        start, end: the characters that are wrong, from 0; `end` is exclusive.
    """

    def __init__(self, message: str, start: int, end: int):
        super().__init__(f"character {start + 1}: {message}")
        self.start, self.end = start, max(end, start + 1)


S = TypeVar("S")


# --- the parsed expression ---------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Node:
    """A part of an expression.

    Attributes:
        start, end: its first character and the one after its last.
    """

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Constant(Node):
    """A number, a text, true or false."""

    value: float | str | bool


@dataclass(frozen=True, slots=True)
class Reference(Node):
    """A name: `turn`, `visits("open fridge")`, or `literal[0].reached`, whose name is `literal.reached` with the argument `0`.

    Attributes:
        arguments: texts, or names whose value is a text.
        field: what stands after its brackets: `visits` in `row("open fridge").visits`.
    """

    name: str
    arguments: tuple[str | Reference, ...] = ()
    field: str = ""


@dataclass(frozen=True, slots=True)
class Operation(Node):
    """A sign or word between two operands, or `not` or `-` before one."""

    sign: str
    operands: tuple[Node, ...]


# --- parsing -----------------------------------------------------------------------
_TOKEN = re.compile(r"""(?P<space>\s+)|(?P<number>[0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?)|(?P<word>[^\W0-9]\w*)"""
                    r"""|(?P<text>"[^"]*"|'[^']*'|“[^”]*”)|(?P<sign><=|>=|==|!=|[-<>~+*/()\[\],.])""")
LEVELS: Mapping[str, int] = MappingProxyType({
    "or": 1, "and": 2, **dict.fromkeys(("<", "<=", ">", ">=", "==", "!=", "~"), 4), "+": 5, "-": 5, "*": 6, "/": 6})
"""How tightly each operator binds; `not` binds at 3, a sign before a number at 7."""
_NOT, _COMPARED, _SIGNED = 3, 4, 7
WORDS = frozenset({"and", "or", "not", "true", "false"})
NESTED = f"nested deeper than {MOST_NESTED}: use fewer brackets"


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    start: int
    end: int


def parse(text: str, named: frozenset[str] = frozenset()) -> Node:
    """Returns the parsed expression.

    Args:
        text: what was typed.
        named: words that are names also in the brackets of a call; every other word there is a text.

    Raises:
        ExpressionError: it is wrong; the message says where, why, and what to write.
    """
    if len(text) > MOST_CHARACTERS:
        raise ExpressionError(f"longer than {MOST_CHARACTERS} characters: shorten it", MOST_CHARACTERS, len(text))
    return _Parser(_tokens(text), named).whole()


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise ExpressionError(_no_token(text[at]), at, at + 1)
        if match.lastgroup != "space":
            found.append(_Token(match.lastgroup or "", match.group(), at, match.end()))
        at = match.end()
    if len(found) > MOST_TOKENS:
        raise ExpressionError(f"more than {MOST_TOKENS} words and signs: shorten it", found[MOST_TOKENS].start, len(text))
    return [*found, _Token("end", "", len(text), len(text))]


def _no_token(sign: str) -> str:
    if sign == "=":
        return "“=” compares nothing: write =="
    return "this quotation mark is never closed: add one" if sign in "\"'“" else f"“{sign}” has no meaning here: remove it"


class _Parser:
    """Parses tokens by precedence climbing."""

    def __init__(self, tokens: list[_Token], named: frozenset[str]):
        self._tokens, self._named, self._at, self._depth = tokens, named, 0, 0

    @property
    def _next(self) -> _Token:
        return self._tokens[self._at]

    def _take(self) -> _Token:
        token = self._next
        self._at += token.kind != "end"
        return token

    def _expect(self, text: str, cure: str) -> _Token:
        if self._next.text != text or self._next.kind == "text":
            raise self._wrong(f"“{text}” is missing: {cure}")
        return self._take()

    def _wrong(self, message: str) -> ExpressionError:
        return ExpressionError(message, self._next.start, self._next.end)

    def whole(self) -> Node:
        if self._next.kind == "end":
            raise self._wrong("nothing is written: write a condition, such as turn == 12")
        node = self._operation(0)
        if self._next.kind != "end":
            raise self._wrong(f"“{self._next.text}” follows a complete expression: write and, or or a comparison before it")
        return node

    def _operation(self, level: int) -> Node:
        self._depth += 1
        if self._depth > MOST_NESTED:
            raise self._wrong(NESTED)
        left = self._operand()
        while (sign := self._next).kind in ("word", "sign") and (binds := LEVELS.get(sign.text, -1)) > level:
            self._take()
            right = self._operation(binds)
            left = Operation(left.start, right.end, sign.text, (left, right))
            if binds == _COMPARED and LEVELS.get(self._next.text) == _COMPARED:
                raise self._wrong("a comparison has two sides: join two comparisons by and")
        self._depth -= 1
        return left

    def _operand(self) -> Node:
        token = self._take()
        match token.kind, token.text:
            case "word", "not":
                inner = self._operation(_NOT)
                return Operation(token.start, inner.end, "not", (inner,))
            case "sign", "-":
                inner = self._operation(_SIGNED)
                return Operation(token.start, inner.end, "-", (inner,))
            case "sign", "(":
                inner = self._operation(0)
                self._expect(")", "close the bracket")
                return inner
            case "number", text:
                return Constant(token.start, token.end, float(text))
            case "text", text:
                return Constant(token.start, token.end, text[1:-1])
            case "word", ("true" | "false") as text:
                return Constant(token.start, token.end, text == "true")
            case "word", text if text not in WORDS:
                return self._reference(token)
        words = "the end" if token.kind == "end" else f"“{token.text}”"
        raise ExpressionError(f"a value is missing before {words}: write a name, a number or a text", token.start, token.end)

    def _reference(self, word: _Token) -> Reference:
        match self._next.text if self._next.kind == "sign" else "":
            case "(":
                self._take()
                arguments = [self._argument()]
                while self._next.text == "," and self._next.kind == "sign":
                    self._take()
                    arguments.append(self._argument())
                end, column = self._expect(")", "close the bracket after the name's arguments"), ""
                if self._next.text == "." and self._next.kind == "sign":
                    self._take()
                    end = self._take()
                    if end.kind != "word":
                        raise ExpressionError("a column is missing after the dot: write its name, such as .visits",
                                              end.start, end.end)
                    column = end.text
                return Reference(word.start, end.end, word.text, tuple(arguments), column)
            case "[":
                self._take()
                index = self._take()
                if not index.text.isdecimal():
                    raise ExpressionError("an index is a whole number from 0: write literal[0].reached", index.start, index.end)
                self._expect("]", "close the bracket after the index")
                self._expect(".", "write what is wanted of it, such as .reached")
                field = self._take()
                return Reference(word.start, field.end, f"{word.text}.{field.text}", (index.text,))
        return Reference(word.start, word.end, word.text)

    def _argument(self) -> str | Reference:
        token = self._take()
        if token.kind == "text":
            return token.text[1:-1]
        if token.kind not in ("word", "number"):
            raise ExpressionError("nothing stands in the brackets: write a name, or a text in quotation marks",
                                  token.start, token.end)
        return Reference(token.start, token.end, token.text) if token.text in self._named else token.text


def references(node: Node) -> Iterator[Reference]:
    """Yields the names in an expression, from left to right."""
    match node:
        case Reference():
            yield node
            for argument in node.arguments:
                if isinstance(argument, Reference):
                    yield argument
        case Operation(operands=operands):
            for operand in operands:
                yield from references(operand)


def cheap_first(node: Node, is_cheap: Callable[[Reference], bool]) -> Node:
    """Returns an expression that is true and false in the same states, in which names that take long to read come last.

    `and` and `or` read their right side only if the left one does not decide, and may be turned around: only the reason why a
    value is unknown can differ then.
    """
    match node:
        case Operation(sign="and" | "or", operands=operands):
            ordered = [cheap_first(operand, is_cheap) for operand in operands]
            ordered.sort(key=lambda operand: sum(not is_cheap(name) for name in references(operand)))
            return replace(node, operands=tuple(ordered))
        case Operation(operands=operands):
            return replace(node, operands=tuple(cheap_first(operand, is_cheap) for operand in operands))
    return node


# --- kinds -------------------------------------------------------------------------
def kind_of(node: Node, of_name: Callable[[Reference, Kind | None], Kind | None], wanted: Kind | None = None) -> Kind | None:
    """Returns the kind of an expression's value.

    Args:
        node: the expression.
        of_name: returns the kind of a name, or raises ExpressionError. It is given the kind that is asked for there: a
            name that can have several has that one, and None if None is asked for.
        wanted: the kind that is asked for here; None: any.

    Raises:
        ExpressionError: an operator is applied to another kind of value.
    """
    match node:
        case Constant(value=value):
            return "truth" if isinstance(value, bool) else "text" if isinstance(value, str) else "number"
        case Reference():
            return of_name(node, wanted)
        case Operation(sign=sign, operands=operands):
            if sign in ("==", "!="):
                kinds = [kind_of(operand, of_name) for operand in operands]
                known: Kind = kinds[0] or kinds[1] or "number"
                kinds = [kind or kind_of(operand, of_name, known) for kind, operand in zip(kinds, operands, strict=True)]
                if kinds[0] != kinds[1]:
                    raise ExpressionError(f"a {kinds[0]} is compared with a {kinds[1]}: compare values of one kind; "
                                          "a text stands in quotation marks", operands[1].start, operands[1].end)
                return "truth"
            taken: Kind = "truth" if sign in ("and", "or", "not") else "text" if sign == "~" else "number"
            for operand in operands:
                if (kind := kind_of(operand, of_name, taken)) != taken:
                    raise ExpressionError(f"“{sign}” takes a {taken}, and this is a {kind}: {_CURES[taken]}",
                                          operand.start, operand.end)
            return "number" if sign in ("+", "-", "*", "/") else "truth"
    raise AssertionError(node)


_CURES: Mapping[Kind, str] = MappingProxyType({
    "truth": "compare it with something", "text": "write a text in quotation marks, or compare by < or ==",
    "number": "compare texts by == or ~"})


# --- evaluation ----------------------------------------------------------------------
def compiled(node: Node, look: Callable[[Reference], Read[S]]) -> Read[S]:
    """Returns a function that computes an expression whose kinds were checked. What depends on something unknown is unknown.

    Args:
        node: the expression.
        look: returns the function that reads a name.
    """
    match node:
        case Constant(value=value):
            return lambda state: value
        case Reference():
            return look(node)
        case Operation(sign="and" | "or" as sign, operands=(left, right)):
            return _logical(sign == "or", compiled(left, look), compiled(right, look))
        case Operation(sign=sign, operands=(inner,)):
            return _unary(sign, compiled(inner, look))
        case Operation(sign="~" | "==" | "!=" as sign, operands=(left, Constant(value=str() as text))):
            return _tested(_TESTS[sign](text), compiled(left, look))
        case Operation(sign="<" | "<=" | ">" | ">=" as sign, operands=(left, Constant(value=int() | float() as number))):
            return _tested(partial(_TURNED[sign], number), compiled(left, look))
        case Operation(sign=sign, operands=(left, right)):
            return _binary(_SIGNS[sign], compiled(left, look), compiled(right, look))
    raise AssertionError(node)


def _logical(decided: bool, left: Read[S], right: Read[S]) -> Read[S]:
    """Returns `or` if the value that decides is True, `and` if it is False."""
    def read(state: S) -> Value:
        first = left(state)
        if first is decided:
            return decided
        second = right(state)
        return second if second is decided or not isinstance(first, Unknown) else first
    return read


def _unary(sign: str, inner: Read[S]) -> Read[S]:
    def read(state: S) -> Value:
        value = inner(state)
        if isinstance(value, Unknown | str):
            return value
        return not value if sign == "not" else -value
    return read


def _binary(sign: Callable[[Any, Any], Value], left: Read[S], right: Read[S]) -> Read[S]:
    def read(state: S) -> Value:
        first = left(state)
        if isinstance(first, Unknown):
            return first
        second = right(state)
        return second if isinstance(second, Unknown) else sign(first, second)
    return read


def _tested(test: Callable[[Any], bool], left: Read[S]) -> Read[S]:
    def read(state: S) -> Value:
        value = left(state)
        return value if isinstance(value, Unknown) else test(value)
    return read


def _quotient(left: float, right: float) -> Value:
    return left / right if right else Unknown("division by zero")


def _product(left: float, right: float) -> float:
    return float(left) * float(right)  # whole numbers would grow without bounds


def _containing(part: str) -> Callable[[str], bool]:
    wanted = plain(part)
    longest = max(wanted.split(), key=len, default="")  # looked for first: to make a long prompt plain takes much longer
    return lambda text: longest in text.casefold() and wanted in plain(text)


def _contains(text: str, part: str) -> bool:
    return _containing(part)(text)


def _equal_to(text: str) -> Callable[[str], bool]:
    wanted, start = plain(text), beginning(text)
    return lambda value: start(value) if isinstance(value, ActionText) else plain(value) == wanted


def _other_than(text: str) -> Callable[[str], bool]:
    is_equal = _equal_to(text)
    return lambda value: not is_equal(value)


def _equal(left: Value, right: Value) -> bool:
    if not isinstance(left, str) or not isinstance(right, str):
        return left == right
    is_turned = isinstance(right, ActionText) and not isinstance(left, ActionText)
    return _equal_to(left)(right) if is_turned else _equal_to(right)(left)


def _differ(left: Value, right: Value) -> bool:
    return not _equal(left, right)


_TESTS: Mapping[str, Callable[[str], Callable[[str], bool]]] = MappingProxyType({
    "~": _containing, "==": _equal_to, "!=": _other_than})
"""Comparisons with a text that is known beforehand."""


_SIGNS: Mapping[str, Callable[[Any, Any], Value]] = MappingProxyType({
    "+": operator.add, "-": operator.sub, "*": _product, "/": _quotient, "~": _contains, "==": _equal, "!=": _differ,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge})


_TURNED: Mapping[str, Callable[[Any, Any], bool]] = MappingProxyType({
    "<": operator.gt, "<=": operator.ge, ">": operator.lt, ">=": operator.le})
"""Comparisons with the right side first."""
