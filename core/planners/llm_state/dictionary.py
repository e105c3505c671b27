"""Updates of LLM-State's dictionary: attention adds objects, estimates rewrite attributes, operator edits are kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from core.common.errors import UsageError
from core.llm.grounding.choices import CallNames, call_name
from core.planners.llm_state.calls import Call
from core.planning.facets import StateDictionary, StateEntry

MOST_ENTRIES = 400
MOST_ATTRIBUTES = 40
LONGEST_ATTRIBUTE = 120
ATTENTION = frozenset({"addrelatedobjects"})
UPDATES = frozenset({"updatestate", "addattribute"})
REASONS = frozenset({"updatereasoning", "generatesummary"})
"""The paper's text and its appendix name the calls differently; both are accepted."""


def related(calls: Iterable[Call], names: CallNames) -> list[str]:
    """Returns the ids named by attention calls, with one or several in a call."""
    found = (names.find(arg) for call in calls if call.name in ATTENTION for arg in call.args)
    return [i for i in dict.fromkeys(found) if i is not None]


def with_attention(book: StateDictionary, things: Iterable[str], turn: int) -> StateDictionary:
    """Returns the dictionary with attended objects added, except those an operator deleted."""
    known = {e.name for e in book.entries} | set(book.deleted)
    new = [StateEntry(name, t, turn=turn) for name, t in {call_name(t): t for t in things}.items() if name not in known]
    return replace(book, entries=(*book.entries, *new)[:MOST_ENTRIES]) if new else book


def with_estimate(book: StateDictionary, calls: Iterable[Call], names: CallNames, turn: int, because: str, *,
                  summary: bool, objects: bool) -> StateDictionary:
    """Returns the dictionary rewritten by an estimate from the whole history. Operator edits and locked entries are kept.

    Args:
        book: the dictionary.
        calls: the calls of the reply.
        names: resolves names to ids.
        turn: the current turn.
        because: the reason of the estimate.
        summary: True if a summary is kept.
        objects: True if entries of objects are kept.
    """
    said: dict[str, list[str]] = {}
    words: list[str] = []
    for call in calls:
        if call.name in REASONS and summary:
            words += [w for w in call.args if w.strip()]
        elif call.name in UPDATES and objects and call.args:
            thing = names.find(call.args[0])
            if thing is not None:
                said.setdefault(thing, []).extend(_attributes(call.args[1:]))
    book = with_attention(book, said, turn)
    entries = tuple(_rewritten(e, said, turn) for e in book.entries) if objects else ()
    text = book.summary if book.summary_given else " ".join(words)
    return replace(book, entries=entries, summary=text if summary else "", turn=turn, because=because)


def _attributes(args: Iterable[str]) -> list[str]:
    parts = (" ".join(part.split())[:LONGEST_ATTRIBUTE] for arg in args for part in arg.split("|"))
    return [part for part in parts if part and part != "[]"]


def _rewritten(entry: StateEntry, said: Mapping[str, list[str]], turn: int) -> StateEntry:
    if entry.locked:
        return replace(entry, added=(), removed=())
    wanted = [a for a in said.get(entry.thing, ()) if a not in entry.refused]
    now = tuple(dict.fromkeys([*entry.given, *wanted]))[:MOST_ATTRIBUTES]
    added = tuple(a for a in now if a not in entry.attributes)
    removed = tuple(a for a in entry.attributes if a not in now)
    return replace(entry, attributes=now, added=added, removed=removed, turn=turn if added or removed else entry.turn)


def checked(book: StateDictionary) -> StateDictionary:
    """Returns an operator's dictionary if it is valid.

    Raises:
        UsageError: two entries have the same name, a name or attribute is empty, or there are too many.
    """
    names = [e.name for e in book.entries]
    if len(set(names)) < len(names) or not all(names):
        raise UsageError("two entries of the dictionary have the same name, or one has none: rename or remove one")
    if len(names) > MOST_ENTRIES or any(len(e.attributes) > MOST_ATTRIBUTES for e in book.entries):
        raise UsageError(f"the dictionary takes {MOST_ENTRIES} objects with {MOST_ATTRIBUTES} attributes each: remove some")
    if not all(a.strip() and "|" not in a for e in book.entries for a in e.attributes):
        raise UsageError("an attribute is empty or has a bar in it: write one word or a few, such as in_hand")
    return book
