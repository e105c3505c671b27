"""The operator's edits of a state dictionary, as pure functions that return new values."""

from __future__ import annotations

from dataclasses import replace

from core.planners.llm_state.recorded_types import StateDictionary, StateEntry

LONGEST = 80
"""The maximum number of characters of an attribute or a name that the operator types."""


def tidied(text: str) -> str:
    """Returns typed text as an attribute: one line, without `|`, at most `LONGEST` characters."""
    return " ".join(text.replace("|", " ").split())[:LONGEST]


def with_entry(book: StateDictionary, name: str, entry: StateEntry | None) -> StateDictionary:
    """Returns the dictionary with one entry replaced, added or deleted.

    Args:
        book: the dictionary.
        name: the name of the entry.
        entry: the new entry. None deletes it and lists its name in `deleted`, so that attention cannot add it again.
    """
    if entry is None:
        deleted = book.deleted if name in book.deleted else (*book.deleted, name)
        return replace(book, entries=tuple(e for e in book.entries if e.name != name), deleted=deleted)
    deleted = tuple(n for n in book.deleted if n != name)
    if book.entry(name) is None:
        return replace(book, entries=(*book.entries, entry), deleted=deleted)
    return replace(book, entries=tuple(entry if e.name == name else e for e in book.entries), deleted=deleted)


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


def with_summary(book: StateDictionary, text: str) -> StateDictionary:
    """Returns the dictionary with the operator's summary. Empty text keeps the summary and lets the model write it again."""
    text = " ".join(text.split())
    return replace(book, summary=text or book.summary, summary_given=bool(text))
