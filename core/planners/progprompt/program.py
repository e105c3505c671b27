"""Parses a model's program as data: calls, asserts with their `else`, and the conditions they depend on. Nothing is executed.

The dialect is ProgPrompt's, which is not quite Python: `assert('close' to 'fridge')` with an indented `else: find('fridge')`
(Singh et al.: ProgPrompt, 2022, Fig. 2). Python's `if` and `else` are accepted as well; the body of a loop is executed once.
Conditions are parsed tolerantly, word by word: near, held, in sight, a state, or a place.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from core.goals.progress import lies
from core.world.vocabulary import UNPLUGGED, Observation

# --- conditions -------------------------------------------------------------------
Kind = Literal["near", "held", "seen", "state", "inside", "on"]
QUOTED = re.compile(r"'([^']*)'|\"([^\"]*)\"")
WORD = re.compile(r"[A-Za-z_]\w*")
STATES = {
    "open": "open", "opened": "open", "closed": "closed", "shut": "closed", "on": "on", "switchedon": "on", "running": "on",
    "off": "off", "switchedoff": "off", "sliced": "sliced", "cut": "sliced", "cooked": "cooked", "toasted": "cooked",
    "clean": "clean", "cleaned": "clean", "washed": "clean", "filled": "filled", "full": "filled",
    "unplugged": UNPLUGGED, "pluggedin": "plugged in",
}
NEAR = frozenset({"close", "near", "reachable", "reach", "next", "at"})
HELD = frozenset({"hand", "hands", "holding", "held", "grabbed", "holds"})
SEEN = frozenset({"visible", "seen", "found", "sight", "located", "exists"})
SELF = frozenset({"robot", "agent", "self", "character", "i", "me", "my"})


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on what is known now.

    Attributes:
        kind: what is tested.
        subject: a name as written in the program.
        object: the state, or the name of the holder; empty if the kind has none.
        negated: True if the condition must not hold.
    """

    kind: Kind
    subject: str
    object: str = ""
    negated: bool = False


def read_condition(text: str) -> Condition | None:
    """Returns the condition in a piece of text; None if it is not understood."""
    text = text[:300]
    names = [a or b for a, b in QUOTED.findall(text)]
    bare = [w for word in WORD.findall(QUOTED.sub(" ", text)) for w in word.lower().split("_")]
    negated = "not" in bare or "!=" in text
    # A quoted word that is a state or a relation is no object: 'close' to 'fridge', 'stove' is 'on'.
    quoted_words = {n: "".join(re.split(r"[\s_]+", n.lower())) for n in names}
    things = [n for n in names if not _is_word(quoted_words[n])]
    said = [*bare, *(w for n in names if n not in things for w in (quoted_words[n], *n.lower().replace("_", " ").split()))]
    if not things:
        return None
    if len(things) > 1 and not NEAR & set(said):
        kind: Kind = "inside" if {"in", "inside", "into"} & set(said) else "on"
        return Condition(kind, things[0], things[1], negated)
    return _about_one(things[-1], said, negated)


def _about_one(thing: str, said: list[str], negated: bool) -> Condition | None:
    for words, kind in ((HELD, "held"), (NEAR, "near"), (SEEN, "seen")):
        if words & set(said):
            return Condition(kind, thing, "", negated)  # type: ignore[arg-type]  # the literals of the table
    state = next((STATES[w] for w in reversed(said) if w in STATES), "")
    return Condition("state", thing, state, negated) if state else None


def _is_word(text: str) -> bool:
    return text in STATES or text in NEAR or text in HELD | {"inhand", "inhands", "inmyhand"} or text in SEEN or text in SELF


def witnesses(condition: Condition, world: Observation, means: Callable[[str], tuple[str, ...]]) -> tuple[str, ...]:
    """Returns the ids of the subject for which a condition, without its negation, is true according to what is known.

    Args:
        condition: the condition.
        world: all that is known, merged.
        means: returns the ids a name may refer to.
    """
    ids = means(condition.subject)
    match condition.kind:
        case "near":
            return tuple(i for i in ids if i in world.agent.near or i in world.agent.holding)
        case "held":
            return tuple(i for i in ids if i in world.agent.holding)
        case "seen":
            return ids
        case "state":
            return tuple(i for i in ids if i in world.by_id and condition.object in world.by_id[i].states)
        case relation:
            return tuple(i for i in ids if any(lies(world, i, relation, target) for target in means(condition.object)))


def holds(condition: Condition, world: Observation, means: Callable[[str], tuple[str, ...]]) -> bool:
    """Returns True if a condition holds according to what is known; arguments as for `witnesses`."""
    return bool(witnesses(condition, world, means)) != condition.negated


# --- lines ------------------------------------------------------------------------
MOST_LINES, LONGEST_LINE = 400, 300
FENCE = re.compile(r"```\w*\s*\n(.*?)(?:```|\Z)", re.DOTALL)
PLAIN = re.compile(r"#|import\b|from\b|def\b|class\b|return\b|pass\b|break\b|continue\b|try\b|except\b|\"\"\"|'''"
                   r"|\w+\s*=(?!=)|@")
