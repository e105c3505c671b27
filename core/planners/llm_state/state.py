"""What LLM-State keeps: the memory of observations and actions, the updates of the dictionary, and the progress of the plan.

Attention adds objects to the dictionary, estimates rewrite attributes, operator edits are kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from core.common.errors import UsageError
from core.goals.literals import Goal, LiteralProgress
from core.goals.tracker import GoalTracker
from core.llm.grounding.choices import CallNames, call_name
from core.planners.llm_state.calls import Call, Vocabulary, call_text
from core.planners.llm_state.prompts import seen_only
from core.planners.llm_state.recorded_types import Deed, StateDictionary, StateEntry
from core.planning.facets import ProgramLine, Steps
from core.world.known_world import KnownWorld
from core.world.vocabulary import Action, Observation, Outcome

# --- the dictionary ---------------------------------------------------------------
MOST_ENTRIES = 400
MOST_ATTRIBUTES = 40
LONGEST_ATTRIBUTE = 120
LONGEST_NAME = 80
ATTENTION = frozenset({"addrelatedobjects"})
UPDATES = frozenset({"updatestate", "addattribute"})
REASONS = frozenset({"updatereasoning", "generatesummary"})
"""The paper's text and its appendix name the calls differently; both are accepted."""


def related(calls: Iterable[Call], names: CallNames, dictionary: StateDictionary, *,
            open_names: bool = False) -> dict[str, str]:
    """Returns entry name -> id of what attention calls name, one or several in a call; see `named`."""
    found = (named(arg, names, dictionary, open_names=open_names)
             for call in calls if call.name in ATTENTION for arg in call.args)
    return dict(pair for pair in found if pair is not None)


def named(text: str, names: CallNames, dictionary: StateDictionary, *, open_names: bool) -> tuple[str, str] | None:
    """Returns the entry that a model's words name, as its name and the id of the entity.

    Args:
        text: the model's words.
        names: resolves names to ids.
        dictionary: its entries are found under their own names.
        open_names: True to accept names that match no entity, with an empty id (paper, section IV-B: the dictionary is
            expandable). Otherwise such names give None.
    """
    thing, name = names.find(text), call_name(text)[:LONGEST_NAME]
    if open_names and dictionary.entry(name) is not None:
        return name, thing if thing is not None and call_name(thing) == name else ""
    if thing is not None:
        return call_name(thing), thing
    return (name, "") if open_names and name else None


def with_attention(dictionary: StateDictionary, things: Mapping[str, str], turn: int) -> StateDictionary:
    """Returns the dictionary with attended objects added, except those an operator deleted.

    Args:
        dictionary: the dictionary.
        things: entry name -> id, or "" for a name that matches no entity.
        turn: the current turn.
    """
    known = {e.name for e in dictionary.entries} | set(dictionary.deleted)
    new = [StateEntry(name, thing, turn=turn) for name, thing in things.items() if name not in known]
    kept = tuple(replace(e, thing=things[e.name]) if not e.thing and things.get(e.name) else e for e in dictionary.entries)
    same = not new and kept == dictionary.entries
    return dictionary if same else replace(dictionary, entries=(*kept, *new)[:MOST_ENTRIES])


def with_estimate(dictionary: StateDictionary, calls: Iterable[Call], names: CallNames, turn: int, because: str, *,
                  summary: bool, objects: bool, open_names: bool = False) -> StateDictionary:
    """Returns the dictionary rewritten by an estimate from the whole history. Operator edits and locked entries are kept.

    Args:
        dictionary: the dictionary.
        calls: the calls of the reply.
        names: resolves names to ids.
        turn: the current turn.
        because: the reason of the estimate.
        summary: True if a summary is kept.
        objects: True if entries of objects are kept.
        open_names: True to keep names that match no entity.
    """
    things: dict[str, str] = {}
    said: dict[str, list[str]] = {}
    words: list[str] = []
    for call in calls:
        if call.name in REASONS and summary:
            words += [w for w in call.args if w.strip()]
        elif call.name in UPDATES and objects and call.args:
            pair = named(call.args[0], names, dictionary, open_names=open_names)
            if pair is not None:
                things.setdefault(*pair)
                said.setdefault(pair[0], []).extend(_attributes(call.args[1:]))
    dictionary = with_attention(dictionary, things, turn)
    entries = tuple(_rewritten(e, said, turn) for e in dictionary.entries) if objects else ()
    text = dictionary.summary if dictionary.summary_given else " ".join(words)
    return replace(dictionary, entries=entries, summary=text if summary else "", turn=turn, because=because)


