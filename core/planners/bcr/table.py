"""The table in force as a facet, and an operator's table or one from a file in its place."""

from __future__ import annotations

import string
from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

from core.common.errors import UsageError
from core.planners.bcr.conditions import CONDITIONS, HOUSEHOLD, VIRTUALHOME, Family
from core.planners.bcr.recorded_types import ActionWords, BlockingTable, ConditionWords, TableRow, parsed
from core.world.vocabulary import ActionSchema

TABLES = (HOUSEHOLD, VIRTUALHOME)


def facet_of(family: Family, schemas: Iterable[ActionSchema]) -> BlockingTable:
    """Returns a table with the conditions and actions that its rows can use in a world.

    Args:
        family: the table.
        schemas: the verbs of the world.
    """
    conditions = tuple(ConditionWords(kind, _arguments(kind), c.blocks) for kind, c in CONDITIONS.items())
    return BlockingTable(_rows(family.blocked_by), _rows(family.resolved_by), conditions, _actions(schemas))


def family_from(table: BlockingTable, own: BlockingTable) -> Family:
    """Returns an operator's table as planners use it.

    Args:
        table: the operator's.
        own: the table in force, which knows the conditions and actions.

    Raises:
        UsageError: an entry cannot be used.
    """
    table = replace(table, conditions=own.conditions, actions=own.actions)
    if wrong := table.problem():
        raise UsageError(wrong)
    return Family(MappingProxyType({r.name: r.entries for r in table.blocked_by}),
                  MappingProxyType({r.name: r.entries for r in table.resolved_by}))


def _rows(part: Mapping[str, tuple[str, ...]]) -> tuple[TableRow, ...]:
    return tuple(TableRow(name, entries) for name, entries in part.items())


def _arguments(kind: str) -> int:
    """Returns the number of arguments of a condition: as many as its texts and its resolutions here name."""
    texts = "".join((CONDITIONS[kind].blocks, CONDITIONS[kind].resolved))
    named = [int(name) for _, name, _, _ in string.Formatter().parse(texts) if name]
    used = [int(w) for family in TABLES for entry in family.resolved_by.get(kind, ()) for w in parsed(entry)[1]]
    return max((k + 1 for k in (*named, *used)), default=0)


def _actions(schemas: Iterable[ActionSchema]) -> tuple[ActionWords, ...]:
    """Returns the verbs of the world, and the verbs and searches for actions that the tables here name."""
    found = {s.verb: ActionWords(s.verb, len(s.roles)) for s in schemas}
    for family in TABLES:
        for entry in (entry for entries in family.resolved_by.values() for entry in entries):
            name, about = parsed(entry)
            found.setdefault(name, ActionWords(name, len(about)))
        for verb, entries in family.blocked_by.items():
            used = [int(w) + 1 for entry in entries for w in parsed(entry)[1] if w.isdecimal()]
            found.setdefault(verb, ActionWords(verb, max(used, default=0)))
    return tuple(found.values())
