"""The function calls of LLM-State: `Vocabulary` maps them to the verbs of a world, `read_calls` parses them from replies.

Examples are `1. move(fridge1)` and `add_attribute("cup1", "clean | in_hand")`, fenced or bare. No reply can cause an error.
Text that is no call is ignored; malformed calls are counted as dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.llm.grounding.choices import CallNames, call_name
from core.world.vocabulary import Action, ActionSchema, Observation

# --- parsing ----------------------------------------------------------------------
SCANNED = 20_000
"""The maximum number of characters of a reply that are parsed."""
MOST_CALLS = 400
LONGEST = 4_000
"""The maximum number of characters kept of one argument."""
NAME = re.compile(r"(?<![\w.])([A-Za-z_]\w{0,40})[ \t]*\(")
QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’"}
MOST_ARGS = 6


@dataclass(frozen=True, slots=True)
class Call:
    """A function call in a reply.

    Attributes:
        name: the function's name in lower case without underscores (`add_attribute` -> `addattribute`).
        args: the arguments as text.
    """

    name: str
    args: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name}({', '.join(self.args)})"


def call_text(call: str, args: Iterable[str]) -> str:
    """Returns a call with ids as arguments as models write it: `placein(cup1, fridge1)`."""
    return f"{call}({', '.join(map(call_name, args))})"


def read_calls(text: str, names: frozenset[str]) -> tuple[tuple[Call, ...], int]:
    """Returns the calls of the named functions in order, and the number of malformed calls.

    Args:
        text: the reply.
        names: function names in the form of `Call.name`. Calls of other functions are prose ("move(fridge) (example)") or
            invented; they count as malformed only at the start of a line.
    """
    text = text[:SCANNED]
    found: list[Call] = []
    dropped, at = 0, 0
    while len(found) < MOST_CALLS and (match := NAME.search(text, at)) is not None:
        name = match.group(1).lower().replace("_", "")
        read = _arguments(text, match.end()) if name in names else None
        if read is None:
            dropped += name in names or _begins_line(text, match.start())
            at = match.end()
            continue
        args, at = read
        found.append(Call(name, args))
    return tuple(found), dropped


def _begins_line(text: str, at: int) -> bool:
    """Returns True if only a number or a bullet precedes the position on its line."""
    before = text[text.rfind("\n", 0, at) + 1: at]
    return re.fullmatch(r"\s*(?:\d{1,3}[.)]|[-*•])?\s*", before) is not None


def _arguments(text: str, at: int) -> tuple[tuple[str, ...], int] | None:
    """Returns the arguments after an opening bracket and the position after the closing one; None if it is never closed."""
    args: list[str] = []
    while True:
        while at < len(text) and text[at] in " \t\n\r,":
            at += 1
        if at >= len(text) or len(args) > MOST_ARGS:
            return None
        if text[at] == ")":
            return tuple(args), at + 1
        read = _quoted(text, at) if text[at] in QUOTES else _bare(text, at)
        if read is None:
            return None
        args.append(read[0][:LONGEST].strip())
        at = read[1]


def _quoted(text: str, at: int) -> tuple[str, int] | None:
    """Returns the text up to the closing quote before a comma or bracket; an apostrophe inside ("it's") does not end it."""
    close = QUOTES[text[at]]
    end = at + 1
    while (end := text.find(close, end)) >= 0:
        after = text[end + 1:].lstrip()
        if text[end - 1] != "\\" and (not after or after[0] in ",)"):
            return text[at + 1: end].replace(f"\\{close}", close), end + 1
        end += 1
    return None


def _bare(text: str, at: int) -> tuple[str, int] | None:
    """Returns an argument without quotes, up to a comma or the bracket, on one line."""
    match = re.compile(r"[^,()\n]*").match(text, at)
    if match is None or not match.group().strip() or text[match.end(): match.end() + 1] not in (",", ")"):
        return None
    return match.group().strip().strip("\"'"), match.end()


# --- verbs ------------------------------------------------------------------------
VERBS = {
    "move": "walk", "pickup": "grab", "placein": "put_in", "placeon": "put_on", "open": "open", "close": "close",
    "switchon": "switch_on", "switchoff": "switch_off",
}
"""Function in the paper -> verb of the worlds."""
WAIT, DONE = "wait", "done"
"""Functions without a verb: wait one step (only if the world offers that at no cost), and the model's claim that the task is
finished."""


class Vocabulary:
    """The functions of a robot in one world.

    Args:
        schemas: the world's verbs. Verbs without a function in the paper (slice, wash …) are called by their own names.
    """

    def __init__(self, schemas: Iterable[ActionSchema]):
        arity = {schema.verb: len(schema.roles) for schema in schemas}
        ours = {call: verb for call, verb in VERBS.items() if verb in arity}
        others = {verb.replace("_", ""): verb for verb in arity if verb not in ours.values()}
        self.verbs = {**others, **ours}
        self._arity = {call: arity[verb] for call, verb in self.verbs.items()} | {DONE: 0}
        self._arity.setdefault(WAIT, 0)
        self._calls = {verb: call for call, verb in self.verbs.items()}

    @property
    def names(self) -> frozenset[str]:
        """The functions a plan may call."""
        return frozenset(self._arity)

    def listed(self, *, finish: bool = True) -> str:
        """Returns all functions as the prompt lists them, the paper's first; `done` only with `finish`."""
        order = [*(c for c in VERBS if c in self._arity), *sorted(self._arity.keys() - VERBS.keys() - {WAIT, DONE}), WAIT,
                 *([DONE] if finish else [])]
        return ", ".join(f"{call}({', '.join('ab'[: self._arity[call]])})" for call in order)

    def call_of(self, action: Action) -> str:
        """Returns the function of an action."""
        return self._calls.get(action.verb, action.verb.replace("_", ""))

    def grounded(self, call: Call, names: CallNames, *, hypotheses: bool = False) -> tuple[str, ...] | None:
        """Returns the ids of a call's arguments; None if their number is wrong or an object was never observed.

        With `hypotheses`, an object that was never observed keeps the name the model gave it (paper, listing 5: "assuming there
        is a lightswitch3").
        """
        if self._arity.get(call.name) != len(call.args):
            return None
        found = [names.find(arg) or (call_name(arg) if hypotheses else "") for arg in call.args]
        return tuple(found) if all(found) else None

    def steps(self, call: str, args: tuple[str, ...], world: Observation, *, approach: bool) -> tuple[Action, ...]:
        """Returns the world actions of a call in the current situation; empty if there is nothing to do.

        A walk to another room is included. With `approach`, also the walk to the call's target.
        """
        if call == "move":
            return self._way(args[0], world)
        if call not in self.verbs:
            return ()
        action = Action(self.verbs[call], args)
        target = args[-1] if args else ""
        if not approach or not args or target in world.agent.holding or self._touches(action, target, world):
            return (action,)
        return (*self._way(target, world), action)

    @staticmethod
    def _touches(action: Action, target: str, world: Observation) -> bool:
        """Returns True if the target is within reach.

        To take an object from a surface, the robot must be next to the object itself.
        """
        near: Sequence[str] = world.agent.near
        link = world.holder.get(target)
        on_table = link is not None and link.kind == "on" and action.verb == "grab"
        return target in near[:1] if on_table else target in near

    @staticmethod
    def _way(target: str, world: Observation) -> tuple[Action, ...]:
        entity = world.by_id.get(target)
        room = target if entity is None or entity.category == "room" else entity.room
        way = (Action("walk", (room,)),) if room and room != world.agent.room else ()
        if target == room or target in world.agent.near[:1] or target in world.agent.holding:
            return way
        return (*way, Action("walk", (target,)))
