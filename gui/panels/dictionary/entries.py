"""What the panel computes of a state dictionary without Qt: the entries to list, their words, and the operator's edits.

Edits are pure functions that return new values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from core.planners.llm_state.recorded_types import StateDictionary, StateEntry

LONGEST = 80
"""The maximum number of characters of an attribute or a name that the operator types."""


def tidied(text: str) -> str:
    """Returns typed text as an attribute: one line, without `|`, at most `LONGEST` characters."""
    return " ".join(text.replace("|", " ").split())[:LONGEST]


def with_entry(state: StateDictionary, name: str, entry: StateEntry | None) -> StateDictionary:
    """Returns the dictionary with one entry replaced, added or deleted.

    Args:
        state: the dictionary.
        name: the name of the entry.
        entry: the new entry. None deletes it and lists its name in `deleted`, so that attention cannot add it again.
    """
    if entry is None:
        deleted = state.deleted if name in state.deleted else (*state.deleted, name)
        return replace(state, entries=tuple(e for e in state.entries if e.name != name), deleted=deleted)
    deleted = tuple(n for n in state.deleted if n != name)
    if state.entry(name) is None:
        return replace(state, entries=(*state.entries, entry), deleted=deleted)
    return replace(state, entries=tuple(entry if e.name == name else e for e in state.entries), deleted=deleted)


def attribute_set(entry: StateEntry, old: str, new: str) -> StateEntry:
    """Returns the entry with one attribute changed by the operator.

    The new attribute is listed in `given` and the old one in `refused`.

    Args:
        entry: the entry before.
        old: the attribute to replace or remove. Empty to add one.
        new: the attribute to put in its place. Empty to remove `old`.
    """
    new = tidied(new)
    if new == old or (new and not old and new in entry.attributes):
        return entry
    kept = [new if a == old else a for a in entry.attributes] if old else [*entry.attributes, new]
    attributes = tuple(dict.fromkeys(a for a in kept if a))
    given = tuple(dict.fromkeys(a for a in (*(g for g in entry.given if g != old), new) if a))
    refused = tuple(dict.fromkeys([*(r for r in entry.refused if r != new), *([old] if old else [])]))
    added = tuple(a for a in entry.added if a in attributes)
    return replace(entry, attributes=attributes, given=given, refused=refused, added=added)


def lock_turned(entry: StateEntry) -> StateEntry:
    """Returns the entry locked if it was not, else unlocked. The model does not change a locked entry."""
    return replace(entry, locked=not entry.locked)


def with_summary(state: StateDictionary, text: str) -> StateDictionary:
    """Returns the dictionary with the operator's summary. Empty text keeps the summary and lets the model write it again."""
    text = " ".join(text.split())
    return replace(state, summary=text or state.summary, summary_given=bool(text))


def with_part(state: StateDictionary, source: StateDictionary, name: str) -> StateDictionary:
    """Returns the dictionary with one part of another one.

    Args:
        state: the dictionary.
        source: where the part is taken from.
        name: the entry to take, which is deleted if `source` has none. Empty to take the summary.
    """
    if not name:
        return replace(state, summary=source.summary, summary_given=source.summary_given)
    others = tuple(n for n in state.deleted if n != name)
    deleted = (*others, *(n for n in source.deleted if n == name))
    return replace(with_entry(state, name, source.entry(name)), deleted=deleted)


def in_words(attribute: str, names: Mapping[str, str]) -> str:
    """Returns an attribute as readable text: `in_kitchencabinet2` becomes "in kitchen cabinet 2".

    Args:
        attribute: the attribute.
        names: display names by call name.
    """
    return " ".join(names.get(word, word) for word in attribute.replace(" ", "_").split("_") if word)


def place_of(entry: StateEntry) -> str:
    """Returns the attribute that gives the entry's location (`in_…` or `on_…`). Empty if there is none."""
    return next((a for a in entry.attributes if a.startswith(("in_", "on_"))), "")


def shown(state: StateDictionary, query: str, *, changed_only: bool) -> list[StateEntry]:
    """Returns the entries that match a search: recently changed ones first, those without any knowledge last.

    Args:
        state: the dictionary.
        query: text to find in names and attributes. Case, spaces and underscores are ignored.
        changed_only: leaves out entries that the last estimate did not change.
    """
    def fits(entry: StateEntry) -> bool:
        found = query.lower().replace(" ", "") in f"{entry.name} {' '.join(entry.attributes)}".lower().replace("_", "")
        return found and (not changed_only or is_changed(entry, state))

    found = (e for e in state.entries if fits(e))
    return sorted(found, key=lambda e: (not is_changed(e, state), not (e.attributes or e.removed or e.given)))


def is_changed(entry: StateEntry, state: StateDictionary) -> bool:
    """Returns True if the last estimate changed the entry."""
    return entry.turn == state.turn and bool(entry.added or entry.removed)