def _attributes(args: Iterable[str]) -> list[str]:
    parts = (" ".join(part.split())[:LONGEST_ATTRIBUTE] for arg in args for part in arg.split("|"))
    return [part for part in parts if part and part != "[]"]


def _rewritten(entry: StateEntry, said: Mapping[str, list[str]], turn: int) -> StateEntry:
    if entry.locked:
        return replace(entry, added=(), removed=())
    wanted = [a for a in said.get(entry.name, ()) if a not in entry.refused]
    now = tuple(dict.fromkeys([*entry.given, *wanted]))[:MOST_ATTRIBUTES]
    added = tuple(a for a in now if a not in entry.attributes)
    removed = tuple(a for a in entry.attributes if a not in now)
    return replace(entry, attributes=now, added=added, removed=removed, turn=turn if added or removed else entry.turn)


def checked(dictionary: StateDictionary) -> StateDictionary:
    """Returns an operator's dictionary if it is valid.

    Raises:
        UsageError: two entries have the same name, a name or attribute is empty, or there are too many.
    """
    names = [e.name for e in dictionary.entries]
    if len(set(names)) < len(names) or not all(names):
        raise UsageError("two entries of the dictionary have the same name, or one has none: rename or remove one")
    if len(names) > MOST_ENTRIES or any(len(e.attributes) > MOST_ATTRIBUTES for e in dictionary.entries):
        raise UsageError(f"the dictionary takes {MOST_ENTRIES} objects with {MOST_ATTRIBUTES} attributes each: remove some")
    if not all(a.strip() and "|" not in a for e in dictionary.entries for a in e.attributes):
        raise UsageError("an attribute is empty or has a bar in it: write one word or a few, such as in_hand")
    return dictionary


def with_things(dictionary: StateDictionary, names: CallNames) -> StateDictionary:
    """Returns an operator's dictionary with the ids of entities in entries that are called like one."""
    found = {e.name: thing for e in dictionary.entries if not e.thing and (thing := names.find(e.name)) is not None}
    entries = tuple(replace(e, thing=found[e.name]) if call_name(found.get(e.name, "")) == e.name else e
                    for e in dictionary.entries)
    return dictionary if entries == dictionary.entries else replace(dictionary, entries=entries)


# --- observations and actions -----------------------------------------------------
MOST_DEEDS = 400
"""The maximum number of calls in the prompt: the latest. An episode in the paper has fewer than 200."""
DENIED = "denied"