GUARD = re.compile(r"(?:assert|if|elif|while|for|with|else)\b")
CALL = re.compile(r"[A-Za-z_][\w.]*\s*\(.*\)")
RISKY = re.compile(r"\d(?:and|else|for|if|in|is|not|or)")
"""Digits directly before a keyword, which cause a warning of Python's tokenizer."""


@dataclass(frozen=True, slots=True)
class Step:
    """A call: a verb and its names as written."""

    verb: str
    names: tuple[str, ...]


Guard = tuple[int, bool]
"""The line of a condition, and the result it must have."""


@dataclass(frozen=True, slots=True)
class Instruction:
    """The meaning of one line.

    Attributes:
        kind: a step; a check, whose result later lines depend on; plain text; or unread, which is skipped.
        step: the call, if any.
        condition: the condition of a check.
        guards: the conditions under which the line is executed.
    """

    kind: Literal["step", "check", "plain", "unread"]
    step: Step | None = None
    condition: Condition | None = None
    guards: tuple[Guard, ...] = ()


def lines_of(reply: str) -> tuple[str, ...]:
    """Returns the lines of code in a reply: of its first fenced block if it has one. Very long replies are cut."""
    text = reply[:MOST_LINES * LONGEST_LINE].replace("\x00", "")
    fenced = FENCE.search(text)
    code = fenced.group(1) if fenced else text
    lines = [line.rstrip()[:LONGEST_LINE].expandtabs(4) for line in code.splitlines()]
    while lines and not lines[-1]:
        lines.pop()
    return tuple(lines[:MOST_LINES])


def read_program(lines: tuple[str, ...]) -> tuple[Instruction, ...]:
    """Returns one instruction for each line."""
    reader = _Reader()
    return tuple(reader.read(number, line) for number, line in enumerate(lines))


class _Reader:
    """Parses the lines in order and keeps the open conditions as (indentation, guard)."""

    def __init__(self) -> None:
        self._open: list[tuple[int, Guard]] = []
        self._asserted: Guard | None = None
        self._ifs: dict[int, Guard] = {}

    def read(self, number: int, line: str) -> Instruction:
        text, indent = line.strip().rstrip(";"), len(line) - len(line.lstrip())
        if not text or PLAIN.match(text):
            return Instruction("plain")
        self._open = [(at, guard) for at, guard in self._open if at < indent]
        guards = tuple(guard for _, guard in self._open)
        if text.startswith("else") and not CALL.fullmatch(text):
            return self._else(text, indent, guards)
        if GUARD.match(text):
            return self._guard(number, text, indent, guards)
        self._asserted = None
        return _step(text, guards)

    def _else(self, text: str, indent: int, guards: tuple[Guard, ...]) -> Instruction:
        """Parses the else-branch of the preceding assert, or of the `if` at the same indentation."""
        refuted = self._asserted or self._ifs.get(indent)
        if refuted is None:
            return Instruction("unread")
        way = (refuted[0], not refuted[1])
        rest = text.removeprefix("else").lstrip(" :")
        if not rest:
            self._open.append((indent, way))
            return Instruction("plain")
        return _step(rest, (*guards, way))

    def _guard(self, number: int, text: str, indent: int, guards: tuple[Guard, ...]) -> Instruction:
        word = text.split("(")[0].split()[0]
        if word in ("for", "with"):
            self._asserted = None
            return Instruction("plain")
        said, _, rest = _split_condition(text[len(word):])
        condition = read_condition(said)
        if word == "assert":
            self._asserted = (number, True)
            return Instruction("check", condition=condition, guards=guards)
        self._asserted = None
        self._ifs[indent] = (number, True)
        self._open.append((indent, (number, True)))
        step = _step(rest, ()).step if rest else None
        return Instruction("check", step, condition, guards)


def _split_condition(text: str) -> tuple[str, str, str]:
    """Splits a condition line at its colon, ignoring quoted colons."""
    quote = ""
    for at, sign in enumerate(text):
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"":
            quote = sign
        elif sign == ":":
            return text[:at], ":", text[at + 1:].strip()
    return text, "", ""


def _step(text: str, guards: tuple[Guard, ...]) -> Instruction:
    """Returns a call as a step; unread if it is no call."""
    text = text.split("#")[0].strip()
    if not CALL.fullmatch(text) or RISKY.search(text):
        return Instruction("unread", guards=guards)
    try:
        tree = ast.parse(text.replace("\\", "/"), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Instruction("unread", guards=guards)
    if not isinstance(tree, ast.Call):
        return Instruction("unread", guards=guards)
    verb = tree.func.attr if isinstance(tree.func, ast.Attribute) else tree.func.id if isinstance(tree.func, ast.Name) else ""
    names = tuple(_name(arg) for arg in (*tree.args, *(k.value for k in tree.keywords)))
    if not verb or len(names) > 3 or "" in names:
        return Instruction("unread", guards=guards)
    return Instruction("step", Step(verb, names), guards=guards)


def _name(node: ast.expr) -> str:
    """Returns a name given as a string or as an identifier; empty for anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value.strip()
    return node.id if isinstance(node, ast.Name) else ""
