"""Goals as formal text: what `--goal` takes, what a language model answers, and what the console's chips are kept as.

    goal    := stage (" then " stage)*
    stage   := literal (" and " literal)*
    literal := ["never "] predicate "(" [name ["," name]] ("," key "=" value)* ")"

    inside(apple|pear, fridge, count=2)              two of these are in the fridge
    on(fruit, kitchen_table, count=every, room=kitchen)
    is(fridge, closed) then sitting(sofa) and done(read, book) and never robot_in(bedroom)

A name is a class, an id, a kind (`core.goals.kinds`) or several of them with "|" between. docs/goals.md describes the language.
After Zhao et al. (LLM-MCTS), Listing 3, extended by what its tuples cannot say.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import cast, get_args

from core.common.errors import GoalError
from core.goals.kinds import FLOOR, KIND_WORDS, KINDS, LIGHT, THING
from core.goals.literals import ABOUT_ROBOT, ROBOT, Goal, Literal, Predicate
from core.goals.vocabulary import singulars
from core.world.vocabulary import ACTS, Entity, spaced

TAKES_TARGET = frozenset({"inside", "on", "away"})
PREDICATES: tuple[str, ...] = get_args(Predicate)
STATES = frozenset({"open", "closed", "on", "off", "sliced", "cooked", "clean", "dirty", "filled", "plugged in"})
EVERY = "every"
OPTIONS = ("count", "states", "room", "source", "was", "by", "holding")
MOST_CHARACTERS, MOST_LITERALS, MOST_COUNT = 4000, 30, 50
"""The maximum length of a text that is read, of its literals, and of the objects of one literal."""
LITERAL = re.compile(r"\s*(?P<never>never\s+)?(?P<predicate>[a-z_]+)\s*\((?P<arguments>[^()]*)\)\s*", re.I)
JOINT = re.compile(r"\b(then|and)\b", re.I)


# --- writing -----------------------------------------------------------------------
def formal(goal: Goal) -> str:
    """Returns a goal as formal text, with its literals in the order of their stages."""
    stages = sorted({literal.stage for literal in goal.literals})
    return " then ".join(" and ".join(_written(x) for x in goal.literals if x.stage == stage) for stage in stages)


def _written(literal: Literal) -> str:
    arguments = [] if literal.predicate == "standing" else [literal.subject]
    if literal.predicate == "done":
        arguments.insert(0, literal.act)
    elif literal.predicate == "is":
        arguments.append(_plus(literal.states))
    elif literal.target is not None:
        arguments.append(literal.target)
    count = EVERY if literal.every else str(literal.count)
    options = {"count": "" if count == "1" else count, "states": "" if literal.predicate == "is" else _plus(literal.states),
               "room": literal.room, "source": None if literal.predicate == "away" and literal.source == literal.target
               else literal.source, "was": _plus(literal.was), "by": literal.by, "holding": literal.holding}
    arguments += [f"{key}={value}" for key, value in options.items() if value]
    return f"{'never ' if literal.never else ''}{literal.predicate}({', '.join(arguments)})"


def _plus(states: Iterable[str]) -> str:
    return "+".join(state.replace(" ", "_") for state in sorted(states))


# --- reading -----------------------------------------------------------------------
def is_formal(text: str) -> bool:
    """Returns True if a text begins like a formal goal: with a predicate and a bracket."""
    found = LITERAL.match(text)
    return found is not None and found["predicate"].lower() in PREDICATES


def read_formal(formal_text: str, known: Iterable[Entity], text: str = "") -> Goal:
    """Returns the goal that a formal text states.

    Args:
        formal_text: the formal text.
        known: the entities of the world; every name must be one of their ids or classes, or a kind of one of them.
        text: the task in words, which the goal keeps.

    Raises:
        GoalError: the text does not follow the grammar, or names something that is not in the world; the message says which
            word.
    """
    if len(formal_text) > MOST_CHARACTERS:
        raise GoalError(f"the formal goal is longer than {MOST_CHARACTERS:,} characters: state fewer literals")
    names = _Names(known)
    literals, stage = [], 0
    rest = " ".join(formal_text.split())
    while True:
        found = LITERAL.match(rest)
        if found is None:
            near = rest[:40] or "the end"
            raise GoalError(f"“{near}” is no literal: write it as inside(apple, fridge), one of {', '.join(PREDICATES)}", near)
        literals.append(replace(_read(found["predicate"].lower(), found["arguments"], names), never=bool(found["never"]),
                                stage=stage))
        rest = rest[found.end():]
        if not rest:
            break
        joint = JOINT.match(rest)
        if joint is None or len(literals) >= MOST_LITERALS:
            raise GoalError(f"“{rest[:40]}”: write “and” or “then” between literals, at most {MOST_LITERALS}", rest[:40])
        stage += joint[1].lower() == "then"
        rest = rest[joint.end():].lstrip()
    return Goal(tuple(dict.fromkeys(literals)), text or formal_text.strip())


def _read(predicate: str, arguments: str, names: _Names) -> Literal:
    """Returns one literal of stage 0."""
    if predicate not in PREDICATES:
        raise GoalError(f"“{predicate}” is no predicate: there are {', '.join(PREDICATES)}", predicate, PREDICATES)
    plain, options = _arguments(arguments)
    expected = {"done": 2, "is": 2, "standing": 0}.get(predicate, 2 if predicate in TAKES_TARGET else 1)
    if len(plain) != expected:
        raise GoalError(f"“{predicate}({arguments.strip()})”: {predicate} takes {expected} name{'s' * (expected != 1)}, then "
                        "options such as count=2", arguments.strip())
    kind = cast(Predicate, predicate)
    literal = Literal(kind, ROBOT)
    if predicate == "done":
        literal = Literal(kind, names.read(plain[1]), act=_act(plain[0]))
    elif predicate == "is":
        literal = Literal(kind, names.read(plain[0]), states=_states(plain[1]))
    elif expected:
        target = names.read(plain[1], "place" if predicate == "inside" else "thing") if expected > 1 else None
        literal = Literal(kind, names.read(plain[0], "room" if predicate == "robot_in" else "thing"), target,
                          source=target if predicate == "away" else None)
    return _with_options(literal, options, names)


def _arguments(arguments: str) -> tuple[list[str], dict[str, str]]:
    plain: list[str] = []
    options: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in arguments.split(","))):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if equals:
            options[key.lower()] = value
        elif options:
            raise GoalError(f"“{part}” comes after an option: write the names first", part)
        else:
            plain.append(part)
    return plain, options


def _with_options(literal: Literal, options: dict[str, str], names: _Names) -> Literal:
    allowed = ("count", "room", "source", "was") if literal.predicate in ABOUT_ROBOT else OPTIONS
    for key, value in options.items():
        if key not in allowed:
            raise GoalError(f"“{key}”: there are the options {', '.join(allowed)}", key, allowed)
        if key == "count":
            count = _count(value)
            literal = replace(literal, every=True) if count is None else replace(literal, count=count)
        elif key in ("states", "was"):
            states = _states(value)
            literal = replace(literal, was=states) if key == "was" else replace(literal, states=literal.states | states)
        else:
            name = names.read(value, {"room": "room", "source": "source"}.get(key, "thing"))
            literal = {"room": replace(literal, room=name), "source": replace(literal, source=name),
                       "by": replace(literal, by=name), "holding": replace(literal, holding=name)}[key]
    return literal


def _count(value: str) -> int | None:
    """Returns a number of objects; None: every one."""
    if value.lower() in (EVERY, "all"):
        return None
    if not value.isdecimal() or not 1 <= int(value[:4]) <= MOST_COUNT:
        raise GoalError(f"count={value}: write a number from 1 to {MOST_COUNT}, or every", value)
    return int(value)


def _states(value: str) -> frozenset[str]:
    states = frozenset(spaced(part.strip().lower()) for part in value.split("+"))
    for state in sorted(states - STATES):
        raise GoalError(f"“{state}” is no state: there are {', '.join(sorted(STATES))}", state, sorted(STATES))
    return states


def _act(verb: str) -> str:
    name = verb.lower().replace(" ", "_")
    if name not in ACTS:
        raise GoalError(f"“{verb}” is no act: there are {', '.join(ACTS)}", verb, tuple(ACTS))
    return name


class _Names:
    """The names a formal text may use in one world."""

    def __init__(self, known: Iterable[Entity]):
        entities = tuple(known)
        self._rooms = {name for e in entities if e.category == "room" for name in (e.id, e.cls)}
        here = {name for e in entities if e.category != "room" for name in (e.id, e.cls)}
        things = here | {THING, LIGHT} | {kind for kind, classes in KINDS.items() if classes & here}
        self._allowed = {"room": self._rooms, "thing": things, "place": things | self._rooms, "source": things | {FLOOR}}

    def read(self, name: str, role: str = "thing") -> str:
        """Returns a name, or several with "|" between, as goals write it.

        Args:
            name: as written.
            role: what it may be: a room, a thing, a place (either of both), or a source (a thing or the floor).

        Raises:
            GoalError: there is nothing of that name here.
        """
        return "|".join(dict.fromkeys(self._one(part.strip(), role) for part in name.split("|")))

    def _one(self, name: str, role: str) -> str:
        plain, allowed = "_".join(name.lower().split()), self._allowed[role]
        if plain not in allowed:
            plain = next((KIND_WORDS[form] for form in (plain, *singulars(plain)) if KIND_WORDS.get(form) in allowed), plain)
        if plain not in allowed:
            known = sorted(allowed)
            close = difflib.get_close_matches(plain, known, n=2, cutoff=0.6) or (known[:6] if role == "room" else [])
            raise GoalError(f"there is no {role} called “{name}” here", name, close)
        return plain