class Memory:
    """The accumulated observation and the action history A_h.

    Attributes:
        world: all observations, merged.
        deeds: every call with its result, oldest first.
        under_way: the remaining world actions of the current call, the next one first.
        failures: the number of consecutive failed calls.
        as_planned: True if the last action was the one this planner chose.
    """

    def __init__(self, goal: Goal, words: Vocabulary):
        self.world = KnownWorld()
        self.deeds: tuple[Deed, ...] = ()
        self.under_way: tuple[Action, ...] = ()
        self.failures, self.as_planned = 0, True
        self._words = words
        self._aim = GoalTracker(goal)
        self._call: tuple[str, tuple[str, ...]] = ("", ())

    def see(self, observation: Observation) -> None:
        """Processes an observation."""
        self.world.see(observation)
        self._aim.see(self.world)

    def new_goal(self, goal: Goal, words: Vocabulary) -> None:
        """Replaces the goal and the functions for it; the record of the past for goals starts again."""
        self._words = words
        self._aim, self.under_way = GoalTracker(goal), ()
        self._aim.see(self.world)

    def progress(self) -> tuple[LiteralProgress, ...]:
        """Returns the progress of the goal, as far as it is known."""
        return self._aim.progress()

    def prompt_view(self, *, affordances: bool) -> Observation:
        """Returns the part of the observation that prompts contain."""
        return seen_only(self.world.merged(), affordances=affordances)

    def start(self, call: str, args: tuple[str, ...], *, approach: bool) -> bool:
        """Starts a call. Returns False, and records the call as done, if it needs no action."""
        self.under_way = self._words.steps(call, args, self.world.merged(), approach=approach)
        self._call = (call, args)
        if not self.under_way:
            self.note(call, args, ok=True)
        return bool(self.under_way)

    def drop(self) -> None:
        """Discards the current call: its next action was denied, or a new plan is made."""
        self.under_way = ()

    def deny(self, *, reasons: bool) -> None:
        """Records the current call as failed because the operator forbids its next action (paper, section V-B).

        The history says that the operator denied it only with `reasons`.
        """
        self.under_way = ()
        why, note = (DENIED, "denied by the operator") if reasons else ("", "")
        self.note(*self._call, ok=False, why=why, note=note)
        self.failures += 1

    def update(self, outcome: Outcome, *, reasons: bool, sources: bool) -> None:
        """Processes the outcome of the expected action or of the operator's action.

        Args:
            outcome: the outcome.
            reasons: True if the history says why an action failed.
            sources: True if the history says where a picked-up object lay.
        """
        action = outcome.action
        self.as_planned = bool(self.under_way) and action == self.under_way[0]
        call, args = self._call if self.as_planned else (self._words.call_of(action), action.args)
        self.under_way = self.under_way[1:] if self.as_planned and outcome.ok else ()
        self.failures = 0 if outcome.ok else self.failures + 1
        if self.under_way:
            return
        grabbed = sources and outcome.ok and action.verb == "grab" and action.args
        place = self.world.place_of(action.args[0]) if grabbed else None
        why, note = (outcome.precondition, outcome.reason) if reasons and not outcome.ok else ("", "")
        self.note(call, args, ok=outcome.ok, why=why, note=note, source=place[0] if place else "")

    def note(self, call: str, args: tuple[str, ...], *, ok: bool, why: str = "", note: str = "", source: str = "") -> None:
        """Appends a call to the history."""
        self.deeds = (*self.deeds[1 - MOST_DEEDS:], Deed(call, args, ok, why, note, source))

    def last_was(self, call: str) -> bool:
        """Returns True if this was the last call."""
        return bool(self.deeds) and self.deeds[-1].call == call


# --- the plan ---------------------------------------------------------------------
class PlanProgress:
    """Tracks a plan call by call."""

    def __init__(self) -> None:
        self._steps = Steps(())

    @property
    def steps(self) -> Steps:
        """The plan with the state of each call."""
        return self._steps

    def begin(self, calls: Sequence[tuple[str, tuple[str, ...]]]) -> None:
        """Starts tracking another plan."""
        self._steps = Steps(tuple(ProgramLine(call_text(call, args)) for call, args in calls))

    def reach(self, index: int) -> None:
        """Marks a call as current and the calls before it as done."""
        lines = (ProgramLine(x.text, "done", x.note) if k < index and x.state == "waiting" else x
                 for k, x in enumerate(self._steps.lines))
        self._steps = Steps(tuple(lines), index)

    def end(self, why: str = "", *, failed: bool = False) -> None:
        """Ends the plan at the current call.

        Args:
            why: the reason; empty if the call is done.
            failed: True if the call failed, False if the plan was abandoned.
        """
        at = self._steps.current

        def ended(k: int, line: ProgramLine) -> ProgramLine:
            if line.state != "waiting":
                return line
            if k == at:
                return ProgramLine(line.text, "failed" if failed else "skipped" if why else "done", why)
            return ProgramLine(line.text, "done" if k < at else "skipped")

        self._steps = Steps(tuple(ended(k, line) for k, line in enumerate(self._steps.lines)), at)
