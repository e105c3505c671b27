"""What an operator does to a dictionary, as pure functions: every act gives a new one."""

from __future__ import annotations

from dataclasses import replace

from core.planning.facets import StateDictionary, StateEntry

LONGEST = 80
"""Characters an operator may give an attribute or a name."""


def tidied(text: str) -> str:
    """What was typed as an attribute: one line, no bars."""
    return " ".join(text.replace("|", " ").split())[:LONGEST]


def with_entry(book: StateDictionary, name: str, entry: StateEntry | None) -> StateDictionary:
    """The dictionary with one entry as given; None: without it, and attention may not bring it back."""
    if entry is None:
        deleted = book.deleted if name in book.deleted else (*book.deleted, name)
        return replace(book, entries=tuple(e for e in book.entries if e.name != name), deleted=deleted)
    deleted = tuple(n for n in book.deleted if n != name)
    if book.entry(name) is None:
        return replace(book, entries=(*book.entries, entry), deleted=deleted)
    return replace(book, entries=tuple(entry if e.name == name else e for e in book.entries), deleted=deleted)


def attribute_set(entry: StateEntry, old: str, new: str) -> StateEntry:
    """An attribute changed (`old` and `new`), added (`old` empty) or taken away (`new` empty), by the operator."""
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
    """Held as it is, or left to the model again."""
    return replace(entry, locked=not entry.locked)


def with_summary(book: StateDictionary, text: str) -> StateDictionary:
    """The summary in the operator's words; empty words leave it to the model again."""
    text = " ".join(text.split())
    return replace(book, summary=text or book.summary, summary_given=bool(text))
